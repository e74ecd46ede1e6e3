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

    @Test("two normal forms of a name are two different bytes")
    func normalForms() {
        #expect(
            CanonicalJSON.encode(["e\u{301}": 1]) != CanonicalJSON.encode(["\u{e9}": 1]))
    }
}
