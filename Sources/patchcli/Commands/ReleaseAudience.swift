import CommandLineKit
import Foundation
import PatchCrypto
import Rollout
import RolloutGates

/// Whom a release is for, and how it comes to them: the options that `release` and `promote` share.
struct ReleaseAudience: Equatable, Sendable {
    /// Share of devices in basis points.
    var grant: Int
    /// The steps that gates follow within the grant.
    var stages: StagePlan?
    /// Which devices may take part at all.
    var require: Requirement
    /// Whether devices take it without asking.
    var isMandatory: Bool
    /// When a mandatory release is applied at the latest (ISO 8601, UTC).
    var applyBy: String?

    /// Whether it goes to everybody at once, which makes it the stable release.
    var isEverybody: Bool { grant >= Bucket.count && stages == nil && require == Requirement() }

    // MARK: Options

    private static let mandatory = Parameter<Bool>.flag(
        "mandatory", help: "Devices take it without asking the user.")
    private static let applyBy = Parameter<Deadline?>.option(
        "apply-by", placeholder: "time",
        help: "With --mandatory: when it is applied at the latest, as a date or a time from now.")
    private static let rollout = Parameter<Percent?>.option(
        "rollout", placeholder: "percent",
        help: "Share of devices that may take it, as in 5%; everybody when not given.")
    private static let stages = Parameter<StageList?>.option(
        "stages", placeholder: "plan",
        help: "Go there by itself in steps that gates watch over, as in "
            + "'1%:1h,5%:2h,25%:6h,50%:12h,100%'; 'standard' is this one. Needs a server.")
    private static let minimumSystem = version("min-os", "Lowest version of the operating system.")
    private static let maximumSystem = version("max-os", "Highest version of the operating system.")
    private static let minimumApp = version("min-app", "Lowest version of the app.")
    private static let maximumApp = version("max-app", "Highest version of the app.")
    private static let tags = Parameter<[String]>.options(
        "tag", placeholder: "tag", help: "Only devices that carry one of these tags.",
        check: Common.checkName)
    private static let cohorts = Parameter<[String]>.options(
        "cohort", placeholder: "name", help: "Only devices of one of these cohorts.",
        check: Common.checkName)
    private static let toTag = Parameter<String?>.option(
        "to-tag", placeholder: "tag",
        help: "To every device that carries this tag and nobody else: a test before the rollout.",
        check: Common.checkName)

    private static func version(_ name: String, _ help: String) -> Parameter<String?> {
        .option(
            name, placeholder: "version", help: help,
            check: { text in
                let isFine =
                    (1...32).contains(text.utf8.count)
                    && text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
                return isFine ? nil : "expected numbers with dots, as in '17.4'"
            })
    }

    static var options: [AnyParameter] {
        parameters(
            rollout, stages, mandatory, applyBy, minimumSystem, maximumSystem, minimumApp,
            maximumApp, tags, cohorts, toTag)
    }

    /// For everybody at once.
    static let everybody = ReleaseAudience(
        grant: Bucket.count, stages: nil, require: Requirement(), isMandatory: false, applyBy: nil)

    private init(
        grant: Int, stages: StagePlan?, require: Requirement, isMandatory: Bool, applyBy: String?
    ) {
        self.grant = grant
        self.stages = stages
        self.require = require
        self.isMandatory = isMandatory
        self.applyBy = applyBy
    }

