import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import RolloutGates
import TUF
import TUFRepository

/// A head as it is published, with the brake that bears on it.
struct PublishedHead: Sendable {
    let head: Head
    /// What it is a head of.
    let subject: RolloutSubject
    let brake: Brake?
    /// Grows with every publication of the build's role or of the brakes.
    let revision: Int

    /// Where the brake that bears on it is published.
    var brakePath: String { subject.brakePath(channel: head.channel) }

    /// What the candidate may reach in basis points: never more than its grant.
    var reach: Int {
        guard let candidate = head.candidate else { return 0 }
        return min(candidate.grant, brake?.caps[candidate.digest] ?? Bucket.count)
    }

    /// Whether head or brake keep further devices from taking the candidate.
    var isHalted: Bool {
        guard let candidate = head.candidate else { return false }
        return brake?.halted == true || reach == 0
            || brake?.recalled.contains(candidate.digest) == true || brake?.kind == .embedded
    }
}

extension AppPublisher {
    /// All heads of modules and web bundles, with their brakes.
    /// - Throws: `FileError`, ``APIError``.
    func heads() async throws -> [PublishedHead] {
        try await load()
        guard let editor else { return [] }
        return try editor.listedTargets.compactMap { target in
            guard let (head, subject) = try head(target, { try read($0) }) else { return nil }
            return PublishedHead(
                head: head, subject: subject,
                brake: try brake(at: subject.brakePath(channel: head.channel), in: editor),
                revision: Self.revision(of: subject, in: editor))
        }
    }

    /// The head of a channel; a build is named by its whole fingerprint or the first 16 digits.
    func head(channel: String, _ subject: RolloutSubject) async throws -> PublishedHead? {
        try await heads().first {
            $0.head.channel == channel && $0.subject.matches(subject)
        }
    }

    /// The brake at a target path; nil when none was signed.
    func brake(at path: String) async throws -> Brake? {
        try await load()
        return try editor.flatMap { try brake(at: path, in: $0) }
    }

    /// Signs another brake for a channel and publishes it; devices obey at their next check.
    ///
    /// - Parameters:
    ///   - subject: a web bundle; of builds any, since one brake serves them all.
    ///   - expected: the brake's sequence that the change builds on, 0 for none; nil for any.
    ///   - revision: the revision of the head's publication that the change builds on.
    ///   - change: changes a copy of the present brake. One that changes nothing publishes nothing.
    /// - Returns: The brake in force, and whether it is new.
    /// - Throws: ``APIError`` 409 `brakes_not_delegated`, 412 `changed_meanwhile`.
    func changeBrake(
        channel: String, of subject: RolloutSubject, expected: Int? = nil, revision: Int? = nil,
        _ change: (inout Brake) throws -> Void
    ) async throws -> (brake: Brake, isNew: Bool) {
        try await load()
        guard var next = editor else { throw Self.nothingPublished }
        try requireDelegation(next)
        let path = subject.brakePath(channel: channel)
        let old = try brake(at: path, in: next)
        if let expected, expected != old?.brakeSequence ?? 0 { throw Self.changedMeanwhile }
        if let revision, revision != Self.revision(of: subject, in: next) {
            throw Self.changedMeanwhile
        }
        var brake = try old ?? emptyBrake(channel, path, next)
        try change(&brake)
        if let old, brake == old { return (old, false) }
        brake.brakeSequence = (old?.brakeSequence ?? 0) + 1
        do {
            let file = try stage(brake, at: path)
            try next.setBrakes([file.target], signers: [opsSigner()], at: now)
            try finish(next, targets: [file.placement], at: now)
        } catch let error as TUFError {
            throw Self.refusal(error)
        }
        return (brake, true)
    }

    /// Signs the brakes anew at half of their life.
    func renewBrakes(_ next: inout RepositoryEditor, at now: MetadataTime) throws -> Bool {
        guard let document = next.delegated[BrakesRole.name], isDelegated(next) else {
            return false
        }
        let half = now.adding(seconds: Int64(next.expiryPlan.brakesDays) * 86_400 / 2)
        guard document.signed.isExpired(at: half) else { return false }
        try next.setBrakes([], signers: [opsSigner()], at: now)
        return true
    }

