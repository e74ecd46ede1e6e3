import Foundation
import ModuleABI
import TestSupport
import Testing

/// `Docs/module-section.schema.json` and the Swift type describe one thing.
@Suite("The schema of the module section")
struct GuestModuleSectionSchemaTests {
    private let schema: [String: Any]

    init() throws {
        let url = SharedData.checkout.appendingPathComponent("Docs/module-section.schema.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
        schema = json as? [String: Any] ?? [:]
    }

    private static let full = ModuleSection(
        app_id: "6f1f9b0c-3f0e-4d4e-9d55-3d1d3f0a9a10", release: "1.0.1+2", sequence: 7,
        fp: String(repeating: "0f", count: 32), needs: [.init(id: 1, sig: .max)],
        functions: [.init(id: 2, export: "op_f_0000000000000002", sig: 3)],
        views: [.init(id: 4, sig: 5)], app_targets: ["Greeter"],
        capabilities: CapabilityName.core
            + [CapabilityName(rawValue: "app.cart-1_B")].compactMap { $0 },
        vocabulary_max: 12)

    private func object(_ section: ModuleSection) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(section.encoded()))
        return json as? [String: Any] ?? [:]
    }

    @Test("what the type encodes is valid, full and empty")
    func valid() throws {
        let empty = ModuleSection(app_id: "", release: "", sequence: 0, fp: "")
        for section in [Self.full, empty] {
            #expect(try faults(object(section), schema, "section") == [])
        }
    }

    @Test("the schema names the fields of the type, no more and no fewer")
    func sameFields() throws {
        let properties = schema["properties"] as? [String: Any] ?? [:]
        #expect(try Set(object(Self.full).keys) == Set(properties.keys))
        #expect(Set(schema["required"] as? [String] ?? []) == Set(properties.keys))
    }

    @Test(
        "each damaged field is a fault",
        arguments: [
            ("v", 2), ("abi", 0), ("app_id", 5), ("fp", "0F"), ("sequence", -1), ("sequence", "1"),
            ("capabilities", ["keychain"]), ("capabilities", ["app."]),
            ("capabilities", ["log", "log"]),
            ("needs", [["id": "1", "sig": "0000000000000001"]]),
            ("needs", [["id": "0000000000000001"]]),
            ("functions", [["id": "0000000000000001", "sig": "0000000000000001", "export": ""]]),
            ("views", "none"), ("app_targets", [1]), ("vocabulary_max", 1.5), ("extra", 1),
        ] as [(String, any Sendable)])
    func damaged(field: String, value: any Sendable) throws {
        var json = try object(Self.full)
        json[field] = value
        #expect(try !faults(json, schema, "section").isEmpty)
    }

    @Test("each missing field is a fault")
    func missing() throws {
        for field in try object(Self.full).keys {
            var json = try object(Self.full)
            json[field] = nil
            #expect(try faults(json, schema, "section") == ["section: no \(field)"])
        }
    }

    // MARK: As much of JSON Schema as this schema uses

    private struct UnknownKeyword: Error { var name: String }

    private func faults(_ value: Any, _ schema: [String: Any], _ place: String) throws -> [String] {
        var found: [String] = []
        func expect(_ condition: Bool, _ text: String) {
            if !condition { found.append("\(place): \(text)") }
        }
        for (keyword, rule) in schema {
            switch keyword {
            case "$schema", "$id", "$defs", "title", "description": break
            case "$ref":
                let name = (rule as? String ?? "").split(separator: "/").last.map(String.init) ?? ""
                let definitions = self.schema["$defs"] as? [String: [String: Any]] ?? [:]
                found += try faults(
                    value, definitions[name] ?? ["const": "no such definition"], place)
            case "const": expect((value as? NSObject) == (rule as? NSObject), "another value")
            case "type": expect(isOf(rule as? String ?? "", value), "no \(rule)")
            case "pattern":
                let text = value as? String ?? ""
                let match = text.range(of: rule as? String ?? "", options: .regularExpression)
                expect(match == text.startIndex..<text.endIndex, "does not match")
            case "minLength":
                expect((value as? String ?? "").count >= rule as? Int ?? 0, "too short")
            case "minimum":
                expect((value as? Double ?? 0) >= Double(rule as? Int ?? 0), "too small")
            case "uniqueItems":
                let items = value as? [String] ?? []
                expect(Set(items).count == items.count, "twice the same")
            case "items":
                for (index, item) in (value as? [Any] ?? []).enumerated() {
                    found += try faults(item, rule as? [String: Any] ?? [:], "\(place)[\(index)]")
                }
            case "required":
                for name in rule as? [String] ?? [] {
                    expect((value as? [String: Any])?[name] != nil, "no \(name)")
                }
            case "properties":
                let rules = rule as? [String: [String: Any]] ?? [:]
                for (name, item) in value as? [String: Any] ?? [:] {
                    guard let next = rules[name] else {
                        expect(schema["additionalProperties"] as? Bool != false, "unknown \(name)")
                        continue
                    }
                    found += try faults(item, next, "\(place).\(name)")
                }
            case "additionalProperties": break
            default: throw UnknownKeyword(name: keyword)
            }
        }
        return found
    }

    private func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "string": return value is String
        case "array": return value is [Any]
        case "object": return value is [String: Any]
        case "integer":
            guard let number = value as? Double else { return false }
            return number == number.rounded()
        default: return false
        }
    }
}
