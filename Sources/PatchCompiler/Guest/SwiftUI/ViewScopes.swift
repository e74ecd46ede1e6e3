// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Identity and the life of state. Views are values that come and go with each pass; what stays is a
// tree of scopes, found again by where a view stands: its ordinal in straight-line code, the side of
// an `if`, the identifier of a row. A scope that a pass did not visit loses its state.

/// A place in the structure of a view.
public final class _Scope {
    let key: UInt64
    let id: UInt32
    /// Where it stands, by the keys of all scopes down to it: the same in another version of the
    /// module that has the same places. 0 is the view that the host mounted.
    let path: UInt64
    unowned(unsafe) let mount: _Mount
    var children: [_Scope] = []
    /// State of the view that stands here, by slot.
    var slots: [_AnyLocation?] = []
    /// What its events do, by ordinal.
    var actions: [(inout GuestReader) -> Void] = []
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

    /// Begins a visit.
    func begin() {
        generation = mount.generation
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
        cursor > 0 && cursor <= children.count ? children[cursor - 1] : nil
    }

    private func find(_ key: UInt64) -> _Scope? {
        let count = children.count
        var at = cursor
        var steps = 0
        while steps < count {
            if at >= count { at = 0 }
            if children[at].key == key {
                cursor = at + 1
                return children[at]
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
            actions[ordinal] = action
        } else {
            actions.append(action)
        }
        return UInt64(id) << 32 | UInt64(ordinal)
    }

    /// The state in a slot, made at the first visit.
    func location<Value>(_ slot: Int, _ initial: Value) -> _Location<Value> {
        if let known = known(slot) { return unsafeDowncast(known, to: _Location<Value>.self) }
        let made = _Location(initial)
        slots[slot] = made
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
        slots[slot] = made
        if let left = mount.saved.take(path, identity) { made.value = left.read(read) }
        return made
    }

    @inline(never) private func known(_ slot: Int) -> _AnyLocation? {
        while slots.count <= slot { slots.append(nil) }
        return slots[slot]
    }

    /// Adds what can leave the guest.
    func saved(writtenOnly: Bool, into found: inout [_AnyLocation]) {
        for case .some(let slot) in slots where slot.identity != nil {
            if slot.isWritten || !writtenOnly { found.append(slot) }
        }
    }

    /// Drops the state of what the last pass did not visit. Its actions live for one pass more: an
    /// event may be on its way.
    func sweep() {
        var index = 0
        while index < children.count {
            let child = children[index]
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

    private func forget() {
        slots = []
        makeRow = nil
        fetchedAt = -1
        for child in children { child.forget() }
    }

    func find(id: UInt32) -> _Scope? {
        if self.id == id { return self }
        for child in children {
            if let found = child.find(id: id) { return found }
        }
        return nil
    }
}

/// State without its type.
public class _AnyLocation {
    /// Where its view stands.
    var path: UInt64 = 0
    /// Hashes of the property's name and type, for state that can leave the guest.
    var identity: _Saved.Identity?
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
        _isDirty = true
    }
}

/// Whether something changed since the last pass.
nonisolated(unsafe) var _isDirty = false

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
