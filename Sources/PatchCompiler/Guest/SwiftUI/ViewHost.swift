// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// What the host calls. Docs/internals/views.md, "Calls".

/// A screen that the host shows.
public final class _Mount: _Node {
    var nextScope: UInt32 = 1
    var generation: UInt32 = 1
    private var place: _Scope?
    private var emitter: _Emitter?
    private let factory: _Factory
    private var content: _Block
    /// The wide changes that the last whole pass knew of; none has been yet.
    private var knownChanges = _wideChanges &- 1
    private var environment = _Surroundings(EnvironmentValues())
    /// What a version of the module before this one, or native code, left for the state here.
    var saved = _Saved()
    /// Values that the host owns, by the names of the properties that bind them.
    private var bound = _Nodes()
    /// Ends the presentation of the screen itself.
    private(set) var wantsDismissal = false

    init(_ factory: @escaping _Factory, _ reader: inout GuestReader) {
        self.factory = factory
        content = _Block(EmptyView())
        super.init()
        let count = reader.arrayHeader()
        precondition(count == 2 || count == 3)
        take(&reader)
        if count == 3 { saved = _Saved(&reader) }
    }

    /// Takes new values of the view's properties, and of what surrounds it:
    /// `[properties, [scheme, direction, type size, horizontal, vertical, width, height, …]]`.
    func update(_ reader: inout GuestReader) {
        reader.arrayHeader(exactly: 2)
        take(&reader)
    }

    private func take(_ reader: inout GuestReader) {
        _made = self
        content = factory(&reader)
        var left = reader.arrayHeader()
        func next() -> Bool {
            left -= 1
            return left >= 0
        }
        var values = EnvironmentValues()
        values.dismiss = DismissAction(perform: { [unowned(unsafe) self] in wantsDismissal = true })
        if next() { values.colorScheme = ColorScheme(rawValue: small(&reader)) ?? .light }
        if next() {
            values.layoutDirection = LayoutDirection(rawValue: small(&reader)) ?? .leftToRight
        }
        if next() { values.dynamicTypeSize = DynamicTypeSize(rawValue: small(&reader)) ?? .large }
        if next() {
            values.horizontalSizeClass = UserInterfaceSizeClass(rawValue: small(&reader))
        }
        if next() { values.verticalSizeClass = UserInterfaceSizeClass(rawValue: small(&reader)) }
        if next() { values.size.width = reader.double() }
        if next() { values.size.height = reader.double() }
        environment = _Surroundings(values)
        _noteWideChange()
    }

    private func small(_ reader: inout GuestReader) -> UInt8 { reader.integer(UInt8.self) }

    private var root: _Scope {
        if let place { return place }
        let made = _Scope(key: 0, mount: self, path: _Saved.rootPath)
        place = made
        return made
    }

    private func ready() -> _Emitter {
        let root = root
        if let emitter { return emitter }
        let made = _Emitter(root)
        emitter = made
        return made
    }

    /// Makes the whole tree. What runs after a pass may change state, so that another pass is needed;
    /// views that never come to rest are shown as they are after some.
    ///
    /// With `changesOnly` the answer may be an operation that holds the places that changed since
    /// the answer before (`_Op.changes`), if the module knows them.
    func render(changesOnly: Bool = false) -> (UnsafeMutableRawPointer, Int) {
        let e = ready()
        if changesOnly, knownChanges == _wideChanges, !_readsSettings, drawChanges(e) {
            return e.handOver()
        }
        var passes = 0
        repeat {
            _isDirty = false
            knownChanges = _wideChanges
            generation &+= 1
            root.begin()
            e.restart(at: root)
            _surroundings = environment
            emit(e)
            root.sweep()
            e.runAfter()
            passes += 1
        } while _isDirty && passes < 8
        _isDirty = false
        return e.handOver()
    }

    /// Writes the places that changed.
    /// - Returns: false when the whole tree is to be made: something else changed meanwhile.
    private func drawChanges(_ e: _Emitter) -> Bool {
        var changed = _Nodes()
        var isWhole = false
        guard !root.changes(into: &changed, &isWhole), !isWhole else { return false }
        _isDirty = false
        e.restart(at: root)
        let mark = e.open(_Op.changes)
        if !changed.isEmpty { generation &+= 1 }
        for index in 0..<changed.count { e.redraw(changed.get(index)) }
        e.closeModifier(mark)
        e.runAfter()
        return !_isDirty
    }

