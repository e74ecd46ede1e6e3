import CommandLineKit
import Rollout
import RolloutGates

/// A length of time: `90s`, `15m`, `1h`, `2d`, or seconds.
struct TimeSpan: ArgumentValue, Equatable {
    let seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        let unit = argument.last.flatMap { units[$0] }
        let digits = unit == nil ? Substring(argument) : argument.dropLast()
        guard !digits.isEmpty, digits.utf8.count <= 9,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits)
        else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow, seconds <= 31_536_000 else { return nil }
        self.seconds = seconds
    }

    /// In the largest unit that divides it.
    var argumentText: String {
        for (unit, length) in [("d", 86_400), ("h", 3_600), ("m", 60)]
        where seconds > 0 && seconds % length == 0 {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }

    /// As people say it: `1 h 30 min`.
    var words: String {
        var parts: [String] = []
        var rest = seconds
        for (unit, length) in [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)] {
            if rest / length > 0 { parts.append("\(rest / length) \(unit)") }
            rest %= length
        }
        return parts.isEmpty ? "0 s" : parts.prefix(2).joined(separator: " ")
    }

    static var expectation: String { "a time such as '90s', '15m', '1h' or '2d', a year at most" }
}

/// A share of devices that may be none: `0%` to `100%`.
struct PartialShare: ArgumentValue, Equatable {
    let value: Double

    init(_ value: Double) { self.value = value }

    /// A share as people read it: to a hundredth of a percent.
    init(rounded value: Double) { self.value = (value * 10_000).rounded() / 10_000 }

    init?(argument: String) {
        let text = argument.hasSuffix("%") ? argument.dropLast() : Substring(argument)
        guard let percent = Double(text), (0...100).contains(percent) else { return nil }
        value = percent / 100
    }

    var argumentText: String {
        let percent = (value * 1_000_000).rounded() / 10_000
        return (percent == percent.rounded() ? "\(Int(percent))" : "\(percent)") + "%"
    }

    static var expectation: String { "a share from 0% to 100%" }
}

/// The steps of a rollout: `1%:1h,5%:2h,25%:6h,50%:12h,100%`, or `standard`.
struct StageList: ArgumentValue, Equatable {
    let plan: StagePlan

    init(_ plan: StagePlan) { self.plan = plan }

    init?(argument: String) {
        if argument == "standard" {
            plan = .standard
            return
        }
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= StagePlan.maximumStages else { return nil }
        var stages: [Stage] = []
        for part in parts {
            let words = part.split(separator: ":", omittingEmptySubsequences: false).map(
                String.init)
            guard (1...2).contains(words.count), let share = Percent(argument: words[0]) else {
                return nil
            }
            // How long the last stage lasts matters to nobody.
            let time = words.count == 2 ? TimeSpan(argument: words[1]) : TimeSpan(seconds: 0)
            guard let time else { return nil }
            stages.append(Stage(grant: share.basisPoints, seconds: time.seconds))
        }
        guard let plan = try? StagePlan(stages) else { return nil }
        self.plan = plan
    }

    var argumentText: String {
        plan.stages.map { stage in
            Percent(basisPoints: stage.grant).argumentText
                + (stage.seconds == 0 ? "" : ":" + TimeSpan(seconds: stage.seconds).argumentText)
        }.joined(separator: ",")
    }

    static var expectation: String {
        "growing shares with the time that each lasts, as in '1%:1h,5%:2h,25%:6h,50%:12h,100%', or "
            + "'standard' for these"
    }
}
