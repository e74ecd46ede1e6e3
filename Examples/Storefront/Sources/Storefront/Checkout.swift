/// Where an order goes.
struct Address: Decodable, Sendable {
    var name: String
    var street: String
    var city: String
    var postcode: String
    var region = Region.germany

    private enum CodingKeys: String, CodingKey { case name, street, city, postcode }

    /// Of customers who come and fetch it.
    static var atTheCounter: Address {
        Address(name: "At the counter", street: "Main St 1", city: "Here", postcode: "10115")
    }

    /// The first thing that is wrong with it.
    func validate() throws {
        if name.split(separator: " ").count < 2 { throw Invalid(field: "name", rule: .fullName) }
        if street.isEmpty { throw Invalid(field: "street", rule: .required) }
        let digits = postcode.filter(\.isNumber).count
        let wanted = region == .japan ? 7 : 5
        guard digits == wanted else {
            throw Invalid(field: "postcode", rule: .digits(wanted))
        }
    }
}

struct Invalid: Error, Equatable {
    enum Rule: Equatable { case required, fullName, digits(Int) }

    var field: String
    var rule: Rule

    var text: String {
        switch rule {
        case .required: "\(field) is missing"
        case .fullName: "\(field) needs a first and a last name"
        case .digits(let count): "\(field) needs \(count) digits"
        }
    }
}

/// A bill, line by line.
struct Receipt: Sendable {
    var rows: [(label: String, amount: Money)] = []
    var total: Money

    mutating func add(_ label: String, _ amount: Money) {
        guard amount.units != 0 else { return }
        rows.append((label, amount))
        total = total.plus(amount)
    }

    func text(width: Int) -> String {
        let columns = Columns(width: width)
        let lines = rows.map { columns.line($0.label, $0.amount.text) }
        let rule = String(repeating: "-", count: width)
        return (lines + [rule, columns.line("Total", total.text)]).joined(separator: "\n")
    }
}

/// How texts and amounts stand beside each other.
private struct Columns {
    var width: Int

    /// Two texts at both ends of a line.
    func line(_ left: String, _ right: String) -> String {
        let gap = max(1, width - left.count - right.count)
        return left + String(repeating: " ", count: gap) + right
    }
}

func receipt(for cart: Cart, code: String, to address: Address) throws -> Receipt {
    try address.validate()
    let off = try discount(forCode: code).amount(for: cart)
    var receipt = Receipt(total: .zero(cart.currency))
    for line in cart.lines {
        receipt.add("\(line.quantity) × \(line.product.name)", line.total)
    }
    receipt.add("Discount", off.times(-1))
    receipt.add("Tax", tax(on: cart, discount: off, in: address.region))
    receipt.add("Shipping", shipping(for: cart, total: receipt.total))
    return receipt
}

/// What the customer reads, whatever happened.
func checkoutText(_ cart: Cart, code: String, to address: Address) -> String {
    do {
        return try receipt(for: cart, code: code, to: address).text(width: 32)
    } catch let error as Invalid {
        return "Please check the address: \(error.text)."
    } catch CodeError.unknown(let code) {
        return "We do not know the code \(code)."
    } catch CodeError.malformed(let code) {
        return "The code \(code) is not complete."
    } catch {
        return "Something went wrong."
    }
}
