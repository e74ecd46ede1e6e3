// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Writes the view tree: Docs/internals/views.md, "The tree". Every operation is a number (u16), the
// count of the bytes that follow (u32) and those bytes, all little-endian: an operation's fields,
// then the operations inside it. Length first, so that a reader can skip what it does not want.

/// Appends operations to a buffer that the host takes over.
public final class _Emitter {
    var base: UnsafeMutableRawPointer
    var capacity: Int
    /// Bytes written.
    var count = 0
    /// Views written at the present level, to tell one view from several.
    var nodes = 0
    var scope: _Scope
    /// Whether a list around asks for rows one by one.
    public var isLazy = false
    /// What the nearest selection's `tag`s are collected in.
    var tags: _Tags?
    /// Runs after the pass: `onChange` and its like.
    var after = _Nodes()

    init(_ scope: _Scope) {
        capacity = 4096
        base = .allocate(byteCount: capacity, alignment: 16)
        self.scope = scope
    }

    deinit { base.deallocate() }

    /// Begins a pass; `bytes` was given away.
    @inline(never) func restart(at root: _Scope) {
        scope = root
        count = 0
        nodes = 0
        isLazy = false
        tags = nil
    }

    /// Runs what was left for after the pass.
    @inline(never) func runAfter() {
        let work = after
        after = _Nodes()
        for index in 0..<work.count { work.get(index, _Work.self).run() }
    }

    /// Gives the buffer away and takes a new one.
    @inline(never) func handOver() -> (UnsafeMutableRawPointer, Int) {
        let result = (base, count)
        base = .allocate(byteCount: capacity, alignment: 16)
        count = 0
        return result
    }

    @inline(never) private func grow(_ more: Int) {
        var larger = capacity * 2
        while larger < count + more { larger *= 2 }
        let place = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        place.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = place
        capacity = larger
    }

    @inline(__always) private func put<T>(_ value: T) {
        let size = MemoryLayout<T>.size
        if count + size > capacity { grow(size) }
        base.storeBytes(of: value, toByteOffset: count, as: T.self)
        count += size
    }

    @inline(never) public func u8(_ value: UInt8) { put(value) }
    @inline(never) public func bool(_ value: Bool) { put(value ? 1 as UInt8 : 0) }
    @inline(never) public func u32(_ value: UInt32) { put(value.littleEndian) }
    @inline(never) public func u64(_ value: UInt64) { put(value.littleEndian) }
    @inline(never) public func i64(_ value: Int) { put(Int64(value).littleEndian) }
    @inline(never) public func f64(_ value: Double) { put(value.bitPattern.littleEndian) }

    @inline(never) public func string(_ value: String) {
        var value = value
        value.withUTF8 { bytes in
            u32(UInt32(bytes.count))
            guard let start = bytes.baseAddress else { return }
            if count + bytes.count > capacity { grow(bytes.count) }
            (base + count).copyMemory(from: start, byteCount: bytes.count)
            count += bytes.count
        }
    }

    #if !hasFeature(Embedded)
        /// Appends bytes as they are.
        func write(_ bytes: [UInt8]) {
            bytes.withUnsafeBytes { raw in
                guard let start = raw.baseAddress else { return }
                if count + raw.count > capacity { grow(raw.count) }
                (base + count).copyMemory(from: start, byteCount: raw.count)
                count += raw.count
            }
        }
    #endif

    // MARK: - Operations

    /// Where an operation's bytes begin, and how many views came before it.
    public struct _Mark {
        let start: Int
        let nodes: Int
    }

    @inline(never) public func open(_ operation: UInt16) -> _Mark {
        if count + 6 > capacity { grow(6) }
        base.storeBytes(of: operation.littleEndian, toByteOffset: count, as: UInt16.self)
        count += 6
        return _Mark(start: count, nodes: nodes)
    }

    @inline(never) public func close(_ mark: _Mark) {
        closeModifier(mark)
        nodes = mark.nodes + 1
    }

    @inline(never) public func closeModifier(_ mark: _Mark) {
        let length = UInt32(count - mark.start)
        base.storeBytes(of: length.littleEndian, toByteOffset: mark.start - 4, as: UInt32.self)
        nodes = mark.nodes
    }

