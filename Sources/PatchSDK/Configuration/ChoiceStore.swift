import Foundation
import PatchPlatform

/// What was chosen on this device while the app ran, on top of its configuration.
struct Choices: Codable, Equatable, Sendable {
    /// Version of the form.
    var v = 1
    /// The channel chosen instead of the configured one.
    var channel: String?
    /// Tags of the tests that were joined.
    var tags: Set<String> = []
    /// When a mandatory update last interrupted the user, in seconds since 1970.
    var lastInterruption: Double?

    enum CodingKeys: String, CodingKey {
        case v, channel, tags
        case lastInterruption = "last_interruption"
    }

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
            let choices = try? JSONDecoder().decode(Choices.self, from: Data(bytes)),
            choices.v == 1
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
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try files.writeAtomically([UInt8](try encoder.encode(choices)), to: Self.fileName)
        } catch {
            throw PatchError(.stateUnwritable, "\(error)")
        }
        return choices
    }
}
