/// What prices are in.
enum Currency: String, CaseIterable, Sendable {
    case euro = "EUR"
    case dollar = "USD"
    case yen = "JPY"

    /// Digits behind the point.
    var decimals: Int { self == .yen ? 0 : 2 }

    var symbol: String {
        switch self {
        case .euro: "€"
        case .dollar: "$"
        case .yen: "¥"
        }
    }
}

/// An amount in the smallest unit of its currency.
struct Money: Hashable, Sendable {
    var units: Int
    var currency: Currency

    static func zero(_ currency: Currency) -> Money { Money(units: 0, currency: currency) }

    func plus(_ other: Money) -> Money { Money(units: units + other.units, currency: currency) }

    func times(_ count: Int) -> Money { Money(units: units * count, currency: currency) }

    /// A share in basis points, rounded half up.
    func share(basisPoints: Int) -> Money {
        let product = units * basisPoints
        let rounded = product >= 0 ? (product + 5_000) / 10_000 : (product - 5_000) / 10_000
        return Money(units: rounded, currency: currency)
    }

    /// The amount as the shop shows it.
    var text: String {
        let magnitude = Int(units.magnitude)
        let sign = units < 0 ? "-" : ""
        guard currency.decimals == 2 else { return sign + currency.symbol + grouped(magnitude) }
        let cents = magnitude % 100
        return sign + currency.symbol + grouped(magnitude / 100) + "."
            + (cents < 10 ? "0" : "") + String(cents)
    }
}

/// Digits in groups of three.
func grouped(_ value: Int) -> String {
    let digits = Array(String(value))
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index) % 3 == 0 { text += "," }
        text.append(digit)
    }
    return text
}
