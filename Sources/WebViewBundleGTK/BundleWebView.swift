import CWebKitGTK
import Foundation
import WebViewBundle

/// A WebKitGTK web view that shows bundles: the same handler, bridge and rules as `WKWebView`.
@MainActor
public final class BundleWebView {
    /// The instance that answers requests.
    public let instance: WebViewBundle
    /// Told when the main frame finished loading: its address, and why it failed if it did.
    public var onLoad: ((String, String?) -> Void)?

    private let dispatcher: BridgeDispatcher
    private var view: OpaquePointer?
    /// The bundle whose page is in the main frame.
    private var shownBundle: String?
    private var address: String?
    private var stopListening: (@Sendable () -> Void)?

    /// Makes a view; ``GTKMainLoop/prepare()`` comes first.
    /// - Parameter bridge: commands of the app beside the standard ones.
    public init(_ instance: WebViewBundle, bridge: Bridge? = nil) {
        self.instance = instance
        dispatcher = instance.makeBridge(bridge)
        let callbacks = openpatch_callbacks(
            // Not retained: the view and with it every callback ends in `deinit`.
            context: Unmanaged.passUnretained(self).toOpaque(), request: Self.onRequest,
            message: Self.onMessage, committed: Self.onCommitted, loaded: Self.onLoaded)
        let handler = BridgeDispatcher.handlerName
        view = withCStrings(instance.schemes) { schemes in
            openpatch_view_new(
                schemes, instance.schemes.count, handler, BridgeScripts.page(handler: handler),
                BridgeScripts.relay(handler: handler), callbacks)
        }
        watchReleases()
    }

    isolated deinit { close() }  // newer API: this target is for Linux only

    /// Ends the view. Called by deinit; later calls of the view do nothing.
    public func close() {
        stopListening?()
        stopListening = nil
        if let view { openpatch_view_free(view) }
        view = nil
    }

    /// The `GtkWidget *`, to be put into a window of the app.
    public var widget: UnsafeMutableRawPointer? { view.flatMap { openpatch_view_widget($0) } }

    /// Shows the view in a window of its own, whose closing ends the main loop.
    public func showWindow(title: String, width: Int32 = 1024, height: Int32 = 768) {
        if let view { openpatch_view_show(view, title, width, height) }
    }

    /// Loads an address, as in `app://app.wvb`.
    public func load(_ uri: String) {
        address = uri
        if let view { openpatch_view_load(view, uri) }
    }

    /// Loads the page again.
    public func reload() { if let view { openpatch_view_reload(view) } }

    /// Evaluates a script in the page; the result is JSON text.
    public func evaluate(
        _ script: String, _ done: @escaping @MainActor (Result<String, ScriptFailure>) -> Void
    ) {
        guard let view else { return }
        openpatch_view_evaluate(view, script, false, Self.onText, TextBox.retain(done))
    }

    /// Whether the page shows anything (``PageSight``); nil when it does not answer within a second.
    public func showsSomething(_ done: @escaping @MainActor (Bool?) -> Void) {
        guard let view else { return done(nil) }
        var answer: (@MainActor (Bool?) -> Void)? = done
        let once: @MainActor (Bool?) -> Void = { shown in
            answer?(shown)
            answer = nil
        }
        let body: TextBox.Body = { result in once((try? result.get()).map { $0 == "true" }) }
        openpatch_view_evaluate(view, PageSight.script, true, Self.onText, TextBox.retain(body))
        GTKMainLoop.perform(afterMilliseconds: 1000) { once(nil) }
    }

    /// Writes what is visible as a PNG file.
    public func saveSnapshot(
        to path: String, _ done: @escaping @MainActor (Result<String, ScriptFailure>) -> Void
    ) {
        guard let view else { return }
        openpatch_view_snapshot(view, path, Self.onText, TextBox.retain(done))
    }

    /// Dispatches an event on the page's window, such as `wvb:progress`.
    public func dispatchEvent(_ name: String, detail: JSONValue) {
        guard let script = BridgeScript.event(name, detail) else { return }
        evaluate(script) { _ in }
    }

    // MARK: Releases

    /// Tells whether the page of a new release has come and shows something, and loads the page anew
    /// when another version is to be seen.
    private func watchReleases() {
        guard let releases = instance.releases else { return }
        for name in releases.names {
            releases.watch(name, tellsCommits: true) { [weak self] in
                await withCheckedContinuation { continuation in
                    GTKMainLoop.perform {
                        guard let self, self.shownBundle == name else {
                            return continuation.resume(returning: nil)
                        }
                        self.showsSomething { continuation.resume(returning: $0) }
                    }
                }
            }
        }
        stopListening = releases.listen { [weak self] event in
            guard case .shows(let bundle, _) = event else { return }
            GTKMainLoop.perform { self?.show(bundle) }
        }
    }

