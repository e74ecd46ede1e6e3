import Rollout
import TUF

/// Takes typed members out of a document: of those that this SDK keeps for itself, and of signed
/// statements once they are verified.
///
/// Not `Codable`: a start of the app reads such documents before its first call, where the first use
/// of Foundation's decoder costs more than reading them (decision record 0004).
struct DocumentFields {
    /// What could not be read.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private let members: [String: JSONValue]

    /// Bounds on a kept document; a fraction, as earlier versions wrote times, loses its digits.
    static func limits(_ maximumSize: Int) -> JSONLimits {
        var limits = JSONLimits(maximumSize: maximumSize)
        limits.dropsFractions = true
        return limits
    }

    init(_ value: JSONValue?, _ place: String) throws {
        guard let members = value?.object else { throw Fault(description: "no object '\(place)'") }
        self.members = members
    }

    /// Nil when there is no such member, or null.
    subscript(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    func string(_ name: String) throws -> String { try Self.need(self[name]?.string, name) }
    func bool(_ name: String) throws -> Bool { try Self.need(self[name]?.bool, name) }
    func integer(_ name: String) throws -> Int {
        try Self.need(self[name]?.integer.map { Int(clamping: $0) }, name)
    }
    func seconds(_ name: String) throws -> Double { Double(try integer(name)) }
    func object(_ name: String) throws -> [String: JSONValue] {
        try Self.need(self[name]?.object, name)
    }
    func array(_ name: String) throws -> [JSONValue] {
        try Self.need(self[name]?.array, name)
    }
    func strings(_ name: String) throws -> [String] {
        try array(name).map { try Self.need($0.string, name) }
    }
    func optionalString(_ name: String) throws -> String? {
        try self[name].map { try Self.need($0.string, name) }
    }
    func optionalInteger(_ name: String) throws -> Int? {
        try self[name] == nil ? nil : integer(name)
    }
    func optionalStrings(_ name: String) throws -> [String]? {
        try self[name] == nil ? nil : strings(name)
    }
    func integers(_ name: String) throws -> [String: Int] {
        try object(name).mapValues { Int(clamping: try Self.need($0.integer, name)) }
    }

    /// A reason that a later version of the SDK gave counts as an ordinary failure: a code must
    /// never make a state unreadable.
    func reason(_ name: String) throws -> Reason {
        Reason(rawValue: try string(name)) ?? .callFailed
    }

    private static func need<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw Fault(description: "'\(name)' is missing or malformed") }
        return value
    }

    // MARK: Writing

    /// An object without the members that are nil.
    static func object(_ members: [(String, JSONValue?)]) -> JSONValue {
        var present: [String: JSONValue] = [:]
        for (name, value) in members where value != nil { present[name] = value }
        return .object(present)
    }

    static func integers(_ members: [String: Int]) -> JSONValue {
        .object(members.mapValues { .integer(Int64($0)) })
    }

    /// Whole seconds, never later than they were.
    static func seconds(_ time: Double) -> JSONValue {
        .integer(Int64(exactly: time.rounded(.down)) ?? 0)
    }
}
