import Rollout

/// When a rollout goes on and when it stops (updates.md §6). Shares are in basis points.
public struct GateRules: Codable, Equatable, Sendable {
    /// The share of failed starts that no release may exceed.
    public var failureLimit = 200
    /// How sure the hard rule and the proof of safety are.
    public var failureConfidence = Confidence.percent97_5
    /// How much more often than in the control cohort a release may fail.
    public var relativeMargin = 50
    /// How sure the relative rule is.
    public var relativeConfidence = Confidence.percent99
    /// How many more devices than in the control cohort may fall silent.
    public var silenceMargin = 200
    /// How sure the silence rule is.
    public var silenceConfidence = Confidence.percent99
    /// Devices that a stage waits for; below, nothing advances and only the hard rule halts.
    public var minimumExposures = 200
    /// Failures that the hard rule needs before so many devices were exposed. One failure of one
    /// device is a share of 100 %, and says nothing.
    public var minimumFailures = 5
    /// How many times its own length a stage may fail to prove itself before a release that fails
    /// more often than the control cohort is halted; 0 waits for ever.
    public var patience = 3
    /// Seconds within which a device is usually seen again; only devices that took the release
    /// longer ago can be silent.
    public var returnTime = 86_400

    /// The rules of a rollout for which nothing else was said.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case patience
        case failureLimit = "failure_limit_bps"
        case failureConfidence = "failure_confidence_bps"
        case relativeMargin = "relative_margin_bps"
        case relativeConfidence = "relative_confidence_bps"
        case silenceMargin = "silence_margin_bps"
        case silenceConfidence = "silence_confidence_bps"
        case minimumExposures = "minimum_exposures"
        case minimumFailures = "minimum_failures"
        case returnTime = "return_seconds"
    }

    /// Reads rules; what is absent is as in ``init()``.
    /// - Throws: ``GateError/invalidRules(_:)`` when one is out of its range, and `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ value: inout Value) throws {
            if let given = try values.decodeIfPresent(Value.self, forKey: key) { value = given }
        }
        try read(.failureLimit, &failureLimit)
        try read(.failureConfidence, &failureConfidence)
        try read(.relativeMargin, &relativeMargin)
        try read(.relativeConfidence, &relativeConfidence)
        try read(.silenceMargin, &silenceMargin)
        try read(.silenceConfidence, &silenceConfidence)
        try read(.minimumExposures, &minimumExposures)
        try read(.minimumFailures, &minimumFailures)
        try read(.patience, &patience)
        try read(.returnTime, &returnTime)
        try check()
    }

    /// Refuses rules that cannot be meant.
    /// - Throws: ``GateError/invalidRules(_:)``.
    public func check() throws {
        func bound(_ name: CodingKeys, _ value: Int, _ range: ClosedRange<Int>) throws {
            guard !range.contains(value) else { return }
            throw GateError.invalidRules(
                "\(name.rawValue) is \(value), expected \(range.lowerBound) to "
                    + "\(range.upperBound)")
        }
        try bound(.failureLimit, failureLimit, 1...Bucket.count)
        try bound(.relativeMargin, relativeMargin, 0...Bucket.count)
        try bound(.silenceMargin, silenceMargin, 0...Bucket.count)
        try bound(.minimumExposures, minimumExposures, 1...10_000_000)
        try bound(.minimumFailures, minimumFailures, 1...10_000_000)
        try bound(.patience, patience, 0...1_000)
        try bound(.returnTime, returnTime, 0...2_592_000)
    }
}
