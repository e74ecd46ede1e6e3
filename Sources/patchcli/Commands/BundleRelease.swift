import CommandLineKit
import Foundation
import PatchCrypto
import Rollout
import TUF
import TUFRepository
import WebViewBundle

/// `patchcli release --bundle DIR`: a web bundle as a release, with all that releases of modules
/// have.
enum BundleRelease {
    static let source = Parameter<String?>.option(
        "bundle", placeholder: "folder",
        help: "Release this folder (or .wvb file) as a web bundle instead of a module.",
        completion: .folder)
    static let requires = Parameter<[String]>.options(
        "requires", placeholder: "capability",
        help: "What the pages need of the app, such as app.camera; apps without it keep what they "
            + "have. With --bundle.")
    static let base = Parameter<String?>.option(
        "bundle-base", placeholder: "file",
        help: "The archive that the app ships, for a delta from it. With --bundle.",
        completion: .file(["wvb"]))
    static let allowsNoIndex = Parameter<Bool>.flag(
        "no-index",
        help: "Release a web bundle although it has no index.html at its top. With --bundle.")
    /// The bundle of `app://app.wvb`.
    static let usualName = "app"
    /// The fingerprint of releases for every build.
    static let anyBuild = "_any"

    struct Report: Encodable {
        let created: Bool
        let dry_run: Bool
        let bundle: String
        let release: Release?
        let head: Head
        let entries: Int
        let size: Int
        let delta_sizes: [Int]
        let role: String
        let role_version: Int
        let signed_by: [String]
        let url: String
    }

    private struct Archive: Sendable {
        let bytes: [UInt8]
        let entries: Int
        let leftOut: Int
        let hasIndex: Bool
        var digest: String { SHA256.hash(bytes).hex }
    }

    private struct Request: Sendable {
        let name: String
        let archive: Archive
        let wishes: ReleasePlan.Wishes
        let version: String?
        let requires: [String]
        let base: String?
        let isDry: Bool
        let signers: [TUFSigner]
    }

    static func run(
        _ invocation: Invocation, _ workspace: Workspace, source: String,
        wishes: ReleasePlan.Wishes, version: String?
    ) async throws {
        let console = invocation.console
        let publishing = try Publishing(workspace, console: console)
        let signCommand = try invocation[Common.signCommand]
        // Before anything is packed: a key that is missing is found out now.
        if signCommand == nil { _ = try workspace.releaseSigners() }
        let name = try invocation[Common.bundleName] ?? usualName
        try check(name)
        if let version { try check(version) }
        let requires = try invocation[requires]
        let base = try invocation[base]
        let isDry = try invocation[Common.dryRun]
        let needsIndex = try !invocation[allowsNoIndex]
        let archive = try await console.step("Pack the bundle") { progress in
            let archive = try pack(source)
            if needsIndex, !archive.hasIndex { throw noIndex(source) }
            progress.update(nil, Quantity.bytes(archive.bytes.count))
            return archive
        }
        let reach = await Reach.of([anyBuild], bundle: name, workspace, console)
        if let reach, reach.devices > 0, !isDry, !(try invocation[Common.yes]) {
            try console.confirm(
                "Release '\(name)' to \(wishes.audience.words) of "
                    + "\(Quantity.number(reach.devices)) known devices on \(wishes.channel)?")
        }
        let report = try await publishing.retrying { published, index in
            var editor = published
            let signers = try workspace.releaseSigners(published, command: signCommand)
            try editor.registerBuild(fingerprint: anyBuild, signers: signers, at: .now)
            return try await release(
                Request(
                    name: name, archive: archive, wishes: wishes, version: version,
                    requires: requires, base: base, isDry: isDry, signers: signers),
                publishing, editor, index.ofBundle(name))
        }
        try console.report(report) { show(report, archive, wishes, on: $0) }
    }

    /// Names and versions become parts of paths and addresses on devices.
    private static func check(_ text: String) throws {
        guard BundleName.isValid(text) else {
            throw CommandFailure(
                "bundle_name_refused", "'\(text)' can be no name or version of a bundle",
                why: "They have letters, digits, '.', '_' and '-', and no dot at either end.",
                exit: .usage)
        }
    }

    /// What `app://app.wvb/` shows.
    private static let index = "/index.html"

    private static func noIndex(_ source: String) -> CommandFailure {
        CommandFailure(
            "no_index", "'\(source)' has no index.html at its top; nothing was released",
            why: "'app://<name>.wvb' would show nothing. Is it the folder that the site is "
                + "built to? Pages that are only opened by their own paths need none: --no-index.",
            fix: "patchcli release --bundle <folder>", exit: .dataError)
    }

