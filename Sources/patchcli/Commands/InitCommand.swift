import CommandLineKit
import Foundation
import PatchCompiler
import PatchCrypto
import PatchPlatform
import TUF

/// `patchcli init`
enum InitCommand {
    private static let name = Parameter<String?>.option(
        "name", help: "The app's name; the folder's name when there is none yet.")
    private static let server = Parameter<String?>.option(
        "server", placeholder: "url", help: "The patchd that the app is published on.")
    private static let adminTokenFile = Parameter<String?>.option(
        "admin-token-file", placeholder: "file",
        help: "File with the server's admin token, which makes the app there; or the token itself "
            + "in OPENPATCH_ADMIN_TOKEN.", completion: .file([]))
    private static let baseURL = Parameter<String?>.option(
        "base-url", placeholder: "url",
        help: "Without a server: the address under which 'apps/' will be found on a static host.")
    private static let appID = Parameter<String?>.option(
        "app-id", placeholder: "uuid", help: "The id of a new app; a random one when not given.",
        check: {
            UUID(uuidString: $0) != nil && $0 == $0.lowercased()
                ? nil : "expected a lower-case UUID"
        })
    private static let platform = Parameter<Platform?>.option(
        "platform", help: "The platform of the app.")
    private static let channel = Parameter<String?>.option(
        "channel", placeholder: "name", help: "The channel of releases (production at first).",
        check: Common.checkName)
    private static let sources = Parameter<[String]>.options(
        "source", placeholder: "module=folder",
        help: "A Swift module of the app and the folder of its sources; those in Sources/ when "
            + "none is named.",
        check: { $0.split(separator: "=").count == 2 ? nil : "expected <module>=<folder>" })
    private static let guest = Parameter<[String]>.options(
        "guest", placeholder: "folder", help: "A folder of Swift files that go into every module.",
        completion: .folder)
    private static let resources = Parameter<String?>.option(
        "resources", placeholder: "folder", help: "The folder of the app's resources.",
        completion: .folder)

    enum Platform: String, CaseIterable, ArgumentValue { case ios, macos, tvos, visionos, linux }

    static var command: Command {
        Command(
            "init", abstract: "Set a project up for over-the-air updates.",
            discussion: """
                Creates or updates openpatch.json, makes the signing keys of the app, and writes \
                patch-root.json and patch-config.json into the app's resources. With --server the \
                app is created on a patchd, which then signs freshness; without one everything is \
                signed on this machine and 'publish --static' copies it to any web host. Running it \
                again changes nothing that is there already. Asks nothing.
                """,
            examples: [
                (
                    "patchcli init --server http://127.0.0.1:8080 --admin-token-file data/admin-token",
                    "Create the app on a patchd."
                ),
                (
                    "patchcli init --base-url https://cdn.example.com/patches",
                    "Publish to a static host."
                ),
            ],
            parameters: parameters(
                Common.project, name, server, adminTokenFile, baseURL, appID, platform, channel,
                sources,
                guest, resources),
            body: run)
    }

