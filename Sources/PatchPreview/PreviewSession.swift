import Foundation
import PatchCompiler
import PatchHTML
import ViewTree
import WebAssembly

/// The views of a folder, compiled and shown: what the preview's server asks.
///
/// One build and one instance at a time; every request takes the lock.
public final class PreviewSession: @unchecked Sendable {
    // Unchecked: everything that changes is only touched while `lock` is held.
    private let lock = NSLock()
    private let source: PreviewSource
    private let builder: ViewModuleBuilder
    private let log: @Sendable (String) -> Void

    private let settings = GuestSettings()
    private var guest: GuestViews?
    private var module: Module?
    private var views: [PatchedView] = []
    private var screens: [UInt64: Shown] = [:]
    private var generation = 0
    private var failure: String?
    private var buildSeconds = 0.0
    private var moduleBytes = 0
    private var known: [String] = []

    /// A mounted view and the events that it has seen.
    private struct Shown {
        var view: MountedView
        var events: [PreviewEvent] = []
        var appeared: Set<UInt64> = []
        var last: HTMLScreen?
    }

    /// Events that are kept to bring a view to the same state after a build.
    private static let rememberedEvents = 1000

    /// A session over a folder or a file; builds nothing yet.
    public init(
        source: URL, builder: ViewModuleBuilder, log: @escaping @Sendable (String) -> Void
    ) {
        self.source = PreviewSource(root: source)
        self.builder = builder
        self.log = log
    }

    // MARK: - Building

    /// Builds what is there now. After a failure the views of the build before stay.
    public func build() {
        let begun = Date()
        let fingerprint = source.fingerprint()
        do {
            let built = try builder.build(source.files(), module: "Preview")
            let module = try parseWasm(bytes: built.module.wasm)
            try module.validate()
            lock.lock()
            defer { lock.unlock() }
            known = fingerprint
            try take(module, built.views)
            moduleBytes = built.module.wasm.count
            buildSeconds = Date().timeIntervalSince(begun)
            failure = nil
            generation += 1
            log("built \(views.count) views in \(Self.seconds(buildSeconds)) s")
        } catch {
            lock.lock()
            defer { lock.unlock() }
            known = fingerprint
            failure = "\(error)"
            generation += 1
            log("\(error)")
        }
    }

    /// Builds again when a file changed.
    /// - Returns: whether it did.
    @discardableResult
    public func buildIfChanged() -> Bool {
        let now = source.fingerprint()
        let isNew = lock.withLock { now != known }
        if isNew { build() }
        return isNew
    }

    /// Whether the last build failed, with the compiler's words.
    public var buildFailure: String? { lock.withLock { failure } }

    private static func seconds(_ value: Double) -> String { String(format: "%.1f", value) }

    /// Starts the new module and brings each view that was shown to the state that it had: the same
    /// events again, whose tokens name the same places in the source.
    private func take(_ module: Module, _ views: [PatchedView]) throws {
        let guest = try start(module)
        let old = screens
        screens = [:]
        self.module = module
        self.guest = guest
        self.views = views
        for (id, shown) in old where views.contains(where: { $0.id == id }) {
            guard var next = try? mount(id, in: shown.view.surroundings) else { continue }
            for event in shown.events {
                _ = try? next.view.renderedBytes()
                _ = try? next.view.send(event.token, event.payload)
            }
            next.events = shown.events
            next.appeared = shown.appeared
            if !guest.isSound {
                // An event that once did well ends the new view: begin it anew.
                self.guest = try start(module)
                continue
            }
            screens[id] = next
        }
    }

    private func start(_ module: Module) throws(ViewFault) -> GuestViews {
        var limits = ViewLimits()
        // A developer's machine is busy with the next build.
        limits.callNanoseconds = 10_000_000_000
        return try GuestViews(module, limits: limits) { imports, store in
            PreviewHost.define(in: &imports, store: store, settings: settings, log: log)
        }
    }

    private func mount(
        _ id: UInt64, in surroundings: Surroundings
    ) throws(ViewFault) -> Shown {
        guard let guest else { throw ViewFault(.startFailed, "nothing is built yet") }
        return Shown(view: try guest.mount(id, in: surroundings))
    }

    // MARK: - Requests

    /// The state of the session.
    struct Status: Encodable {
        struct View: Encodable {
            let id: String
            let name: String
            let isPreview: Bool
            let file: String
        }
        let generation: Int
        let failure: String?
        let buildSeconds: Double
        let moduleBytes: Int
        let memoryBytes: Int
        let views: [View]
    }

