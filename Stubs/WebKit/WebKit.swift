// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Our own declarations of the part of WebKit that this project calls, written from its public
// documentation. Nothing here runs.
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
open class WKWebView: NSObject {
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {}

    public func evaluateJavaScript(
        _ javaScriptString: String,
        completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
    ) {}
    public func evaluateJavaScript(
        _ javaScript: String, in frame: WKFrameInfo? = nil, in contentWorld: WKContentWorld,
        completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
    ) {}
    @discardableResult
    public func reload() -> WKNavigation? { nil }
}

@MainActor
open class WKNavigation: NSObject {}

@MainActor
open class WKWebViewConfiguration: NSObject {
    public override init() {}
    public var userContentController = WKUserContentController()
    public func setURLSchemeHandler(
        _ urlSchemeHandler: (any WKURLSchemeHandler)?, forURLScheme urlScheme: String
    ) {}
}

@MainActor
open class WKUserContentController: NSObject {
    public override init() {}
    public func addScriptMessageHandler(
        _ scriptMessageHandlerWithReply: any WKScriptMessageHandlerWithReply,
        contentWorld: WKContentWorld, name: String
    ) {}
}

@MainActor
open class WKContentWorld: NSObject {
    public class var page: WKContentWorld { WKContentWorld() }
    public class var defaultClient: WKContentWorld { WKContentWorld() }
}

@MainActor
open class WKFrameInfo: NSObject {
    public var isMainFrame: Bool { false }
    public var request: URLRequest { URLRequest(url: URL(fileURLWithPath: "/")) }
}

@MainActor
open class WKScriptMessage: NSObject {
    public var body: Any { 0 }
    public var name: String { "" }
    public var frameInfo: WKFrameInfo { WKFrameInfo() }
    public weak var webView: WKWebView? { nil }
}

@MainActor
public protocol WKScriptMessageHandlerWithReply: NSObjectProtocol {
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
        replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void)
}

@MainActor
public protocol WKURLSchemeTask: NSObjectProtocol {
    var request: URLRequest { get }
    func didReceive(_ response: URLResponse)
    func didReceive(_ data: Data)
    func didFinish()
    func didFailWithError(_ error: any Error)
}

@MainActor
public protocol WKURLSchemeHandler: NSObjectProtocol {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}
