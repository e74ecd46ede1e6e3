import CommandLineKit
import Foundation
import PatchCompiler
import PatchCrypto
import TUF
import TUFRepository

/// A project together with its keys and the place where it is published.
struct Workspace: Sendable {
    let project: PatchProject
    let keys: KeyStore
    let environment: [String: String]

    var configuration: ProjectConfiguration { project.configuration }
    var app: String { configuration.appKey }
    var folder: URL { project.folder }

    /// Opens the project of a command.
    /// - Throws: `PatchProjectError`, ``CommandFailure``.
    init(_ invocation: Invocation) throws {
        try self.init(folder: try invocation.projectFolder, environment: invocation.environment)
    }

    init(folder: URL, environment: [String: String]) throws {
        project = try PatchProject(folder: folder)
        keys = KeyStore(environment: environment)
        self.environment = environment
    }

    /// The tree of a static project; it stands for the mode by being there.
    var treeFolder: URL { Self.treeFolder(folder) }
    static func treeFolder(_ folder: URL) -> URL {
        folder.appendingPathComponent(".openpatch/tree")
    }

    var isStatic: Bool { FileManager.default.fileExists(atPath: treeFolder.path) }

    /// The root that this project's tools trust.
    var rootFile: URL { folder.appendingPathComponent(".openpatch/root.json") }

    var resources: AppResources? {
        configuration.resources.map {
            AppResources(folder: folder.appendingPathComponent($0))
        }
    }

    /// The release keys that are on this machine.
    func releaseSigners() throws -> [TUFSigner] { [try keys.require(app, .targets).signer] }

    /// Who signs releases: the key on this machine, or the program that holds those which root lists.
    /// - Throws: ``CommandFailure`` `key_missing`.
    func releaseSigners(_ published: RepositoryEditor, command: String?) throws -> [TUFSigner] {
        guard let command else { return try releaseSigners() }
        let listed = published.root.signed.keys(of: .targets)
        let local = try keys.key(app, .targets)?.tufKey.keyID
        let remote = listed.filter { $0.keyID != local }
        let program = SignCommand(command: command, environment: environment)
        return (remote.isEmpty ? listed : remote)
            .prefix(published.root.signed[.targets].threshold).map(program.signer)
    }

    /// How long what is signed here is valid.
    var expiryPlan: ExpiryPlan {
        var plan = isStatic ? ExpiryPlan.staticTree : .server
        let own = configuration.expiry
        plan.rootDays = own.root ?? plan.rootDays
        plan.targetsDays = own.targets ?? plan.targetsDays
        if isStatic { plan.freshnessDays = own.freshness ?? plan.freshnessDays }
        return plan
    }

    /// What devices are told as `apiBaseURL`.
    var apiBaseURL: String? {
        guard let server = configuration.server else { return nil }
        return isStatic ? server : ServerClient.apiBase(server)?.absoluteString
    }

    /// The root that this project's tools begin from.
    /// - Throws: ``CommandFailure`` when there is none or it cannot be used.
    func pinnedRoot() throws -> [UInt8] {
        guard !app.isEmpty,
            let root = FileManager.default.contents(atPath: rootFile.path).map({ [UInt8]($0) })
        else {
            throw CommandFailure(
                "not_initialised", "This project has no app yet",
                why: "openpatch.json has no app key, or .openpatch/root.json is missing.",
                fix: "patchcli init", exit: .configuration)
        }
        try Self.check(root)
        return root
    }

    /// Where the project is published.
    /// - Throws: ``CommandFailure`` when it has not been initialised.
    func repository() throws -> any Repository {
        let root = try pinnedRoot()
        let keys = keys
        let app = app
        let environment = environment
        if isStatic {
            return StaticRepository(
                folder: treeFolder, trustedRoot: root, expiryPlan: expiryPlan
            ) {
                try keys.require(app, .freshness).signer
            }
        }
        if try keys.key(app, .freshness) != nil {
            throw CommandFailure(
                "tree_missing", "The tree of this static project is missing",
                why: "There is no \(treeFolder.path), and this machine holds the freshness key.",
                fix: "restore .openpatch/tree from version control or from what you published",
                exit: .noInput)
        }
        guard let server = configuration.server, let base = ServerClient.apiBase(server) else {
            throw CommandFailure(
                "no_server", "openpatch.json names no server",
                why: "Its field 'server' is missing or no http or https address.",
                fix: "patchcli init --server <url>", exit: .configuration)
        }
        return ServerRepository(
            client: ServerClient(base: base), appKey: app, trustedRoot: root,
            expiryPlan: expiryPlan
        ) { try keys.token(app, environment: environment) }
    }

    /// A damaged root of ours must not look like damage on the other side.
    private static func check(_ root: [UInt8]) throws {
        do {
            _ = try TrustedMetadataSet(
                trustedRoot: root, at: .now,
                limits: JSONLimits(maximumSize: RepositoryLimits.metadata))
        } catch let error as TUFError {
            throw CommandFailure(
                "root_damaged", "The root that this project trusts cannot be used",
                why: ".openpatch/root.json: \(error.message)",
                fix: "git checkout -- .openpatch/root.json", exit: .configuration)
        }
    }

    /// The commit that is checked out, when the project is under git.
    var commit: String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder.path, "rev-parse", "HEAD"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        let text = String(decoding: data, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return text.count == 40 ? text : nil
    }
}
