import Foundation

/// The shop's goods, as a file of the app's has them.
struct Catalog: Sendable {
    private(set) var products: [Int: Product] = [:]
    var currency: Currency

    /// Prices are in euros; other currencies have prices of their own.
    static let stock = """
        [
          {"id": 1, "name": "Tea", "kind": "food", "grams": 250,
           "price": {"EUR": 480, "USD": 520, "JPY": 800}},
          {"id": 2, "name": "Atlas", "kind": "book", "grams": 1900,
           "price": {"EUR": 3900, "USD": 4250, "JPY": 6200}},
          {"id": 3, "name": "Café-Löffel", "grams": 40,
           "price": {"EUR": 350, "USD": 375, "JPY": 560}},
          {"id": 4, "name": "Lamp", "grams": 2350,
           "price": {"EUR": 12999, "USD": 13999}},
          {"id": 5, "name": "茶碗", "grams": 420,
           "price": {"EUR": 2499, "USD": 2699, "JPY": 3900}}
        ]
        """

    private struct Entry: Decodable {
        var id: Int
        var name: String
        var kind: String?
        var grams: Int
        var price: [String: Int]
    }

    /// Reads what is sold in a currency.
    init(json: String, currency: Currency) throws {
        self.currency = currency
        for entry in try JSONDecoder().decode([Entry].self, from: Data(json.utf8)) {
            guard let units = entry.price[currency.rawValue] else { continue }
            products[entry.id] = Product(
                id: entry.id, name: entry.name, price: Money(units: units, currency: currency),
                kind: productKind(entry.kind), weightInGrams: entry.grams)
        }
    }
}

/// What a word of the catalog means.
func productKind(_ word: String?) -> Product.Kind {
    switch word?.lowercased() {
    case "book": .book
    case "food": .food
    default: .other
    }
}
