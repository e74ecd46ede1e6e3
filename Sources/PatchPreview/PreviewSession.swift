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
    private var strings: [String: [String: String]] = [:]
    let native: NativePreview

    /// A mounted view.
    struct Shown {
        var view: MountedView
        /// What the view was told, for the native one beside it to be told as well.
        var events: [PreviewEvent] = []
        var appeared: Set<UInt64> = []
        /// How far the page has asked for the rows of a list, by the list's token.
        var rows: [UInt64: Int] = [:]
    }

    /// Events that are kept to bring the native view to the same state.
    private static let rememberedEvents = 1000
    /// Rows of a list that are drawn again in each pass.
    private static let maximumRows = 500

    /// A session over a folder or a file; builds nothing yet.
    public init(
        source: URL, builder: ViewModuleBuilder, log: @escaping @Sendable (String) -> Void
    ) {
        self.source = PreviewSource(root: source)
        self.builder = builder
        self.log = log
        native = NativePreview(NativeViewBuilder(builder.builder), log: log)
    }

    // MARK: - Building

    /// Builds what is there now. After a failure the views of the build before stay.
    public func build() {
        let begun = Date()
        let fingerprint = source.fingerprint()
        if lock.withLock({ generation == 0 }) { log("building…") }
        do {
            let files = try source.files()
            let built = try builder.build(files, module: "Preview")
            let strings = PreviewStrings.find(below: source.folder)
            let module = try parseWasm(bytes: built.module.wasm)
            try module.validate()
            lock.lock()
            defer { lock.unlock() }
            known = fingerprint
            self.strings = strings
            try take(module, built.views)
            native.sources(files)
            moduleBytes = built.module.wasm.count
            buildSeconds = Date().timeIntervalSince(begun)
            failure = nil
            generation += 1
            log(
                "built \(views.count) \(views.count == 1 ? "view" : "views") in "
                    + "\(Self.seconds(buildSeconds)) s")
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

    /// Starts the new module and gives each view that was shown the state that it had.
    private func take(_ module: Module, _ views: [PatchedView]) throws {
        let state = screens.compactMapValues { shown in
            // A module that failed has nothing to hand on.
            try? shown.view.state()
        }
        let guest = try start(module)
        let old = screens
        screens = [:]
        self.module = module
        self.guest = guest
        self.views = views
        for (id, shown) in old where views.contains(where: { $0.id == id }) {
            // Drawn at once: views take their state when they are, and another build may come first.
            guard let view = try? mount(id, in: shown.view.surroundings, state: state[id]),
                (try? view.renderedBytes()) != nil
            else {
                if self.guest?.isSound == false { self.guest = try start(module) }
                continue
            }
            screens[id] = Shown(
                view: view, events: shown.events, appeared: shown.appeared, rows: shown.rows)
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
        _ id: UInt64, in surroundings: Surroundings, state: [UInt8]? = nil
    ) throws(ViewFault) -> MountedView {
        guard let guest else { throw ViewFault(.startFailed, "nothing is built yet") }
        return try guest.mount(id, in: surroundings, state: state)
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
        /// Languages that the sources have texts in.
        let locales: [String]
        /// Of the native program: `off`, `building`, `ready` or `failed`, and why it failed.
        let native: String
        let nativeFailure: String?
    }

    func status() -> Status {
        lock.withLock {
            Status(
                generation: generation, failure: failure, buildSeconds: buildSeconds,
                moduleBytes: moduleBytes, memoryBytes: guest?.memoryBytes ?? 0,
                views: views.map {
                    Status.View(
                        id: String($0.id), name: $0.name, isPreview: $0.isPreview, file: $0.file)
                }, locales: strings.keys.sorted(), native: native.state.name,
                nativeFailure: native.state.failure)
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
        var native: Native?

        /// What the native view shows.
        struct Native: Encodable {
            var html = ""
            /// Whether its tree is the module's, byte for byte.
            var isSame = false
            var fault: String?
        }
    }

    /// What a page wants beside the screen.
    struct Wishes {
        var withTree = false
        var withNative = false
        /// The language; nil for the developer's own.
        var locale: String?
    }

    /// Shows a view, mounting it when it is not yet.
    func show(
        _ id: UInt64, in surroundings: Surroundings, restarting: Bool, _ wishes: Wishes
    ) -> Answer {
        lock.withLock {
            answer(wishes) { answer throws(ViewFault) in
                if restarting, let old = screens.removeValue(forKey: id) {
                    native.forget(id)
                    if guest?.isSound == true { try old.view.unmount() }
                }
                if guest?.isSound == false, let module {
                    guest = try start(module)
                    screens = [:]
                }
                if screens[id] == nil {
                    screens[id] = Shown(view: try mount(id, in: surroundings))
                }
                if screens[id]?.view.surroundings != surroundings {
                    try screens[id]?.view.update(in: surroundings)
                }
                return id
            }
        }
    }

    /// Tells a view of an event and shows it again.
    func send(_ id: UInt64, _ events: [PreviewEvent], _ wishes: Wishes) -> Answer {
        lock.withLock {
            answer(wishes) { answer throws(ViewFault) in
                for event in events {
                    guard let view = screens[id]?.view else { break }
                    tellNative(id, event)
                    let outcome = try view.send(event.token, event.payload)
                    if outcome.contains(.dismissed) { answer.isDismissed = true }
                }
                return id
            }
        }
    }

    /// Rows of a long list.
    func rows(
        _ id: UInt64, _ token: EventToken, from: Int, count: Int, _ wishes: Wishes
    ) -> Answer {
        lock.withLock {
            var answer = Answer()
            let begun = DispatchTime.now().uptimeNanoseconds
            do throws(ViewFault) {
                var nodes: [ViewNode] = []
                for index in from..<from + min(max(count, 0), 200) {
                    guard let row = try screens[id]?.view.row(token, index) else { break }
                    nodes += row
                }
                screens[id]?.rows[token.rawValue] = from + nodes.count
                answer.html = HTMLRenderer.rows(nodes, options(wishes)).body
            } catch {
                answer.fault = "\(error)"
            }
            answer.guestMicroseconds = Self.microseconds(since: begun)
            return answer
        }
    }

    private func answer(
        _ wishes: Wishes, _ body: (inout Answer) throws(ViewFault) -> UInt64
    ) -> Answer {
        var answer = Answer()
        do throws(ViewFault) {
            let id = try body(&answer)
            let tree = try render(id, wishes, &answer)
            answer.tree = wishes.withTree ? PreviewOutline.outline(tree) : nil
        } catch {
            answer.fault = "\(error)"
        }
        return answer
    }

    private func options(_ wishes: Wishes) -> HTMLOptions {
        var options = HTMLOptions()
        guard let locale = wishes.locale else { return options }
        options.strings = strings[locale] ?? [:]
        options.locale = locale
        return options
    }

    /// Draws a view. Views that say what to do when they appear may change what is to be drawn.
    private func render(
        _ id: UInt64, _ wishes: Wishes, _ answer: inout Answer
    ) throws(ViewFault) -> [ViewNode] {
        var tree: [ViewNode] = []
        var drawn: [UInt8] = []
        for _ in 0..<4 {
            guard let view = screens[id]?.view else { return [] }
            let begun = DispatchTime.now().uptimeNanoseconds
            if wishes.withNative {
                drawn = try view.renderedBytes()
                tree = try decoded(drawn)
                answer.treeBytes = drawn.count
            } else {
                tree = try view.renderChanges()
                answer.treeBytes = view.sentBytes
            }
            answer.guestMicroseconds = Self.microseconds(since: begun)
            if let rows = screens[id]?.rows, !rows.isEmpty {
                tree = try filled(tree, view, rows)
            }
            let screen = HTMLRenderer.screen(tree, options(wishes))
            answer.html = screen.body
            answer.scheme = screen.scheme.map { "\($0)" }
            let now = Set(screen.appearing.map(\.rawValue))
            let new = screen.appearing.filter {
                screens[id]?.appeared.contains($0.rawValue) == false
            }
            screens[id]?.appeared = now
            var hasChanged = false
            for token in new {
                tellNative(id, PreviewEvent(token: token, payload: .none))
                if try view.send(token) == .changed { hasChanged = true }
            }
            if !hasChanged { break }
        }
        if wishes.withNative, let shown = screens[id] {
            answer.native = native.show(
                id, in: shown.view.surroundings, after: shown.events, guest: drawn,
                options(wishes))
        }
        return tree
    }

    private func tellNative(_ id: UInt64, _ event: PreviewEvent) {
        native.send(id, event)
        if screens[id]?.events.count ?? 0 < Self.rememberedEvents {
            screens[id]?.events.append(event)
        }
    }

    private func decoded(_ bytes: [UInt8]) throws(ViewFault) -> [ViewNode] {
        do throws(TreeError) {
            return try Tree.decode(bytes)
        } catch {
            throw ViewFault(.badTree, "byte \(error.offset)", tree: error)
        }
    }

    /// The tree with the rows that the page has asked for already, so that a pass does not take
    /// them away.
    private func filled(
        _ nodes: [ViewNode], _ view: MountedView, _ rows: [UInt64: Int]
    ) throws(ViewFault) -> [ViewNode] {
        var result = nodes
        for index in result.indices {
            for part in result[index].parts.indices {
                result[index].parts[part] = try filled(result[index].parts[part], view, rows)
            }
            for number in result[index].modifiers.indices {
                for part in result[index].modifiers[number].parts.indices {
                    result[index].modifiers[number].parts[part] = try filled(
                        result[index].modifiers[number].parts[part], view, rows)
                }
            }
            guard case .forEach(let token, let count) = result[index].view,
                let wanted = rows[token.rawValue], !result[index].parts.isEmpty
            else { continue }
            let first = result[index].parts[0].count
            for place in first..<max(first, min(wanted, Int(count), first + Self.maximumRows)) {
                guard let row = try view.row(token, place) else { break }
                result[index].parts[0] += row
            }
        }
        return result
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
