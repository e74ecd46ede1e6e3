import Foundation
import PatchCompression
import PatchCrypto
import Rollout
import RolloutGates
import TUF
import TUFRepository

/// An app that publishes into a folder as `patchcli publish --static` does: real keys, a real
/// tree.
public final class PublishedApp {
    /// The build that releases are for.
    public static let fingerprint = String(repeating: "ab12", count: 16)
    /// The id that root and heads name.
    public static let appID = "3f2b7c9a-0000-4000-8000-000000000001"
    /// The key of the app in the tree.
    public static let appKey = "pak_test"

    /// The folder that a web server serves.
    public let site: URL
    /// The time that signatures are made at.
    public var now: MetadataTime
    /// Signs root.
    public let rootSigner: TUFSigner
    /// Signs targets and build roles.
    public internal(set) var releaseSigner: TUFSigner
    /// Signs snapshot and timestamp.
    public let freshnessSigner: TUFSigner
    /// Signs brakes, once ``setBrake(_:)`` was called.
    public var opsSigner: TUFSigner
    /// The metadata.
    public internal(set) var editor: RepositoryEditor
    /// The head as last issued.
    public private(set) var head: Head
    /// The newest heads of the other channels.
    private var otherHeads: [String: Head] = [:]
    /// The brake as last issued; nil before the first.
    public internal(set) var brake: Brake?
    /// All releases by digest.
    public private(set) var releases: [String: Release] = [:]
    private let fingerprint: String

    /// The folder of the app in the tree.
    public var folder: URL { site.appendingPathComponent("apps/\(Self.appKey)") }
    /// The root to ship with the app.
    public let rootBytes: [UInt8]
    private var build: String { String(fingerprint.prefix(16)) }
    /// The role of the build.
    public var role: String { BuildRole.name(fingerprint: fingerprint) }

    /// Makes one.
    public init(
        _ site: URL, fingerprint: String = PublishedApp.fingerprint, now: MetadataTime = .now,
        minimumSequence: Int = 0
    ) throws {
        self.site = site
        self.now = now
        self.fingerprint = fingerprint
        rootSigner = TUFSigner(try SigningKey.generate())
        releaseSigner = TUFSigner(try SigningKey.generate())
        freshnessSigner = TUFSigner(try SigningKey.generate())
        opsSigner = TUFSigner(try SigningKey.generate())
        let plan = RepositoryEditor.RootPlan(
            rootKeys: [rootSigner.key], targetsKeys: [releaseSigner.key],
            freshnessKeys: [freshnessSigner.key],
            openPatch: Root.OpenPatchExtension(
                appID: Self.appID, minSequence: minimumSequence))
        editor = try RepositoryEditor(plan, signers: [rootSigner], at: now)
        rootBytes = editor.root.encoded()
        try editor.registerBuild(
            fingerprint: fingerprint, signers: [releaseSigner], at: now)
        head = Head(
            appID: Self.appID, platform: "linux", channel: "production",
            fingerprint: fingerprint, headSequence: 0)
        try save()
    }

    /// Lists a release; no device takes it before a head names it.
    @discardableResult
    public func add(
        _ payload: [UInt8], version: String, sequence: Int, encoding: PayloadEncoding = .brotli,
        _ change: (inout Release) -> Void = { _ in }
    ) throws -> String {
        let digest = SHA256.hash(payload).hex
        var release = Release(
            appID: Self.appID, platform: "linux", version: version, sequence: sequence,
            fingerprint: fingerprint, raw: RawPayload(sha256: digest, size: payload.count),
            encoding: encoding)
        change(&release)
        let bytes = encoding == .brotli ? try Brotli.compress(payload) : payload
        let file = TargetFile(
            path: "modules/\(build)/\(version).wasm", contents: bytes, custom: try json(release))
        try list(file, bytes)
        releases[digest] = release
        return digest
    }

    /// Issues the next head.
    public func setHead(_ change: (inout Head) -> Void) throws {
        head.headSequence += 1
        change(&head)
        try list(head)
    }

    /// Issues the next head of a channel.
    public func setHead(channel: String, _ change: (inout Head) -> Void) throws {
        if channel == head.channel { return try setHead(change) }
        var other =
            otherHeads[channel]
            ?? Head(
                appID: Self.appID, platform: "linux", channel: channel, fingerprint: fingerprint,
                headSequence: 0)
        other.headSequence += 1
        change(&other)
        otherHeads[channel] = other
        try list(other)
    }

    private func list(_ head: Head) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let bytes = [UInt8](try encoder.encode(head))
        try list(
            TargetFile(path: "heads/\(head.channel)/module/\(build).json", contents: bytes), bytes)
    }

    /// Lists a release and makes it stable.
    @discardableResult
    public func release(_ payload: [UInt8], version: String, sequence: Int) throws -> String {
        let digest = try add(payload, version: version, sequence: sequence)
        try setHead { $0.stable = digest }
        return digest
    }

    /// Puts a file into the build's role.
    public func list(_ file: TargetFile, _ bytes: [UInt8]) throws {
        try editor.setTargets([file], in: role, signers: [releaseSigner], at: now)
        try write(
            bytes, to: "targets/" + (try file.filePath(consistentSnapshot: true)))
        try save()
    }

    /// Puts files whose bytes nobody fetches into the build's role.
    public func list(_ files: [TargetFile]) throws {
        let known = editor.delegated[role].map { Array($0.signed.targets.keys) } ?? []
        try editor.setTargets(
            files, removing: known.filter { $0.hasPrefix("modules/") }, in: role,
            signers: [releaseSigner], at: now)
        try save()
    }

    /// Registers more builds, with the files that each lists.
    public func registerBuilds(
        _ fingerprints: [String], listing files: (String) throws -> [TargetFile]
    ) throws {
        // All delegations in one signing; one by one, a hundred builds take seconds.
        let keys = [releaseSigner.key]
        try editor.editTargets(signers: [releaseSigner], at: now) { targets in
            for fingerprint in fingerprints {
                let role = BuildRole.delegation(
                    fingerprint: fingerprint, keys: RoleKeys(keyIDs: keys.map(\.keyID)))
                targets.delegations?.set(role, keys: keys)
            }
        }
        for fingerprint in fingerprints {
            try editor.setTargets(
                try files(fingerprint), in: BuildRole.name(fingerprint: fingerprint),
                signers: [releaseSigner], at: now)
        }
        try save()
    }

    /// Signs freshness and writes what changed, timestamp last.
    public func save(freshness: TUFSigner? = nil) throws {
        try editor.signFreshness(signers: [freshness ?? freshnessSigner], at: now)
        for file in editor.changes { try write(file.bytes, to: "metadata/" + file.name) }
        editor.clearChanges()
    }

    /// Changes root and signs everything anew.
    public func editRoot(_ change: (inout Root) -> Void) throws {
        try editor.editRoot(signers: [rootSigner], at: now) { change(&$0) }
        try save()
    }

    /// Where the payload of a version lies in the tree.
    public func payloadFile(version: String) throws -> URL {
        let path = "modules/\(build)/\(version).wasm"
        guard let file = editor.delegated[role]?.signed.targets[path] else {
            throw TUFError(.targetNotFound, path)
        }
        return folder.appendingPathComponent(
            "targets/" + (try file.filePath(consistentSnapshot: true)))
    }

    /// Writes a file of the tree.
    public func write(_ bytes: [UInt8], to path: String) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file, options: .atomic)
    }

    private func json(_ release: Release) throws -> [String: JSONValue] {
        try JSONValue(parsing: [UInt8](try JSONEncoder().encode(release))).object ?? [:]
    }
}
