import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF
import TUFRepository

/// Publishes for one app, one upload after the other.
actor AppPublisher {
    /// What an upload led to.
    struct Outcome: Sendable {
        let created: Bool
        let release: Release?
        let editor: RepositoryEditor
    }

    let app: AppRecord
    let apps: AppStore
    private let clock: @Sendable () -> Date
    private let checkpoint: @Sendable (PublishStep) -> Void
    /// What is published; nil until the first root has come.
    private(set) var editor: RepositoryEditor?
    private var isLoaded = false
    /// Heads and brakes by the digest of their files.
    var documents = DocumentCache()

    init(
        app: AppRecord, apps: AppStore, clock: @escaping @Sendable () -> Date,
        checkpoint: @escaping @Sendable (PublishStep) -> Void
    ) {
        self.app = app
        self.apps = apps
        self.clock = clock
        self.checkpoint = checkpoint
    }

    var folder: String { "apps/\(app.appKey)" }
    private var publication: Publication {
        Publication(files: apps.files, app: folder, checkpoint: checkpoint)
    }

    /// Verifies an upload against what is published and publishes it.
    /// - Throws: ``APIError``, `FileError`.
    func publish(
        _ upload: Upload, by principal: Principal? = nil, expected: Int? = nil
    ) async throws -> Outcome {
        try await load()
        if let expected, expected != editor?.snapshot?.signed.version ?? 0 {
            throw Self.changedMeanwhile
        }
        do {
            let first = editor == nil ? try await firstEditor(upload) : nil
            // No suspension below: one upload is verified and published before the next is
            // looked at.
            return try publish(
                upload, by: principal, first: first, at: now)
        } catch let error as TUFError {
            throw Self.refusal(error)
        }
    }

    /// Signs a new timestamp (and snapshot) when less than half of their life is left.
    /// - Returns: Whether that was so.
    func refresh() async throws -> Bool {
        try await load()
        guard var next = editor, let timestamp = next.timestamp, next.targets != nil else {
            return false
        }
        let now = now
        // Signed under a clock that was years ahead: nobody may be frozen for as long.
        let isTooLong = !timestamp.signed.isExpired(
            at: now.adding(days: next.expiryPlan.freshnessDays + Self.mostClockError))
        let half = now.adding(seconds: Int64(next.expiryPlan.freshnessDays) * 86_400 / 2)
        let isAgeing = timestamp.signed.isExpired(at: half)
        guard try renewBrakes(&next, at: now) || isAgeing || isTooLong else { return false }
        try finish(next, targets: [], at: now)
        return true
    }

    /// What is published: the version of the snapshot, and the releases.
    func releases() async throws -> (snapshot: Int, releases: [(path: String, release: Release)]) {
        try await load()
        guard let editor else { return (0, []) }
        let releases = editor.listedTargets.compactMap { target -> (String, Release)? in
            guard target.path.hasPrefix("modules/") || target.path.hasPrefix("bundles/"),
                let release: Release = ReleaseRules.decode(target.custom)
            else { return nil }
            return (target.path, release)
        }
        return (editor.snapshot?.signed.version ?? 0, releases)
    }

    /// Removes the files of the tree that no client is led to any more, and their precompressed
    /// copies. Nothing is published meanwhile.
    /// - Returns: what was removed, or with `isDry` would be.
    /// - Throws: ``APIError``, `FileError`, `TUFError`.
    func prune(isDry: Bool) async throws -> [TreeRetention.File] {
        try await load()
        guard let editor else { throw Self.nothingPublished }
        let root = URL(fileURLWithPath: "\(apps.layout.root)/\(folder)")
        let tree = TreeRetention(
            folder: root.appendingPathComponent("tree"),
            timestampDays: editor.expiryPlan.freshnessDays)
        let doomed: [TreeRetention.File]
        do {
            doomed = try tree.unreferenced(now: clock())
        } catch let failure as TreeRetention.Failure {
            throw APIError.internalFailure("The app's tree cannot be read: \(failure).")
        }
        guard !isDry, !doomed.isEmpty else { return doomed }
        // Whether all of it went or not: nobody shall be served what is gone.
        defer { apps.generation.advance() }
        for file in doomed { try apps.files.remove("\(folder)/tree-br/\(file.path)") }
        try tree.remove(doomed)
        return doomed
    }

    /// Seconds until timestamp and brakes expire.
    func secondsLeft() async throws -> (timestamp: Int64?, brakes: Int64?) {
        try await load()
        let time = MetadataTime(clock()).secondsSince1970
        return (
            (editor?.timestamp?.signed.expires.secondsSince1970).map { $0 - time },
            (editor?.delegated[BrakesRole.name]?.signed.expires.secondsSince1970).map { $0 - time }
        )
    }

    /// Signs freshness over `next` and publishes it.
    func finish(
        _ next: RepositoryEditor, targets: [(file: String, place: String)], at now: MetadataTime,
        also files: [Publication.File] = []
    ) throws {
        var next = next
        if next.targets != nil {
            let key = try apps.freshnessKey(app.appKey)
            try next.signFreshness(signers: [TUFSigner(key)], at: now)
        }
        try commit(
            targets: targets,
            metadata: next.changes.map { Publication.File(name: $0.name, bytes: $0.bytes) } + files
        )
        next.clearChanges()
        editor = next
        tellPublished(next)
    }

    /// The time to sign with. A clock that went back by some days must not make metadata that ends
    /// before what devices have: then it is the time of the last signature. Where it went back
    /// further, the signature before is what was wrong.
    var now: MetadataTime {
        let time = MetadataTime(clock())
        guard let editor, let timestamp = editor.timestamp else { return time }
        let signed = timestamp.signed.expires.adding(days: -editor.expiryPlan.freshnessDays)
        return time < signed && signed < time.adding(days: Self.mostClockError) ? signed : time
    }

    /// Days by which a clock may have gone back without being believed.
    private static let mostClockError = 30

    /// Publishes, and forgets what is in memory when that fails half-way: the disk decides then.
    private func commit(
        targets: [(file: String, place: String)], metadata: [Publication.File]
    ) throws {
        // Whether it is whole or not: nobody shall be served what was read before.
        defer { apps.generation.advance() }
        do {
            try publication.run(targets: targets, metadata: metadata)
        } catch {
            isLoaded = false
            editor = nil
            throw error
        }
    }

    func load() async throws {
        if isLoaded { return }
        try publication.recover()
        let files = apps.files
        let metadata = "\(folder)/tree/metadata"
        var loaded: RepositoryEditor?
        if try files.size(of: "\(metadata)/1.root.json") != nil {
            loaded = try await RepositoryEditor.load { name in
                try files.read("\(metadata)/\(name)", maximumSize: 8 << 20)
            }
        }
        // Another call may have been faster while this one waited.
        if isLoaded { return }
        editor = loaded
        isLoaded = true
        if let loaded { tellPublished(loaded) }
    }

    private func tellPublished(_ editor: RepositoryEditor) {
        var names: Set<String> = []
        for target in editor.listedTargets {
            let parts = target.path.split(separator: "/")
            guard parts.first == "modules" || parts.first == "bundles",
                let release: Release = ReleaseRules.decode(target.custom)
            else { continue }
            names.insert(release.raw.sha256)
            if parts[0] == "bundles", parts.count == 3 {
                names.insert(RolloutSubject.bundle(String(parts[1])).name)
            }
        }
        for role in editor.delegated.keys where role.hasPrefix("build-") {
            names.insert(String(role.dropFirst("build-".count)))
        }
        apps.setPublished(names, of: app.appKey)
    }

    private func publish(
        _ upload: Upload, by principal: Principal?, first: RepositoryEditor?, at now: MetadataTime
    ) throws -> Outcome {
        guard var next = editor ?? first else { throw Self.noRoot }
        let isFirst = editor == nil
        let known = next.listedTargets
        var metadata = upload.metadata
        if isFirst { metadata["1.root.json"] = nil }
        let outcome = try next.accept(metadata, at: now)
        try checkRoot(next)
        let listed = next.listedTargets
        try checkChannel(outcome.newTargets, principal)
        let placements = try place(upload, listed: listed, new: outcome.newTargets)
        let rules = ReleaseRules(appID: app.appID, known: known, listed: listed)
        let releases = try rules.check(outcome.newTargets) { try read($0, upload) }
        if !isFirst, outcome.roles.isEmpty {
            return Outcome(created: false, release: Self.newestRelease(listed), editor: next)
        }
        let caps = try capStagedCandidates(
            outcome.newTargets, in: &next, at: now, read: { try read($0, upload) })
        var first: [Publication.File] = []
        if isFirst, let root = upload.metadata["1.root.json"] {
            first.append(Publication.File(name: "1.root.json", bytes: root))
        }
        try finish(next, targets: placements + caps, at: now, also: first)
        return Outcome(created: true, release: releases.last?.release, editor: editor ?? next)
    }

    private static let noRoot = APIError.conflict(
        "no_root", "Nothing is published for this app yet; upload 1.root.json first.")

    /// The root that begins the repository is trusted because the app's token came with it.
    private func firstEditor(_ upload: Upload) async throws -> RepositoryEditor {
        guard let bytes = upload.metadata["1.root.json"] else { throw Self.noRoot }
        let first = try await RepositoryEditor.load(trustedRoot: bytes) { _ in nil }
        guard first.root.signed.version == 1 else {
            throw APIError.refused("upload_refused", "1.root.json does not say version 1.")
        }
        return first
    }

    private func checkRoot(_ next: RepositoryEditor) throws {
        let root = next.root.signed
        guard root.openPatch?.appID == app.appID else {
            throw APIError.refused("wrong_app", "The root was signed for another app.")
        }
        if let before = editor?.root.signed.openPatch, let after = root.openPatch,
            after.minSequence < before.minSequence
                || after.minTargetsVersion < before.minTargetsVersion
        {
            throw APIError.refused("floor_lowered", "A root may raise its floors, not lower them.")
        }
        let key = TUFKey(try apps.freshnessKey(app.appKey).publicKey).keyID
        guard root[.snapshot].keyIDs.contains(key), root[.timestamp].keyIDs.contains(key),
            root[.snapshot].threshold == 1, root[.timestamp].threshold == 1
        else {
            throw APIError.refused(
                "freshness_key_missing",
                "The root must let this server's freshness key alone sign snapshot and timestamp.")
        }
    }

    /// A token for one channel changes no head of another.
    private func checkChannel(_ new: [TargetFile], _ principal: Principal?) throws {
        for target in new {
            let parts = target.path.split(separator: "/")
            guard parts.count > 1, parts[0] == "heads" || parts[0] == "brakes" else { continue }
            try principal?.require(channel: String(parts[1]))
        }
    }

    /// Where each listed target's bytes come from and go to.
    private func place(
        _ upload: Upload, listed: [TargetFile], new: [TargetFile]
    ) throws -> [(file: String, place: String)] {
        var placements: [(file: String, place: String)] = []
        var unused = Set(upload.targets.keys)
        for target in new {
            let place = try target.filePath(consistentSnapshot: true)
            if let given = upload.targets[target.path] {
                unused.remove(target.path)
                guard given.size == target.length else {
                    throw APIError.refused(
                        "target_length_mismatch",
                        "'\(target.path)' has \(given.size) bytes where \(target.length) are "
                            + "signed for.")
                }
                guard given.sha256 == target.sha256 else {
                    throw APIError.refused(
                        "target_hash_mismatch",
                        "'\(target.path)' is not the file that is signed for: its digest differs.")
                }
                placements.append((given.file, place))
            } else if try apps.files.size(of: "\(folder)/tree/targets/\(place)") != target.length {
                throw APIError.refused(
                    "target_missing",
                    "'\(target.path)' is listed, but neither uploaded nor here already.")
            }
        }
        // What is here already may be sent again; it is read no further.
        for path in unused
        where !listed.contains(where: {
            $0.path == path && $0.sha256 == upload.targets[path]?.sha256
        }) {
            throw APIError.refused(
                "target_unlisted", "'\(path)' was uploaded, but no role lists it.")
        }
        return placements
    }

    func read(_ target: TargetFile, _ upload: Upload = Upload()) throws -> [UInt8] {
        let place = try target.filePath(consistentSnapshot: true)
        var file = "\(folder)/tree/targets/\(place)"
        if let given = upload.targets[target.path], given.sha256 == target.sha256 {
            file = given.file
        }
        guard
            let bytes = try apps.files.read(file, maximumSize: ReleaseRules.largestHead)
        else { throw APIError.refused("target_missing", "'\(target.path)' is not here.") }
        return bytes
    }

    private static func newestRelease(_ listed: [TargetFile]) -> Release? {
        listed.filter { $0.path.hasPrefix("modules/") }
            .compactMap { ReleaseRules.decode($0.custom) as Release? }
            .max { $0.sequence < $1.sequence }
    }

    static func refusal(_ error: TUFError) -> APIError {
        // Without a role it is about the upload as a whole; with one, about its version.
        let isConflict = error.kind == .uploadRefused && error.role != nil
        return APIError(
            status: isConflict ? 409 : 422, code: isConflict ? "version_conflict" : error.code,
            message: error.message)
    }
}
