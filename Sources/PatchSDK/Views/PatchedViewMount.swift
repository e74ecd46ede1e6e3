/// A place on the screen where the active module draws a view in the app's stead. Whatever draws
/// keeps one for each place, asks it in every pass, and shows the app's own content whenever it
/// gives nothing. Used on the thread that draws.
public final class PatchedViewMount {
    private let routing: RoutingTable
    private var shown: Shown?

    private struct Shown {
        let view: UInt64
        let instance: ViewInstance
        /// What the module was told last.
        var message: [UInt8]
        /// Where its changes go.
        var values: [PatchedValue]
    }

    /// What an event did.
    public struct Outcome: OptionSet, Sendable {
        /// A bit each, as modules answer.
        public let rawValue: UInt32
        /// Takes a module's answer.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Another tree is to be drawn.
        public static let changed = Outcome(rawValue: 1)
        /// No action has this token; the view that had it is gone.
        public static let unknownToken = Outcome(rawValue: 2)
        /// The screen asks to be dismissed.
        public static let dismissed = Outcome(rawValue: 4)
    }

    /// A place of the running app.
    public convenience init() { self.init(Patch.shared.routing) }

    init(_ routing: RoutingTable) { self.routing = routing }

    /// Whether a module drew the last pass.
    public var isPatched: Bool { shown != nil }

    /// Draws a view.
    /// - Parameters:
    ///   - view: the view as it is now; nil when no module draws it.
    ///   - surroundings: what surrounds it, encoded (`ViewTree`, `Surroundings`).
    ///   - changesOnly: whether the answer may be what changed since the one before, for whoever
    ///     kept that (`Tree.applying`).
    /// - Returns: the tree's bytes; nil when the app's own content is to be shown.
    public func render(
        _ view: PatchedView?, surroundings: [UInt8], changesOnly: Bool = false
    ) -> [UInt8]? {
        guard let view, let module = routing.module(forView: view.id) else {
            shown = nil
            return nil
        }
        do {
            try prepare(view, module, view.properties + surroundings)
            return try shown?.instance.render(changesOnly: changesOnly)
        } catch {
            fail(view.id, module, error)
            return nil
        }
    }

    /// Brings the module's view to what the app's is now, and another module to the state of the
    /// one before it.
    private func prepare(
        _ view: PatchedView, _ module: LoadedModule, _ message: [UInt8]
    ) throws {
        if let now = shown, now.instance.module === module, now.view == view.id {
            shown?.values = view.values
            guard now.message != message else { return }
            try now.instance.update([0x92] + message)
            shown?.message = message
            return
        }
        var state = view.state
        if let old = shown, old.view == view.id,
            // A module that failed has nothing to hand on; native code has its part.
            let left = try? old.instance.state(writtenOnly: false)
        {
            state = left.before(state)
        }
        shown = nil
        let instance = try ViewInstance(module, view.id, [0x93] + message + state.encoded)
        shown = Shown(view: view.id, instance: instance, message: message, values: view.values)
    }

    /// Tells the module of an event, and native code what it changed.
    public func send(_ token: UInt64, _ payload: [UInt8]) -> Outcome {
        guard let now = shown else { return .unknownToken }
        do {
            let outcome = try now.instance.event(token, payload)
            try writeThrough(now)
            return Outcome(rawValue: UInt32(truncatingIfNeeded: outcome))
        } catch {
            fail(now.view, now.instance.module, error)
            return .changed
        }
    }

    /// Tells native code what changed while the module drew. Not for the middle of a pass.
    public func settle() {
        guard let now = shown else { return }
        do {
            try writeThrough(now)
        } catch {
            fail(now.view, now.instance.module, error)
        }
    }

    /// One row of a long list; nil when it is gone, or the app's own content is to be shown.
    public func row(_ list: UInt64, _ index: Int) -> [UInt8]? {
        guard let now = shown, index >= 0 else { return nil }
        do {
            return try now.instance.row(list, index)
        } catch {
            fail(now.view, now.instance.module, error)
            return nil
        }
    }

    /// What the module drew cannot be read: the view is the app's own until the next release.
    /// - Parameter reason: what is wrong with it.
    public func refuse(_ reason: String) {
        guard let now = shown else { return }
        fail(now.view, now.instance.module, PatchError(.viewUnreadable, reason))
    }

    /// The view is gone.
    public func end() { shown = nil }

    private func writeThrough(_ now: Shown) throws {
        for entry in try now.instance.state(writtenOnly: true).entries {
            for value in now.values where value.name == entry.name && value.type == entry.type {
                var reader = MessagePackReader(entry.bytes)
                do {
                    try value.read(&reader)
                } catch {
                    throw PatchError(.resultMalformed, "state: \(error)")
                }
            }
        }
    }

    private func fail(_ view: UInt64, _ module: LoadedModule, _ error: any Error) {
        shown = nil
        routing.demote(
            view: view, module, error as? PatchError ?? PatchError(.callFailed, "\(error)"))
    }
}
