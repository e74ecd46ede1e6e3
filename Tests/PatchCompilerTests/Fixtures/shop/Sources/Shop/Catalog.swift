enum Catalog {
    static let greeting = "Welcome"

    static func title(for count: Int, in locale: String?) -> String {
        "\(greeting): \(count) \(unit(count)) (\(locale ?? "-"))"
    }

    private static func unit(_ count: Int) -> String { count == 1 ? "item" : "items" }

    static func parse(_ text: String) -> (ok: Bool, value: Int?) {
        (Int(text) != nil, Int(text))
    }

    static func tags(_ words: [String]) -> Set<String> { Set(words.map { $0.lowercased() }) }

    static func matrix(_ rows: [[Int]]) -> [[Int?]] { rows.map { $0.map { $0 < 0 ? nil : $0 } } }

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    static var banner: String { "*** \(greeting) ***" }
}

final class Basket {
    var lines: [String] = []

    class func label(_ count: Int) -> String { "Basket of \(count)" }

    func add(_ line: String) { lines.append(line) }
}

var mood: String { "fine" }
