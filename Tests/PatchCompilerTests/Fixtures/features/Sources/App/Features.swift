import Foundation

// MARK: - Types that only functions below use

enum Shape: Equatable {
    case circle(radius: Double)
    case rectangle(width: Double, height: Double)
    indirect case group([Shape])

    var area: Double {
        switch self {
        case .circle(let radius): 3 * radius * radius
        case .rectangle(let width, let height): width * height
        case .group(let shapes): shapes.reduce(0) { $0 + $1.area }
        }
    }
}

enum Level: Int, CaseIterable, Comparable, Codable {
    case low = 1
    case middle = 5
    case high = 9

    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
}

protocol Priced {
    var cents: Int { get }
}

extension Priced {
    var doubled: Int { cents * 2 }
}

struct Item: Priced, Hashable, Codable {
    var name: String
    var cents: Int
    private var count = 1

    init(_ name: String, cents: Int) {
        self.name = name
        self.cents = cents
    }

    mutating func add(_ more: Int) { count += more }

    var total: Int { cents * count }

    enum CodingKeys: String, CodingKey { case name, cents }
}

struct Stack<Element> {
    private var elements: [Element] = []
    mutating func push(_ element: Element) { elements.append(element) }
    mutating func pop() -> Element? { elements.popLast() }
    var isEmpty: Bool { elements.isEmpty }
    subscript(index: Int) -> Element { elements[index] }
}

final class Counter {
    private(set) var value: Int
    init(_ value: Int) { self.value = value }
    func step() -> Int {
        value += 1
        return value
    }
}

struct Parsed: Error {
    var position: Int
}

extension String {
    var shouted: String { uppercased() + "!" }
    func padded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}

infix operator ** : MultiplicationPrecedence
func ** (base: Int, power: Int) -> Int { (0..<power).reduce(1) { value, _ in value &* base } }

// MARK: - Routed functions

func shapes(_ x: Int) -> Double {
    let all = Shape.group([.circle(radius: Double(salted(x))), .rectangle(width: 2, height: 3)])
    return all.area
}

func levels(_ x: Int) -> [Int] {
    Level.allCases.filter { $0 >= .middle }.sorted(by: >).map { $0.rawValue + salted(x) }
}

func items(_ names: [String], _ x: Int) -> [String: Int] {
    var seen = Set<Item>()
    var totals: [String: Int] = [:]
    for name in names {
        var item = Item(name, cents: salted(x))
        item.add(2)
        seen.insert(item)
        totals[name, default: 0] += item.total + item.doubled
    }
    totals["distinct"] = seen.count
    return totals
}

func stack(_ values: [Int]) -> [Int] {
    var stack = Stack<Int>()
    values.forEach { stack.push(salted($0)) }
    var out: [Int] = []
    while !stack.isEmpty { if let value = stack.pop() { out.append(value) } }
    return out
}

func counter(_ x: Int) -> Int {
    let counter = Counter(salted(x))
    defer { _ = counter.step() }
    return counter.step() + counter.step()
}

func parse(_ text: String) -> String {
    func digit(_ character: Character, at position: Int) throws(Parsed) -> Int {
        guard let value = character.wholeNumberValue else { throw Parsed(position: position) }
        return value
    }
    var sum = salt
    do {
        for (position, character) in text.enumerated() { sum += try digit(character, at: position) }
    } catch {
        return "no digit at \(error.position)"
    }
    return "sum \(sum)"
}

func texts(_ words: [String]) -> String {
    let sorted = words.sorted { ($0.count, $0) < ($1.count, $1) }
    let lines = sorted.map(\.shouted).map { $0.padded(to: 8 + salt) }
    return lines.joined(separator: "\n") + (words.first?.prefix(2).description ?? "-")
}

func loops(_ limit: Int) -> Int {
    var total = salt
    outer: for i in 0..<limit {
        for j in stride(from: limit, to: 0, by: -2) {
            if i == j { continue outer }
            if i * j > 40 { break outer }
            total += i * j
        }
    }
    repeat { total -= 3 } while total > 100
    return total
}

func optionals(_ values: [Int?], _ fallback: Int?) -> [Int] {
    let known = values.compactMap { $0 }
    guard let first = known.first, case let last? = known.last, first != last else {
        return [fallback ?? salt]
    }
    return [first, last, values.flatMap { $0.map { [$0] } ?? [] }.count, salt]
}

func grouped(_ words: [String]) -> [String: [String]] {
    Dictionary(grouping: words) { String($0.prefix(salt)) }.mapValues { $0.sorted() }
}

func numbers(_ x: Int) -> [Int] {
    let (quotient, remainder) = salted(x).quotientAndRemainder(dividingBy: 7)
    let (value, overflow) = x.multipliedReportingOverflow(by: 3)
    return [
        quotient, remainder, value, overflow ? 1 : 0, x ^ 0x5555, x >> 3, ~x, x.nonzeroBitCount,
        3 ** 5, Maths.gcd(x, 84), Maths.clamp(x, to: -5...salted(20)), Int(x.magnitude % 1000),
    ]
}

func floats(_ x: Double) -> [String] {
    [
        "\(x)", "\((x * 3).rounded())",
        // Arithmetic may make a NaN of either sign.
        x.isFinite ? "\(x.truncatingRemainder(dividingBy: 2))" : "-",
        "\(x.isNaN || x > Double(salt))", "\(Float(x))", String(Int(exactly: x) ?? salt),
    ]
}

func unicode(_ text: String) -> [Int] {
    [
        text.count + salt, text.unicodeScalars.count, text.utf8.count, text.utf16.count,
        text.hasPrefix("é") ? 1 : 0, text.reversed().first?.unicodeScalars.count ?? 0,
        text.trimmingCharacters(in: .whitespaces).count, text.firstIndex(of: "日") == nil ? 0 : 1,
    ]
}

func matched(_ x: Int, _ y: String?) -> String {
    switch (salted(x), y) {
    case (..<0, _): return "negative"
    case (0, nil): return "nothing"
    case (let n, let text?) where text.count > n: return "long \(text)"
    case (1...9, "a"?), (1...9, "b"?): return "letter"
    default: return "other"
    }
}

func closures(_ values: [Int]) -> Int {
    let adders: [(Int) -> Int] = values.map { value in { $0 + value } }
    var calls = 0
    let counted: (Int) -> Int = {
        calls += 1; return $0 * 2
    }
    return adders.reduce(salt) { counted($1($0)) } + calls
}

func generic(_ a: [Int], _ b: [String]) -> String {
    func largest<T: Comparable>(_ values: [T]) -> T? { values.max() }
    return "\(largest(a).map(String.init) ?? "none") \(largest(b) ?? "none") \(salt)"
}
