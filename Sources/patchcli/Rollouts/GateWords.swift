import CommandLineKit
import RolloutGates

/// Decisions of gates as people read them.
enum GateWords {
    /// Prints decisions in their order, one a line.
    /// - Parameter start: what times are counted from; nil prints them as dates.
    static func show(_ records: [GateRecord], from start: Int?, on console: Console) {
        var table = Table([
            .init(start == nil ? "WHEN" : "AFTER", start == nil ? .left : .right),
            .init("REACH", .right), .init("DECISION"), .init("RULE"), .init("WHY"),
        ])
        for record in records {
            let inputs = record.decision.inputs
            let when =
                start.map { TimeSpan(seconds: max(0, record.at - $0)).words }
                ?? Moment.text(record.at)
            table.add([
                when, share(inputs.reach), action(record.decision.action, console.style),
                record.decision.rule.rawValue, record.decision.reason,
            ])
        }
        console.print(table)
        console.print()
    }

    /// Prints the numbers that a decision rests on.
    static func evidence(_ record: GateRecord, on console: Console) {
        let inputs = record.decision.inputs
        var table = Table([
            .init("COHORT"), .init("TOOK IT", .right), .init("STARTED", .right),
            .init("FAILED", .right), .init("BETWEEN", .right), .init("DUE", .right),
            .init("SILENT", .right), .init("BETWEEN", .right),
        ])
        var cohorts = [("candidate", inputs.candidate), ("control", inputs.control)]
        if let earlier = inputs.earlierControl { cohorts.append(("earlier control", earlier)) }
        for (name, cohort) in cohorts {
            table.add([
                name, Quantity.number(cohort.exposed), Quantity.number(cohort.activated),
                Quantity.number(cohort.failed),
                bounds(Share(cohort.failed, of: cohort.activated)), Quantity.number(cohort.due),
                Quantity.number(cohort.silent), bounds(Share(cohort.silent, of: cohort.due)),
            ])
        }
        console.print(table)
        console.print()
    }

    /// The 95 % interval of a share.
    private static func bounds(_ share: Share) -> String {
        guard share.total > 0 else { return "-" }
        let bounds = share.bounds(.percent97_5)
        return "\(PartialShare(rounded: bounds.lowerBound).argumentText) – "
            + PartialShare(rounded: bounds.upperBound).argumentText
    }

    /// `25%`, also of nobody.
    static func share(_ basisPoints: Int) -> String {
        basisPoints <= 0 ? "0%" : Percent(basisPoints: basisPoints).argumentText
    }

    static func action(_ action: GateDecision.Action, _ style: Style) -> String {
        switch action {
        case .hold: style.dim("hold")
        case .advance(let reach): style.green("advance to \(share(reach))")
        case .halt: style.red("halt")
        }
    }
}
