import PatchHTML
import SwiftUI
import ViewTree

/// A screen of native views on Linux, shown as HTML and driven by events.
public final class HostScreen {
    private let mount: _Mount
    private let handle: UInt32

    /// Shows a view.
    /// - Parameter make: makes the view, at first and whenever its surroundings change.
    public init<V: View>(in surroundings: Surroundings = .init(), _ make: @escaping () -> V) {
        let id = Self.count
        Self.count += 1
        // Erased as a module registers it: another view around would number the places otherwise.
        _registerView(id) { reader in
            reader.arrayHeader(exactly: 0)
            return _Block(make())
        }
        handle = surroundings.message(properties: [0x90]).withUnsafeBytes { raw in
            var reader = GuestReader(raw)
            return _mount(id, &reader)
        }
        mount = _mounted(handle)
    }

    deinit { _unmount(handle) }

    nonisolated(unsafe) private static var count: UInt64 = 1

    /// The screen as bytes, as it was drawn last.
    public private(set) var bytes: [UInt8] = []

    /// Draws the screen as it is now.
    /// - Throws: ``TreeError`` for a tree that nobody can read, which none of ours is.
    public func views() throws -> [ViewNode] {
        bytes = mount.renderedBytes()
        return try Tree.decode(bytes)
    }

    /// The screen as HTML, and what else there is to know of it.
    public func page() throws -> HTMLScreen { HTMLRenderer.screen(try views()) }

    /// Tells the screen of an event.
    public func send(_ token: EventToken, _ payload: EventPayload = .none) {
        send(token.rawValue, payload: payload.bytes)
    }

    /// The same with what is encoded already.
    public func send(_ token: UInt64, payload: [UInt8]) { _ = mount.send(token, payload) }

    /// A row of a long list; nil when it is gone.
    public func row(_ list: EventToken, _ index: Int) throws -> [ViewNode]? {
        try mount.rowBytes(list.rawValue, index).map { try Tree.decode($0) }
    }
}

// Views are registered as screens are made.
@_cdecl("op_register_views") func registerViews() {}
