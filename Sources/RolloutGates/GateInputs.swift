/// What is known of a group of installs. Sizes of sets of install ids, recomputed from what is known
/// of each install, never counters: an event that comes twice counts once.
///
/// The candidate's group are the installs that ever reported anything of the candidate, a download
/// on. An install came into it when the first such report was received.
///
/// The control's are the installs of the same channel and build that were seen since the present
/// stage began and are not of the candidate's group. An install came into it when it was first seen in
/// the stage: it could have taken the release then and did not. (One that was last seen before
/// would count as silent although nothing ever happened to it.)
public struct Cohort: Codable, Equatable, Sendable {
    /// All installs of the group.
    public var exposed: Int
    /// Those that reported how the release started, well or not; of the control all of them.
    public var activated: Int
    /// Those that failed: for the candidate, whose last word on it is a failure (rolled back,
    /// trapped, hung, fell back to native code, ended soon after being ready); for the control, who
    /// reported a failure since they came into the group.
    public var failed: Int
    /// Those that came into the group at least the usual return time ago.
    public var due: Int
    /// Of the due ones, those that were not seen again in time: nothing was received of them between
    /// ``settlingTime`` and the usual return time after they came into the group. What comes later
    /// changes nothing, so that old and new members compare.
    public var silent: Int

    /// Seconds in which what is received still belongs to the visit that brought an install into a
    /// group. A release that bricks the app on its next start must not pass for "seen again" by the
    /// last words of the start before.
    public static let settlingTime = 60

    /// A group, empty unless said otherwise.
    public init(
        exposed: Int = 0, activated: Int = 0, failed: Int = 0, due: Int = 0, silent: Int = 0
    ) {
        self.exposed = exposed
        self.activated = activated
        self.failed = failed
        self.due = due
        self.silent = silent
    }

    var failures: Share { Share(failed, of: activated) }
    var silences: Share { Share(silent, of: due) }

    /// Whether the numbers can be sizes of sets within sets.
    var isConsistent: Bool {
        0 <= failed && failed <= activated && activated <= exposed && 0 <= silent && silent <= due
            && due <= exposed
    }
}

/// All that a gate's decision rests on. The same inputs, rules and plan give the same decision
/// everywhere.
public struct GateInputs: Codable, Equatable, Sendable {
    /// The candidate's digest.
    public var release: String
    /// The channel of the rollout.
    public var channel: String
    /// The fingerprint of the build it is for; `_any` for what is for every build.
    public var fingerprint: String
    /// The web bundle that is rolled out; nil for modules.
    public var bundle: String?
    /// What it may reach now in basis points: the smaller of grant and cap.
    public var reach: Int
    /// What the release key allows in basis points; nothing here ever goes beyond.
    public var grant: Int
    /// When it got its present reach, in seconds since 1970.
    public var stageSince: Int
    /// Whether a brake or the head has stopped it already.
    public var isHalted: Bool
    /// Whether somebody keeps it from going on by itself; halting still happens.
    public var isPaused: Bool
    /// The installs that took the candidate.
    public var candidate: Cohort
    /// Of those, the ones that took it in the present stage.
    public var exposedInStage: Int
    /// The installs of the same channel and build that did not.
    public var control: Cohort
    /// The last control that was large enough, for the stages that leave hardly any; nil before.
    public var earlierControl: Cohort?

    /// Inputs of one look at a rollout.
    public init(
        release: String, channel: String, fingerprint: String, bundle: String? = nil, reach: Int,
        grant: Int, stageSince: Int, isHalted: Bool = false, isPaused: Bool = false,
        candidate: Cohort,
        exposedInStage: Int, control: Cohort, earlierControl: Cohort? = nil
    ) {
        self.release = release
        self.channel = channel
        self.fingerprint = fingerprint
        self.bundle = bundle
        self.reach = reach
        self.grant = grant
        self.stageSince = stageSince
        self.isHalted = isHalted
        self.isPaused = isPaused
        self.candidate = candidate
        self.exposedInStage = exposedInStage
        self.control = control
        self.earlierControl = earlierControl
    }

    enum CodingKeys: String, CodingKey {
        case release, channel, bundle, candidate, control
        case fingerprint = "fp"
        case reach = "reach_bps"
        case grant = "grant_bps"
        case stageSince = "stage_since"
        case isHalted = "halted"
        case isPaused = "paused"
        case exposedInStage = "exposed_in_stage"
        case earlierControl = "earlier_control"
    }

    /// The cohort to compare with, if one is large enough.
    func comparison(atLeast minimum: Int) -> Cohort? {
        if min(control.activated, control.due) >= minimum { return control }
        guard let earlierControl, min(earlierControl.activated, earlierControl.due) >= minimum
        else { return nil }
        return earlierControl
    }
}
