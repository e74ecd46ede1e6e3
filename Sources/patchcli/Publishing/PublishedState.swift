import CommandLineKit
import Foundation
import PatchCompiler
import Rollout
import TUF

/// What verified metadata offers the devices of one channel and build: what a device reads too.
struct PublishedState: Sendable {
    let head: Head?
    let brake: Brake?
    let releases: [String: Release]
    /// Why devices take nothing new at present; nil when they may.
    let restriction: Reason?
    /// The lowest sequence that root allows.
    let floor: Int

    /// Reads it from what is published.
    init(
        _ publishing: Publishing, _ editor: RepositoryEditor, _ index: ReleaseIndex,
        channel: String, fingerprint: String, now: MetadataTime = .now
    ) async throws {
        let fp16 = BuildRole.fp16(fingerprint)
        head = index.head(channel: channel, fp16: fp16)
        var releases: [String: Release] = [:]
        for published in index.releases(fp16: fp16) {
            releases[published.release.raw.sha256] = published.release
        }
        self.releases = releases
        brake = try await Self.brake(publishing.repository, editor, channel)
        let needed = ["root", "targets", BuildRole.name(fingerprint: fingerprint), "brakes"]
        let isExpired = RoleLife.all(of: editor, at: now).contains { role in
            role.state == .expired
                && (needed.contains(role.name) || ["snapshot", "timestamp"].contains(role.name))
        }
        restriction = isExpired ? .metadataExpired : nil
        floor = editor.root.signed.openPatch?.minSequence ?? 0
    }

    /// The brake of a channel; nil when the server has signed none.
    static func brake(
        _ repository: any Repository, _ editor: RepositoryEditor, _ channel: String
    ) async throws -> Brake? {
        let path = BrakesRole.modulePath(channel: channel)
        guard let target = editor.listedTargets.first(where: { $0.path == path }) else {
            return nil
        }
        do {
            return try JSONDecoder().decode(
                Brake.self, from: Data(try await repository.read(target)))
        } catch let error as DecodingError {
            throw CommandFailure(
                "brake_malformed", "What the server published as '\(path)' cannot be read",
                why: Explain.text(error), fix: "patchcli status", exit: .dataError)
        }
    }
}