    struct Report: Encodable {
        struct Key: Encodable {
            let role: String
            let key_id: String
            let path: String
            let created: Bool
        }
        let app_id: String
        let app_key: String
        let mode: String
        let configuration: String
        let created: Bool
        let keys: [Key]
        let resources: String?
        let root_version: Int
        /// Where devices look for releases.
        let address: String?
        /// Where they were to look until now, when that is another address.
        let address_before: String?
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let folder = try invocation.projectFolder
        let console = invocation.console
        var configuration = try configuration(invocation, in: folder)
        let store = KeyStore(environment: invocation.environment)
        let isNew = configuration.appKey.isEmpty
        let before = isNew ? nil : configuration.server
        let named = try ServerAddress.checked(try invocation[server], option: "server")
        let host = try ServerAddress.checked(try invocation[baseURL], option: "base-url")
        let isStatic: Bool
        // Those of a server come with the answer that made the app.
        var serverKeys: ServerClient.ServerKeys?
        if isNew {
            // An id without a key was never published under: it came with a template.
            configuration.appID = try invocation[appID] ?? LiveRandom().uuid()
            isStatic = named == nil
            configuration.server = named ?? host
            // An app that a server made must not be left without a project.
            _ = try ConfigurationFile.checkedText(configuration)
            if isStatic {
                configuration.appKey = "pak_" + SecureRandom.bytes(12).hex
                // Its folder makes a project a static one; so it is there before the app's key,
                // and an interrupted 'init' goes on as what it began as.
                try FileManager.default.createDirectory(
                    at: Workspace.treeFolder(folder), withIntermediateDirectories: true)
            } else {
                let app = try await createApp(configuration, invocation)
                configuration.appKey = app.appKey
                serverKeys = app.serverKeys
                try store.store(token: app.token, for: app.appKey)
                // Written at once: an app that exists on the server must not be made again.
                try ConfigurationFile.write(configuration, in: folder)
            }
        } else {
            isStatic = FileManager.default.fileExists(
                atPath: Workspace.treeFolder(folder).path)
            if let address = named ?? host { configuration.server = address }
        }
        try ConfigurationFile.write(configuration, in: folder)
        try ConfigurationFile.writeIgnoreFile(in: folder)
        var roles: [KeyStore.Role] = [.root, .rootBackup, .targets]
        if isStatic { roles.append(.freshness) }
        let beginning = Beginning(
            configuration: configuration, folder: folder, isStatic: isStatic,
            invocation: invocation)
        let hadRoot = FileManager.default.fileExists(
            atPath: folder.appendingPathComponent(".openpatch/root.json").path)
        // Keys of a root that exists are never made up: others would not count.
        var hasRoot = hadRoot
        if !hasRoot, !isNew { hasRoot = try await beginning.takePublishedRoot() }
        var keys: [(entry: KeyStore.Entry, isNew: Bool)] = []
        for role in roles {
            if !hasRoot {
                keys.append(try store.obtain(configuration.appKey, role))
            } else if let entry = try store.key(configuration.appKey, role) {
                keys.append((entry, false))
            }
        }
        if !hasRoot { try await beginning.publishRoot(server: serverKeys) }
        let workspace = try Workspace(folder: folder, environment: invocation.environment)
        let root = try await writeResources(workspace)
        let report = Report(
            app_id: configuration.appID, app_key: configuration.appKey,
            mode: isStatic ? "static" : "server",
            configuration: folder.appendingPathComponent(ProjectConfiguration.fileName).path,
            created: !hadRoot,
            keys: keys.map {
                .init(
                    role: $0.entry.role.rawValue, key_id: $0.entry.tufKey.keyID,
                    path: $0.entry.path, created: $0.isNew)
            },
            resources: workspace.resources?.folder.path, root_version: root,
            address: configuration.server,
            address_before: before == configuration.server ? nil : before)
        try console.report(report) { show(report, workspace, on: $0) }
    }

    private static func show(_ report: Report, _ workspace: Workspace, on console: Console) {
        let style = console.style
        console.print(
            style.bold(workspace.configuration.name)
                + (report.created ? " is ready for updates." : " was set up already."))
        var fields = [
            ("app key", report.app_key), ("app id", report.app_id),
            (
                "published",
                report.mode == "server"
                    ? "on \(workspace.configuration.server ?? "")"
                    : "as a static tree; freshness is signed on this machine"
            ),
            ("platform", workspace.configuration.platform),
            ("channel", workspace.configuration.channel),
            ("sources", workspace.configuration.sources.map(\.path).joined(separator: ", ")),
        ]
        if let resources = workspace.configuration.resources {
            fields.append(("resources", resources))
        }
        console.print(fields: fields)
        if let before = report.address_before {
            console.print()
            console.print(
                style.yellow("The address changes: ")
                    + "\(before) -> \(report.address ?? "none"). The next build of the app looks "
                    + "there; those in the field look where they did.")
        }
        console.print()
        var table = Table("KEY", "ID", "FILE")
        for key in report.keys { table.add([key.role, String(key.key_id.prefix(12)), key.path]) }
        console.print(table, indent: "  ")
        console.print()
        if report.keys.contains(where: { $0.created }) {
            console.print(
                "Move \(style.bold("root-backup")) to a safe place and keep a copy of the others: "
                    + "who loses all root keys can never change them again.")
        }
        console.print(
            "Next: \(style.cyan("patchcli prepare")) and "
                + "\(style.cyan("patchcli fingerprint register")), then build the app.")
    }

