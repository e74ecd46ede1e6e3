/// Which keys may speak for a role, and how many of them must.
public struct RoleKeys: Equatable, Sendable {
    /// Identifiers, each once.
    public var keyIDs: [String]
    /// How many distinct keys must have signed; at least 1.
    public var threshold: Int
    /// Members that this library does not know.
    public var unrecognized: [String: JSONValue]

    /// `threshold` of `keyIDs`.
    public init(keyIDs: [String], threshold: Int = 1) {
        self.keyIDs = keyIDs
        self.threshold = threshold
        unrecognized = [:]
    }

    init(taking fields: inout FieldReader, place: String) throws {
        keyIDs = try fields.strings("keyids")
        threshold = try fields.integer("threshold", in: .thresholds)
        unrecognized = [:]
        guard Set(keyIDs).count == keyIDs.count else {
            throw FieldReader.malformed("'keyids' of \(place) must not repeat an identifier")
        }
    }

    init(json: JSONValue, place: String) throws {
        var fields = try FieldReader(json, place)
        try self.init(taking: &fields, place: place)
        unrecognized = fields.rest
    }

    var json: JSONValue {
        var members = unrecognized
        members["keyids"] = .array(keyIDs.map { .string($0) })
        members["threshold"] = .integer(Int64(threshold))
        return .object(members)
    }

    /// Checks that enough keys of this role signed `payload` (§5.3.4, §5.4.2, …).
    ///
    /// Keys count by what they are, not by their identifier: one key under two identifiers is
    /// still one, so listing it twice cannot meet a threshold of two.
    func verify(
        _ payload: [UInt8], _ signatures: [MetadataSignature], keys: [String: TUFKey],
        role: String
    ) throws {
        let bySigner = Dictionary(signatures.map { ($0.keyID, $0) }) { first, _ in first }
        var signed: Set<[UInt8]> = []
        for id in keyIDs {
            guard let key = keys[id], let signature = bySigner[id],
                let material = key.verifyingKey?.derRepresentation,
                key.isValidSignature(signature.signature, for: payload)
            else { continue }
            signed.insert(material)
            if signed.count >= threshold { return }
        }
        throw TUFError(
            .signaturesInsufficient, role: role,
            "The metadata of role '\(role)' carries \(signed.count) of the \(threshold) valid "
                + "signatures that its delegator asks for.")
    }
}
