import Rollout

/// Decides whether a rollout goes on, stays or stops: pure, total, and the same on the server, in
/// `patchcli explain --gate` and in `patchcli simulate` (updates.md §6; Docs/decision.md, "Gates").
/// - Parameter now: seconds since 1970.
public func decideGate(
    _ inputs: GateInputs, rules: GateRules, plan: StagePlan, now: Int
) -> GateDecision {
    let gate = Gate(inputs: inputs, rules: rules, plan: plan, now: now)
    let (action, rule, reason) = gate.decide()
    return GateDecision(action, rule, reason, inputs)
}

private struct Gate {
    typealias Verdict = (GateDecision.Action, GateRule, String)

    let inputs: GateInputs
    let rules: GateRules
    let plan: StagePlan
    let now: Int

    private var candidate: Cohort { inputs.candidate }

    func decide() -> Verdict {
        let cohorts = [candidate, inputs.control, inputs.earlierControl ?? Cohort()]
        guard cohorts.allSatisfy(\.isConsistent), inputs.exposedInStage <= candidate.exposed else {
            return (.hold, .inconsistentCounts, "The counts of installs contradict each other.")
        }
        if inputs.isHalted { return (.hold, .halted, "The rollout is halted.") }
        let control = inputs.comparison(atLeast: rules.minimumExposures)
        return hard() ?? relative(control) ?? silence(control) ?? destination()
            ?? waiting(control) ?? proof(control) ?? advance()
    }

    // MARK: What halts

    private func hard() -> Verdict? {
        let failures = candidate.failures
        guard
            failures.total >= rules.minimumExposures || failures.count >= rules.minimumFailures
        else { return nil }
        let lower = failures.bounds(rules.failureConfidence).lowerBound
        guard lower > share(rules.failureLimit) else { return nil }
        return (
            .halt, .hard,
            "\(said(failures)) starts failed: at least \(percent(lower)), and no release may "
                + "exceed \(percent(share(rules.failureLimit)))."
        )
    }

    private func relative(_ control: Cohort?) -> Verdict? {
        guard let control, candidate.activated >= rules.minimumExposures else { return nil }
        let excess = candidate.failures.excess(over: control.failures, rules.relativeConfidence)
        guard excess > share(rules.relativeMargin) else { return nil }
        return (
            .halt, .relative,
            "\(said(candidate.failures)) starts failed, \(said(control.failures)) in the control "
                + "cohort: at least \(points(excess)) more, and \(points(share(rules.relativeMargin))) "
                + "are allowed."
        )
    }

    private func silence(_ control: Cohort?) -> Verdict? {
        guard let control, candidate.due >= rules.minimumExposures else { return nil }
        let excess = candidate.silences.excess(over: control.silences, rules.silenceConfidence)
        guard excess > share(rules.silenceMargin) else { return nil }
        return (
            .halt, .silence,
            "\(said(candidate.silences)) devices were not seen again, \(said(control.silences)) in "
                + "the control cohort: at least \(points(excess)) more, and "
                + "\(points(share(rules.silenceMargin))) are allowed."
        )
    }

    // MARK: What holds

    private func destination() -> Verdict? {
        guard let next = plan.next(after: inputs.reach) else {
            return (.hold, .complete, "The last stage is reached.")
        }
        guard inputs.reach >= inputs.grant else { return nil }
        return (
            .hold, .granted,
            "The release key grants \(percent(share(inputs.grant))) of devices; the next stage "
                + "reaches \(percent(share(next.grant)))."
        )
    }

    private func waiting(_ control: Cohort?) -> Verdict? {
        let stage = plan.stage(at: inputs.reach)
        if elapsed < stage.seconds {
            return (
                .hold, .stageTime,
                "The stage has lasted \(elapsed) of \(stage.seconds) seconds."
            )
        }
        let exposed = min(inputs.exposedInStage, candidate.activated)
        if exposed < rules.minimumExposures {
            return (
                .hold, .exposures,
                "\(exposed) of \(rules.minimumExposures) devices took the release and started it."
            )
        }
        if candidate.due < rules.minimumExposures {
            return (
                .hold, .returns,
                "\(candidate.due) of \(rules.minimumExposures) devices took the release more than "
                    + "\(rules.returnTime) seconds ago."
            )
        }
        if control == nil {
            return (
                .hold, .control,
                "The control cohort is smaller than \(rules.minimumExposures) devices."
            )
        }
        return nil
    }

    private func proof(_ control: Cohort?) -> Verdict? {
        let failures = candidate.failures
        let upper = failures.bounds(rules.failureConfidence).upperBound
        guard upper >= share(rules.failureLimit) else { return nil }
        let unproven =
            "\(said(failures)) starts failed: it may be \(percent(upper)), and below "
            + "\(percent(share(rules.failureLimit))) must be certain"
        if let control, isOutOfPatience,
            failures.excess(over: control.failures, rules.relativeConfidence) > 0
        {
            return (
                .halt, .stalled,
                "\(unproven); it is more than the \(said(control.failures)) of the control cohort, "
                    + "and the stage has lasted \(elapsed) seconds."
            )
        }
        return (.hold, .unproven, unproven + ".")
    }

    private func advance() -> Verdict {
        if inputs.isPaused { return (.hold, .paused, "The rollout is advanced by hand.") }
        let next = plan.next(after: inputs.reach)?.grant ?? inputs.reach
        let reach = min(next, inputs.grant)
        return (
            .advance(to: reach), .passed,
            "\(said(candidate.failures)) starts failed, "
                + "\(said(candidate.silences)) devices were not seen again."
        )
    }

    // MARK: Parts

    /// A clock that went back must not make a stage seem over.
    private var elapsed: Int {
        let (seconds, overflow) = now.subtractingReportingOverflow(inputs.stageSince)
        return overflow ? 0 : max(0, seconds)
    }

    private var isOutOfPatience: Bool {
        let stage = plan.stage(at: inputs.reach)
        return rules.patience > 0
            && elapsed >= rules.patience * max(stage.seconds, rules.returnTime)
    }

    private func share(_ basisPoints: Int) -> Double { Double(basisPoints) / Double(Bucket.count) }

    private func said(_ share: Share) -> String { "\(share.count) of \(share.total)" }
}

/// `1.25 %`, rounded to the nearest hundredth.
private func percent(_ share: Double) -> String {
    let hundredths = Int((share * 10_000).rounded())
    let rest = abs(hundredths % 100)
    let sign = hundredths < 0 && hundredths > -100 ? "-" : ""
    let digits = rest < 10 ? "0\(rest)" : "\(rest)"
    return rest == 0 ? "\(hundredths / 100) %" : "\(sign)\(hundredths / 100).\(digits) %"
}

/// `0.50 percentage points`.
private func points(_ share: Double) -> String {
    percent(share).replacingPercentSign()
}

extension String {
    fileprivate func replacingPercentSign() -> String {
        hasSuffix(" %") ? dropLast(2) + " percentage points" : self
    }
}
