// The whole of what touches WKWebView. Type-checked on Linux against our own declarations of the
// API (Stubs/WebKit); decisions are made in BundleRequestHandler and BridgeDispatcher.
#if canImport(WebKit)
    import Foundation
    import WebKit

    #if canImport(FoundationNetworking)
        // Only where the stubs are: on Apple systems all of it is Foundation.
        import FoundationNetworking
    #endif

    /// Answers the requests of one scheme.
    @MainActor
    final class BundleSchemeHandler: NSObject, WKURLSchemeHandler {
        /// Bodies are handed over in pieces, so that a stop is heard between them.
        private static let pieceSize = 256 << 10

        private let instance: WebViewBundle
        private var running: [ObjectIdentifier: Task<Void, Never>] = [:]
        private let pages: ReleasedPages?

        init(_ instance: WebViewBundle) {
            self.instance = instance
            pages = instance.releases.map { ReleasedPages($0) }
        }

        func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
            if let url = urlSchemeTask.request.url,
                let request = Self.request(urlSchemeTask.request, url)
            {
                pages?.serves(
                    request.bundleName, in: webView, isDocument: PathRules.isNavigation(request))
            }
            let key = ObjectIdentifier(urlSchemeTask)
            running[key] = Task { [weak self] in
                await self?.answer(urlSchemeTask, key)
                self?.running[key] = nil
            }
        }

        func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
            // A stopped task raises an exception when it is spoken to again.
            running.removeValue(forKey: ObjectIdentifier(urlSchemeTask))?.cancel()
        }

        private func answer(_ task: any WKURLSchemeTask, _ key: ObjectIdentifier) async {
            guard let url = task.request.url, let request = Self.request(task.request, url) else {
                return
            }
            let instance = instance
            // Reading and unpacking happen off the main thread.
            let response = await Task.detached(priority: .userInitiated) {
                await instance.respond(to: request)
            }.value
            guard !Task.isCancelled, running[key] != nil else { return }
            // The initialiser joins repeated names, as the field allows (RFC 9110 §5.3).
            let fields = Dictionary(
                response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
            guard
                let head = HTTPURLResponse(
                    url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
                    headerFields: fields)
            else { return }
            task.didReceive(head)
            var rest = response.body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Self.pieceSize)
                task.didReceive(Data(piece))
                rest = rest.dropFirst(piece.count)
                if !rest.isEmpty { await Task.yield() }
                guard !Task.isCancelled, running[key] != nil else { return }
            }
            task.didFinish()
        }

        private static func request(_ request: URLRequest, _ url: URL) -> BundleRequest? {
            var result = BundleRequest(
                method: request.httpMethod ?? "GET", url: url.absoluteString,
                headers: (request.allHTTPHeaderFields ?? [:]).map { HeaderField($0.key, $0.value) })
            result?.body = request.httpBody.map { [UInt8]($0) } ?? []
            return result
        }
    }

    /// Answers the messages that pages post to `window.webkit.messageHandlers.wvbIos`.
    @MainActor
    final class BundleMessageHandler: NSObject, WKScriptMessageHandlerWithReply {
        private let dispatcher: BridgeDispatcher

        init(_ dispatcher: BridgeDispatcher) { self.dispatcher = dispatcher }

        func userContentController(
            _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
            replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
        ) {
            let caller = BridgeCaller(
                url: message.frameInfo.request.url?.absoluteString ?? "",
                isMainFrame: message.frameInfo.isMainFrame)
            guard JSONSerialization.isValidJSONObject(message.body),
                let data = try? JSONSerialization.data(withJSONObject: message.body),
                let value = JSONValue(json: [UInt8](data))
            else { return replyHandler(nil, "invalid_params") }
            let dispatcher = dispatcher
            weak let webView = message.webView
            Task { @MainActor in
                let reply = await dispatcher.dispatch(value, from: caller)
                if let script = BridgeScript.callback(for: value, reply) {
                    webView?.evaluateJavaScript(script, completionHandler: nil)
                }
                switch reply {
                // The promise of a page that has no bridge is left to be collected.
                case .dropped: replyHandler(nil, "dropped")
                case .success(let result): replyHandler(Self.object(result), nil)
                case .failure(let failure):
                    let text = try? BridgeScript.json(failure).javaScript()
                    replyHandler(nil, text ?? failure.code)
                }
            }
        }

        /// The value as Foundation objects, which WebKit turns into JavaScript ones.
        private static func object(_ value: JSONValue) -> Any {
            switch value {
            case .null: return NSNull()
            case .bool(let value): return value
            case .number(let value): return value
            case .string(let value): return value
            case .array(let values): return values.map(object)
            case .object(let members): return members.mapValues(object)
            }
        }
    }

    extension WebViewBundle {
        /// Registers the scheme handlers and the bridge on a configuration, before a web view is
        /// made with it.
        /// - Parameter bridge: commands of the app beside the standard ones.
        @MainActor
        public func install(on configuration: WKWebViewConfiguration, bridge: Bridge? = nil) {
            for scheme in schemes {
                configuration.setURLSchemeHandler(
                    BundleSchemeHandler(self), forURLScheme: scheme)
            }
            configuration.userContentController.addScriptMessageHandler(
                BundleMessageHandler(makeBridge(bridge)), contentWorld: .page,
                name: BridgeDispatcher.handlerName)
        }

        /// A configuration with everything installed.
        @MainActor
        public func makeConfiguration(bridge: Bridge? = nil) -> WKWebViewConfiguration {
            let configuration = WKWebViewConfiguration()
            install(on: configuration, bridge: bridge)
            return configuration
        }

        /// A web view with everything installed.
        @MainActor
        public func makeWebView(frame: CGRect = .zero, bridge: Bridge? = nil) -> WKWebView {
            WKWebView(frame: frame, configuration: makeConfiguration(bridge: bridge))
        }
    }
#endif
