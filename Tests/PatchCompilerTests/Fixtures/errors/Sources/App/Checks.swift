/// An error with a type of its own in signatures.
enum CartError: Error, Equatable {
    case empty
    case tooMany(limit: Int, found: Int)
    case unknown(String)
}

struct Invalid: Error, Equatable {
    var field: String
    var codes: [Int] = []
}

/// Known in this file only.
private enum Hidden: Error {
    case secret(Int)
}

struct Basket {
    var items: [String] = []
    var touched = 0

    mutating func add(_ name: String, limit: Int) throws(CartError) -> Int {
        touched += 1
        guard !name.isEmpty else { throw .unknown(name) }
        guard items.count < limit else { throw .tooMany(limit: limit, found: items.count) }
        items.append(name)
        return items.count
    }

    /// Throws whatever fits.
    func check(_ strict: Bool) throws {
        if items.isEmpty { throw CartError.empty }
        for (index, item) in items.enumerated() where item.contains("!") {
            throw Invalid(field: item, codes: [index, strict ? 1 : 0])
        }
        if strict { _ = try parse(items[0]) }
    }

    var first: String {
        get throws {
            guard let first = items.first else { throw CartError.empty }
            return first
        }
    }
}

func parse(_ text: String) throws -> Int {
    guard let value = Int(text) else { throw Invalid(field: text) }
    if value == 7 { throw Hidden.secret(value) }
    return value
}

func sum(_ texts: [String]) throws -> Int {
    var total = 0
    for text in texts { total &+= try parse(text) }
    return total
}

func explain(_ text: String) -> String {
    do {
        return "fine \(try parse(text))"
    } catch let error as Invalid {
        return "invalid \(error.field)"
    } catch CartError.tooMany(let limit, _) {
        return "limit \(limit)"
    } catch is Hidden {
        return "hidden"
    } catch {
        return "other"
    }
}

func explainTyped(_ names: [String]) -> String {
    var basket = Basket()
    do {
        for name in names { _ = try basket.add(name, limit: 2) }
    } catch .empty {
        return "empty"
    } catch .tooMany(let limit, let found) {
        return "too many \(limit) \(found)"
    } catch {
        return "unknown \(basket.items.count)"
    }
    return "all \(names.count)"
}

func retried(_ text: String) throws -> Int {
    do {
        return try parse(text)
    } catch let error as Invalid where error.field.count > 3 {
        throw CartError.unknown(error.field)
    } catch {
        throw error
    }
}

func optional(_ text: String) -> Int? { try? parse(text) }

func only(_ text: String) throws(Invalid) {
    if text.isEmpty { throw Invalid(field: "text", codes: [1]) }
}