    private func emit(_ e: _Emitter) {
        #if hasFeature(Embedded)
            content._emit(e)
        #else
            // A patch's models say by themselves that they changed; the host's are observed.
            withObservationTracking {
                content._emit(e)
            } onChange: {
                _noteWideChange()
            }
        #endif
    }

    /// Makes one row of a long list.
    func row(_ token: UInt64, _ index: Int) -> (UnsafeMutableRawPointer, Int)? {
        guard let scope = root.find(id: UInt32(truncatingIfNeeded: token >> 32)),
            let make = scope.makeRow
        else { return nil }
        let e = ready()
        e.restart(at: scope)
        make(e, index)
        // This row came by the host's wish: passes leave it alone.
        scope.visited?.fetchedAt = index
        return e.count == 0 ? nil : e.handOver()
    }

    /// Runs what an event does.
    /// - Returns: 1 when the tree changes by it, 2 when nothing has this token, 4 when the screen
    ///   wants to be dismissed.
    func event(_ token: UInt64, _ reader: inout GuestReader) -> UInt32 {
        let ordinal = Int(token & 0xffff_ffff)
        guard let scope = root.find(id: UInt32(truncatingIfNeeded: token >> 32)),
            ordinal < scope.actions.count
        else { return 2 }
        wantsDismissal = false
        saved = _Saved()
        // A copy: the action may lead to another one at its place.
        let run = scope.actions.get(ordinal, _Action.self).run
        run(&reader)
        return (_isDirty ? 1 : 0) | (wantsDismissal ? 4 : 0)
    }
}

// MARK: - State that leaves the guest

extension _Mount {
    /// What the properties of the mounted view bind: the host's value, which the guest may change.
    func binding<Value>(
        _ identity: _Saved.Identity, _ value: Value,
        _ write: @escaping (inout GuestWriter, Value) -> Void
    ) -> Binding<Value> {
        for index in 0..<bound.count
        where bound.get(index, _AnyLocation.self).identity == identity {
            let location = bound.get(index, _Location<Value>.self)
            location.value = value
            return Binding(get: { location.value }, set: { location.set($0) })
        }
        let made = _SavedLocation(value, 0, identity, write)
        bound.append(made)
        return Binding(get: { made.value }, set: { made.set($0) })
    }

    /// The values of all state that can leave the guest.
    func state() -> Int64 {
        var found = _Nodes()
        func collect(_ scope: _Scope) {
            scope.saved(writtenOnly: false, into: &found)
            for index in 0..<scope.childCount { collect(scope.child(at: index)) }
        }
        collect(root)
        return _Saved.write(found)
    }

    /// What the guest changed of the values that the host keeps as well: the state of the mounted
    /// view itself, and what it binds.
    func written() -> Int64 {
        var found = _Nodes()
        for index in 0..<root.childCount where root.child(at: index).path == 0 {
            root.child(at: index).saved(writtenOnly: true, into: &found)
        }
        for index in 0..<bound.count where bound.get(index, _AnyLocation.self).isWritten {
            found.append(bound[index])
        }
        for index in 0..<found.count { found.get(index, _AnyLocation.self).isWritten = false }
        return found.isEmpty ? 0 : _Saved.write(found)
    }
}

/// The mount whose view is being made.
nonisolated(unsafe) private var _made: _Mount?

/// A binding among the properties of a mounted view; generated code calls it.
public func _bound<Value>(
    _ name: UInt64, _ type: UInt64, _ value: Value,
    _ write: @escaping (inout GuestWriter, Value) -> Void
) -> Binding<Value> {
    guard let mount = _made else { return .constant(value) }
    return mount.binding(_Saved.Identity(name: name, type: type), value, write)
}

/// Makes a view from the values of its properties.
public typealias _Factory = (inout GuestReader) -> _Block

private final class _Announced: _Node {
    let id: UInt64
    let make: _Factory
    init(_ id: UInt64, _ make: @escaping _Factory) {
        self.id = id
        self.make = make
    }
}

nonisolated(unsafe) private var _factories = _Nodes()
/// The mounted views by their handles; places that are free hold something else.
nonisolated(unsafe) private var _mounts = _Nodes()

/// Announces a view that hosts may mount; generated code calls it.
public func _registerView(_ id: UInt64, _ make: @escaping _Factory) {
    _factories.append(_Announced(id, make))
}

