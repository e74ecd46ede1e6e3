import Testing

/// Ways to write functions that routing must not disturb. Each compiles on its own and together
/// with the others.
enum PrepareShapes {
    struct Shape: CustomTestStringConvertible {
        var name: String
        var text: String
        /// How many functions and properties of it are routed.
        var routed: Int
        var testDescription: String { name }
    }

    static let all: [Shape] = [
        Shape(name: "one line", text: "func oneLine(_ x: Int) -> Int { x + 1 }\n", routed: 1),
        Shape(
            name: "no trailing newline", text: "func noNewline() -> Int { return 1 }", routed: 1),
        Shape(
            name: "statements on one line",
            text: "func together(_ x: Int) -> Int { let y = x * 2; return y }\n", routed: 1),
        Shape(
            name: "brace on a line of its own",
            text: "func ownLine(_ x: Int) -> Int\n{\n    let y = x\n    return y\n}\n", routed: 1),
        Shape(
            name: "comment behind the brace",
            text: "func commented(_ x: Int) -> Int { // {\n    /* } */ x /* { */ + 1 // }\n}\n",
            routed: 1),
        Shape(
            name: "comment between brace and code on a line",
            text: "func squeezed(_ x: Int) -> Int {/* a */x/* b */}\n", routed: 1),
        Shape(
            name: "Windows line ends",
            text:
                "func windows(_ x: Int) -> String {\r\n    let y = \"a\"\r\n    return y\r\n}\r\n",
            routed: 1),
        Shape(
            name: "old Macintosh line ends",
            text: "func macintosh(_ x: Int) -> Int {\r    let y = x\r    return y\r}\r", routed: 1),
        Shape(
            name: "byte order mark", text: "\u{feff}func marked(_ x: Int) -> Int {\n    x\n}\n",
            routed: 1),
        Shape(
            name: "braces and marks in strings",
            text: #"""
                func quoted(_ x: Int) -> String {
                    "{ /*openpatch:begin v1 0123456789abcdef*/ \(x) } /*openpatch:end*/"
                }
                func many() -> String {
                    """
                    {
                      "a": 1 }
                    """
                }
                func raw() -> String { #"\{"# + "}" }
                """#, routed: 3),
        Shape(
            name: "multi-byte characters",
            text: "func größe(_ länge: Int) -> String { \"🧵é日\" + \"\\(länge)\" }\n"
                + "// 日本語のコメント\nfunc 値(_ x: Int) -> Int { x }\n", routed: 2),
        Shape(
            name: "nested functions",
            text: """
                func outer(_ x: Int) -> Int {
                    func inner(_ y: Int) -> Int { y + 1 }
                    let closure = { (z: Int) -> Int in z * 2 }
                    return closure(inner(x))
                }

                """, routed: 1),
        Shape(
            name: "if and switch as values",
            text: """
                func choice(_ x: Int) -> String {
                    if x > 0 { "more" } else if x < 0 { "less" } else { "none" }
                }
                func named(_ x: Int) -> String {
                    switch x {
                    case 0: "zero"
                    case 1: if x > 0 { "one" } else { "never" }
                    default: "many"
                    }
                }
                func returning(_ x: Int) -> String {
                    switch x {
                    case 0: return "zero"
                    default: return "many"
                    }
                }
                func mixed(_ x: Int) -> Int {
                    if x > 0 { return 1 } else { return 2 }
                }

                """, routed: 4),
        Shape(
            name: "bodies that never return",
            text: """
                func stop(_ x: Int) -> Int { fatalError("no \\(x)") }
                func end() -> Never { fatalError() }
                func stopElsewhere() -> String { end() }

                """, routed: 2),
        Shape(
            name: "attributes and modifiers",
            text: """
                @discardableResult
                @inline(never)
                public func attributed(_ x: Int) -> Int { x }
                @MainActor func isolated(_ x: Int) -> Int { x }
                @available(macOS 12, iOS 15, *)
                internal func versioned(_ x: Int) -> Int
                { x }

                """, routed: 3),
        Shape(
            name: "static members and getters",
            text: """
                struct Tools {
                    static func twice(_ x: Int) -> Int { x * 2 }
                    private static func secret() -> Int { 7 }
                    static var label: String { "tools \\(secret())" }
                    static var long: Int {
                        get {
                            let x = 1
                            return x
                        }
                    }
                    enum Inner { fileprivate static func deep(_ s: String) -> String { s } }
                }
                extension Tools { static func more() -> Bool { true } }
                class Base { class func kind() -> String { "base" } }
                final class Derived: Base { override class func kind() -> String { "derived" } }
                extension Int { static func parsed(_ s: String) -> Int? { Int(s) } }
                var count: Int { 42 }
                actor Counter { static func start() -> Int { 0 } }
                @MainActor final class Screen { static func title() -> String { "screen" } }

                """, routed: 12),
        Shape(
            name: "labels and names",
            text: """
                func labelled(from a: Int, to b: Int, _ c: Int) -> Int { a + b + c }
                func `default`(`in` x: Int, for y: Int) -> Int { x + y }
                func same(self x: Int) -> Int { x }

                """, routed: 3),
        Shape(
            name: "default arguments",
            text: "func defaulted(_ x: Int = 1, y: String = \"{\") -> String { y + \"\\(x)\" }\n",
            routed: 1),
        Shape(
            name: "leading dot, closure and tuple bodies",
            text: """
                func absent() -> Int? { .none }
                func called() -> Int { { 1 }() }
                func pair(_ x: Int) -> (a: Int, String) {
                    (a: x, "x")
                }
                func lines(_ x: [Int]) -> [Int] {
                    x
                        .map { $0 + 1 }
                        .filter { $0 > 0 }
                }

                """, routed: 4),
        Shape(
            name: "all types",
            text: """
                func types(
                    _ a: Int8, _ b: UInt64, _ c: Float, _ d: Double, _ e: Bool, _ f: String?,
                    _ g: [String: [Int?]], _ h: Set<Int>, _ i: (Int, x: Bool), _ j: [UInt8],
                    _ k: Int??, _ l: Swift.Int, _ m: Array<Optional<String>>
                ) -> [String: (ok: Bool, [Double?])] { [:] }

                """, routed: 1),
        Shape(
            name: "first statement is an if",
            text: """
                func guarded(_ x: Int?) -> Int {
                    guard let x else { return 0 }
                    if x > 3 { return 3 }
                    (_, _) = (x, x)
                    return x
                }

                """, routed: 1),
        Shape(
            name: "async",
            text: """
                struct Later {
                    var a: Int
                    func plain(_ x: Int) async -> Int { a + x }
                    private func hidden() async throws -> [Later] { [self] }
                    @MainActor static func main(_ x: String) async -> String { x }
                    mutating func change() async { a += 1 }
                    var value: Int { get async throws { try await hidden().count } }
                    nonisolated func free() async -> Self { self }
                }

                @MainActor enum LaterScreen {
                    static func title(_ x: Int) -> String { "\\(x)" }
                    private static func secret(_ x: inout Int) -> Int { x += 1; return x }
                    static func load() async throws -> Int { var x = 1; return secret(&x) }
                }

                fileprivate struct Own { var a = 1 }
                private func own(_ x: Own) async -> Own { x }

                """, routed: 10),
        Shape(
            name: "effects without results",
            text: """
                func note(_ text: String) { print(text) }
                func fail() throws { print(1) }
                func wait() async { note("waited") }
                struct Log { static func write(_ line: String, times: Int = 1) { note(line) } }

                """, routed: 2),
        Shape(name: "empty file", text: "", routed: 0),
        Shape(name: "only a comment", text: "// nothing { here", routed: 0),
    ]
}
