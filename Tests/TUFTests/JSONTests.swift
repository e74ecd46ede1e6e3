import TestSupport
import Testing

@testable import TUF

@Suite("JSON from outside")
struct JSONTests {
    private func code(_ text: String, _ limits: JSONLimits = JSONLimits()) -> String? {
        code(Array(text.utf8), limits)
    }

    private func code(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> String? {
        do {
            _ = try JSONValue(parsing: bytes, limits: limits)
            return nil
        } catch { return (error as? TUFError)?.code ?? "other" }
    }

    @Test("all kinds of values are read")
    func values() throws {
        let text = """
             {"a" : [1, -2, 0, -0, 9223372036854775807, -9223372036854775808],
              "b":true,"c":false,"d":null,"e":"x\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é","f":{},"g":[]}
            """
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(
            value["a"] == [1, -2, 0, 0, .integer(.max), .integer(.min)])
        #expect(value["b"]?.bool == true && value["c"]?.bool == false && value["d"] == .null)
        #expect(value["e"]?.string == "x\"\\/\u{8}\u{c}\n\r\té😀é")
        #expect(value["f"] == [:] && value["g"] == [])
        #expect(value["absent"] == nil && value["a"]?["x"] == nil)
    }

    @Test("a written value is read back equal, control characters included")
    func roundTrip() throws {
        let value: JSONValue = [
            "text": .string(String(decoding: (0..<128).map { UInt8($0) }, as: UTF8.self)),
            "list": [nil, true, -5, "", ["deep": [1]]],
        ]
        #expect(try JSONValue(parsing: value.encoded()) == value)
    }

    @Test(
        "what is no JSON is refused",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}",
            "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{'a':1}", "tru", "nul", "True", "NaN",
            "Infinity", "-", "+1", "01", "-01", "0x1", "1 2", "\"", "\"\\\"", "\"\\x\"",
            "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"",
            "\"\\udc00\"", "\"a\u{1}b\"", "[1]x", "\u{FEFF}{}", "// c\n{}", "\"\n\"", "\"\\",
            "\"\\u", "{\"a\":1", "{\"", "[\"a", ".5",
        ])
    func damaged(text: String) {
        #expect(code(text) == "json_damaged")
    }

    @Test(
        "fractions, exponents and numbers beyond 64 bits are refused",
        arguments: [
            "1.0", "1e400", "1E5", "-1.5", "9223372036854775808", "-9223372036854775809",
            "123456789012345678901234567890", "0.1", "0e0",
        ])
    func numbers(text: String) {
        #expect(code("[\(text)]") == "json_number_refused")
    }

    @Test("a name that occurs twice is refused, also in another normal form")
    func duplicates() {
        #expect(code(#"{"a":1,"a":1}"#) == "json_duplicate_key")
        #expect(code(#"{"x":{"a":1,"b":2,"\u0061":3}}"#) == "json_duplicate_key")
        #expect(code("{\"e\u{301}\":1,\"\u{e9}\":1}") == "json_duplicate_key")
        #expect(code(#"[{"a":1},{"a":1}]"#) == nil)
    }

    @Test("nesting beyond the limit is refused long before the stack ends")
    func depth() {
        #expect(code(String(repeating: "[", count: 1_000_000)) == "json_too_deep")
        #expect(code(String(repeating: "{\"a\":", count: 500_000)) == "json_too_deep")
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(code(nested(32)) == nil)
        #expect(code(nested(33)) == "json_too_deep")
    }

    @Test("a text beyond the limit is refused before it is looked at")
    func size() {
        let limits = JSONLimits(maximumSize: 10)
        #expect(code("[1,2,3,4]", limits) == nil)
        #expect(code("[1,2,3,4,5]", limits) == "json_too_large")
    }

    @Test("more values than allowed are refused, however short the text")
    func count() {
        let limits = JSONLimits(maximumValues: 4)
        #expect(code("[1,[],{}]", limits) == nil)
        #expect(code("[1,[],{},2]", limits) == "json_too_large")
        #expect(code(#"{"a":1,"b":{"c":1},"d":2}"#, limits) == "json_too_large")
        #expect(
            code("[" + String(repeating: "[],", count: 1_000_000) + "[]]") == "json_too_large")
    }

    @Test(
        "invalid UTF-8 is refused",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC1, 0x81], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0xAF],
            [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(code([0x22] + bytes + [0x22]) == "json_invalid_utf8")
        #expect(code([0x22] + bytes) == "json_invalid_utf8")
    }

    @Test("every scalar that there is survives")
    func allScalars() throws {
        for plane in stride(from: UInt32(0), to: 0x110000, by: 0x400) {
            let text = String(
                String.UnicodeScalarView((plane..<plane + 0x400).compactMap(Unicode.Scalar.init)))
            let bytes = JSONValue.string(text).encoded()
            let read = try JSONValue(parsing: bytes).string
            #expect(read.map { Array($0.utf8) } == Array(text.utf8))
        }
    }
}