/// Generated beside the views.
@_silgen_name("op_register_views") func _registerViews()

/// Mounts a view.
/// - Returns: its handle, or 0 when there is no view of that id.
public func _mount(_ id: UInt64, _ reader: inout GuestReader) -> UInt32 {
    if _factories.isEmpty { _registerViews() }
    for number in 0..<_factories.count where _factories.get(number, _Announced.self).id == id {
        let mount = _Mount(_factories.get(number, _Announced.self).make, &reader)
        for index in 0..<_mounts.count where !(_mounts[index] is _Mount) {
            _mounts.set(index, mount)
            return UInt32(index + 1)
        }
        _mounts.append(mount)
        return UInt32(_mounts.count)
    }
    return 0
}

@inline(never) public func _mounted(_ handle: UInt32) -> _Mount {
    guard handle > 0, Int(handle) <= _mounts.count, let mount = _mounts[Int(handle) - 1] as? _Mount
    else {
        preconditionFailure("no view is mounted under this handle")
    }
    return mount
}

public func _unmount(_ handle: UInt32) {
    _ = _mounted(handle)
    _mounts.set(Int(handle) - 1, _Node())
}

#if hasFeature(Embedded)
    private func packed(_ bytes: (UnsafeMutableRawPointer, Int)?) -> UInt64 {
        guard let (start, count) = bytes else { return 0 }
        return UInt64(UInt(bitPattern: start)) << 32 | UInt64(count)
    }

    @_cdecl("op_mount") public func op_mount(
        _ view: UInt64, _ pointer: Int32, _ length: Int32
    ) -> UInt32 {
        var reader = GuestReader(pointer, length)
        return _mount(view, &reader)
    }

    @_cdecl("op_update") public func op_update(
        _ handle: UInt32, _ pointer: Int32, _ length: Int32
    ) {
        var reader = GuestReader(pointer, length)
        _mounted(handle).update(&reader)
    }

    @_cdecl("op_render") public func op_render(_ handle: UInt32, _ scope: UInt64) -> UInt64 {
        packed(_mounted(handle).render(changesOnly: scope != 0))
    }

    @_cdecl("op_event") public func op_event(
        _ handle: UInt32, _ token: UInt64, _ pointer: Int32, _ length: Int32
    ) -> UInt32 {
        var reader = GuestReader(pointer, length)
        return _mounted(handle).event(token, &reader)
    }

    @_cdecl("op_row") public func op_row(
        _ handle: UInt32, _ token: UInt64, _ index: UInt64
    ) -> UInt64 {
        packed(_mounted(handle).row(token, Int(index)))
    }

    @_cdecl("op_state") public func op_state(_ handle: UInt32, _ part: UInt32) -> Int64 {
        part == 0 ? _mounted(handle).state() : _mounted(handle).written()
    }

    @_cdecl("op_unmount") public func op_unmount(_ handle: UInt32) { _unmount(handle) }
#else
    extension _Mount {
        /// The tree, for hosts in the same process.
        public func renderedBytes() -> [UInt8] { taken(render()) }

        /// What changed, for hosts in the same process.
        public func changedBytes() -> [UInt8] { taken(render(changesOnly: true)) }

        /// A row, for hosts in the same process.
        public func rowBytes(_ token: UInt64, _ index: Int) -> [UInt8]? {
            let place = root.find(id: UInt32(truncatingIfNeeded: token >> 32))
            if let foreign = place?.foreign {
                return foreign.row(ordinal: Int(token & 0xffff_ffff), index)
            }
            return row(token, index).map { taken($0) }
        }

        /// An event, for hosts in the same process.
        public func send(_ token: UInt64, _ payload: [UInt8]) -> UInt32 {
            payload.withUnsafeBytes { bytes in
                var reader = GuestReader(bytes)
                return event(token, &reader)
            }
        }

        /// New values, for hosts in the same process.
        public func update(bytes: [UInt8]) {
            bytes.withUnsafeBytes { bytes in
                var reader = GuestReader(bytes)
                update(&reader)
            }
        }

        private func taken(_ bytes: (UnsafeMutableRawPointer, Int)) -> [UInt8] {
            defer { bytes.0.deallocate() }
            return [UInt8](UnsafeRawBufferPointer(start: bytes.0, count: bytes.1))
        }
    }
#endif
