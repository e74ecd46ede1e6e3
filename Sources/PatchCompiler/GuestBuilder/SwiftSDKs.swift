import Foundation

/// The Swift SDKs that the first `swift` on PATH knows.
public struct SwiftSDKs: Sendable, Equatable {
    /// The `swift` that was asked.
    public var swift: URL
    /// Every `swift` on PATH in order; ``swift`` is the first.
    public var onPath: [String]
    /// All ids that it printed, in its order.
    public var ids: [String]

    init(swift: URL, onPath: [String], ids: [String]) {
        self.swift = swift
        self.onPath = onPath
        self.ids = ids
    }

    /// The ids that build for WebAssembly.
    public var webAssembly: [String] { ids.filter { $0.lowercased().contains("wasm") } }

    /// Asks `swift sdk list`.
    /// - Throws: ``GuestBuildError/toolchainMissing(searched:)`` when there is no `swift`,
    ///   ``GuestBuildError/timeout(tool:seconds:)`` or ``GuestBuildError/system(_:)``.
    public static func list(
        environment: [String: String] = ProcessInfo.processInfo.environment, timeout: Double = 60
    ) throws -> SwiftSDKs {
        var candidates: [String] = []
        if let named = environment["OPENPATCH_SWIFT"], !named.isEmpty {
            let url = URL(fileURLWithPath: named)
            let folder = url.lastPathComponent == "swiftc" ? url.deletingLastPathComponent() : url
            candidates.append(folder.path)
        }
        candidates += (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let found = candidates.map { $0 + "/swift" }
            .filter { FileManager.default.isExecutableFile(atPath: $0) }
        guard let first = found.first else {
            throw GuestBuildError.toolchainMissing(searched: "no swift on PATH")
        }
        let swift = URL(fileURLWithPath: first)
        let result = try ToolRunner.run(
            swift, ["sdk", "list"], in: FileManager.default.temporaryDirectory, timeout: timeout)
        // A toolchain without the command, such as an old one, knows no SDK.
        let ids = result.succeeded ? parse(result.output) : []
        return SwiftSDKs(swift: swift, onPath: found, ids: ids)
    }

    /// The ids in what `swift sdk list` printed: one a line, besides sentences and warnings.
    static func parse(_ output: String) -> [String] {
        output.split(separator: "\n").map(String.init).filter { line in
            !line.isEmpty && !line.contains(" ") && !line.hasSuffix(":") && !line.hasSuffix(".")
        }
    }

    /// Checks that `id` is installed and builds for WebAssembly.
    /// - Throws: ``GuestBuildError/system(_:)`` that says what is there and what to do.
    public func require(_ id: String) throws {
        guard !ids.contains(id) else { return }
        throw GuestBuildError.system(explanation(missing: id))
    }

    /// Why `id` is not to be had, and what to do about it.
    public func explanation(missing id: String) -> String {
        var lines = ["The Swift SDK '\(id)' is not installed for \(swift.path)."]
        if webAssembly.isEmpty {
            lines.append("That toolchain has no WebAssembly SDK at all.")
        } else {
            lines.append("It has: \(webAssembly.joined(separator: ", ")).")
        }
        lines.append(
            """
            The swift that comes first on PATH is asked, and each toolchain has SDKs of its own; \
            the one inside Xcode cannot build for WebAssembly.
            """)
        if onPath.count > 1 {
            lines.append("On PATH, in order: \(onPath.joined(separator: ", ")).")
        }
        lines.append(
            """
            Put the swift.org toolchain first (`export PATH="$HOME/.swiftly/bin:$PATH"`), make \
            the shell forget the old place (`hash -r`), check with `which swift`, and see \
            `swift sdk list`; `swift sdk install` adds an SDK. `patchcli build` without \
            --swift-sdk needs none.
            """)
        return lines.joined(separator: "\n")
    }
}
