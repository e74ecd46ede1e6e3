/// A scheme and what answers it.
public enum WebViewBundleProtocol: Sendable, Equatable {
    /// Entries of bundles; the first label of the host names the bundle.
    case bundle(scheme: String)
    /// A proxy to HTTP servers, for development. The whole host is looked up in `hosts`, whose
    /// values are addresses such as `http://localhost:8080`.
    case local(scheme: String, hosts: [String: String])

    /// The scheme, as in `app` of `app://app.wvb`.
    public var scheme: String {
        switch self {
        case .bundle(let scheme), .local(let scheme, _): scheme
        }
    }
}

/// Which remote updates come from.
public struct WebViewBundleRemoteConfig: Sendable, Equatable {
    /// Its address, as in `https://bundles.example.com`.
    public var endpoint: String
    /// How it is spoken to.
    public var options: RemoteOptions

    /// Makes one of its parts.
    public init(endpoint: String, options: RemoteOptions = RemoteOptions()) {
        self.endpoint = endpoint
        self.options = options
    }
}

/// How bundles are kept current.
public struct WebViewBundleUpdaterConfig: Sendable, Equatable {
    /// Where updates come from.
    public var remote: WebViewBundleRemoteConfig
    /// The channel asked for; nil takes the default deployment.
    public var channel: String?
    /// Whether bundles must carry an integrity string.
    public var integrityPolicy: IntegrityPolicy
    /// Whose signature bundles must carry; nil demands none.
    public var signatureVerifier: SignatureVerifierOptions?

    /// Makes one of its parts.
    public init(
        remote: WebViewBundleRemoteConfig, channel: String? = nil,
        integrityPolicy: IntegrityPolicy = .strict,
        signatureVerifier: SignatureVerifierOptions? = nil
    ) {
        self.remote = remote
        self.channel = channel
        self.integrityPolicy = integrityPolicy
        self.signatureVerifier = signatureVerifier
    }
}

/// Everything that an app decides about its web bundles.
public struct WebViewBundleConfig: Sendable {
    /// Where bundles lie.
    public var source: SourceOptions
    /// The schemes to answer.
    public var protocols: [WebViewBundleProtocol]
    /// How bundles are kept current; nil for an app that only serves.
    public var updater: WebViewBundleUpdaterConfig?
    /// Bundles that are delivered as signed releases; nil for none.
    public var releases: WebViewBundleReleasesConfig?
    /// How entries are found and cached.
    public var serving: BundleServingOptions
    /// Who may call native code, and what.
    public var bridge: BridgePolicy
    /// Told of damage that is worked around and of requests that failed.
    public var onError: (@Sendable (any Swift.Error) -> Void)?

    /// Makes one of its parts.
    public init(
        source: SourceOptions = SourceOptions(), protocols: [WebViewBundleProtocol],
        updater: WebViewBundleUpdaterConfig? = nil, releases: WebViewBundleReleasesConfig? = nil,
        serving: BundleServingOptions = BundleServingOptions(),
        bridge: BridgePolicy = BridgePolicy(),
        onError: (@Sendable (any Swift.Error) -> Void)? = nil
    ) {
        self.source = source
        self.protocols = protocols
        self.updater = updater
        self.releases = releases
        self.serving = serving
        self.bridge = bridge
        self.onError = onError
    }

    /// Whether another configuration means the same; closures cannot be compared and do not count.
    func isSame(as other: WebViewBundleConfig) -> Bool {
        source == other.source && protocols == other.protocols && updater == other.updater
            && releases == other.releases && serving == other.serving && bridge == other.bridge
    }
}

/// Why a configuration is refused.
public enum WebViewBundleError: Swift.Error, Equatable, Sendable, CustomStringConvertible {
    /// A scheme is the empty text.
    case emptyScheme
    /// A scheme is not of the form `^[a-z][a-z0-9+.-]*$`.
    case invalidScheme(String)
    /// A scheme belongs to the web engine, which ends the app when another handler takes it.
    case reservedScheme(String)
    /// Two protocols have one scheme.
    case duplicateScheme(String)
    /// A host of a local protocol has no http or https address.
    case invalidLocalHost(String)
    /// `configure` was called before with another configuration.
    case alreadyConfigured

    /// The stable snake_case code.
    public var code: String {
        switch self {
        case .emptyScheme: "empty_scheme"
        case .invalidScheme: "invalid_scheme"
        case .reservedScheme: "reserved_scheme"
        case .duplicateScheme: "duplicate_scheme"
        case .invalidLocalHost: "invalid_local_host"
        case .alreadyConfigured: "already_configured"
        }
    }

    /// One sentence and the code in brackets.
    public var description: String {
        let text =
            switch self {
            case .emptyScheme: "A protocol has an empty scheme; name one, such as 'app'."
            case .invalidScheme(let scheme):
                "'\(scheme.printable)' is no scheme: it starts with a small letter, and small "
                    + "letters, digits, '+', '.' and '-' follow."
            case .reservedScheme(let scheme):
                "The scheme '\(scheme)' belongs to the web engine; choose your own, such as 'app'."
            case .duplicateScheme(let scheme): "The scheme '\(scheme)' is configured twice."
            case .invalidLocalHost(let host):
                "The local host '\(host.printable)' needs an address such as http://localhost:8080."
            case .alreadyConfigured:
                "WebViewBundle is configured already, with another configuration; configure it once."
            }
        return "\(text) [\(code)]"
    }
}

/// The rules of schemes.
enum SchemeRules {
    static let reserved: Set<String> = [
        "about", "blob", "data", "file", "ftp", "ftps", "http", "https", "javascript", "ws", "wss",
    ]

    /// - Throws: ``WebViewBundleError``.
    static func check(_ protocols: [WebViewBundleProtocol]) throws {
        var seen: Set<String> = []
        for item in protocols {
            let scheme = item.scheme
            if scheme.isEmpty { throw WebViewBundleError.emptyScheme }
            // Reserved ones first, in any case: "HTTPS" is reserved rather than badly spelt.
            if reserved.contains(scheme.lowercased()) {
                throw WebViewBundleError.reservedScheme(scheme)
            }
            guard isValid(scheme) else { throw WebViewBundleError.invalidScheme(scheme) }
            guard seen.insert(scheme).inserted else {
                throw WebViewBundleError.duplicateScheme(scheme)
            }
            if case .local(_, let hosts) = item { try LocalProxy.check(hosts) }
        }
    }

    private static func isValid(_ scheme: String) -> Bool {
        guard let first = scheme.utf8.first, (97...122).contains(first) else { return false }
        return scheme.utf8.allSatisfy { byte in
            (97...122).contains(byte) || (48...57).contains(byte) || "+.-".utf8.contains(byte)
        }
    }
}
