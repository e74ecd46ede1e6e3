import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Programs and ports that tests share.
public enum Tools {
    /// The Python interpreter with the test tools of `Scripts/requirements-test.txt`:
    /// `OPENPATCH_PYTHON`, else the virtual environment that `make setup` lays under `.build`.
    public static var python: String {
        if let named = ProcessInfo.processInfo.environment["OPENPATCH_PYTHON"] { return named }
        let virtual = SharedData.checkout.appendingPathComponent(".build/python/bin/python3")
        return FileManager.default.isExecutableFile(atPath: virtual.path)
            ? virtual.path : "python3"
    }

    /// The full path of `name` on PATH, or nil.
    public static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether this system has a device that refuses every write.
    public static var hasFullDevice: Bool { FileManager.default.fileExists(atPath: "/dev/full") }

    /// The folder of the executables built together with the running tests.
    public static var builtProducts: URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        #if os(macOS)
            for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
                folder = bundle.bundleURL.deletingLastPathComponent()
            }
        #endif
        return folder
    }

    /// A TCP port on the loopback interface that nothing listens on at this moment.
    public static func freePort() -> UInt16 {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        precondition(descriptor >= 0, "no socket")
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}
