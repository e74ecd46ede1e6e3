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
