import Foundation
import WebAssembly

/// What modules ask of the app's own Foundation, so that its answers in a module are those in the
/// app around it, with the locale and the time zone of the user.
///
/// A module asks with one encoded value, gets the length of the answer, makes room and takes it
/// (as with native functions). A question that is not as expected traps, and native code serves
/// the call; so does one that this device's Foundation would not survive.
final class FoundationAnswers {
    typealias Question =
        (inout MessagePackReader, inout MessagePackWriter) throws -> Void

    /// The longest question, in bytes.
    static let maximumBytes = 16 << 20

    /// The functions of capability `format` that take a question, by name.
    static let questions:
        [String: @Sendable (inout MessagePackReader, inout MessagePackWriter) throws -> Void] = [
            "format.url": URLAnswers.answer,
            "format.decimal": DecimalAnswers.answer,
            "format.text": TextAnswers.answer,
            "format.number": NumberAnswers.answer,
            "format.date": DateAnswers.answer,
        ]

    private var answer: [UInt8]?

    /// Answers a question.
    /// - Returns: the length of the answer.
    /// - Throws: ``PatchError`` `argument_mismatch`.
    func ask(_ question: Question, _ bytes: [UInt8]) throws -> Int {
        var reader = MessagePackReader(bytes)
        var writer = MessagePackWriter()
        do {
            try question(&reader, &writer)
            try reader.finish()
        } catch let error as MessagePackError {
            throw PatchError(.argumentMismatch, "\(error)")
        }
        answer = writer.bytes
        return writer.bytes.count
    }

    /// Copies the last answer to the module, once.
    func take(_ memory: Memory, at pointer: UInt64) throws {
        guard let bytes = answer else {
            throw PatchError(.argumentMismatch, "there is no answer")
        }
        answer = nil
        try memory.write(bytes, at: pointer)
    }

    /// A question that nobody asks who was built for this SDK.
    static func unknown(_ what: String) -> PatchError {
        PatchError(.argumentMismatch, "unknown \(what)")
    }
}
