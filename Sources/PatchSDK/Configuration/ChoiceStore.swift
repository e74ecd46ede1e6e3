import PatchPlatform
import TUF

/// What was chosen on this device while the app ran, on top of its configuration.
struct Choices: Equatable, Sendable {
    /// Version of the form.
    var v = 1
    /// The channel chosen instead of the configured one.
    var channel: String?
    /// Tags of the tests that were joined.
    var tags: Set<String> = []
    /// When a mandatory update last interrupted the user, in seconds since 1970.
    var lastInterruption: Double?

    /// More tests than this are not joined at a time; the oldest names do not matter.
    static let maximumTags = 16
}

/// Keeps ``Choices`` beside the engine's state. What cannot be read counts as not chosen: it only
/// decides whom the device speaks for, never what it trusts.
struct ChoiceStore: Sendable {
    static let fileName = "choices.json"

    let files: any FileStore

    /// What is kept.
    func load() -> Choices {
        guard let bytes = try? files.read(Self.fileName, maximumSize: 16 << 10),
            let choices = try? Choices(parsing: bytes), choices.v == 1
        else { return Choices() }
        return choices
    }

    /// Changes what is kept.
    /// - Throws: ``PatchError`` `state_unwritable`.
    @discardableResult
    func change(_ body: (inout Choices) throws -> Void) throws -> Choices {
        var choices = load()
        let old = choices
        try body(&choices)
        guard choices != old else { return choices }
        do {
            try files.writeAtomically(choices.encoded(), to: Self.fileName)
        } catch {
            throw PatchError(.stateUnwritable, "\(error)")
        }
        return choices
    }
}

extension Choices {
    fileprivate init(parsing bytes: [UInt8]) throws {
        let json = try JSONValue(parsing: bytes, limits: DocumentFields.limits(16 << 10))
        let fields = try DocumentFields(json, "choices")
        v = try fields.integer("v")
        channel = try fields.optionalString("channel")
        tags = Set(try fields.strings("tags"))
        lastInterruption =
            try fields["last_interruption"] == nil ? nil : fields.seconds("last_interruption")
    }

    fileprivate func encoded() -> [UInt8] {
        DocumentFields.object([
            ("v", .integer(Int64(v))), ("channel", channel.map { .string($0) }),
            ("tags", .array(tags.sorted().map { .string($0) })),
            ("last_interruption", lastInterruption.map { DocumentFields.seconds($0) }),
        ]).encoded()
    }
}
