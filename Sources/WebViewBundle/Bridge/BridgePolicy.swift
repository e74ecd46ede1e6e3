/// What pages may ask for beyond the usual.
public struct BridgePermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes one of its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Commands that remove downloads or choose the version that is served.
    public static let changeSource = BridgePermissions(rawValue: 1)
    /// Commands that tell where files lie on the device.
    public static let filePaths = BridgePermissions(rawValue: 2)
    /// Everything, as implementations without permissions have it.
    public static let all: BridgePermissions = [.changeSource, .filePaths]
}

/// Who may call native code, and what.
public struct BridgePolicy: Sendable, Equatable {
    /// Origins whose pages are answered, each `scheme://host` or `scheme://` for all hosts of a
    /// scheme. Nil means the configured schemes, so that a page elsewhere on the web to which the
    /// main frame was led has no bridge.
    public var allowedOrigins: [String]?
    /// What may be asked for beyond the usual.
    public var permissions: BridgePermissions

    /// Makes one of its parts.
    public init(allowedOrigins: [String]? = nil, permissions: BridgePermissions = []) {
        self.allowedOrigins = allowedOrigins
        self.permissions = permissions
    }

    func allows(_ caller: BridgeCaller, schemes: [String]) -> Bool {
        guard caller.isMainFrame, let page = BundleRequest(url: caller.url) else { return false }
        guard let allowedOrigins else { return schemes.contains(page.scheme) }
        return allowedOrigins.contains { text in
            let text = text.lowercased()
            return text == page.scheme + "://" || text == "\(page.scheme)://\(page.host)"
        }
    }
}

/// The page that a message comes from, as the web view says (never as the page says).
public struct BridgeCaller: Sendable, Equatable {
    /// The URL of the frame.
    public let url: String
    /// Whether it is the main frame.
    public let isMainFrame: Bool

    /// Makes one of its parts.
    public init(url: String, isMainFrame: Bool) {
        self.url = url
        self.isMainFrame = isMainFrame
    }

    /// The bundle that the page is served from.
    var bundleName: String? { BundleRequest(url: url)?.bundleName }
}

/// Why a command did not work, as the page hears it.
public struct BridgeFailure: Swift.Error, Sendable, Equatable {
    /// The stable snake_case code.
    public let code: String
    /// One sentence.
    public let message: String

    /// Makes one of its parts.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    static func handlerNotFound(_ name: String) -> BridgeFailure {
        BridgeFailure(
            code: "handler_not_found", message: "There is no command '\(name.printable)'.")
    }

    static func invalidParameters(_ what: String) -> BridgeFailure {
        BridgeFailure(code: "invalid_params", message: what)
    }

    static func notAllowed(_ name: String) -> BridgeFailure {
        BridgeFailure(
            code: "command_not_allowed",
            message: "The app does not allow pages the command '\(name)'; it grants it in its "
                + "bridge policy.")
    }

    init(_ error: any Swift.Error) {
        switch error {
        case let error as BridgeFailure: self = error
        case let error as Error: self.init(code: error.code, message: error.message)
        case let error as BundleFormatError:
            self.init(code: error.code, message: error.description)
        default: self.init(code: "failed", message: "\(error)")
        }
    }
}
