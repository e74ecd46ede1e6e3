import CommandLineKit
import Foundation
import PatchCompiler
import PatchCompression
import PatchCrypto

extension BuildCommand {
    static let swiftSDK = Parameter<String?>.option(
        "swift-sdk", placeholder: "id",
        help: "Build the guest folders alone, with this SDK of 'swift sdk list'.")

    struct SDKReport: Encodable {
        let module: String
        let sdk: String
        let package: String
        let size: Int
        let brotli: Int
        let sha256: String
    }

    /// The full SDK route: the whole standard library and Foundation, for the low-level API.
    static func build(with sdk: String, to output: URL?, _ invocation: Invocation) throws {
        let project = try Workspace(invocation).project
        let sdks = try SwiftSDKs.list(environment: invocation.environment)
        let module = try project.buildWithSwiftSDK(sdk, sdks: sdks)
        let file = output ?? project.outputFolder.appendingPathComponent("swift-sdk/module.wasm")
        try ConfigurationFile.writeIfChanged(module, to: file)
        let report = SDKReport(
            module: file.path, sdk: sdk, package: project.swiftSDKFolder.path, size: module.count,
            brotli: try Brotli.compress(module).count, sha256: SHA256.hash(module).hex)
        try invocation.console.report(report) { console in
            console.print(fields: [
                ("size", "\(report.size) bytes, brotli \(report.brotli)"), ("sdk", sdk),
                ("package", report.package), ("module", report.module),
            ])
        }
    }
}
