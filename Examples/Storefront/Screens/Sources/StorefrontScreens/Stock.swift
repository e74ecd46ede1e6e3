/// What the shop has, as its screens show it.
enum Stock {
    static let products = [
        product(1, "Tea", 480, .food, 250),
        product(2, "Atlas", 3_900, .book, 1_900),
        product(3, "Café-Löffel", 350, .other, 40),
        product(4, "Lamp", 12_999, .other, 2_350),
        product(5, "茶碗", 2_499, .other, 420),
    ]

    private static func product(
        _ id: Int, _ name: String, _ cents: Int, _ kind: Product.Kind, _ grams: Int
    ) -> Product {
        Product(
            id: id, name: name, price: Money(units: cents, currency: .euro), kind: kind,
            weightInGrams: grams)
    }
}

extension Product.Kind {
    var title: String {
        switch self {
        case .book: "Books"
        case .food: "Food"
        case .other: "Home"
        }
    }

    /// The name of the symbol that stands for it.
    var symbol: String {
        switch self {
        case .book: "book"
        case .food: "leaf"
        case .other: "house"
        }
    }
}