    /// What the options say.
    /// - Throws: ``CommandFailure`` when they contradict each other.
    init(_ invocation: Invocation, isStatic: Bool) throws {
        let tags = try invocation[Self.tags]
        let cohorts = try invocation[Self.cohorts]
        require = Requirement(
            minimumSystem: try invocation[Self.minimumSystem],
            maximumSystem: try invocation[Self.maximumSystem],
            minimumApp: try invocation[Self.minimumApp],
            maximumApp: try invocation[Self.maximumApp], tags: tags.isEmpty ? nil : tags,
            cohorts: cohorts.isEmpty ? nil : cohorts)
        let rollout = try invocation[Self.rollout]
        grant = rollout?.basisPoints ?? Bucket.count
        stages = try invocation[Self.stages]?.plan
        isMandatory = try invocation[Self.mandatory]
        applyBy = try invocation[Self.applyBy]?.text
        if let tag = try invocation[Self.toTag] {
            guard rollout == nil, stages == nil, tags.isEmpty else {
                throw Self.conflict(
                    "--to-tag reaches every device with the tag; --rollout, --stages and --tag "
                        + "exclude it", "--to-tag \(tag)")
            }
            require.tags = [tag]
        }
        if applyBy != nil, !isMandatory {
            throw Self.conflict(
                "--apply-by is the deadline of a mandatory release", "--mandatory --apply-by 2d")
        }
        if stages != nil, isStatic {
            throw CommandFailure(
                "stages_need_server", "Stages need a server",
                why: "Nobody looks at the gates of a static tree: the share of devices changes "
                    + "when you sign another one.",
                fix: "patchcli release --rollout 1%", exit: .usage)
        }
    }

    private static func conflict(_ why: String, _ options: String) -> CommandFailure {
        CommandFailure(
            "conflicting_options", "These options do not go together", why: why + ".",
            fix: "patchcli release \(options)", exit: .usage)
    }

    /// The same audience within the versions that the release asks for on another channel, unless it
    /// names versions itself: what could not run there cannot run here.
    func inheriting(from index: ReleaseIndex, _ release: Release) -> ReleaseAudience {
        let own = [
            require.minimumSystem, require.maximumSystem, require.minimumApp, require.maximumApp,
        ]
        let elsewhere = index.heads.compactMap(\.head.candidate).first {
            $0.digest == release.raw.sha256
        }
        guard let bounds = elsewhere?.require, own.allSatisfy({ $0 == nil }) else { return self }
        var audience = self
        audience.require.minimumSystem = bounds.minimumSystem
        audience.require.maximumSystem = bounds.maximumSystem
        audience.require.minimumApp = bounds.minimumApp
        audience.require.maximumApp = bounds.maximumApp
        return audience
    }

    /// In words: `5% of devices in 2 stages, mandatory, iOS 17 and later`.
    var words: String {
        var parts = ["\(GateWords.share(grant)) of devices"]
        if let stages {
            parts[0] += " in " + Quantity.count(stages.stages.count, "stage")
        }
        if isMandatory { parts.append("mandatory" + (applyBy.map { " by \($0)" } ?? "")) }
        return (parts + Self.words(require)).joined(separator: ", ")
    }

    /// The bounds of a requirement, each in words.
    static func words(_ require: Requirement) -> [String] {
        func range(_ what: String, _ low: String?, _ high: String?) -> String? {
            switch (low, high) {
            case (nil, nil): nil
            case (let low?, nil): "\(what) \(low) and later"
            case (nil, let high?): "\(what) up to \(high)"
            case (let low?, let high?): "\(what) \(low) to \(high)"
            }
        }
        return [
            range("system", require.minimumSystem, require.maximumSystem),
            range("app", require.minimumApp, require.maximumApp),
            require.tags.map { "tag " + $0.joined(separator: " or ") },
            require.cohorts.map { "cohort " + $0.joined(separator: " or ") },
        ].compactMap { $0 }
    }
}

/// A point in time: a date in ISO 8601, or a time from now.
struct Deadline: ArgumentValue, Equatable {
    /// ISO 8601, UTC, whole seconds.
    let text: String

    init?(argument: String) {
        let formatter = ISO8601DateFormatter()
        if let span = TimeSpan(argument: argument) {
            guard span.seconds > 0 else { return nil }
            text = formatter.string(from: Date(timeIntervalSinceNow: Double(span.seconds)))
            return
        }
        guard let date = formatter.date(from: argument) else { return nil }
        text = formatter.string(from: date)
    }

    var argumentText: String { text }

    static var expectation: String {
        "a date such as '2027-01-31T12:00:00Z' or a time such as '2d'"
    }
}
