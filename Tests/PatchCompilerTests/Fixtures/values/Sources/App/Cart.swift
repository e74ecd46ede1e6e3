import Foundation

enum Currency: String, CaseIterable, Codable, Sendable {
    case euro = "EUR"
    case dollar = "USD"

    /// The sign before an amount.
    var sign: String {
        switch self {
        case .euro: "E"
        case .dollar: "$"
        }
    }
}

indirect enum Discount: Hashable, Sendable {
    case none
    case percent(Int)
    case fixed(cents: Int, Currency)
    case both(Discount, Discount)

    func applied(to cents: Int) -> Int {
        switch self {
        case .none: return cents
        case .percent(let percent): return cents &- cents / 100 &* percent
        case .fixed(let off, _): return max(0, cents &- off)
        case .both(let first, let second): return second.applied(to: first.applied(to: cents))
        }
    }

    var isNothing: Bool { self == .none }

    mutating func add(_ other: Discount) { self = isNothing ? other : .both(self, other) }
}

struct Cart: Equatable, Sendable {
    /// One line, seen by the cart alone.
    private struct Weight: Equatable, Codable, Sendable {
        var grams: Int
        var isFragile: Bool
    }

    struct Line: Equatable, Sendable {
        let name: String
        var cents: Int
        var quantity = 1
        fileprivate var note: String?
        let scale = 100

        var total: Int { cents &* quantity }

        static func make(_ name: String, cents: Int) -> Line {
            Line(name: name, cents: cents, quantity: 1, note: nil)
        }
    }

    private(set) var lines: [Line] = []
    var currency = Currency.euro
    private var weights: [String: Weight] = [:]
    var coupons: Set<Currency> = []
    var `default`: Line?

    init(currency: Currency) { self.currency = currency }

    var total: Int { lines.reduce(0) { $0 &+ $1.total } }

    var first: Line? {
        get { lines.first }
        set(line) {
            if let line {
                lines = [line] + lines.dropFirst()
            } else {
                lines = []
            }
        }
    }

    mutating func add(_ line: Line, grams: Int) -> Int {
        lines.append(line)
        weights[line.name] = Weight(grams: grams, isFragile: grams < 100)
        return lines.count
    }

    mutating func clear() {
        lines = []
        weights = [:]
    }

    func note(_ text: String) -> Cart {
        var copy = self
        for index in copy.lines.indices { copy.lines[index].note = text }
        copy.`default` = copy.lines.first
        return copy
    }

    private func weigh(_ weight: Weight, times: Int) -> Weight {
        Weight(grams: weight.grams * times, isFragile: weight.isFragile)
    }

    /// Shows what private functions do.
    func heaviest() -> String {
        let all = weights.map { ($0.key, weigh($0.value, times: 2)) }
        let sorted = all.sorted { ($0.1.grams, $0.0) > ($1.1.grams, $1.0) }
        return sorted.map { "\($0.0) \($0.1.grams) \($0.1.isFragile)" }.joined(separator: ", ")
    }

    func notes() -> [String] { lines.map { $0.note ?? "-" } }
}

extension Cart.Line {
    func raised(by percent: Int) -> Cart.Line {
        var copy = self
        copy.cents &+= cents &* percent / 100
        return copy
    }
}

private struct Point: Equatable {
    var x: Int32, y: Int32
    private var label = ""

    init(_ x: Int32, _ y: Int32) {
        self.x = x
        self.y = y
        label = "(\(x), \(y))"
    }

    var text: String { label }

    mutating func move(by other: Point) {
        x &+= other.x
        y &+= other.y
        label = "(\(x), \(y))"
    }
}

private func middle(_ points: [Point]) -> Point? {
    guard let first = points.first, let last = points.last else { return nil }
    return Point((first.x &+ last.x) / 2, (first.y &+ last.y) / 2)
}

func points(_ x: Int32) -> String {
    var start = Point(x, 1)
    start.move(by: Point(2, 3))
    return start.text + (middle([start, Point(10, 20)])?.text ?? "")
}

func swapEnds(_ values: inout [Int], _ count: inout Int) {
    guard values.count > 1 else { return }
    values.swapAt(0, values.count - 1)
    count += 1
}

func double(_ value: inout Int) { value = value &* 2 }

func half(_ value: inout Double) -> Bool {
    value /= 2
    return value > 1
}

extension Int {
    func clamped(to limit: Int) -> Int { Swift.min(self, limit) }
    var isRound: Bool { self % 100 == 0 }
}

extension String {
    var initials: String { split(separator: " ").map { String($0.prefix(1)) }.joined() }
    mutating func shout() { self = uppercased() + "!" }
}

struct Wide: Equatable, Sendable {
    var a: Int8, b: UInt8, c: Int16, d: UInt16, e: Int32, f: UInt32, g: Int64, h: UInt64
    var i: Int, j: UInt, k: Float, l: Double, m: Bool, n: String, o: [UInt8]
    var p: Optional<Int?>, q: [String: [Int]], r: Set<Int>, s: (x: Int, y: Int)
    var t: Discount

    static func == (left: Wide, right: Wide) -> Bool { left.text == right.text }

    var text: String {
        "\(a) \(b) \(c) \(d) \(e) \(f) \(g) \(h) \(i) \(j) \(k.bitPattern) \(l.bitPattern) \(m) \(n) \(o)"
    }

    func turned() -> Wide {
        var copy = self
        copy.a = ~a
        copy.g = ~g
        copy.h = ~h
        copy.i = ~i
        copy.l = -l
        copy.n = String(n.reversed())
        copy.o = o.reversed()
        copy.s = (s.y, s.x)
        copy.q["new"] = [i]
        copy.t.add(.percent(3))
        return copy
    }
}
