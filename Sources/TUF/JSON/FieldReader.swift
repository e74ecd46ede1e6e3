/// Takes typed members out of a JSON object; what nobody took is kept as unrecognised, so that a
/// document written by a newer or another tool is re-serialised without loss.
struct FieldReader {
    private let members: [String: JSONValue]
    private var taken: [String] = []
    private let place: String

    /// What nobody took. In the usual case nothing: removing members one by one would copy them all.
    var rest: [String: JSONValue] {
        taken.count == members.count ? [:] : members.filter { !taken.contains($0.key) }
    }

    init(_ value: JSONValue?, _ place: String) throws {
        guard case .object(let members) = value else {
            throw Self.malformed("\(place) must be an object")
        }
        self.init(members, place)
    }

    init(_ members: [String: JSONValue], _ place: String) {
        self.members = members
        self.place = place
    }

    static func malformed(_ what: String) -> TUFError {
        TUFError(.metadataMalformed, "The metadata is malformed: \(what).")
    }

    func malformed(_ name: String, _ what: String) -> TUFError {
        Self.malformed("'\(name)' of \(place) must be \(what)")
    }

    mutating func take(_ name: String) -> JSONValue? {
        guard !taken.contains(name), let value = members[name] else { return nil }
        taken.append(name)
        return value
    }

    /// Whether there is such a member that was not taken.
    func has(_ name: String) -> Bool { members[name] != nil && !taken.contains(name) }

    mutating func string(_ name: String) throws -> String {
        guard let text = take(name)?.string else { throw malformed(name, "a string") }
        return text
    }

    mutating func object(_ name: String) throws -> [String: JSONValue] {
        guard let members = take(name)?.object else { throw malformed(name, "an object") }
        return members
    }

    mutating func array(_ name: String) throws -> [JSONValue] {
        guard let elements = take(name)?.array else { throw malformed(name, "an array") }
        return elements
    }

    /// An integer of `range`. Versions and lengths stop at 2^53, so that arithmetic on them never
    /// overflows and every JSON reader agrees on them.
    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int {
        guard let number = take(name)?.integer, range.contains(number) else {
            throw malformed(name, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int(number)
    }

    mutating func optionalString(_ name: String) throws -> String? {
        has(name) ? try string(name) : nil
    }

    mutating func optionalObject(_ name: String) throws -> [String: JSONValue]? {
        has(name) ? try object(name) : nil
    }

    mutating func optionalBool(_ name: String) throws -> Bool? {
        guard let value = take(name) else { return nil }
        guard let flag = value.bool else { throw malformed(name, "true or false") }
        return flag
    }

    mutating func strings(_ name: String) throws -> [String] {
        try array(name).map {
            guard let text = $0.string else { throw malformed(name, "an array of strings") }
            return text
        }
    }

    mutating func time(_ name: String) throws -> MetadataTime {
        guard let text = take(name)?.string, let time = MetadataTime(iso8601: text) else {
            throw malformed(name, "a time of the form YYYY-MM-DDTHH:MM:SSZ")
        }
        return time
    }
}

extension ClosedRange where Bound == Int64 {
    static var versions: Self { 1...(1 << 53) }
    static var lengths: Self { 0...(1 << 53) }
    /// No role has more keys than this.
    static var thresholds: Self { 1...1024 }
}
