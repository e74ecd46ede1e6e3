// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Identity and the life of state. Views are values that come and go with each pass; what stays is a
// tree of scopes, found again by where a view stands: its ordinal in straight-line code, the side of
// an `if`, the identifier of a row. A scope that a pass did not visit loses its state.

/// A place in the structure of a view.
public final class _Scope: _Node {
    let key: UInt64
    let id: UInt32
    /// Where it stands, by the keys of all scopes down to it: the same in another version of the
    /// module that has the same places. 0 is the view that the host mounted.
    let path: UInt64
    unowned(unsafe) let mount: _Mount
    private var children = _Nodes()
    /// State of the view that stands here: the first slot, which knows the next.
    private(set) var first: _AnyLocation?
    /// What its events do, by ordinal (``_Action``).
    var actions = _Nodes()
    /// Writes the view that stands here by itself, with what was around it.
    var content: ((_Emitter) -> Void)?
    var around: _Surroundings?
    var isLazy = false
    var tags: _Tags?
    /// Whether state of this place changed since it was drawn.
    var isChanged = false
    /// Whether the last pass that could drew it.
    private(set) var isLive = true
    /// Makes the row at an index, for a `ForEach` in a long list.
    var makeRow: ((_Emitter, Int) -> Void)?
    #if !hasFeature(Embedded)
        /// The tree of another producer that stands here.
        var foreign: _Foreign?
    #endif
    var nextKey: UInt64 = 0
    private var nextAction = 0
    private var cursor = 0
    var generation: UInt32
    /// Where in its list the host asked for this row by itself; -1 when it did not.
    var fetchedAt = -1
    var isFetched: Bool { fetchedAt >= 0 }

    init(key: UInt64, mount: _Mount, path: UInt64) {
        self.key = key
        self.mount = mount
        self.path = path
        id = mount.nextScope
        mount.nextScope += 1
        generation = mount.generation
    }

    var childCount: Int { children.count }
    func child(at index: Int) -> _Scope { children.get(index) }

    /// Begins a visit.
    @inline(never) func begin() {
        generation = mount.generation
        isChanged = false
        isLive = true
        nextKey = 0
        nextAction = 0
        cursor = 0
    }

    /// The scope below with a key. Passes visit scopes in the same order, so that the next one is
    /// nearly always it.
    func child(_ key: UInt64) -> _Scope {
        var key = key
        while true {
            guard let found = find(key) else { return insert(key) }
            if found.generation != mount.generation || found.isFetched {
                found.begin()
                return found
            }
            // The same identifier twice in one pass: the second one is somebody else.
            key &+= 1
        }
    }

    /// The child that was entered last.
    var visited: _Scope? {
        cursor > 0 && cursor <= children.count ? child(at: cursor - 1) : nil
    }

    private func find(_ key: UInt64) -> _Scope? {
        let count = children.count
        var at = cursor
        var steps = 0
        while steps < count {
            if at >= count { at = 0 }
            let child = child(at: at)
            if child.key == key {
                cursor = at + 1
                return child
            }
            at += 1
            steps += 1
        }
        return nil
    }

    private func insert(_ key: UInt64) -> _Scope {
        let made = _Scope(key: key, mount: mount, path: _Saved.path(below: path, key))
        let at = cursor < children.count ? cursor : children.count
        children.insert(made, at: at)
        cursor = at + 1
        return made
    }

    func token(_ action: @escaping (inout GuestReader) -> Void) -> UInt64 {
        let ordinal = nextAction
        nextAction += 1
        if ordinal < actions.count {
            actions.get(ordinal, _Action.self).run = action
        } else {
            actions.append(_Action(action))
        }
        return UInt64(id) << 32 | UInt64(ordinal)
    }

    /// The state in a slot, made at the first visit.
    func location<Value>(_ slot: Int, _ initial: Value) -> _Location<Value> {
        if let known = known(slot) { return unsafeDowncast(known, to: _Location<Value>.self) }
        let made = _Location(initial)
        keep(made, slot)
        return made
    }

    /// The same, with the value that a version of the module before this one left there.
    func location<Value>(
        _ slot: Int, _ initial: Value, _ identity: _Saved.Identity,
        _ write: @escaping (inout GuestWriter, Value) -> Void,
        _ read: (inout GuestReader) -> Value
    ) -> _Location<Value> {
        if let known = known(slot) { return unsafeDowncast(known, to: _Location<Value>.self) }
        let made = _SavedLocation(initial, path, identity, write)
        keep(made, slot)
        if let left = mount.saved.take(path, identity) { made.value = left.read(read) }
        return made
    }