    func status() -> Status {
        lock.withLock {
            Status(
                generation: generation, failure: failure, buildSeconds: buildSeconds,
                moduleBytes: moduleBytes, memoryBytes: guest?.memoryBytes ?? 0,
                views: views.map {
                    Status.View(
                        id: String($0.id), name: $0.name, isPreview: $0.isPreview, file: $0.file)
                })
        }
    }

    /// A screen, and how long the guest took for it.
    struct Answer: Encodable {
        var html = ""
        var scheme: String?
        var guestMicroseconds = 0.0
        var treeBytes = 0
        var isDismissed = false
        var fault: String?
        var tree: [PreviewOutline]?
    }

    /// Shows a view, mounting it when it is not yet.
    func show(
        _ id: UInt64, in surroundings: Surroundings, restarting: Bool, withTree: Bool
    ) -> Answer {
        lock.withLock {
            answer(withTree) { answer throws(ViewFault) in
                if restarting, let old = screens.removeValue(forKey: id) {
                    if guest?.isSound == true { try old.view.unmount() }
                }
                if guest?.isSound == false, let module {
                    guest = try start(module)
                    screens = [:]
                }
                if screens[id] == nil { screens[id] = try mount(id, in: surroundings) }
                if screens[id]?.view.surroundings != surroundings {
                    try screens[id]?.view.update(in: surroundings)
                }
                return id
            }
        }
    }

    /// Tells a view of an event and shows it again.
    func send(_ id: UInt64, _ events: [PreviewEvent], withTree: Bool) -> Answer {
        lock.withLock {
            answer(withTree) { answer throws(ViewFault) in
                for event in events {
                    guard let view = screens[id]?.view else { break }
                    let outcome = try view.send(event.token, event.payload)
                    if outcome.contains(.dismissed) { answer.isDismissed = true }
                    if screens[id]?.events.count ?? 0 < Self.rememberedEvents {
                        screens[id]?.events.append(event)
                    }
                }
                return id
            }
        }
    }

    /// Rows of a long list.
    func rows(_ id: UInt64, _ token: EventToken, from: Int, count: Int) -> Answer {
        lock.withLock {
            var answer = Answer()
            let begun = DispatchTime.now().uptimeNanoseconds
            do throws(ViewFault) {
                var nodes: [ViewNode] = []
                for index in from..<from + min(max(count, 0), 200) {
                    guard let row = try screens[id]?.view.row(token, index) else { break }
                    nodes += row
                }
                answer.html = HTMLRenderer.rows(nodes).body
            } catch {
                answer.fault = "\(error)"
            }
            answer.guestMicroseconds = Self.microseconds(since: begun)
            return answer
        }
    }

    private func answer(
        _ withTree: Bool, _ body: (inout Answer) throws(ViewFault) -> UInt64
    ) -> Answer {
        var answer = Answer()
        do throws(ViewFault) {
            let id = try body(&answer)
            let tree = try render(id, &answer)
            answer.tree = withTree ? PreviewOutline.outline(tree) : nil
        } catch {
            answer.fault = "\(error)"
        }
        return answer
    }

    /// Draws a view. Views that say what to do when they appear may change what is to be drawn.
    private func render(_ id: UInt64, _ answer: inout Answer) throws(ViewFault) -> [ViewNode] {
        var tree: [ViewNode] = []
        for _ in 0..<4 {
            guard let view = screens[id]?.view else { return [] }
            let begun = DispatchTime.now().uptimeNanoseconds
            let bytes = try view.renderedBytes()
            answer.guestMicroseconds = Self.microseconds(since: begun)
            answer.treeBytes = bytes.count
            do throws(TreeError) {
                tree = try Tree.decode(bytes)
            } catch {
                throw ViewFault(.badTree, "byte \(error.offset)", tree: error)
            }
            let screen = HTMLRenderer.screen(tree)
            answer.html = screen.body
            answer.scheme = screen.scheme.map { "\($0)" }
            let now = Set(screen.appearing.map(\.rawValue))
            let new = screen.appearing.filter {
                screens[id]?.appeared.contains($0.rawValue) == false
            }
            screens[id]?.appeared = now
            var hasChanged = false
            for token in new {
                if try view.send(token) == .changed { hasChanged = true }
            }
            if !hasChanged { break }
        }
        return tree
    }

    private static func microseconds(since begun: UInt64) -> Double {
        Double(DispatchTime.now().uptimeNanoseconds - begun) / 1000
    }
}

/// An event as the page sends it.
struct PreviewEvent: Equatable {
    var token: EventToken
    var payload: EventPayload
}
