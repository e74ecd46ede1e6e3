import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which process this is: what the boot guard needs to tell its own marks from another's.
public protocol ProcessIdentity: Sendable {
    /// The process id.
    var processIdentifier: Int32 { get }
    /// Whether this is an app or one of its extensions.
    var kind: ProcessKind { get }
    /// Changes when the device is started anew; nil when the system does not say.
    var bootIdentifier: String? { get }
}

/// The kinds of process that may share a state folder.
public enum ProcessKind: String, Sendable, Codable {
    /// The app itself (or any ordinary program); it alone downloads, activates and confirms.
    case app
    /// A widget, share or notification extension: reads only.
    case appExtension = "extension"
}

/// The process that is running.
public struct LiveProcess: ProcessIdentity {
    /// See ``ProcessIdentity/kind``.
    public let kind: ProcessKind
    /// See ``ProcessIdentity/bootIdentifier``.
    public let bootIdentifier: String?

    /// Looks at the running process.
    public init() {
        kind = Bundle.main.bundlePath.hasSuffix(".appex") ? .appExtension : .app
        bootIdentifier = Self.readBootIdentifier()
    }

    /// See ``ProcessIdentity/processIdentifier``.
    public var processIdentifier: Int32 { getpid() }

    private static func readBootIdentifier() -> String? {
        #if os(Linux)
            let path = "/proc/sys/kernel/random/boot_id"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        #elseif canImport(Darwin)
            var size = 0
            guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else {
                return nil
            }
            var buffer = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else {
                return nil
            }
            return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        #else
            return nil
        #endif
    }
}