    @inline(never) private func known(_ slot: Int) -> _AnyLocation? {
        var next = first
        while let one = next, one.slot != slot { next = one.next }
        return next
    }

    /// Keeps state in a slot that has none.
    @inline(never) func keep(_ location: _AnyLocation, _ slot: Int) {
        location.scope = self
        location.slot = slot
        location.next = first
        first = location
    }

    /// Adds what can leave the guest.
    @inline(never) func saved(writtenOnly: Bool, into found: inout _Nodes) {
        var next = first
        while let one = next {
            if one.identity != nil, one.isWritten || !writtenOnly { found.append(one) }
            next = one.next
        }
    }

    /// Drops the state of what the last pass did not visit. Its actions live for one pass more: an
    /// event may be on its way.
    func sweep() {
        var index = 0
        while index < children.count {
            let child = child(at: index)
            let age = mount.generation &- child.generation
            if age == 0 {
                child.sweep()
            } else if age == 1 {
                child.forget()
            } else {
                children.remove(at: index)
                continue
            }
            index += 1
        }
    }

    deinit { letGo() }

    /// State that outlives its place tells nobody any more.
    @inline(never) private func letGo() {
        while let one = first {
            first = one.next
            one.next = nil
            one.scope = nil
        }
    }

    private func forget() {
        letGo()
        content = nil
        tags = nil
        isLive = false
        isChanged = false
        makeRow = nil
        fetchedAt = -1
        for index in 0..<children.count { child(at: index).forget() }
    }

    /// Collects the outermost places that have to be drawn for all that changed below here.
    /// - Returns: whether this place itself has to be drawn with what is around it.
    func changes(into found: inout _Nodes, _ isWhole: inout Bool) -> Bool {
        guard isLive else { return false }
        let before = found.count
        var needsThis = isChanged
        for index in 0..<children.count
        where child(at: index).changes(into: &found, &isWhole) { needsThis = true }
        guard needsThis || found.count > before else { return false }
        // The host holds rows that it fetched apart from the tree.
        if isFetched { isWhole = true }
        guard needsThis else { return false }
        guard content != nil else { return true }
        found.cut(to: before)
        found.append(self)
        return false
    }

    func find(id: UInt32) -> _Scope? {
        if self.id == id { return self }
        for index in 0..<children.count {
            if let found = child(at: index).find(id: id) { return found }
        }
        return nil
    }
}

/// State without its type.
public class _AnyLocation: _Node {
    /// The number of the property among those of its view, and the state of another one.
    fileprivate(set) var slot = 0
    fileprivate(set) var next: _AnyLocation?
    /// Where its view stands.
    var path: UInt64 = 0
    /// Hashes of the property's name and type, for state that can leave the guest.
    var identity: _Saved.Identity?
    /// The place whose view has it; the host's values have none.
    unowned(unsafe) var scope: _Scope?
    /// Whether the guest changed it since the host asked last.
    var isWritten = false
    /// Writes the value, when it can leave the guest.
    func save(to writer: inout GuestWriter) {}
}

/// Where a `@State` lives between passes.
public class _Location<Value>: _AnyLocation {
    var value: Value
    init(_ value: Value) { self.value = value }
    func set(_ value: Value) {
        self.value = value
        isWritten = true
        guard let scope else { return _noteWideChange() }
        scope.isChanged = true
        _isDirty = true
    }
}

/// Whether something changed since the last pass.
nonisolated(unsafe) var _isDirty = false

/// Whether a view read what others change as well, without word of it.
nonisolated(unsafe) var _readsSettings = false

/// Counts the changes that any view may show.
nonisolated(unsafe) var _wideChanges: UInt32 = 0

/// Something changed, and nobody knows which views show it.
@inline(never) func _noteWideChange() {
    _isDirty = true
    _wideChanges &+= 1
}

/// What `_link` is given: where the view stands.
public struct _Linker {
    let scope: _Scope

    /// Connects a property with what it stands for at this place.
    public func link<P: DynamicProperty>(_ property: inout P, _ slot: Int) {
        property._link(self, slot)
    }

    /// The same for state of a type that crosses, which other versions of the module take over.
    public func link<Value>(
        _ property: inout State<Value>, _ slot: Int, _ name: UInt64, _ type: UInt64,
        _ write: @escaping (inout GuestWriter, Value) -> Void,
        _ read: (inout GuestReader) -> Value
    ) {
        property.link.target = scope.location(
            slot, property.initial, _Saved.Identity(name: name, type: type), write, read)
    }
}

/// A property that changes from outside of the view.
public protocol DynamicProperty {
    mutating func _link(_ linker: _Linker, _ slot: Int)
}
