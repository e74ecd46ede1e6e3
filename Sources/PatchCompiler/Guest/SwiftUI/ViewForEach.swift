// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Rows with identifiers. In a list, only the first ones are made; the host asks for the others when
// they come into sight (`op_row`).

public struct ForEach: _Primitive {
    let count: Int
    let key: (Int) -> UInt64
    let row: (_Emitter, Int) -> Void
    var delete: ((IndexSet) -> Void)?

    /// Rows that a pass makes of a list that is longer.
    static var window: Int { 64 }

    public init<D: RandomAccessCollection, ID: Hashable, C: View>(
        _ data: D, id: @escaping (D.Element) -> ID,
        @ViewBuilder content: @escaping (D.Element) -> C
    ) {
        count = data.count
        key = { _hash(id(data[data.index(data.startIndex, offsetBy: $0)])) }
        row = { e, index in
            let element = data[data.index(data.startIndex, offsetBy: index)]
            let id = id(element)
            let key = _hash(id)
            e.tags?.add(key, id)
            let outer = e.enter(key)
            let mark = e.open(_Op.rowView)
            e.u64(e.scope.key)
            content(element)._emit(e)
            e.close(mark)
            e.leave(outer)
        }
    }

    public init<D: RandomAccessCollection, C: View>(
        _ data: D, @ViewBuilder content: @escaping (D.Element) -> C
    ) where D.Element: Identifiable { self.init(data, id: { $0.id }, content: content) }

    public init<C: View>(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> C) {
        self.init(data, id: { $0 }, content: content)
    }

    public init<D: MutableCollection & RandomAccessCollection, C: View>(
        _ data: Binding<D>, @ViewBuilder content: @escaping (Binding<D.Element>) -> C
    ) where D.Element: Identifiable {
        self.init(
            data.wrappedValue, id: { $0.id },
            content: { content(ForEach.binding(to: $0, in: data)) })
    }

    /// A binding to an element, which is found by its identifier at the time of use: rows move.
    private static func binding<D: MutableCollection & RandomAccessCollection>(
        to element: D.Element, in data: Binding<D>
    ) -> Binding<D.Element> where D.Element: Identifiable {
        func place() -> D.Index? { data.wrappedValue.firstIndex { $0.id == element.id } }
        return Binding(
            get: { place().map { data.wrappedValue[$0] } ?? element },
            set: { value in
                if let place = place() { data.wrappedValue[place] = value }
            })
    }

    #if !hasFeature(Embedded)
        public init<D: RandomAccessCollection, ID: Hashable, C: View>(
            _ data: D, id: KeyPath<D.Element, ID>,
            @ViewBuilder content: @escaping (D.Element) -> C
        ) { self.init(data, id: { $0[keyPath: id] }, content: content) }
    #endif

    public func onDelete(perform: ((IndexSet) -> Void)?) -> ForEach {
        var copy = self
        copy.delete = perform
        return copy
    }

    public func _emit(_ e: _Emitter) {
        let outer = e.enterNext()
        let mark = e.open(_Op.forEachView)
        let scope = e.scope
        e.u64(UInt64(scope.id) << 32)
        e.u32(UInt32(count))
        let shown = e.isLazy && count > ForEach.window ? ForEach.window : count
        var index = 0
        while index < shown {
            row(e, index)
            index += 1
        }
        if shown < count {
            keepFetched(scope, from: shown)
            let around = _surroundings
            let row = row
            let count = count
            let isLazy = e.isLazy
            let tags = e.tags
            scope.makeRow = { e, index in
                guard index < count else { return }
                e.isLazy = isLazy
                e.tags = tags
                _surroundings = around
                row(e, index)
            }
        } else {
            scope.makeRow = nil
        }
        if let delete {
            let inner = e.open(_Op.onDeleteModifier)
            // The row may be gone by the time the finger lifts.
            let count = count
            e.token {
                let place = Int($0.integer(UInt32.self))
                if place < count { delete(IndexSet(integer: place)) }
            }
            e.closeModifier(inner)
        }
        e.close(mark)
        e.leave(outer)
    }

    /// Rows that the host fetched keep their state as long as their identifiers are there. They are
    /// looked for where they were, then around it; a list that changes beyond all measure costs
    /// them their state, not the user his time.
    private func keepFetched(_ scope: _Scope, from first: Int) {
        let generation = scope.mount.generation
        var looks = 20_000
        for number in 0..<scope.childCount {
            let child = scope.child(at: number)
            guard child.isFetched, child.generation != generation else { continue }
            var distance = 0
            search: while distance < count, looks > 0 {
                for place in [child.fetchedAt - distance, child.fetchedAt + distance]
                where place >= first && place < count {
                    looks -= 1
                    if key(place) == child.key {
                        child.fetchedAt = place
                        child.keep(generation)
                        break search
                    }
                }
                distance += 1
            }
        }
    }
}

extension _Scope {
    func keep(_ generation: UInt32) {
        self.generation = generation
        isChanged = false
        for index in 0..<childCount { child(at: index).keep(generation) }
    }
}

#if hasFeature(Embedded)
    /// Places in a list.
    public struct IndexSet: Sequence {
        var places: [Int]
        public init(integer: Int) { places = [integer] }
        public init() { places = [] }
        public var first: Int? { places.first }
        public var count: Int { places.count }
        public func makeIterator() -> Array<Int>.Iterator { places.makeIterator() }
    }
#endif

#if hasFeature(Embedded) || !canImport(Darwin)
    extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
        /// Removes the elements at places.
        public mutating func remove(atOffsets places: IndexSet) {
            for place in places.sorted(by: >) where place < count { remove(at: place) }
        }
    }
#endif
