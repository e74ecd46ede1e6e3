import WebAssembly

/// An error of the engine, in the suite's terms.
struct SpecOutcome: CustomStringConvertible {
    enum Kind: Equatable {
        case trap
        case malformed
        case invalid
        case unlinkable
        case other

        /// What the modules of a command are refused as.
        init(refusal command: String) {
            switch command {
            case "assert_malformed": self = .malformed
            case "assert_invalid": self = .invalid
            case "assert_unlinkable": self = .unlinkable
            default: self = .other
            }
        }
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
            kind = .malformed
            message = error.message
        case let error as WasmValidationError:
            kind = .invalid
            message = error.message
        case let error as WasmLinkError:
            kind = .unlinkable
            message = error.message
        // An opcode of no known proposal is malformed; one of a known proposal we refuse by name,
        // which a suite that predates the proposal counts as the same.
        case let error as WasmUnsupportedProposal:
            kind = .malformed
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
