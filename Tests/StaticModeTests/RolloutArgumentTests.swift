import CommandLineKit
import Foundation
import Rollout
import RolloutGates
import Testing

@testable import patchcli

/// What people write for times, shares and plans.
@Suite struct RolloutArgumentTests {
    @Test("times are read in the units that people use, and nothing else is")
    func times() {
        let good: [(String, Int)] = [
            ("90", 90), ("90s", 90), ("15m", 900), ("1h", 3_600), ("2d", 172_800), ("0s", 0),
            ("365d", 31_536_000),
        ]
        for (text, seconds) in good { #expect(TimeSpan(argument: text)?.seconds == seconds) }
        for text in [
            "", "h", "-1h", "1.5h", "1w", "1h30m", " 1h", "366d", "99999999999s", "١h", "1H",
        ] {
            #expect(TimeSpan(argument: text) == nil, "\(text)")
        }
        #expect(TimeSpan(seconds: 5_400).words == "1 h 30 min")
        #expect(TimeSpan(seconds: 0).words == "0 s")
        #expect(TimeSpan(seconds: 86_400).argumentText == "1d")
    }

    @Test("a plan reads back as it was written, and one that shrinks or repeats is refused")
    func plans() {
        let text = "1%:1h,5%:2h,25%:6h,50%:12h,100%"
        #expect(StageList(argument: "standard")?.argumentText == text)
        #expect(StageList(argument: text)?.plan == .standard)
        #expect(StageList(argument: "0.5%:90s,100%")?.plan.stages[0].grant == 50)
        for text in [
            "", ",", "5%:1h,", "5%:1h,5%:1h", "50%:1h,5%:1h", "101%:1h", "0%:1h", "5%:1h:2h",
            "5%:x", Array(repeating: "1%:1h", count: 40).joined(separator: ","),
        ] {
            #expect(StageList(argument: text) == nil, "\(text)")
        }
    }

    @Test("shares may be nothing or all, deadlines are dates or times from now")
    func sharesAndDeadlines() throws {
        #expect(PartialShare(argument: "0%")?.value == 0)
        #expect(PartialShare(argument: "0.3")?.argumentText == "0.3%")
        #expect(PartialShare(argument: "100.1%") == nil && PartialShare(argument: "nan") == nil)
        #expect(
            Deadline(argument: "2027-01-31T12:00:00Z")?.text == "2027-01-31T12:00:00Z")
        let soon = try #require(Deadline(argument: "2d")?.text)
        #expect(ISO8601DateFormatter().date(from: soon).map { $0 > Date() } == true)
        for text in ["", "0s", "tomorrow", "2027-01-31"] {
            #expect(Deadline(argument: text) == nil, "\(text)")
        }
    }
}
