import CommandLineKit
import Foundation
import PatchCompiler
import PatchCompression

/// `patchcli build`
enum BuildCommand {
    private static let version = Parameter<String>.option(
        "version", default: "dev", help: "The version that the module carries.",
        check: Common.checkName)
    private static let output = Parameter<String?>.option(
        "output", short: "o", placeholder: "file", help: "Where to write the module.",
        completion: .file(["wasm"]))

    static var command: Command {
        Command(
            "build", abstract: "Compile what changed since a store build to a module.",
            discussion: "Touches no network and signs nothing; 'release' does both.",
            parameters: parameters(
                Common.project, Common.fingerprint, Common.allowRemoved, version, output, swiftSDK),
            body: run)
    }

    struct Report: Encodable {
        let module: String
        let fingerprint: String
        let size: Int
        let brotli: Int
        let sha256: String
        let covered: [CoverageSummary.Function]
        let native: CoverageSummary.Native
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        if let sdk = try invocation[swiftSDK] {
            let named = try invocation[output].map { URL(fileURLWithPath: $0) }
            return try build(with: sdk, to: named, invocation)
        }
        let workspace = try Workspace(invocation)
        let manifest = try workspace.project.manifest(
            fingerprint: try invocation[Common.fingerprint])
        let identity = ReleaseIdentity(version: try invocation[version], sequence: 0)
        let payload = try await ModulePayload.build(
            workspace.project, manifest, identity,
            allowingRemoval: try invocation[Common.allowRemoved], invocation.console)
        let file: URL
        if let named = try invocation[output] {
            file = URL(fileURLWithPath: named)
        } else {
            file = workspace.project.outputFolder
                .appendingPathComponent(manifest.short).appendingPathComponent("module.wasm")
        }
        try ConfigurationFile.writeIfChanged(payload.raw, to: file)
        if let debug = payload.debug {
            try ConfigurationFile.writeIfChanged(debug, to: file.appendingPathExtension("debug"))
        }
        let report = Report(
            module: file.path, fingerprint: manifest.fingerprint, size: payload.raw.count,
            brotli: payload.packed.count, sha256: payload.digest,
            covered: payload.summary.covered, native: payload.summary.native)
        try invocation.console.report(report) { console in
            payload.summary.show(on: console)
            console.print(fields: [
                ("size", payload.sizes), ("build", manifest.short), ("module", report.module),
            ])
        }
    }
}
