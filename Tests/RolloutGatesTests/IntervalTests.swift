import TestSupport
import Testing

@testable import RolloutGates

@Suite("Intervals")
struct IntervalTests {
    private func near(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 5e-5 }

    @Test("Wilson's bounds are those that textbooks give")
    func wilson() {
        // Newcombe 1998, "Two-sided confidence intervals for the single proportion", method 3.
        let published: [(Int, Int, Double, Double)] = [
            (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ]
        for (count, total, lower, upper) in published {
            let bounds = Share(count, of: total).bounds(.percent97_5)
            #expect(near(bounds.lowerBound, lower) && near(bounds.upperBound, upper))
        }
    }

    @Test("the bound of a difference is the one that textbooks give")
    func newcombe() {
        // Newcombe 1998, "Interval estimation for the difference", method 10.
        let published: [(Int, Int, Int, Int, Double)] = [
            (56, 70, 48, 80, 0.0524), (9, 10, 3, 10, 0.1705), (6, 7, 2, 7, 0.0582),
            (5, 56, 0, 29, -0.0381), (0, 10, 0, 20, -0.1611), (10, 10, 0, 20, 0.6791),
        ]
        for (count, total, other, otherTotal, lower) in published {
            let excess = Share(count, of: total)
                .excess(over: Share(other, of: otherTotal), .percent97_5)
            #expect(near(excess, lower), "\(count)/\(total) over \(other)/\(otherTotal): \(excess)")
        }
    }

    @Test("bounds hold the share, stay within 0 and 1, and narrow with more devices")
    func boundsAreSane() {
        var random = SeededGenerator()
        for _ in 0..<20_000 {
            let total = Int.random(in: 0...2_000, using: &random)
            let share = Share(Int.random(in: 0...total, using: &random), of: total)
            for confidence in Confidence.allCases {
                let bounds = share.bounds(confidence)
                #expect(bounds.contains(share.value))
                #expect(bounds.lowerBound >= 0 && bounds.upperBound <= 1)
                guard total > 0 else { continue }
                let more = Share(share.count * 4, of: total * 4).bounds(confidence)
                #expect(
                    more.upperBound - more.lowerBound <= bounds.upperBound - bounds.lowerBound,
                    "\(share) \(random)")
            }
        }
    }

    @Test("counts that cannot be a share are brought into one, whatever their size")
    func extremes() {
        #expect(Share(-1, of: 5).value == 0)
        #expect(Share(9, of: 5).value == 1)
        #expect(Share(3, of: -5).bounds(.percent95) == 0...1)
        let huge = Share(.max, of: .max).bounds(.percent99_9)
        #expect(huge.upperBound == 1 && huge.lowerBound > 0.999)
    }
}