    // MARK: Steps

    private static func configuration(
        _ invocation: Invocation, in folder: URL
    ) throws -> ProjectConfiguration {
        let file = folder.appendingPathComponent(ProjectConfiguration.fileName)
        var configuration: ProjectConfiguration
        if FileManager.default.fileExists(atPath: file.path) {
            configuration = try ProjectConfiguration(folder: folder)
        } else {
            guard FileManager.default.fileExists(atPath: folder.path) else {
                throw CommandFailure(
                    "no_folder", "There is no folder '\(folder.path)'",
                    fix: "patchcli init --project <folder>", exit: .noInput)
            }
            let found = ProjectLayout(folder: folder)
            configuration = ProjectConfiguration(
                appID: LiveRandom().uuid(), name: folder.lastPathComponent,
                platform: found.platform, sources: found.sources, guest: found.guest,
                resources: found.resources)
        }
        if let name = try invocation[name] { configuration.name = name }
        if let platform = try invocation[platform] { configuration.platform = platform.rawValue }
        if let channel = try invocation[channel] { configuration.channel = channel }
        if let resources = try invocation[resources] { configuration.resources = resources }
        let named = try invocation[sources]
        if !named.isEmpty {
            configuration.sources = named.map { text in
                let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                return ProjectConfiguration.Target(module: parts[0], path: parts[1])
            }
        }
        let guests = try invocation[guest]
        if !guests.isEmpty { configuration.guest = guests }
        guard !configuration.sources.isEmpty else {
            throw CommandFailure(
                "no_sources", "There are no Swift sources to set up",
                why: "No folder below Sources/ was found and none was named.",
                fix: "patchcli init --source MyApp=Sources/MyApp", exit: .configuration)
        }
        return configuration
    }

    private static func createApp(
        _ configuration: ProjectConfiguration, _ invocation: Invocation
    ) async throws -> ServerClient.CreatedApp {
        guard let server = configuration.server, let base = ServerClient.apiBase(server) else {
            throw CommandFailure(
                "bad_server", "'\(configuration.server ?? "")' is no address of a server",
                fix: "patchcli init --server http://127.0.0.1:8080", exit: .usage)
        }
        let token = try AdminToken.read(
            file: try invocation[adminTokenFile], invocation,
            what: "Creating an app on a server needs its admin token",
            fix: "patchcli init --server \(server) --admin-token-file <data>/admin-token")
        return try await invocation.console.step("Create the app on \(server)") { _ in
            do {
                return try await ServerClient(base: base).createApp(
                    name: configuration.name, appID: configuration.appID, adminToken: token)
            } catch let refusal as ServerRefusal where refusal.status == 401 {
                // The usual advice is about the token of an app, which there is none of yet.
                throw CommandFailure(
                    refusal.code, "The server does not accept the admin token",
                    why: "patchd wrote it to 'admin-token' in its data folder.",
                    fix: "patchcli init --server \(server) --admin-token-file <data>/admin-token",
                    exit: .noPermission)
            }
        }
    }

    /// Writes what the app carries.
    /// - Returns: The version of the root.
    private static func writeResources(_ workspace: Workspace) async throws -> Int {
        let root = try workspace.pinnedRoot()
        let version = try SignedMetadata<Root>(parsing: root).signed.version
        guard let resources = workspace.resources else { return version }
        try resources.write(root: root)
        let known = resources.configuration
        try resources.write(
            AppResources.Configuration(
                app_key: workspace.app, app_id: workspace.configuration.appID,
                api_base_url: workspace.apiBaseURL, channel: workspace.configuration.channel,
                platform: workspace.configuration.platform, fingerprint: known?.fingerprint,
                embedded_sequence: known?.embedded_sequence ?? 0,
                floors: known?.floors ?? .init(min_targets_version: 1, min_sequence: 0)))
        return version
    }
}
