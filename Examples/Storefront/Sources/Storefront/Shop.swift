/// Everything between a line that came in and the text that goes out.
struct Shop: Sendable {
    private var catalogs: [Currency: Catalog] = [:]

    init(stock: String = Catalog.stock) throws {
        for currency in Currency.allCases {
            catalogs[currency] = try Catalog(json: stock, currency: currency)
        }
    }

    /// The answer to one order, several lines long.
    func answer(_ json: String) -> String {
        do {
            return try answer(to: readOrder(json))
        } catch let error as OrderError {
            return apology(for: error)
        } catch {
            return "Something went wrong."
        }
    }

    private func answer(to order: Order) throws -> String {
        let region = try region(named: order.region)
        let currency = try currency(named: order.currency)
        var cart = Cart(currency: currency)
        var remarks: [String] = []
        for item in order.items {
            guard let product = catalogs[currency]?.products[item.id] else {
                throw OrderError.notSold(item.id)
            }
            do {
                try cart.add(product, quantity: item.quantity)
            } catch {
                remarks.append(apology(forLine: error))
            }
        }
        var address = order.address ?? Address.atTheCounter
        address.region = region
        let text = checkoutText(cart, code: order.code ?? "", to: address)
        let log = cart.log(last: 2).map { "(\($0))" }
        return (remarks + [text] + log).joined(separator: "\n")
    }
}
