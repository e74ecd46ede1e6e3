/// What a price looks like.
func priceLabel(_ cents: Int) -> String {
    let euros = cents / 100
    let rest = cents % 100
    return "\(euros).\(rest < 10 ? "0" : "")\(rest) EUR"
}

func discounted(_ cents: Int, percent: Int) -> Int { cents - cents * percent / 100 }

/// Uses a constant, a helper and a value type of the app.
func summary(of names: [String], prices: [Int]) -> String {
    let lines = zip(names, prices).map { Line(name: $0, cents: $1) }
    return lines.map(\.text).joined(separator: separator)
}

private let separator = ", "

struct Line {
    var name: String
    var cents: Int

    var text: String { name + " " + priceLabel(cents) }
}

func cheapest(_ prices: [String: Int]) -> String? {
    prices.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key
}

func isFree(_ cents: Int) -> Bool { cents == 0 }

func share(_ part: Double, of whole: Double) -> Double { part / whole }

func halved(_ value: Float) -> Float { value / 2 }

func next(_ byte: UInt8) -> UInt8 { byte &+ 1 }

func narrow(_ value: Int16, _ flag: Bool) -> Int16 { flag ? value : -value }

func huge(_ value: UInt64) -> UInt64 { value / 3 }
