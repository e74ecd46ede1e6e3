import Foundation

/// What a customer sends.
struct Order: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        var id: Int
        var quantity: Int
    }

    var items: [Item]
    var currency: String
    var region: String
    var code: String?
    var address: Address?
}

/// What is wrong with an order before anything is computed.
enum OrderError: Error, Equatable {
    case malformed(String)
    case unknownCurrency(String)
    case unknownRegion(String)
    case notSold(Int)
}

/// Reads an order from JSON.
func readOrder(_ json: String) throws(OrderError) -> Order {
    do {
        return try JSONDecoder().decode(Order.self, from: Data(json.utf8))
    } catch DecodingError.keyNotFound(let key, _) {
        throw .malformed("'\(key.stringValue)' is missing")
    } catch DecodingError.typeMismatch(_, let context) {
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        throw .malformed("'\(path)' is something else")
    } catch {
        throw .malformed("no JSON")
    }
}

/// A region by what customers call it.
func region(named name: String) throws(OrderError) -> Region {
    switch name.lowercased() {
    case "de", "germany": return .germany
    case "ca", "california": return .california
    case "jp", "japan": return .japan
    default: throw .unknownRegion(name)
    }
}

/// A currency by its code.
func currency(named name: String) throws(OrderError) -> Currency {
    guard let currency = Currency(rawValue: name.uppercased()) else {
        throw .unknownCurrency(name)
    }
    return currency
}

/// The sentence for a customer whose order could not be taken.
func apology(for error: OrderError) -> String {
    switch error {
    case .malformed(let why): "We could not read the order: \(why)."
    case .unknownCurrency(let name): "We do not take \(name)."
    case .unknownRegion(let name): "We do not ship to \(name)."
    case .notSold(let id): "We do not sell number \(id)."
    }
}

/// The sentence for a line that the cart refuses.
func apology(forLine error: CartError) -> String {
    switch error {
    case .badQuantity(let quantity): "No \(quantity) of anything."
    case .tooMany(let name, let limit): "At most \(limit) of \(name)."
    case .otherCurrency(let currency): "Not sold in \(currency.rawValue)."
    }
}