@Suite("Canonical JSON")
struct CanonicalJSONTests {
    @Test("keys are in the order of their bytes, nothing is added, only two characters escaped")
    func form() {
        let value: JSONValue = [
            "b": [1, -2, true, false, nil], "a": "q\"b\\s/\n\u{7f}é", "": [:], "B": [],
            "\u{1F600}": 1, "\u{FB01}": 2,
        ]
        #expect(
            String(decoding: CanonicalJSON.encode(value), as: UTF8.self)
                == "{\"\":{},\"B\":[],\"a\":\"q\\\"b\\\\s/\n\u{7f}é\","
                + "\"b\":[1,-2,true,false,null],\"\u{FB01}\":2,\"\u{1F600}\":1}")
    }

    @Test("white space, order and escapes of the source make no difference")
    func sameForm() throws {
        let one = try JSONValue(parsing: Array(#"{ "b" : 1 , "a":"\u0041/" }"#.utf8))
        let two = try JSONValue(parsing: Array(#"{"a":"A\/","b":1}"#.utf8))
        #expect(CanonicalJSON.encode(one) == CanonicalJSON.encode(two))
    }

    @Test("the signed part is taken as it came exactly where it has the form that is signed")
    func signedSlice() throws {
        func slice(_ signed: String) throws -> String? {
            let bytes = Array(" {\"x\" : [ ], \"signed\" : \(signed) , \"a\":{\"b\": 1}} ".utf8)
            let (_, range) = try JSONParser.parse(bytes, JSONLimits())
            return range.map { String(decoding: bytes[$0], as: UTF8.self) }
        }
        for text in [
            "{}", "1", "\"é\"", #"{"a":{"signed":[1,-2,true]},"b":"q\"\\"}"#, #"{"B":1,"a":2}"#,
        ] {
            #expect(try slice(text) == text)
        }
        for text in [
            "{ }", "[1, 2]", "-0", #""\/""#, #""\n""#, #""\u0041""#, #"{"b":1,"a":2}"#,
            #"{"a":{"z":1,"b":2}}"#, #"{"a\"":1}"#, "[[1\n]]",
        ] {
            #expect(try slice(text) == nil, "\(text)")
        }
        let nested = Array(#"{"a":{"signed":1}}"#.utf8)
        #expect(try JSONParser.parse(nested, JSONLimits()).signed == nil)
    }

    @Test("what is taken as it came is what would be written")
    func signedSliceIsCanonical() throws {
        var generator = SeededGenerator()
        let pieces = [
            "{", "}", "[", "]", ",", ":", " ", "\"", "a", "\\u0062", "\\\"", "\\n", "é", "1", "-0",
            "\"b\":", "\"a\":1", "null",
        ]
        var taken = 0
        for _ in 0..<20_000 {
            var text = CanonicalJSON.encode(Self.value(depth: 3, using: &generator))
            if Bool.random(using: &generator) {
                let place = Int.random(in: 0...text.count, using: &generator)
                text.insert(
                    contentsOf: Array((pieces.randomElement(using: &generator) ?? "").utf8),
                    at: place)
            }
            let bytes = Array("{\"signed\":".utf8) + text + Array("}".utf8)
            guard let (value, range) = try? JSONParser.parse(bytes, JSONLimits()), let range
            else { continue }
            taken += 1
            let signed = value["signed"] ?? .null
            #expect(Array(bytes[range]) == CanonicalJSON.encode(signed), "\(generator.seed)")
        }
        #expect(taken > 5_000)
    }

    private static func value(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        let texts = ["", "a", "b", "B", "é", "\u{1F600}", "q\"", "s\\"]
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64.random(in: -100...100, using: &generator))
        case 3: return .string(texts.randomElement(using: &generator) ?? "")
        case 4:
            return .array(
                (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
                    value(depth: depth - 1, using: &generator)
                })
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                members[texts.randomElement(using: &generator) ?? ""] = value(
                    depth: depth - 1, using: &generator)
            }
            return .object(members)
        }
    }

    @Test("two normal forms of a name are two different bytes")
    func normalForms() {
        #expect(
            CanonicalJSON.encode(["e\u{301}": 1]) != CanonicalJSON.encode(["\u{e9}": 1]))
    }
}
