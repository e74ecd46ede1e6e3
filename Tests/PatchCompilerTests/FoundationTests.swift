import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// What a module's `Foundation` gives is what the app's own gives: the same program, changed over
/// the air and changed by compiling it again, prints the same lines.
@Suite("The guest's Foundation against the app's")
struct FoundationTests {
    /// A part of Foundation: functions that all mention the constant `edition`, and what calls them.
    private struct Part {
        var name: String
        var code: String
        var driver: String
        var functions: Int
    }

    private static let parts = [
        Part(name: "URL", code: urlCode, driver: urlDriver, functions: 6),
        Part(name: "Decimal", code: decimalCode, driver: decimalDriver, functions: 6),
        Part(name: "formats", code: formatCode, driver: formatDriver, functions: 9),
        Part(name: "JSON", code: jsonCode, driver: jsonDriver, functions: 6),
    ]

    @Test(
        "URLs, decimal numbers, numbers and dates as texts, patterns, lists and JSON, errors included"
    )
    func same() throws {
        let fixture = try ProjectFixture(files: [
            "Core.swift": "import Foundation\n\nlet edition = 1\n\n"
                + Self.parts.map(\.code).joined()
        ])
        let registered = try fixture.registered()
        #expect(registered.notInBase == [])
        try fixture.edit("Sources/Core.swift", "let edition = 1", "let edition = 2")
        let module = try fixture.project().buildModule(
            for: registered.manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        #expect(module.coverage.covered.count == Self.parts.map(\.functions).reduce(0, +))
        #expect(module.coverage.calls == [])
        let driver =
            Self.numbers
            + Self.parts.map { "print(\"== \($0.name)\")\ndo {\n\($0.driver)\n}\n" }.joined()
        let expected = try RealProgram(
            fixture.swiftFiles(), driver: driver, in: fixture.directory
        ).native()
        let store = try RealProgram(
            fixture.swiftFiles("Store"), driver: driver, in: fixture.directory)
        #expect(try store.native() != expected)
        let result = try store.patchedResult(module.wasm)
        let (found, wanted) = (
            result.standardOutput.components(separatedBy: "\n"),
            expected.components(separatedBy: "\n")
        )
        #expect(found.count == wanted.count)
        var part = ""
        for (left, right) in zip(found, wanted) {
            if right.hasPrefix("== ") { part = right }
            if left != right {
                Issue.record(
                    "\(part), seed \(SeededGenerator.seed): the module gave \(left), the app \(right)"
                )
            }
        }
        #expect(result.standardError == "")
    }

    /// Numbers from the tests' seed, for the driver.
    private static var numbers: String {
        """
        struct Numbers: RandomNumberGenerator {
            var state: UInt64 = \(SeededGenerator.seed)
            mutating func next() -> UInt64 {
                state = state &* 6364136223846793005 &+ 1442695040888963407
                return state ^ state >> 29
            }
        }
        var numbers = Numbers()

        """
    }

    private static let urlCode = """
        struct Place: Hashable { var url: URL; var others: [URL?] }

        func parsed(_ text: String, _ base: URL?) -> URL? {
            edition == 2 ? URL(string: text, relativeTo: base) : nil
        }
        func parts(_ url: URL) -> [String] {
            var all = [url.absoluteString, url.relativeString, url.path, url.relativePath]
            all += [url.scheme, url.host, url.user, url.password, url.query, url.fragment].map {
                $0 ?? "none"
            }
            all += [url.pathExtension, url.lastPathComponent, "\\(url)"] + url.pathComponents
            all += ["\\(url.port ?? -1)", url.baseURL?.absoluteString ?? "none"]
            all.append("\\(url.hasDirectoryPath) \\(url.isFileURL) \\(edition)")
            return all
        }
        func derived(_ url: URL, _ name: String) -> [URL] {
            var copy = url
            copy.appendPathComponent("x\\(edition)")
            copy.deletePathExtension()
            return [
                url.absoluteURL, url.standardized, url.deletingLastPathComponent(),
                url.deletingPathExtension(), url.appendingPathComponent(name),
                url.appendingPathComponent(name, isDirectory: true),
                url.appendingPathComponent(name, isDirectory: false),
                url.appendingPathExtension("txt"), copy,
            ]
        }
        func files(_ path: String) -> [URL] {
            [
                URL(fileURLWithPath: path), URL(fileURLWithPath: path, isDirectory: true),
                URL(fileURLWithPath: path, isDirectory: edition == 1),
            ]
        }
        func kept(_ place: Place) -> Place? {
            Set([place.url]).contains(place.url) && edition == 2 ? place : nil
        }
        func same(_ a: URL, _ b: URL) -> [Bool] { [a == b, a.absoluteURL == b.absoluteURL, edition == 2] }

        """

    private static let urlDriver = """
        let pieces = [
            "http", "https", "mailto", "://", ":", "//", "/", "user", ":pass", "@", "host.de", "[::1]",
            "münchen.de", ":8080", "/a", "/b.txt", "/..", "/.", "/%C3%A9", "/é", " ", "?", "q=1", "&r=",
            "#", "frag", "%", "%zz", "日", "", "..", "file:///x", "\\\\", "^", "a b", "tel:+1",
        ]
        let bases = [nil, "https://me:pw@a.de/x/y?z=1#f", "file:///tmp/dir/", "http://b"].map { text in
            text.flatMap { URL(string: $0) }
        }
        var all: [URL] = []
        for round in 0..<150 {
            let text = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in
                pieces.randomElement(using: &numbers)!
            }.joined()
            let base = bases.randomElement(using: &numbers)!
            guard let url = parsed(text, base) else { print(text, "none"); continue }
            all.append(url)
            print(round, text, url, parts(url))
            if !url.relativeString.isEmpty, !url.standardized.relativeString.isEmpty {
                print(derived(url, pieces.randomElement(using: &numbers)!).map(\\.absoluteString))
            }
            print(kept(Place(url: url, others: [nil, base, url])) as Any)
            let other = all.randomElement(using: &numbers)!
            print(same(url, other), same(url, url))
        }
        for path in ["/tmp", "/tmp/", "/a b/é", "rel/x", "~/x", "/no/such"] {
            print(files(path).map(\\.absoluteString), files(path).map(\\.path))
        }
        """

    private static let decimalCode = """
        enum Amount: Hashable { case none, some(Decimal), pair([Decimal: Decimal?]) }

        func read(_ text: String) -> Decimal? {
            edition == 2 ? Decimal(string: text, locale: Locale(identifier: "en_US")) : nil
        }
        func sums(_ a: Decimal, _ b: Decimal) -> [Decimal] {
            var c = a
            c += b
            c *= 3
            c -= Decimal(edition)
            c /= 7
            return [a + b, a - b, a * b, b == 0 ? a : a / b, -a, abs(a), c, max(a, b), .zero]
        }
        func order(_ a: Decimal, _ b: Decimal) -> [Bool] {
            [a < b, a <= b, a == b, a > b, a.isZero, a.isSignMinus, a.isNaN, edition == 2]
        }
        func rounded(_ a: Decimal, _ places: Int) -> [String] {
            var all: [String] = ["\\(edition)"]
            for mode in [NSDecimalNumber.RoundingMode.plain, .down, .up, .bankers] {
                var from = a
                var to = Decimal()
                NSDecimalRound(&to, &from, places, mode)
                all.append("\\(to)")
            }
            return all
        }
        func wrapped(_ a: Decimal, _ b: Decimal) -> [Amount] {
            let both: [Decimal: Decimal?] = a == b ? [a: nil] : [a: nil, b: a]
            return edition == 2 ? [.none, .some(a), .pair(both)] : []
        }
        func figures(_ a: Decimal, _ x: Double, _ n: Int) -> [String] {
            let rate: Decimal = 0.19
            let number = NSDecimalNumber(decimal: a)
            return [
                "\\(Decimal(x))", "\\(Decimal(n) * rate)", "\\(number.doubleValue)", "\\(number.intValue)",
                "\\(pow(a, 2))",
                "\\([a, Decimal(n), 1].reduce(0, +))", number.stringValue, "\\(edition)",
            ]
        }

        """

    private static let decimalDriver = """
        for text in ["1.10", "-0", "abc", "12abc", ".5", "5.", "1e3", "1e-3", "", "1,5", "NaN"] {
            print(read(text) as Any)
        }
        var values: [Decimal] = [0, 1, -1, 0.1, 12.345, Decimal(string: "1e30")!, Decimal(string: "1e-30")!]
        for _ in 0..<60 {
            let digits = Int.random(in: -1_000_000_000...1_000_000_000, using: &numbers)
            let places = Int.random(in: 0...9, using: &numbers)
            values.append(Decimal(sign: .plus, exponent: -places, significand: Decimal(digits)))
        }
        for a in values {
            let b = values.randomElement(using: &numbers)!
            print(a, b, sums(a, b), order(a, b), order(a, a))
            print(rounded(a, Int.random(in: -3...6, using: &numbers)))
            print(a == b || wrapped(a, b) == [.none, .some(a), .pair([a: nil, b: a])])
            print(figures(a, Double.random(in: -1e6...1e6, using: &numbers), 12))
        }
        """

    private static let formatCode = """
        func patterns(_ n: Int, _ x: Double, _ text: String) -> [String] {
            [
                String(format: "%d|%5d|%-5d|%05d|%+d|%x|%X|%o", n, n, n, n, n, n, n, n),
                String(format: "%ld %lld %lu", n, n, n), String(format: "100%% %@", text),
                String(format: "%.2f %8.3f %e %g %-9.1f|", x, x, x, x, x),
                String(format: "%2$@ %1$d", Int32(truncatingIfNeeded: n), text),
                String(format: "%c%u", UInt8(65), UInt32(7)), String(format: "plain"),
                String.localizedStringWithFormat("%d %.1f", n, x), "\\(edition)",
            ]
        }
        func plain(_ n: Int, _ x: Double, _ amount: Decimal) -> [String] {
            [
                n.formatted(), x.formatted(), amount.formatted(), Int8(truncatingIfNeeded: n).formatted(),
                UInt64.max.formatted(), Float(x).formatted(), n.formatted(.byteCount(style: .file)),
                ByteCountFormatter.string(fromByteCount: Int64(n), countStyle: .memory), "\\(edition)",
            ]
        }
        func styled(_ n: Int, _ x: Double, _ amount: Decimal, _ name: String) -> [String] {
            let locale = Locale(identifier: name)
            return [
                n.formatted(.number.locale(locale).grouping(.never).sign(strategy: .always())),
                x.formatted(.number.precision(.fractionLength(2)).locale(locale)),
                x.formatted(.number.precision(.fractionLength(1...3)).locale(locale)),
                x.formatted(.number.precision(.significantDigits(3)).locale(locale)),
                x.formatted(.number.notation(.compactName).locale(locale)),
                x.formatted(.number.notation(.scientific).locale(locale)),
                x.formatted(.number.rounded(rule: .up, increment: 0.5).locale(locale)),
                x.formatted(.number.decimalSeparator(strategy: .always).scale(10).locale(locale)),
                (x / 1e6).formatted(.percent.precision(.fractionLength(...1)).locale(locale)),
                n.formatted(.percent.locale(locale)), x.formatted(.currency(code: "EUR").locale(locale)),
                n.formatted(.currency(code: "JPY").presentation(.fullName).locale(locale)),
                amount.formatted(.currency(code: "USD").presentation(.isoCode).locale(locale)),
                amount.formatted(.currency(code: "USD").sign(strategy: .accounting).locale(locale)),
                amount.formatted(.number.precision(.integerAndFractionLength(integer: 3, fraction: 1))),
                x.formatted(FloatingPointFormatStyle<Double>.Currency(code: "CHF", locale: locale)),
                "\\(edition)",
            ]
        }
        func boxed(_ x: Double, _ amount: Decimal, _ name: String, _ text: String) -> [String?] {
            let formatter = NumberFormatter()
            formatter.locale = Locale(identifier: name)
            formatter.numberStyle = .currency
            formatter.currencyCode = "EUR"
            formatter.maximumFractionDigits = edition
            var all = [formatter.string(from: NSNumber(value: x)), formatter.currencySymbol]
            all.append(formatter.string(from: NSDecimalNumber(decimal: amount)))
            formatter.numberStyle = .decimal
            formatter.minimumFractionDigits = 1
            formatter.usesGroupingSeparator = false
            formatter.roundingMode = .down
            all += [formatter.string(from: 12), formatter.string(from: NSNumber(value: x))]
            all.append(formatter.number(from: text).map { "\\($0.doubleValue) \\($0.intValue)" })
            formatter.positivePrefix = "+"
            formatter.decimalSeparator = "_"
            formatter.multiplier = 100
            all += [formatter.string(from: 1.5), formatter.decimalSeparator]
            let ordinal = NumberFormatter()
            ordinal.numberStyle = .ordinal
            all.append(ordinal.string(from: 23))
            all.append(NumberFormatter.localizedString(from: NSNumber(value: x), number: .percent))
            return all
        }
        func dates(_ date: Date, _ name: String, _ zone: String) -> [String] {
            let locale = Locale(identifier: name)
            var style = Date.FormatStyle(date: .complete, time: .standard).locale(locale)
            style.timeZone = TimeZone(identifier: zone) ?? .current
            // Far enough that nothing changes from one run to the next.
            let century = Date(timeIntervalSinceReferenceDate: 0)
            return [
                date.formatted(), date.formatted(date: .abbreviated, time: .omitted),
                date.formatted(date: .omitted, time: .shortened), date.formatted(style),
                date.formatted(.dateTime.year().month(.wide).day().locale(locale)),
                date.formatted(.dateTime.weekday(.abbreviated).hour().minute(.twoDigits).locale(locale)),
                date.formatted(.dateTime.day(.twoDigits).month(.twoDigits).year(.twoDigits).locale(locale)),
                date.formatted(.iso8601), century.formatted(.relative(presentation: .named)),
                century.formatted(.relative(presentation: .numeric, unitsStyle: .abbreviated)),
                "\\(edition)",
            ]
        }
        func boxedDates(_ date: Date, _ name: String, _ zone: String, _ text: String) -> [String?] {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: name)
            formatter.timeZone = TimeZone(identifier: zone)
            formatter.dateFormat = "EEEE, d. MMMM yyyy HH:mm:ss ZZZZZ"
            var all: [String?] = [formatter.string(from: date)]
            formatter.dateStyle = .medium
            formatter.timeStyle = .short
            all += [formatter.string(from: date), formatter.dateFormat]
            formatter.setLocalizedDateFormatFromTemplate("yMMMd")
            all.append(formatter.string(from: date))
            formatter.dateFormat = "yyyy-MM-dd"
            all.append(formatter.date(from: text).map { "\\($0.timeIntervalSince1970)" })
            let standard = ISO8601DateFormatter()
            all += [standard.string(from: date), standard.date(from: text).map { "\\($0.timeIntervalSince1970)" }]
            standard.formatOptions = edition == 2 ? [.withInternetDateTime, .withFractionalSeconds] : .withFullDate
            all.append(standard.string(from: date))
            all.append(DateFormatter.localizedString(from: date, dateStyle: .short, timeStyle: .none))
            return all
        }
        func fixed(_ date: Date, _ seconds: Int, _ zone: String) -> [String] {
            let zoned = TimeZone(secondsFromGMT: seconds)
            return [
                "\\(TimeZone(identifier: zone)?.secondsFromGMT(for: date) ?? -1)", zoned?.identifier ?? "none",
                TimeZone.current.identifier, Locale.current.identifier, "\\(edition)",
            ]
        }
        enum Shared {
            static let percent: NumberFormatter = {
                let formatter = NumberFormatter()
                formatter.numberStyle = .percent
                return formatter
            }()
        }
        func shared(_ x: Double) -> String? {
            Shared.percent.string(from: NSNumber(value: x / Double(edition)))
        }
        func lists(_ texts: [String], _ name: String) -> [String] {
            [
                texts.formatted(), texts.formatted(.list(type: .or, width: .narrow)),
                texts.formatted(.list(type: .and).locale(Locale(identifier: name))), "\\(edition)",
            ]
        }

        """

    private static let formatDriver = """
        let locales = ["en_US", "de_DE", "fr_CH", "ar_EG", "hi_IN", "ja_JP", "en_US_POSIX", "xx"]
        let zones = ["GMT", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "nowhere"]
        let texts = ["2024-02-29", "2024-02-29T12:30:00Z", "12,5", "1.234,5", "", "x", "3 €"]
        for round in 0..<40 {
            let n = Int.random(in: -3...3, using: &numbers) * Int.random(in: 0...5_000_000_000, using: &numbers)
            let x = Double.random(in: -2e6...2e6, using: &numbers)
            let amount = Decimal(sign: .plus, exponent: -2, significand: Decimal(n))
            let locale = locales[round % locales.count]
            let zone = zones.randomElement(using: &numbers)!
            let text = texts.randomElement(using: &numbers)!
            // Whole seconds, so that no text depends on when it is made.
            let date = Date(timeIntervalSinceReferenceDate: Double(n / 50).rounded())
            print(round, n, x, patterns(n, x, text), plain(n, x, amount))
            print(round, styled(n, x, amount, locale), boxed(x, amount, locale, text))
            print(round, dates(date, locale, zone), boxedDates(date, locale, zone, text))
            print(round, shared(x) as Any, fixed(date, n % 50_000, zone), lists(Array(texts.prefix(round % 5)), locale))
        }
        """

    private static let jsonCode = """
        enum Currency: String, Codable { case euro = "EUR", dollar = "USD", other }
        enum Level: Int, Codable { case low = 1, middle, high = 10 }
        struct Line: Codable, Equatable {
            var name: String
            var cents: Int
            var note: String?
            var tags: Set<String>
            private var weight: Double
            enum CodingKeys: String, CodingKey { case weight = "w", cents, name = "title", note, tags }
        }
        struct Order: Codable, Equatable {
            struct Customer: Codable, Equatable { let id: UUID; var homePage: URL?; var age: UInt8 }
            var lines: [Line]
            var currency: Currency
            var level: Level?
            var createdAt: Date
            var rates: [String: Decimal]
            var counts: [Int: [Bool?]]
            var raw: Data
            var customer: Customer
            var children: [Order]?
            var factor: Float
        }

        func read(_ text: String, _ kind: Int) throws -> Order {
            let decoder = JSONDecoder()
            if edition == 2 {
                if kind == 1 { decoder.dateDecodingStrategy = .iso8601 }
                if kind == 2 { decoder.dateDecodingStrategy = .secondsSince1970 }
                if kind == 3 { decoder.keyDecodingStrategy = .convertFromSnakeCase }
            }
            return try decoder.decode(Order.self, from: Data(text.utf8))
        }
        func written(_ order: Order, _ kind: Int) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            if edition == 2 {
                if kind == 1 { encoder.dateEncodingStrategy = .iso8601 }
                if kind == 2 { encoder.dateEncodingStrategy = .millisecondsSince1970 }
                if kind == 3 { encoder.keyEncodingStrategy = .convertToSnakeCase }
                if kind == 4 { encoder.outputFormatting.insert(.prettyPrinted) }
            }
            return String(decoding: try encoder.encode(order), as: UTF8.self)
        }
        func load<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
            try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        }
        func sum(_ text: String) throws -> Int { try load([Int].self, text).reduce(edition, +) }
        func lines(_ text: String) -> [Line]? { edition == 2 ? try? load([Line].self, text) : nil }
        func explained(_ text: String) -> String {
            do {
                return "\\(try load([String: Double].self, text).count) \\(edition)"
            } catch {
                return "refused \\(edition)"
            }
        }
        func broken(_ x: Double) throws -> String {
            String(decoding: try JSONEncoder().encode(["x": x * Double(edition)]), as: UTF8.self)
        }

        """

    private static let jsonDriver = """
        let line = #"{"title":"a/é","cents":5,"tags":["x"],"w":1.5}"#
        let customer = #"{"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","homePage":"https://a.de/x?y","age":7}"#
        func order(_ change: [String: String] = [:], drop: String = "") -> String {
            var fields = [
                "lines": "[\\(line)]", "currency": #""EUR""#, "level": "2", "createdAt": "12.5",
                "rates": #"{"a_b":1.10,"c":3}"#, "counts": #"{"1":[true,null]}"#, "raw": #""AQID""#,
                "customer": customer, "factor": "0.1",
            ]
            for (key, value) in change { fields[key] = value }
            fields[drop] = nil
            return "{" + fields.sorted { $0.key < $1.key }.map { "\\"\\($0.key)\\":\\($0.value)" }
                .joined(separator: ",") + "}"
        }
        func show(_ text: String, _ kind: Int = 0) {
            do {
                let value = try read(text, kind)
                for kind in 0...4 { print(try written(value, kind)) }
            } catch { print(error) }
        }
        show(order())
        show(order(["children": "[\\(order()),\\(order(drop: "level"))]"]))
        show(order(["createdAt": #""2024-02-29T12:00:00Z""#]), 1)
        show(order(["createdAt": "1e9"]), 2)
        show(order(["createdAt": "1e9", "level": "null"]).replacingOccurrences(of: "createdAt", with: "created_at"), 3)
        for key in ["lines", "currency", "createdAt", "rates", "counts", "raw", "customer", "factor", "level"] {
            for value in [
                "null", "1", "-1", "1.5", "true", #""x""#, "[]", "{}", "[1]", #"{"a":null}"#, "99999999999999999999",
                #"[{"title":1}]"#, #"{"id":"nonsense","age":1}"#, #"{"id":null,"age":300}"#, #"["USD"]"#, "1e400",
            ] {
                // Which of two wrong keys is met first is chance.
                if key != "counts" || !value.contains("age") { show(order([key: value])) }
            }
            show(order(drop: key))
        }
        for text in ["", "{", "[", "nul", "[1,2", "{}", "[1,2,3]", "[1.5]", "[9223372036854775808]", #"{"a":1}"#, #"["a"]"#] {
            show(text)
            do { print(try sum(text)) } catch { print(error) }
            print(lines(text) as Any, lines("[\\(line),\\(line)]") as Any, explained(text))
        }
        for x in [1, .nan, .infinity, -0.0] as [Double] {
            do { print(try broken(x)) } catch { print(error) }
        }
        """
}
