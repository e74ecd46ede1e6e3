/// Takes typed members out of a document that this package wrote or that was verified: states, signed
/// statements, what is compiled into apps and modules.
///
/// Not `Codable`: a start of the app reads such documents before its first call, where the first use
/// of Foundation's decoder costs more than reading them (decision record 0004).
package struct DocumentFields {
    /// What could not be read.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    private let members: [String: JSONValue]

    /// Bounds on a kept document; a fraction, as earlier versions wrote times, loses its digits.
    package static func limits(_ maximumSize: Int) -> JSONLimits {
        var limits = JSONLimits(maximumSize: maximumSize)
        limits.dropsFractions = true
        return limits
    }

    package init(_ value: JSONValue?, _ place: String) throws {
        guard let members = value?.object else { throw Fault("no object '\(place)'") }
        self.members = members
    }

    /// Nil when there is no such member, or null.
    package subscript(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    package func string(_ name: String) throws -> String { try Self.need(self[name]?.string, name) }
    package func bool(_ name: String) throws -> Bool { try Self.need(self[name]?.bool, name) }
    package func integer(_ name: String) throws -> Int {
        try Self.need(self[name]?.integer.map { Int(clamping: $0) }, name)
    }
    package func seconds(_ name: String) throws -> Double { Double(try integer(name)) }
    package func object(_ name: String) throws -> [String: JSONValue] {
        try Self.need(self[name]?.object, name)
    }
    package func array(_ name: String) throws -> [JSONValue] {
        try Self.need(self[name]?.array, name)
    }
    /// Empty when there is no such member, or null.
    package func optionalArray(_ name: String) throws -> [JSONValue] {
        try self[name] == nil ? [] : array(name)
    }
    package func strings(_ name: String) throws -> [String] {
        try array(name).map { try Self.need($0.string, name) }
    }
    package func optionalString(_ name: String) throws -> String? {
        try self[name].map { try Self.need($0.string, name) }
    }
    package func optionalInteger(_ name: String) throws -> Int? {
        try self[name] == nil ? nil : integer(name)
    }
    package func optionalStrings(_ name: String) throws -> [String]? {
        try self[name] == nil ? nil : strings(name)
    }
    package func integers(_ name: String) throws -> [String: Int] {
        try object(name).mapValues { Int(clamping: try Self.need($0.integer, name)) }
    }

    private static func need<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw Fault("'\(name)' is missing or malformed") }
        return value
    }

    // MARK: Writing

    /// An object without the members that are nil.
    package static func object(_ members: [(String, JSONValue?)]) -> JSONValue {
        var present: [String: JSONValue] = [:]
        for (name, value) in members where value != nil { present[name] = value }
        return .object(present)
    }

    package static func integers(_ members: [String: Int]) -> JSONValue {
        .object(members.mapValues { .integer(Int64($0)) })
    }

    /// Whole seconds, never later than they were.
    package static func seconds(_ time: Double) -> JSONValue {
        .integer(Int64(exactly: time.rounded(.down)) ?? 0)
    }
}
