import Foundation

/// The Swift toolchain that compiles guests.
public struct Toolchain: Sendable, Hashable {
    /// The compiler driver.
    public var swiftc: URL
    /// The compiler's resource folder, `…/lib/swift`.
    public var resources: URL

    /// A toolchain at known places; ``discover(target:environment:)`` finds one.
    public init(swiftc: URL, resources: URL) {
        self.swiftc = swiftc
        self.resources = resources
    }

    /// The toolchain named by `OPENPATCH_SWIFT` (its `swiftc` or the folder of it), else the first
    /// on `PATH` that can compile for `target`.
    ///
    /// The compiler inside Xcode shadows the swift.org one when it comes first on PATH; it cannot
    /// target WebAssembly, so the search goes on past it.
    /// - Throws: ``GuestBuildError/toolchainMissing(searched:)`` or
    ///   ``GuestBuildError/toolchainCannotTarget(swift:missing:)``.
    public static func discover(
        target: GuestTarget = .wasm64,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Toolchain {
        if let named = environment["OPENPATCH_SWIFT"], !named.isEmpty {
            var isFolder: ObjCBool = false
            var url = URL(fileURLWithPath: named)
            if FileManager.default.fileExists(atPath: named, isDirectory: &isFolder),
                isFolder.boolValue
            {
                url = url.appendingPathComponent("swiftc")
            }
            guard FileManager.default.isExecutableFile(atPath: url.path) else {
                throw GuestBuildError.toolchainMissing(
                    searched: "OPENPATCH_SWIFT names \(named), where no swiftc is")
            }
            let (toolchain, missing) = candidate(at: url, for: target)
            if let missing {
                throw GuestBuildError.toolchainCannotTarget(swift: url.path, missing: missing)
            }
            return toolchain
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        var refused: GuestBuildError?
        for folder in folders {
            let url = URL(fileURLWithPath: folder).appendingPathComponent("swiftc")
            guard FileManager.default.isExecutableFile(atPath: url.path) else { continue }
            let (toolchain, missing) = candidate(at: url, for: target)
            guard let missing else { return toolchain }
            refused =
                refused ?? .toolchainCannotTarget(swift: url.path, missing: missing)
        }
        throw refused ?? .toolchainMissing(searched: "no swiftc on PATH")
    }

    /// The toolchain of a `swiftc`, and what it lacks for `target`.
    private static func candidate(
        at swiftc: URL, for target: GuestTarget
    ) -> (toolchain: Toolchain, missing: String?) {
        let beside = Toolchain(at: swiftc)
        guard let missing = beside.missing(for: target) else { return (beside, nil) }
        // What swiftly puts on PATH stands for a compiler that lies elsewhere; it knows where.
        if let resources = resources(named: swiftc) {
            let binaries = resources.deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("bin")
            let named = Toolchain(
                swiftc: binaries.appendingPathComponent("swiftc"), resources: resources)
            return (named, named.missing(for: target))
        }
        return (beside, missing)
    }

    /// The resource folder that a compiler says it uses; nil when it does not say.
    private static func resources(named swiftc: URL) -> URL? {
        struct Information: Decodable {
            struct Paths: Decodable { var runtimeResourcePath: String }
            var paths: Paths
        }
        let folder = FileManager.default.temporaryDirectory
        guard
            let result = try? ToolRunner.run(
                swiftc, ["-print-target-info"], in: folder, timeout: 600),
            result.succeeded,
            let information = try? JSONDecoder().decode(
                Information.self, from: Data(result.output.utf8))
        else { return nil }
        return URL(fileURLWithPath: information.paths.runtimeResourcePath)
    }

    private init(at swiftc: URL) {
        // `swiftc` is often a link into a toolchain that lies elsewhere.
        let real = swiftc.resolvingSymlinksInPath()
        self.swiftc = real.deletingLastPathComponent().appendingPathComponent("swiftc")
        resources = real.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("lib/swift")
    }

    var clang: URL { tool("clang") }
    var linker: URL { tool("wasm-ld") }

    func unicodeTables(_ target: GuestTarget) -> URL {
        resources.appendingPathComponent(
            "embedded/\(target.triple)/libswiftUnicodeDataTables.a")
    }

    private func tool(_ name: String) -> URL {
        swiftc.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// What a build for `target` needs and this toolchain lacks.
    private func missing(for target: GuestTarget) -> String? {
        let module = resources.appendingPathComponent(
            "embedded/Swift.swiftmodule/\(target.triple).swiftmodule")
        guard FileManager.default.fileExists(atPath: module.path) else {
            return "Embedded Swift library for \(target.rawValue)"
        }
        return [clang, linker].first { !FileManager.default.isExecutableFile(atPath: $0.path) }
            .map(\.lastPathComponent)
    }

    /// What tells this compiler from another: what it says about itself.
    func identity(timeout: Double) throws -> String {
        let folder = FileManager.default.temporaryDirectory
        let result = try ToolRunner.run(swiftc, ["--version"], in: folder, timeout: timeout)
        guard result.succeeded else {
            throw GuestBuildError.system("\(swiftc.path) --version failed: \(result.output)")
        }
        return result.output
    }
}
