import Rollout
import RolloutGates

/// What the server keeps of a rollout beside what is published: how it is to be watched, and how
/// far it is.
struct RolloutSettings: Codable, Equatable, Sendable {
    /// The plan in place of the one that the head carries.
    var plan: StagePlan?
    /// The rules of its gates.
    var rules = GateRules()
    /// Whether it is kept from advancing by itself.
    var isPaused = false
    /// The candidate that the rest is about.
    var release: String?
    /// How far it reached when that was last looked at, in basis points.
    var reach = 0
    /// Since when it reaches as far.
    var since = 0
    /// How far it reached before it was halted by a cap.
    var reachBeforeHalt: Int?

    enum CodingKeys: String, CodingKey {
        case plan, rules, release, reach, since
        case isPaused = "paused"
        case reachBeforeHalt = "reach_before_halt"
    }

    /// Takes note of what is published now.
    /// - Returns: Whether that changed anything.
    mutating func note(_ published: PublishedHead, at now: Int) -> Bool {
        let digest = published.head.candidate?.digest
        guard digest != release || published.reach != reach else { return false }
        if digest != release { reachBeforeHalt = nil }
        // A halt by a cap is no stage of its own: whoever resumes goes on where it was.
        release = digest
        reach = published.reach
        since = now
        return true
    }

    /// The plan that is followed, if any.
    func plan(of head: Head) -> StagePlan? {
        guard let candidate = head.candidate else { return nil }
        if let plan { return plan }
        return try? StagePlan(candidate.stages)
    }
}

/// Which rollout: a channel of an app, and what is rolled out there.
struct RolloutKey: Hashable, Sendable {
    let appKey: String
    let channel: String
    let subject: RolloutSubject

    /// One text that stands for it.
    var id: String { "\(appKey)/\(place)" }
    /// The same within the app.
    var place: String { "\(channel)/\(subject.name)" }

    init(appKey: String, channel: String, subject: RolloutSubject) {
        self.appKey = appKey
        self.channel = channel
        self.subject = subject
    }

    /// Where its brake is published.
    var brakePath: String { subject.brakePath(channel: channel) }

    init?(id: String) {
        let parts = id.split(separator: "/", maxSplits: 2).map(String.init)
        guard parts.count == 3 else { return nil }
        self.init(appKey: parts[0], channel: parts[1], subject: RolloutSubject(name: parts[2]))
    }
}
