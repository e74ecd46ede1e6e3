import PatchPlatform

/// An open archive, by the name that apps know.
public typealias Bundle = BundleReader

/// Serves `.wvb` bundles to a web view and keeps them current over the air.
///
///     let instance = try WebViewBundle.configure(
///         WebViewBundleConfig(protocols: [.bundle(scheme: "app")]))
///     let webView = instance.makeWebView()
///     webView.load(URLRequest(url: URL(string: "app://app.wvb")!))
public final class WebViewBundle: Sendable {
    /// The error of sources, remotes and updaters, for files where `Error` means Swift's.
    public typealias Error = WebViewBundleLibraryError
    /// The open archive, for files where `Bundle` means Foundation's.
    public typealias Bundle = BundleReader

    /// The name that log lines of this library carry.
    public static let logSubsystem = "webview-bundle"

    /// The two folders of bundles.
    public let source: BundleSource
    /// The server of updates, when an updater is configured.
    public let remote: Remote?
    /// Checks for, downloads and installs updates, when configured.
    public let updater: Updater?
    /// The bundles that are delivered as signed releases, when configured.
    public let releases: BundleReleases?
    /// The schemes that are answered, and how.
    public let protocols: [WebViewBundleProtocol]

    let configuration: WebViewBundleConfig
    private let handler: BundleRequestHandler
    private let proxies: [String: LocalProxy]
    private let lifecycle: BundleLifecycle?

    /// Builds an instance of its own, beside ``shared``.
    /// - Throws: ``WebViewBundleError`` for the schemes; ``Error`` for remote, key and releases.
    public convenience init(config: WebViewBundleConfig) throws {
        try self.init(config: config, environment: BundleReleases.Environment())
    }

    init(config: WebViewBundleConfig, environment: BundleReleases.Environment) throws {
        try SchemeRules.check(config.protocols)
        let onError = config.onError ?? { _ in }
        let source = BundleSource(options: config.source, onError: onError)
        self.source = source
        protocols = config.protocols
        configuration = config
        handler = BundleRequestHandler(options: config.serving, onError: onError) { name in
            guard source.loadVersion(name) != nil else { return nil }
            return try source.fetchBundle(name)
        }
        var proxies: [String: LocalProxy] = [:]
        for case .local(let scheme, let hosts) in config.protocols {
            proxies[scheme] = LocalProxy(hosts: hosts)
        }
        self.proxies = proxies
        releases = try config.releases.map {
            try BundleReleases($0, source: source, environment: environment, onError: onError)
        }
        lifecycle = releases.map(BundleLifecycle.init)
        guard let settings = config.updater else {
            remote = nil
            updater = nil
            return
        }
        let remote = try Remote(
            endpoint: settings.remote.endpoint, options: settings.remote.options)
        self.remote = remote
        updater = try Updater(
            source: source, remote: remote, channel: settings.channel,
            integrityPolicy: settings.integrityPolicy,
            signatureVerifier: settings.signatureVerifier)
    }

    /// The schemes that are answered.
    public var schemes: [String] { protocols.map(\.scheme) }

    /// The answer to a request of any configured scheme.
    public func respond(to request: BundleRequest) async -> BundleResponse {
        if let proxy = proxies[request.scheme] { return await proxy.respond(to: request) }
        guard schemes.contains(request.scheme) else {
            return .text(404, "The scheme '\(request.scheme.printable)' is not configured.")
        }
        guard let released = await releases?.prepared(request.bundleName) else {
            return handler.respond(to: request)
        }
        let response = handler.respond(to: request)
        if PathRules.isNavigation(request) { released.servedDocument() }
        return response
    }

    /// What answers messages of pages: the standard commands on this instance, and those of the
    /// app.
    public func makeBridge(_ own: Bridge? = nil) -> BridgeDispatcher {
        BridgeDispatcher(
            commands: BridgeCommands.all(
                source: source, remote: remote, updater: updater, releases: releases),
            own: own, policy: configuration.bridge, schemes: schemes)
    }

    // MARK: The instance of the process

    private static let configured = Lock<WebViewBundle?>(nil)

    /// Builds the process's instance. Called again with an equal configuration it gives back the
    /// same instance.
    /// - Throws: ``WebViewBundleError``, `already_configured` for another configuration than before;
    ///   ``Error`` for remote and key.
    @discardableResult
    public static func configure(_ config: WebViewBundleConfig) throws -> WebViewBundle {
        try configured.withLock { instance in
            if let instance {
                guard instance.configuration.isSame(as: config) else {
                    throw WebViewBundleError.alreadyConfigured
                }
                return instance
            }
            let fresh = try WebViewBundle(config: config)
            instance = fresh
            return fresh
        }
    }

    /// The process's instance. Reading it before ``configure(_:)`` ends the process; see
    /// ``safeShared``.
    public static var shared: WebViewBundle {
        guard let instance = safeShared else {
            preconditionFailure(
                "WebViewBundle.shared was read before WebViewBundle.configure(_:) was called.")
        }
        return instance
    }

    /// The process's instance, or nil before ``configure(_:)``.
    public static var safeShared: WebViewBundle? { configured.withLock { $0 } }
}

/// Builds the process's instance; the same as ``WebViewBundle/configure(_:)``.
@discardableResult
public func webViewBundle(_ config: WebViewBundleConfig) throws -> WebViewBundle {
    try WebViewBundle.configure(config)
}

/// Builds the process's instance; the same as ``WebViewBundle/configure(_:)``.
@discardableResult
public func wvb(_ config: WebViewBundleConfig) throws -> WebViewBundle {
    try WebViewBundle.configure(config)
}