    private func show(_ bundle: String) {
        guard shownBundle == bundle else { return }
        // A page that could not be loaded, or whose process ended, has no address to reload.
        if let view, let uri = openpatch_view_uri(view), uri.pointee != 0 {
            reload()
        } else if let address {
            load(address)
        }
    }

    private func released(_ uri: String) -> String? {
        guard let request = BundleRequest(url: uri), instance.schemes.contains(request.scheme),
            instance.releases?.manages(request.bundleName) == true
        else { return nil }
        return request.bundleName
    }

    private static let onCommitted:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void = { context, uri in
            guard let context else { return }
            let me = Context(context)
            let uri = uri.map { String(cString: $0) } ?? ""
            MainActor.assumeIsolated { me.view.committed(uri) }
        }

    private func committed(_ uri: String) {
        shownBundle = released(uri)
        if let shownBundle { instance.releases?.pageCommitted(shownBundle) }
    }

    private func finished(_ uri: String, _ failure: String?) {
        if let failure, let name = released(uri) ?? shownBundle {
            // An error page may stand there now; the next version takes its place all the same.
            shownBundle = name
            let releases = instance.releases
            Task.detached { await releases?.pageFailed(name, detail: failure) }
        }
        onLoad?(uri, failure)
    }

    // MARK: Requests

    private static let onRequest:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void = { context, request in
            guard let context, let request else { return }
            let me = Context(context)
            let pending = PendingRequest(request)
            MainActor.assumeIsolated { me.view.answer(pending) }
        }

    private func answer(_ pending: PendingRequest) {
        guard let request = pending.read() else {
            return pending.answer(BundleResponse(status: 400, headers: []))
        }
        let instance = instance
        // Reading and unpacking happen off the main loop; the answer is given on it.
        Task.detached(priority: .userInitiated) {
            let response = await instance.respond(to: request)
            GTKMainLoop.perform { pending.answer(response) }
        }
    }

    // MARK: Messages

    private static let onMessage:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> Void = { context, json, reply in
            guard let context, let json, let reply else { return }
            let me = Context(context)
            let text = String(cString: json)
            let pending = PendingReply(reply)
            MainActor.assumeIsolated { me.view.dispatch(text, pending) }
        }

    private func dispatch(_ text: String, _ pending: PendingReply) {
        guard let relayed = JSONValue(json: Array(text.utf8)), let message = relayed["message"],
            let url = relayed["url"]?.string
        else {
            let failure = BridgeFailure(
                code: "invalid_params", message: "The message is no JSON or too large.")
            return pending.send(.failure(failure))
        }
        let dispatcher = dispatcher
        Task.detached { [weak self] in
            // The relay runs in main frames only.
            let caller = BridgeCaller(url: url, isMainFrame: true)
            let reply = await dispatcher.dispatch(message, from: caller)
            GTKMainLoop.perform {
                if let script = BridgeScript.callback(for: message, reply) {
                    self?.evaluate(script) { _ in }
                }
                pending.send(reply)
            }
        }
    }

    // MARK: Loading and results

    private static let onLoaded:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?
        ) -> Void = { context, uri, failure in
            guard let context else { return }
            let me = Context(context)
            let uri = uri.map { String(cString: $0) } ?? ""
            let failure = failure.map { String(cString: $0) }
            MainActor.assumeIsolated { me.view.finished(uri, failure) }
        }

    private static let onText:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?
        ) -> Void = { context, text, error in
            guard let context else { return }
            let me = Context(context)
            let result: Result<String, ScriptFailure> =
                error.map { .failure(ScriptFailure(message: String(cString: $0))) }
                ?? .success(text.map { String(cString: $0) } ?? "undefined")
            MainActor.assumeIsolated { TextBox.take(me)(result) }
        }
}

/// Why a script or a snapshot failed.
public struct ScriptFailure: Swift.Error, Sendable, Equatable {
    /// What the engine says.
    public let message: String
    /// The stable snake_case code.
    public var code: String { "script_failed" }
}

@MainActor
private final class TextBox {
    typealias Body = @MainActor (Result<String, ScriptFailure>) -> Void
    private let body: Body

    private init(_ body: @escaping Body) { self.body = body }

    static func retain(_ body: @escaping Body) -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(TextBox(body)).toOpaque()
    }

    static func take(_ context: Context) -> Body {
        Unmanaged<TextBox>.fromOpaque(context.pointer).takeRetainedValue().body
    }
}

/// What a C callback was given to find its way back.
private struct Context: @unchecked Sendable {
    // Unchecked: callbacks come on the main loop's thread, and there the pointer is used.
    let pointer: UnsafeMutableRawPointer

    init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    @MainActor var view: BundleWebView {
        Unmanaged<BundleWebView>.fromOpaque(pointer).takeUnretainedValue()
    }
}