    /// Caps candidates that came with a stage plan at its first stage, in the same publication:
    /// else devices would see the whole grant until the first look of the gates.
    /// - Returns: Where the brakes' files come from and go to.
    func capStagedCandidates(
        _ new: [TargetFile], in next: inout RepositoryEditor, at now: MetadataTime,
        read: (TargetFile) throws -> [UInt8]
    ) throws -> [(file: String, place: String)] {
        guard isDelegated(next) else { return [] }
        var brakes: [String: Brake] = [:]
        for target in new {
            guard let (head, subject) = try head(target, read), let candidate = head.candidate,
                let first = candidate.stages.first
            else { continue }
            let path = subject.brakePath(channel: head.channel)
            var brake = try brakes[path] ?? brake(at: path, in: next) ?? emptyBrake(head)
            guard brake.caps[candidate.digest] == nil else { continue }
            brake.caps[candidate.digest] = min(first.grant, candidate.grant)
            brakes[path] = brake
        }
        guard !brakes.isEmpty else { return [] }
        let files = try brakes.map { path, brake in
            var brake = brake
            brake.brakeSequence += 1
            return try stage(brake, at: path)
        }
        try next.setBrakes(files.map(\.target), signers: [opsSigner()], at: now)
        return files.map(\.placement)
    }

    // MARK: Parts

    /// A target as a head; nil when it is none.
    private func head(
        _ target: TargetFile, _ read: (TargetFile) throws -> [UInt8]
    ) throws -> (Head, RolloutSubject)? {
        guard target.path.hasPrefix("heads/") else { return nil }
        let head = try documents.head(target, read)
        return RolloutSubject(headPath: target.path, fingerprint: head.fingerprint)
            .map { (head, $0) }
    }

    private static func revision(of subject: RolloutSubject, in editor: RepositoryEditor) -> Int {
        (editor.delegated[subject.role]?.signed.version ?? 0)
            + (editor.delegated[BrakesRole.name]?.signed.version ?? 0)
    }

    private func brake(at path: String, in editor: RepositoryEditor) throws -> Brake? {
        guard let target = editor.delegated[BrakesRole.name]?.signed.targets[path] else {
            return nil
        }
        return try documents.brake(target) { try read($0) }
    }

    /// The first brake at a path, for a channel on which there is something to brake.
    private func emptyBrake(
        _ channel: String, _ path: String, _ editor: RepositoryEditor
    ) throws -> Brake {
        for target in editor.listedTargets {
            guard let (head, subject) = try head(target, { try read($0) }) else { continue }
            if subject.brakePath(channel: head.channel) == path { return emptyBrake(head) }
        }
        throw APIError(
            status: 404, code: "unknown_channel",
            message: "Nothing is published on the channel '\(channel)'.")
    }

    private func emptyBrake(_ head: Head) -> Brake {
        Brake(appID: app.appID, platform: head.platform, channel: head.channel, brakeSequence: 0)
    }

    private func opsSigner() throws -> TUFSigner { TUFSigner(try apps.opsKey(app.appKey)) }

    private func isDelegated(_ editor: RepositoryEditor) -> Bool {
        guard let role = editor.targets?.signed.delegations?.role(BrakesRole.name),
            let key = try? opsSigner().key.keyID
        else { return false }
        return role.keys.keyIDs.contains(key) && role.keys.threshold == 1
    }

    private func requireDelegation(_ editor: RepositoryEditor) throws {
        guard isDelegated(editor) else {
            throw APIError.conflict(
                "brakes_not_delegated",
                "The app's targets do not let this server sign brakes; run 'patchcli init' again in "
                    + "the project, which delegates them to the server's ops key.")
        }
    }

    private func stage(
        _ brake: Brake, at path: String
    ) throws -> (target: TargetFile, placement: (file: String, place: String)) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = [UInt8](try encoder.encode(brake))
        let target = TargetFile(path: path, contents: bytes)
        let file = "\(folder)/incoming/brake-\(SecureRandom.bytes(8).hex)"
        try apps.files.writeAtomically(bytes, to: file)
        return (target, (file, try target.filePath(consistentSnapshot: true)))
    }

    static let nothingPublished = APIError.conflict(
        "no_root", "Nothing is published for this app yet.")

    static let changedMeanwhile = APIError(
        status: 412, code: "changed_meanwhile",
        message: "Somebody changed it meanwhile; read it again and decide anew.")
}
