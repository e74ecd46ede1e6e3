import WebAssembly

/// An error of the engine, in the suite's terms.
struct SpecOutcome: CustomStringConvertible {
    enum Kind: Equatable {
        case trap
        /// The module was refused before anything of it ran: not decodable, not valid, or in need
        /// of a proposal that the engine refuses by name.
        case refused
        case unlinkable
        case other
    }

    let kind: Kind
    let description: String
    private let message: String

    init(_ error: any Error) {
        description = "\(type(of: error)): \(error)"
        switch error {
        case let trap as Trap:
            kind = .trap
            message = trap.reason.message
        case let error as WasmDecodingError:
            kind = .refused
            message = error.message
        case let error as WasmValidationError:
            kind = .refused
            message = error.message
        case let error as WasmUnsupportedProposal:
            kind = .refused
            message = error.message
        case let error as WasmLinkError:
            kind = .unlinkable
            message = error.message
        default:
            kind = .other
            message = "\(error)"
        }
    }

    /// Whether the error carries the message that the suite wants. The suite sometimes adds a
    /// detail, the index of an element for example.
    func says(_ text: String) -> Bool {
        message.hasPrefix(text) || text.hasPrefix(message)
    }
}