    private static func pack(_ source: String) throws -> Archive {
        try WebCommands.explaining {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) else {
                throw CommandFailure(
                    "no_input", "There is no folder or archive '\(source)'", exit: .noInput)
            }
            if isFolder.boolValue {
                let packed = try BundlePacker().pack(folder: source)
                return Archive(
                    bytes: packed.bytes, entries: packed.paths.count,
                    leftOut: packed.ignored.count, hasIndex: packed.paths.contains(index))
            }
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: source)))
            let reader = try BundleReader(bytes: bytes)
            // What cannot be read through would be refused by every device.
            try reader.verify()
            return Archive(
                bytes: bytes, entries: reader.count, leftOut: 0,
                hasIndex: reader.entry(at: index) != nil)
        }
    }

    private static func release(
        _ request: Request, _ publishing: Publishing, _ published: RepositoryEditor,
        _ index: ReleaseIndex
    ) async throws -> Report {
        let configuration = publishing.workspace.configuration
        let latest = index.releases.last?.release
        let earlier =
            request.version == nil
            ? latest : index.releases.last { $0.release.version == request.version }?.release
        if let earlier, let head = index.head(channel: request.wishes.channel, fp16: anyBuild),
            ReleaseCommand.isSame(earlier, head, request.wishes, floor: index.floor),
            earlier.raw.sha256 == request.archive.digest,
            earlier.capabilities == request.requires
        {
            return report(
                created: false, request, earlier, head, published, publishing.repository, [])
        }
        let version =
            request.version
            ?? VersionName.next(after: latest?.version, sequence: index.nextSequence)
        let archive = request.archive.bytes
        let base = request.base
        let deltas = try await publishing.deltas(
            to: archive, insteadOf: archive.count,
            shipped: base.map { file in
                { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) }
            }, index, fp16: anyBuild)
        let release = Release(
            appID: configuration.appID, platform: configuration.platform, kind: "bundle",
            version: version, sequence: index.nextSequence, fingerprint: anyBuild,
            capabilities: request.requires, mandatory: request.wishes.audience.isMandatory,
            notes: request.wishes.notes, commit: request.wishes.commit,
            raw: RawPayload(sha256: request.archive.digest, size: archive.count),
            // Entries are compressed already, and plain archives can be served as they lie.
            encoding: .identity, deltas: deltas.map(\.reference))
        let plan = try ReleasePlan.adding(
            release, archive, at: ReleaseIndex.bundlePath(request.name, version: version), deltas,
            index: index, wishes: request.wishes, salt: SecureRandom.bytes(16).hex)
        var editor = published
        try editor.setTargets(
            plan.listed, removing: plan.removed, in: BuildRole.anyBuild, signers: request.signers,
            at: .now)
        var created = false
        if !request.isDry {
            created = try await publishing.publish(
                editor, targets: plan.targets, as: "Sign and publish")
        }
        return report(
            created: created, request, plan.release, plan.head, editor, publishing.repository,
            deltas)
    }

    private static func report(
        created: Bool, _ request: Request, _ release: Release?, _ head: Head,
        _ editor: RepositoryEditor, _ repository: any Repository, _ deltas: [ReleaseDelta]
    ) -> Report {
        let path = release.map { ReleaseIndex.bundlePath(request.name, version: $0.version) }
        let target = path.flatMap { path in editor.listedTargets.first { $0.path == path } }
        let place = target.flatMap { try? $0.filePath(consistentSnapshot: true) } ?? ""
        let role = editor.delegated[BuildRole.anyBuild]
        return Report(
            created: created, dry_run: request.isDry, bundle: request.name, release: release,
            head: head, entries: request.archive.entries, size: request.archive.bytes.count,
            delta_sizes: deltas.map(\.target.bytes.count), role: BuildRole.anyBuild,
            role_version: role?.signed.version ?? 0,
            signed_by: role?.signatures.map(\.keyID) ?? [],
            url: "\(repository.address)/targets/\(place)")
    }

    private static func show(
        _ report: Report, _ archive: Archive, _ wishes: ReleasePlan.Wishes, on console: Console
    ) {
        let style = console.style
        let version = "\(report.bundle) \(report.release?.version ?? "")"
        if report.dry_run {
            console.print(style.bold("Would release \(version)") + "; nothing was published.")
        } else if report.created {
            console.print(style.green("Released ") + style.bold(version))
        } else {
            console.print(style.bold(version) + " is live already; nothing was published.")
        }
        var size = Quantity.bytes(report.size)
        if let least = report.delta_sizes.min() {
            size += ", as delta from \(Quantity.bytes(least))"
        }
        console.print(fields: [
            ("bundle", "\(report.bundle), \(Quantity.count(report.entries, "file"))"),
            (
                "release",
                "\(report.release?.version ?? ""), sequence \(report.release?.sequence ?? 0)"
            ),
            (
                "channel",
                "\(wishes.channel), \(wishes.audience.words)"
            ),
            ("size", size), ("digest", archive.digest),
            (
                "signed by",
                report.signed_by.map { String($0.prefix(12)) }.joined(separator: ", ")
                    + " (\(report.role), version \(report.role_version))"
            ),
            (report.dry_run ? "would be at" : "address", report.url),
        ])
        if archive.leftOut > 0 {
            console.print(
                style.dim(
                    "Left out: \(Quantity.count(archive.leftOut, "file")) (hidden, source maps); "
                        + "'patchcli web pack' packs them by option."))
        }
        if report.dry_run {
            console.print()
            console.print(style.dim("What would be signed:"))
            if let release = report.release, let text = try? Console.text(release) {
                console.print(text)
            }
            if let text = try? Console.text(report.head) { console.print(text) }
        }
    }
}
