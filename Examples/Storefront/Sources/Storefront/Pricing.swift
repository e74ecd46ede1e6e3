/// What makes a cart cheaper.
indirect enum Discount: Sendable {
    case none
    case percent(Int)
    case off(Money)
    case freeItem(every: Int)
    case best([Discount])

    /// What comes off, never more than the cart costs.
    func amount(for cart: Cart) -> Money {
        let subtotal = cart.subtotal
        switch self {
        case .none: return .zero(cart.currency)
        case .percent(let percent): return subtotal.share(basisPoints: percent * 100)
        case .off(let money):
            guard money.currency == cart.currency else { return .zero(cart.currency) }
            return Money(units: min(money.units, subtotal.units), currency: cart.currency)
        case .freeItem(let every):
            guard every > 0 else { return .zero(cart.currency) }
            return cart.lines.reduce(.zero(cart.currency)) { sum, line in
                sum.plus(line.product.price.times(line.quantity / every))
            }
        case .best(let all):
            return all.map { $0.amount(for: cart) }.max { $0.units < $1.units }
                ?? .zero(cart.currency)
        }
    }
}

/// A code that a customer typed.
func discount(forCode code: String) throws -> Discount {
    let code = code.uppercased()
    if code.isEmpty { return .none }
    if code.hasPrefix("SAVE") {
        guard let percent = Int(code.dropFirst(4)), (1...50).contains(percent) else {
            throw CodeError.malformed(code)
        }
        return .percent(percent)
    }
    switch code {
    case "WELCOME": return .off(Money(units: 500, currency: .euro))
    case "THREE": return .freeItem(every: 3)
    case "BEST": return .best([.percent(5), .freeItem(every: 4)])
    default: throw CodeError.unknown(code)
    }
}

enum CodeError: Error {
    case unknown(String)
    case malformed(String)
}

enum Region: CaseIterable, Sendable { case germany, california, japan }

/// The tax rate in basis points.
func taxRate(_ kind: Product.Kind, in region: Region) -> Int {
    switch (region, kind) {
    case (.germany, .book), (.germany, .food): 700
    case (.germany, .other): 1_900
    case (.california, .food): 0
    case (.california, _): 725
    case (.japan, .food): 800
    case (.japan, _): 1_000
    }
}

/// What is left of every part of a cart when something came off the whole.
private struct Remainder {
    var whole: Int
    var off: Int

    /// In basis points.
    func share() -> Int { (whole - off) * 10_000 / whole }
}

/// Tax by kind of product, on what is left after the discount.
func tax(on cart: Cart, discount: Money, in region: Region) -> Money {
    let subtotal = cart.subtotal
    guard subtotal.units > 0 else { return .zero(cart.currency) }
    let kept = Remainder(whole: subtotal.units, off: discount.units)
    return cart.lines.reduce(.zero(cart.currency)) { sum, line in
        sum.plus(
            line.total.share(basisPoints: kept.share())
                .share(basisPoints: taxRate(line.product.kind, in: region)))
    }
}

/// Shipping by weight; free for large orders.
func shipping(for cart: Cart, total: Money) -> Money {
    let free = cart.currency == .yen ? 10_000 : 5_000
    guard total.units < free, !cart.lines.isEmpty else { return .zero(cart.currency) }
    let steps = (cart.weightInGrams + 999) / 1_000
    return Money(units: cart.currency == .yen ? 600 : 490, currency: cart.currency).times(steps)
}
