/// A thing for sale.
struct Product: Hashable, Sendable {
    enum Kind: Sendable { case book, food, other }

    let id: Int
    var name: String
    var price: Money
    var kind = Kind.other
    var weightInGrams: Int
}

/// What somebody wants to buy.
struct Cart: Sendable {
    struct Line: Hashable, Sendable {
        var product: Product
        var quantity: Int

        var total: Money { product.price.times(quantity) }
    }

    private(set) var lines: [Line] = []
    var currency: Currency
    private var history: [String] = []

    init(currency: Currency) { self.currency = currency }

    /// Puts a product in, or more of one that is in already.
    mutating func add(_ product: Product, quantity: Int) throws(CartError) {
        guard quantity > 0 else { throw .badQuantity(quantity) }
        guard product.price.currency == currency else {
            throw .otherCurrency(product.price.currency)
        }
        if let index = lines.firstIndex(where: { $0.product.id == product.id }) {
            let wanted = lines[index].quantity + quantity
            guard wanted <= 99 else { throw .tooMany(product.name, limit: 99) }
            lines[index].quantity = wanted
        } else {
            lines.append(Line(product: product, quantity: quantity))
        }
        note("added \(quantity) × \(product.name)")
    }

    mutating func remove(_ id: Int) -> Bool {
        guard let index = lines.firstIndex(where: { $0.product.id == id }) else { return false }
        note("removed \(lines[index].product.name)")
        lines.remove(at: index)
        return true
    }

    private mutating func note(_ text: String) { history.append(text) }

    var subtotal: Money { lines.reduce(.zero(currency)) { $0.plus($1.total) } }

    var weightInGrams: Int {
        lines.reduce(0) { $0 + $1.product.weightInGrams * $1.quantity }
    }

    func log(last count: Int) -> [String] { Array(history.suffix(count)) }
}

enum CartError: Error, Equatable {
    case badQuantity(Int)
    case tooMany(String, limit: Int)
    case otherCurrency(Currency)
}
