/// The bytes are not a WebAssembly module.
public struct WasmDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name of the failure, in snake case.
    public let code: String
    /// What is wrong, as a sentence; begins with the words of the specification's test suite.
    public let message: String
    /// Where in the module the failure was noticed, in bytes from its start.
    public let offset: Int

    /// The failure as one line.
    public var description: String { "\(message) (\(code), at byte \(offset))" }
}

/// The module is well formed but breaks a rule of validation (core specification, chapter 3).
public struct WasmValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name of the failure, in snake case.
    public let code: String
    /// What is wrong, as a sentence; begins with the words of the specification's test suite.
    public let message: String
    /// Where in the module the failure was noticed, in bytes from its start.
    public let offset: Int
    /// The function in which it was noticed (index in the module's function space), if any.
    public let function: Int?

    /// A failure that this engine or an adapter of another found.
    package init(code: String, message: String, offset: Int, function: Int?) {
        self.code = code
        self.message = message
        self.offset = offset
        self.function = function
    }

    /// The failure as one line.
    public var description: String {
        "\(message) (\(code), at byte \(offset)\(function.map { ", function \($0)" } ?? ""))"
    }
}

/// An import is absent or does not fit, or an initial segment lies outside its table or memory.
public struct WasmLinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name of the failure, in snake case.
    public let code: String
    /// What is wrong, as a sentence; begins with the words of the specification's test suite.
    public let message: String

    /// A failure that this engine or an adapter of another found.
    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// The failure as one line.
    public var description: String { "\(message) (\(code))" }
}

/// The module uses a proposal that this engine does not implement.
public struct WasmUnsupportedProposal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the proposal, as in the WebAssembly proposals repository.
    public let proposal: String
    /// Where in the module it is used, in bytes from its start.
    public let offset: Int

    /// Always `unsupported_proposal`.
    public var code: String { "unsupported_proposal" }
    /// What is wrong, as a sentence.
    public var message: String {
        "the module uses the WebAssembly proposal '\(proposal)', which is not supported; "
            + "build it without that feature"
    }
    /// The failure as one line.
    public var description: String { "\(message) (\(code), at byte \(offset))" }
}

/// The host used the interface wrongly, for example called a function with the wrong arguments.
public struct WasmUsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name of the failure, in snake case.
    public let code: String
    /// What is wrong, as a sentence.
    public let message: String

    /// A failure that this engine or an adapter of another found.
    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// The failure as one line.
    public var description: String { "\(message) (\(code))" }
}

/// `unexpected end of section` → `unexpected_end_of_section`.
private func slug(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
        if scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
            out.unicodeScalars.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        } else if !out.hasSuffix("_") {
            out += "_"
        }
    }
    return out.hasSuffix("_") ? String(out.dropLast()) : out
}

extension WasmDecodingError {
    /// An error whose code is its text.
    init(_ text: String, offset: Int) {
        self.init(code: slug(text), message: text, offset: offset)
    }
}

extension WasmValidationError {
    /// An error whose code is its text; `detail` is added to the message.
    init(_ text: String, _ detail: String = "", offset: Int, function: Int? = nil) {
        self.init(
            code: slug(text), message: detail.isEmpty ? text : "\(text): \(detail)",
            offset: offset, function: function)
    }
}

extension WasmLinkError {
    /// An error whose code is its text; `detail` is added to the message.
    init(_ text: String, _ detail: String = "") {
        self.init(code: slug(text), message: detail.isEmpty ? text : "\(text): \(detail)")
    }
}
