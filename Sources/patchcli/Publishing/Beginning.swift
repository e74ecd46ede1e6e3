import CommandLineKit
import Foundation
import PatchCompiler
import TUF
import TUFRepository

/// How an app's repository begins: with a root that this machine signs. It can be cut off at any
/// point and goes on at the next `patchcli init`.
struct Beginning {
    let configuration: ProjectConfiguration
    let folder: URL
    let isStatic: Bool
    let invocation: Invocation

    private var store: KeyStore { KeyStore(environment: invocation.environment) }

    private var rootFile: URL { folder.appendingPathComponent(".openpatch/root.json") }

    private func held(_ roles: KeyStore.Role...) throws -> [KeyStore.Entry] {
        try roles.compactMap { try store.key(configuration.appKey, $0) }
    }

    /// Signs root and targets with the keys in the store, publishes them and keeps the root.
    /// - Parameter server: what a server signs with; asked for when nil.
    func publishRoot(server given: ServerClient.ServerKeys? = nil) async throws {
        let server: ServerClient.ServerKeys?
        if let given { server = given } else { server = try await serverKeys() }
        let plan = RepositoryEditor.RootPlan(
            rootKeys: try held(.root, .rootBackup).map(\.tufKey),
            targetsKeys: try held(.targets).map(\.tufKey),
            freshnessKeys: try server?.freshness ?? held(.freshness).map(\.tufKey),
            openPatch: Root.OpenPatchExtension(appID: configuration.appID))
        var editor = try RepositoryEditor(
            plan, signers: try held(.root).map(\.signer), at: .now,
            expiryPlan: isStatic ? .staticTree : .server)
        let release = try held(.targets).map(\.signer)
        if let ops = server?.ops, !ops.isEmpty {
            // From the first day on, so that gates can halt with nobody at hand.
            try editor.delegateBrakes(to: ops, signers: release, at: .now)
        } else {
            try editor.editTargets(signers: release, at: .now)
        }
        let begun = editor
        let root = begun.root.encoded()
        let repository = try repository(trusting: root)
        _ = try await invocation.console.step("Sign and publish the root of trust") { _ in
            try await repository.publish(begun, targets: []) { _ in }
        }
        try ConfigurationFile.writeIfChanged(root, to: rootFile)
    }

    /// Takes the root that an earlier `init` published before it was cut off.
    /// - Returns: Whether there was one.
    /// - Throws: ``CommandFailure`` `root_lost` when what is published was signed elsewhere.
    func takePublishedRoot() async throws -> Bool {
        guard let root = try await repository(trusting: []).metadata("1.root.json") else {
            return false
        }
        guard try isOurs(root) else { throw rootLost }
        invocation.console.note("An earlier 'init' was interrupted; its root is taken.")
        try ConfigurationFile.writeIfChanged(root, to: rootFile)
        return true
    }

    /// Whether a root is of this app and names this machine's root keys alone.
    private func isOurs(_ bytes: [UInt8]) throws -> Bool {
        let own = Set(try held(.root, .rootBackup).map(\.tufKey.keyID))
        // Making the set checks that its own keys signed it.
        guard let root = (try? TrustedMetadataSet(trustedRoot: bytes, at: .now))?.root.signed else {
            return false
        }
        return root.openPatch?.appID == configuration.appID && !own.isEmpty
            && Set(root[.root].keyIDs) == own
    }

    private func serverKeys() async throws -> ServerClient.ServerKeys? {
        if isStatic { return nil }
        let token = try store.token(configuration.appKey, environment: invocation.environment)
        return try await server().serverKeys(appKey: configuration.appKey, token: token)
    }

    private func server() throws -> ServerClient {
        guard let base = configuration.server.flatMap(ServerClient.apiBase) else {
            throw CommandFailure(
                "bad_server", "'\(configuration.server ?? "")' is no address of a server",
                fix: "patchcli init --server http://127.0.0.1:8080", exit: .usage)
        }
        return ServerClient(base: base)
    }

    private func repository(trusting root: [UInt8]) throws -> any Repository {
        let (app, store) = (configuration.appKey, store)
        let environment = invocation.environment
        if isStatic {
            return StaticRepository(folder: Workspace.treeFolder(folder), trustedRoot: root) {
                try store.require(app, .freshness).signer
            }
        }
        return ServerRepository(client: try server(), appKey: app, trustedRoot: root) {
            try store.token(app, environment: environment)
        }
    }

    private var rootLost: CommandFailure {
        CommandFailure(
            "root_lost", "The app has a root of trust, but this project does not have it",
            why: "What is published was not signed with this machine's root keys, so '"
                + ".openpatch/root.json' was lost or never committed.",
            fix: "restore .openpatch/root.json from your repository, or remove the line 'app_key' "
                + "from openpatch.json and run 'patchcli init' again to begin a new app",
            exit: .configuration)
    }
}
