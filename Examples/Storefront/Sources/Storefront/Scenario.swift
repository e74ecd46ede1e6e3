/// What the program shows: a few customers and what they buy, always the same.
enum Scenario {
    static func products(_ currency: Currency) -> [Product] {
        let factor = currency == .yen ? 160 : 1
        return [
            Product(
                id: 1, name: "Tea", price: Money(units: 8 * factor, currency: currency).times(60),
                kind: .food, weightInGrams: 250),
            Product(
                id: 2, name: "Atlas",
                price: Money(units: 39 * factor, currency: currency).times(100),
                kind: .book, weightInGrams: 1_900),
            Product(
                id: 3, name: "Café-Löffel",
                price: Money(units: factor, currency: currency).times(350),
                weightInGrams: 40),
        ]
    }

    static func address(_ region: Region) -> Address {
        Address(
            name: "Ada Lovelace", street: "1 Main St", city: "Somewhere",
            postcode: region == .japan ? "100-0001" : "10115", region: region)
    }

    /// Every screen of the shop as one text.
    static func screens() -> String {
        var text = ""
        for (currency, region) in zip(Currency.allCases, Region.allCases) {
            let products = products(currency)
            for code in ["", "save10", "SAVE", "welcome", "three", "best", "gratis"] {
                var cart = Cart(currency: currency)
                for (index, product) in products.enumerated() {
                    attempt(&cart, product, quantity: index * 2 + 1, &text)
                }
                attempt(&cart, products[0], quantity: 99, &text)
                attempt(&cart, products[1], quantity: 0, &text)
                if code == "three" { text += "\(cart.remove(2)) \(cart.remove(7))\n" }
                text += checkoutText(cart, code: code, to: address(region)) + "\n"
                text += cart.log(last: 2).joined(separator: "; ") + "\n"
            }
            var wrong = address(region)
            wrong.postcode = "1"
            text += checkoutText(Cart(currency: currency), code: "", to: wrong) + "\n"
            wrong.name = "Ada"
            text += checkoutText(Cart(currency: currency), code: "", to: wrong) + "\n"
        }
        return text
    }

    private static func attempt(
        _ cart: inout Cart, _ product: Product, quantity: Int, _ text: inout String
    ) {
        do {
            try cart.add(product, quantity: quantity)
        } catch .badQuantity(let quantity) {
            text += "No \(quantity) of anything.\n"
        } catch .tooMany(let name, let limit) {
            text += "At most \(limit) of \(name).\n"
        } catch {
            text += "Another currency.\n"
        }
    }
}
