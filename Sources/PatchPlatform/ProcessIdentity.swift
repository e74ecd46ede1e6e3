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
    /// Tells this process from earlier ones with the same id; nil when the system does not say.
    var startIdentifier: String? { get }
    /// Whether a debugger is attached now: whoever debugs ends the app as they like.
    var isDebuggerAttached: Bool { get }
    /// Whether the process that a mark names has not ended. A mark without a start is any process
    /// of its id.
    func isRunning(_ other: ProcessMark) -> Bool
}

/// The kinds of process that may share a state folder.
public enum ProcessKind: String, Sendable {
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
        #if canImport(Darwin)
            kind = Bundle.main.bundlePath.hasSuffix(".appex") ? .appExtension : .app
        #else
            // Extensions are Apple's, and the first look at a bundle takes long.
            kind = .app
        #endif
        bootIdentifier = Self.readBootIdentifier()
    }

    /// See ``ProcessIdentity/processIdentifier``.
    public var processIdentifier: Int32 { getpid() }

    /// See ``ProcessIdentity/startIdentifier``.
    public var startIdentifier: String? { Self.start(of: getpid()) }

    /// See ``ProcessIdentity/isDebuggerAttached``.
    public var isDebuggerAttached: Bool {
        #if os(Linux)
            guard let status = Self.smallFile("/proc/self/status"),
                let tracer = Self.value(of: "TracerPid:", in: status)
            else { return false }
            return tracer != "0"
        #elseif canImport(Darwin)
            return Self.information(of: getpid()).map {
                $0.kp_proc.p_flag & P_TRACED != 0
            } ?? false
        #else
            return false
        #endif
    }

    /// See ``ProcessIdentity/isRunning(_:)``.
    public func isRunning(_ other: ProcessMark) -> Bool {
        // Where the system tells nothing of other processes (iOS), an app has only one.
        if other.pid == getpid() { return other.start == nil || other.start == startIdentifier }
        guard let start = Self.start(of: other.pid) else { return false }
        return other.start == nil || start == other.start
    }

    /// When a process began, in the system's own form; nil when there is none or it is not told.
    private static func start(of pid: Int32) -> String? {
        #if os(Linux)
            // The name in parentheses may hold anything, so fields are counted from its end.
            guard let text = smallFile("/proc/\(pid)/stat"),
                let end = text.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
            // A zombie has ended; its parent just has not looked yet.
            guard fields.count > 19, let state = fields[0].first, state != UInt8(ascii: "Z"),
                state != UInt8(ascii: "X")
            else { return nil }
            return String(decoding: fields[19], as: UTF8.self)
        #elseif canImport(Darwin)
            return information(of: pid).map {
                let began = $0.kp_proc.p_starttime
                return "\(began.tv_sec).\(began.tv_usec)"
            }
        #else
            return nil
        #endif
    }

    #if os(Linux)
        /// What stands behind `name` at the beginning of a line.
        private static func value(of name: String, in text: [UInt8]) -> String? {
            for line in text.split(separator: UInt8(ascii: "\n"))
            where line.starts(with: name.utf8) {
                let value = line.dropFirst(name.utf8.count).drop { $0 == 0x20 || $0 == 0x09 }
                return String(decoding: value, as: UTF8.self)
            }
            return nil
        }

        private static func smallFile(_ path: String) -> [UInt8]? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            buffer.removeLast(buffer.count - count)
            return buffer
        }
    #elseif canImport(Darwin)
        private static func information(of pid: Int32) -> kinfo_proc? {
            var name = [CTL_KERN, KERN_PROC, KERN_PROC_PID, pid]
            var found = kinfo_proc()
            var size = MemoryLayout<kinfo_proc>.stride
            guard sysctl(&name, 4, &found, &size, nil, 0) == 0, size > 0 else { return nil }
            return found
        }
    #endif

    private static func readBootIdentifier() -> String? {
        #if os(Linux)
            guard let text = smallFile("/proc/sys/kernel/random/boot_id") else { return nil }
            return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
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
