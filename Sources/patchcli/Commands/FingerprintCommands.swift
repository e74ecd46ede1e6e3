import CommandLineKit
import Foundation
import PatchCompiler
import TUF
import TUFRepository

/// `patchcli fingerprint …`
enum FingerprintCommands {
    private static let offline = Parameter<Bool>.flag(
        "no-publish", help: "Write the files only; run again without it before the first release.")

    private static let replace = Parameter<Bool>.flag(
        "replace",
        help: "Overrides the registration of a build with the same native code and other bodies; "
            + "only when that build never reached anybody.")

    private static let appVersion = Parameter<String?>.option(
        "app-version", placeholder: "version",
        help: "The version that the store will show, as in 2.4; with --app-build.",
        check: Common.checkName)
    private static let appBuild = Parameter<String?>.option(
        "app-build", placeholder: "number",
        help: "The build number. The server lets no other fingerprint have both.",
        check: Common.checkName)
    private static let force = Parameter<Bool>.flag(
        "force",
        help: "Overrides another fingerprint's claim to version and build number; only when that "
            + "build never reached anybody.")

    static var group: Command {
        Command(
            "fingerprint", abstract: "What identifies a store build.",
            subcommands: [show, diff, register])
    }

    struct ShowReport: Encodable {
        struct Build: Encodable {
            let number: Int
            let fingerprint: String
            let functions: Int
            let matches: Bool
        }
        let fingerprint: String
        let surface: String
        let builds: [Build]
    }

    private static var show: Command {
        Command(
            "show", abstract: "Show the fingerprint of the sources and the registered builds.",
            discussion: """
                The fingerprint covers everything that only a store build can carry. While it is \
                that of a registered build, changes can ship over the air. Exits with 5 when it \
                is that of none.
                """,
            parameters: parameters(Common.project)
        ) { invocation in
            let workspace = try Workspace(invocation)
            let fingerprint = try workspace.project.fingerprint()
            let builds = try workspace.project.manifests()
            let report = ShowReport(
                fingerprint: fingerprint.value, surface: fingerprint.surface,
                builds: builds.map {
                    .init(
                        number: $0.number, fingerprint: $0.fingerprint,
                        functions: $0.functions.count,
                        matches: $0.fingerprint == fingerprint.value)
                })
            try invocation.console.report(report) { console in
                console.print(
                    fields: [
                        ("fingerprint", report.fingerprint), ("surface", report.surface),
                    ], indent: "")
                var table = Table([
                    .init("BUILD", .right), .init("FINGERPRINT"), .init("FUNCTIONS", .right),
                    .init(""),
                ])
                for build in report.builds {
                    table.add([
                        String(build.number), String(build.fingerprint.prefix(16)),
                        String(build.functions),
                        build.matches ? console.style.green("these sources") : "",
                    ])
                }
                console.print()
                table.isEmpty
                    ? console.print("No build is registered.") : console.print(table)
            }
            if !report.builds.isEmpty, !report.builds.contains(where: { $0.matches }) {
                throw SilentExit(.fingerprintMismatch)
            }
        }
    }

    struct DiffReport: Encodable {
        struct Input: Encodable {
            let input: String
            let changes: [Change]
        }

        struct Change: Encodable {
            let file: String
            let line: Int
            let message: String
        }

        let build: String
        let same: Bool
        let inputs: [Input]
    }

    private static var diff: Command {
        Command(
            "diff",
            abstract: "Show what makes the sources' fingerprint another one than a build's.",
            discussion: """
                Names every input that differs from the registered build, and the lines. Exits with \
                5 when any does.
                """,
            parameters: parameters(Common.project, Common.fingerprint)
        ) { invocation in
            let project = try Workspace(invocation).project
            let manifest = try project.manifest(fingerprint: try invocation[Common.fingerprint])
            let differences = try project.differences(from: manifest)
            let report = DiffReport(
                build: manifest.fingerprint, same: differences.isEmpty,
                inputs: differences.map {
                    .init(
                        input: $0.input,
                        changes: $0.changes.map {
                            .init(file: $0.place.file, line: $0.place.line, message: $0.message)
                        })
                })
            try invocation.console.report(report) { console in
                if differences.isEmpty {
                    console.print("The fingerprint is that of build \(manifest.short).")
                }
                for difference in differences {
                    console.print(console.style.bold(difference.input))
                    for change in difference.changes { console.print("  \(change)") }
                }
            }
            if !differences.isEmpty { throw SilentExit(.fingerprintMismatch) }
        }
    }

    struct RegisterReport: Encodable {
        let fingerprint: String
        let number: Int
        let functions: Int
        let base_size: Int
        let known: Bool
        let published: Bool
        let folder: String
        let not_in_base: [String]
    }

    private static var register: Command {
        Command(
            "register", abstract: "Record the sources as a store build.",
            discussion: """
                Run it when you build for the store: writes the build's manifest and base.wasm to \
                .openpatch/builds (commit them), patch-config.json and base.wasm into the app's \
                resources, and signs a role for the build so that releases can be made for it.
                """,
            parameters: parameters(
                Common.project, appVersion, appBuild, force, offline, replace, Common.signCommand)
        ) { invocation in
            let workspace = try Workspace(invocation)
            let console = invocation.console
            // First: a number that is taken must leave nothing behind.
            try await claim(workspace, invocation)
            let replacing = try invocation[replace]
            let build = try await console.step("Compile the base module") { progress in
                let build = try workspace.project.registerBuild(replacing: replacing)
                progress.update(nil, Quantity.bytes(build.base.count))
                return build
            }
            let isOffline = try invocation[offline]
            let signCommand = try invocation[Common.signCommand]
            let place =
                isOffline
                ? nil : try await publish(build.manifest, workspace, console, signCommand)
            let report = RegisterReport(
                fingerprint: build.manifest.fingerprint, number: build.manifest.number,
                functions: build.manifest.functions.count, base_size: build.base.count,
                known: build.wasKnown, published: place?.isNew ?? false, folder: build.folder.path,
                not_in_base: build.notInBase.map(\.description))
            try writeResources(build, place, workspace)
            try console.report(report) { show(report, workspace, on: $0) }
        }
    }