    /// Writes a part of a view beyond its children, unless it is empty.
    @inline(never) public func part(_ index: UInt8, _ content: _Block) {
        let mark = open(_Op.part)
        u8(index)
        content._emit(self)
        closeModifier(mark)
        if count == mark.start + 1 { count = mark.start - 6 }
    }

    // A modifier goes to the end of its view. Several views, or none, are made one first.

    @inline(never) func beginModified() -> _Mark { _Mark(start: count, nodes: nodes) }

    @inline(never) func groupModified(_ mark: _Mark) {
        guard nodes != mark.nodes + 1 else { return }
        if count + 6 > capacity { grow(6) }
        let size = count - mark.start
        memmove(base + mark.start + 6, base + mark.start, size)
        base.storeBytes(of: (1 as UInt16).littleEndian, toByteOffset: mark.start, as: UInt16.self)
        base.storeBytes(
            of: UInt32(size).littleEndian, toByteOffset: mark.start + 2, as: UInt32.self)
        count += 6
        nodes = mark.nodes + 1
    }

    @inline(never) func endModified(_ mark: _Mark) {
        let size = UInt32(count - mark.start - 6)
        base.storeBytes(of: size.littleEndian, toByteOffset: mark.start + 2, as: UInt32.self)
        nodes = mark.nodes + 1
    }

    private func memmove(
        _ to: UnsafeMutableRawPointer, _ from: UnsafeMutableRawPointer, _ size: Int
    ) { to.copyMemory(from: from, byteCount: size) }

    // MARK: - Events

    /// Writes the token of a new action; the same place in the source gets the same token.
    @inline(never) func token(_ action: @escaping (inout GuestReader) -> Void) {
        u64(scope.token(action))
    }

    @inline(never) public func action(_ action: @escaping () -> Void) {
        token { _ in action() }
    }

    @inline(never) public func bound(_ value: Binding<Bool>) {
        bool(value.wrappedValue)
        token { value.wrappedValue = $0.bool() }
    }

    @inline(never) public func bound(_ value: Binding<String>) {
        string(value.wrappedValue)
        token { value.wrappedValue = $0.string() }
    }

    @inline(never) public func bound(_ value: Binding<Double>) {
        f64(value.wrappedValue)
        token { value.wrappedValue = $0.double() }
    }

    @inline(never) public func selection(_ value: _Selection) {
        u64(value.current())
        let tags = tags ?? _Tags()
        token { value.choose($0.integer(UInt64.self), tags) }
    }

    // MARK: - Identity

    @inline(never) func enter(_ key: UInt64) -> _Scope {
        let outer = scope
        scope = outer.child(key)
        return outer
    }

    @inline(never) func enterNext() -> _Scope {
        let key = scope.nextKey
        scope.nextKey += 1
        return enter(key)
    }

    /// Writes what stands at the present place, in a way that can be repeated.
    @inline(never) func scoped(_ content: @escaping (_Emitter) -> Void) {
        scope.content = content
        scope.around = _surroundings
        scope.isLazy = isLazy
        scope.tags = tags
        writeScope(content)
    }

    @inline(never) private func writeScope(_ content: (_Emitter) -> Void) {
        let mark = open(_Op.scopeView)
        u32(scope.id)
        content(self)
        close(mark)
    }

    /// Writes a place again, without what is around it.
    @inline(never) func redraw(_ scope: _Scope) {
        guard let content = scope.content, let around = scope.around else { return }
        self.scope = scope
        isLazy = scope.isLazy
        tags = scope.tags
        _surroundings = around
        scope.begin()
        writeScope(content)
        scope.sweep()
    }

    @inline(__always) func leave(_ outer: _Scope) { scope = outer }

    /// Writes one side of an `if` or a case of a `switch`, whose state is its own.
    func branch<V: View>(_ index: UInt32, _ content: V) {
        let outer = enterNext()
        _ = enter(UInt64(index))
        let mark = open(_Op.branchView)
        u32(index)
        content._emit(self)
        close(mark)
        leave(outer)
    }
}
