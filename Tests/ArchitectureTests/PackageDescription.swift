import Foundation
import TestSupport

/// What `swift package describe` says of this package.
struct PackageDescription: Decodable {
    struct Target: Decodable {
        let name: String
        let type: String
        let path: String
        let dependencies: [String]?

        enum CodingKeys: String, CodingKey {
            case name, type, path
            case dependencies = "target_dependencies"
        }
    }

    struct Dependency: Decodable { let identity: String }

    let targets: [Target]
    let dependencies: [Dependency]

    static let shared = Result { try load() }

    /// Describes the package as it is under these variables.
    static func load(
        environment: [String: String] = ["OPENPATCH_WASMKIT": ""]
    ) throws -> PackageDescription {
        // A scratch path of its own: the running test holds the lock of the usual one.
        let scratch = try TemporaryDirectory("describe")
        let result = try ChildProcess.run(
            "swift",
            ["package", "--scratch-path", scratch.path, "describe", "--type", "json"],
            in: SharedData.checkout, environment: environment)
        guard result.status == 0 else { throw Failed(message: result.standardError) }
        return try JSONDecoder().decode(
            PackageDescription.self, from: Data(result.standardOutput.utf8))
    }

    struct Failed: Error { let message: String }
}
