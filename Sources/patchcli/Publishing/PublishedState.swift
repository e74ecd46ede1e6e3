import Rollout
import TUF
import TUFRepository

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
        _ editor: RepositoryEditor, _ index: ReleaseIndex, channel: String, fingerprint: String,
        now: MetadataTime = .now
    ) {
        let fp16 = BuildRole.fp16(fingerprint)
        head = index.head(channel: channel, fp16: fp16)
        var releases: [String: Release] = [:]
        for published in index.releases(fp16: fp16) {
            releases[published.release.raw.sha256] = published.release
        }
        self.releases = releases
        brake = index.brakes[channel]
        let needed = ["root", "targets", BuildRole.name(fingerprint: fingerprint), "brakes"]
        let isExpired = RoleLife.all(of: editor, at: now).contains { role in
            role.state == .expired
                && (needed.contains(role.name) || ["snapshot", "timestamp"].contains(role.name))
        }
        restriction = isExpired ? .metadataExpired : nil
        floor = editor.root.signed.openPatch?.minSequence ?? 0
    }
}