    private static func show(
        _ report: RegisterReport, _ workspace: Workspace, on console: Console
    ) {
        let style = console.style
        console.print(
            "Build \(report.number) "
                + (report.known ? "was registered already." : "is registered."))
        var fields = [
            ("fingerprint", report.fingerprint),
            ("functions", functions(report)),
            ("base.wasm", Quantity.bytes(report.base_size)),
            ("manifest", report.folder),
        ]
        if let resources = workspace.configuration.resources {
            fields.append(("resources", "\(resources)/ (patch-config.json, base.wasm)"))
        }
        console.print(fields: fields)
        if !report.not_in_base.isEmpty {
            console.print()
            console.print(
                "These stay native until their bodies compile for a module; see "
                    + style.cyan("patchcli audit") + ":")
            // Notes that follow an error are in the document.
            for problem in report.not_in_base {
                console.print("  " + problem.prefix { $0 != "\n" })
            }
        }
        console.print()
        console.print(
            "Commit .openpatch/builds, build the app with these resources; then edit and run "
                + style.cyan("patchcli release") + ".")
    }

    private static func functions(_ report: RegisterReport) -> String {
        let native = report.not_in_base.count
        guard native > 0 else { return "\(report.functions) can be replaced over the air" }
        return "\(max(0, report.functions - native)) of \(report.functions) routed can be replaced "
            + "over the air as they are"
    }

    private struct Claim: Encodable, Sendable {
        let fingerprint: String
        let replace: Bool
    }

    private struct Claimed: Decodable {
        let fingerprint: String
    }

    /// Has the server note which fingerprint the app's version and build number have.
    /// - Throws: ``CommandFailure`` `build_taken`, exit 5.
    private static func claim(_ workspace: Workspace, _ invocation: Invocation) async throws {
        let (version, build) = (try invocation[appVersion], try invocation[appBuild])
        if version == nil, build == nil { return }
        guard let version, let build else {
            throw CommandFailure(
                "build_incomplete", "--app-version and --app-build belong together",
                fix: "patchcli fingerprint register --app-version 2.4 --app-build 310",
                exit: .usage)
        }
        let access = try ServerAccess(workspace)
        do {
            let _: Claimed = try await access.call(
                "PUT", "builds/\(version)/\(build)",
                body: Claim(
                    fingerprint: try workspace.project.fingerprint().value,
                    replace: try invocation[force]))
        } catch let refusal as ServerRefusal where refusal.code == "build_taken" {
            throw CommandFailure(
                "build_taken",
                "Version \(version) (\(build)) is registered with another fingerprint",
                why: "The same version with other native code: devices of one would be taken for "
                    + "those of the other.",
                fix: "patchcli fingerprint diff, then give this build another number",
                exit: .fingerprintMismatch)
        }
    }

    /// Where the app's history stood when a build was registered.
    private struct Place: Sendable {
        let isNew: Bool
        let targetsVersion: Int
        let sequence: Int
    }

    private static func publish(
        _ manifest: BuildManifest, _ workspace: Workspace, _ console: Console,
        _ signCommand: String?
    ) async throws -> Place {
        let publishing = try Publishing(workspace, console: console)
        return try await publishing.retrying { editor, index in
            let signers = try workspace.releaseSigners(editor, command: signCommand)
            var editor = editor
            try editor.registerBuild(
                fingerprint: manifest.fingerprint, signers: signers, at: .now)
            var isNew = false
            if !editor.changes.isEmpty {
                isNew = try await publishing.publish(
                    editor, targets: [], as: "Sign and publish the build's role")
            }
            return Place(
                isNew: isNew, targetsVersion: editor.targets?.signed.version ?? 1,
                sequence: index.nextSequence - 1)
        }
    }

    private static func writeResources(
        _ build: RegisteredBuild, _ place: Place?, _ workspace: Workspace
    ) throws {
        guard let resources = workspace.resources else { return }
        let root = try workspace.pinnedRoot()
        try resources.write(root: root)
        try resources.write(base: build.base)
        var next =
            resources.configuration
            ?? AppResources.Configuration(
                app_key: workspace.app, app_id: workspace.configuration.appID,
                channel: workspace.configuration.channel,
                platform: workspace.configuration.platform, embedded_sequence: 0,
                floors: .init(min_targets_version: 1, min_sequence: 0))
        next.api_base_url = workspace.apiBaseURL
        next.channel = workspace.configuration.channel
        // A fresh install must not be served what was current before its build. A build that was
        // registered before keeps its floors: releases were made for it since.
        if let place, next.fingerprint != build.manifest.fingerprint || !build.wasKnown {
            next.floors = .init(
                min_targets_version: place.targetsVersion, min_sequence: place.sequence)
            next.embedded_sequence = place.sequence
        }
        next.fingerprint = build.manifest.fingerprint
        try resources.write(next)
    }
}
