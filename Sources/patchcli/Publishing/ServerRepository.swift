import Foundation
import TUF
import TUFRepository

/// A tree on a `patchd`, which signs snapshot and timestamp itself.
struct ServerRepository: Repository {
    let client: ServerClient
    let appKey: String
    let trustedRoot: [UInt8]
    var expiryPlan = ExpiryPlan.server
    /// Asked for only when something is published.
    let token: @Sendable () throws -> String

    var address: String { "\(client.base.absoluteString)/apps/\(appKey)" }
    var isStatic: Bool { false }

    func signingFreshness(by signer: TUFSigner) -> any Repository { self }

    func load() async throws -> RepositoryEditor {
        var last: String?
        return try await Explain.loading(fix: "patchcli doctor", document: { last }) {
            try await RepositoryEditor.load(
                trustedRoot: trustedRoot, expiryPlan: expiryPlan
            ) { name in
                let bytes = try await metadata(name)
                last = "\(address)/metadata/\(name)"
                return bytes
            }
        }
    }

    func metadata(_ name: String) async throws -> [UInt8]? {
        try await client.get(
            "apps/\(appKey)/metadata/\(name)", maximumSize: RepositoryLimits.metadata)
    }

    func read(_ target: TargetFile) async throws -> [UInt8] {
        let path = try target.filePath(consistentSnapshot: true)
        guard
            let bytes = try await client.get(
                "apps/\(appKey)/targets/\(path)", maximumSize: target.length)
        else {
            throw TUFError(.downloadFailed, "The server has no file '\(path)'.")
        }
        try target.verify(bytes)
        return bytes
    }

    func publish(
        _ editor: RepositoryEditor, targets: [NewTarget],
        progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Bool {
        var form = MultipartForm()
        for file in editor.changes where file.role != "snapshot" && file.role != "timestamp" {
            form.add(metadata: file.name, file.bytes)
        }
        for target in targets { form.add(target: target.file.path, target.bytes) }
        return try await client.upload(
            form, appKey: appKey, token: try token(), progress: progress)
    }
}
