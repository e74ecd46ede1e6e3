import Rollout
import TUF

/// A release as `list` and `show` tell of it: what it is, and what heads make of it.
struct LiveRelease: Encodable, Equatable, Sendable {
    /// Its place in a channel.
    struct Place: Encodable, Equatable, Sendable {
        enum State: String, Encodable, Sendable {
            case stable, candidate, halted, returnable, recalled
        }
        let channel: String
        let state: State
        /// Of a candidate.
        let grant_bps: Int?
        /// How far it reaches within the grant.
        let reach_bps: Int?
        let require: Requirement?
        let stages: [Stage]?
        let head_seq: Int
    }

    let version: String
    let sequence: Int
    let fingerprint: String
    let digest: String
    let size: Int
    let download_size: Int
    let deltas: Int
    let mandatory: Bool
    let notes: String?
    let commit: String?
    let capabilities: [String]
    let needs: Int
    let path: String
    let places: [Place]

    init(_ published: ReleaseIndex.Published, _ index: ReleaseIndex) {
        let release = published.release
        version = release.version
        sequence = release.sequence
        fingerprint = release.fingerprint
        digest = release.raw.sha256
        size = release.raw.size
        download_size = published.target.length
        deltas = release.deltas.count
        mandatory = release.mandatory
        notes = release.notes
        commit = release.commit
        capabilities = release.capabilities
        needs = release.needs.count
        path = published.target.path
        places = index.heads.map(\.head).filter { $0.fingerprint == release.fingerprint }
            .compactMap { Self.place(release.raw.sha256, $0, index) }
    }

    /// All releases, newest first.
    static func all(_ index: ReleaseIndex) -> [LiveRelease] {
        index.releases.reversed().map { LiveRelease($0, index) }
    }

    private static func place(
        _ digest: String, _ head: Head, _ index: ReleaseIndex
    ) -> Place? {
        func place(_ state: Place.State, _ candidate: Candidate? = nil) -> Place {
            Place(
                channel: head.channel, state: state, grant_bps: candidate?.grant,
                reach_bps: candidate.map { index.reach($0, channel: head.channel) },
                require: candidate.map(\.require),
                stages: candidate.map(\.stages), head_seq: head.headSequence)
        }
        let brake = index.brakes[head.channel]
        if head.recalled.contains(digest) || brake?.recalled.contains(digest) == true {
            return place(.recalled)
        }
        if let candidate = head.candidate, candidate.digest == digest {
            return place(index.isHalted(head) ? .halted : .candidate, candidate)
        }
        if head.stable == digest, head.kind == .run { return place(.stable) }
        return head.returnable.contains(digest) ? place(.returnable) : nil
    }
}

extension LiveRelease.Place {
    /// `stable on production`, `candidate on beta to 5%`.
    var words: String {
        switch state {
        case .candidate: "candidate on \(channel) to \(GateWords.share(reach_bps ?? 0))"
        case .halted: "halted on \(channel)"
        default: "\(state.rawValue) on \(channel)"
        }
    }
}
