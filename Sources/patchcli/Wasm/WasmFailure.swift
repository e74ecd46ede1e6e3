import CommandLineKit
import WebAssembly
import WebAssemblyWASI

/// Says what the engine's errors mean for the person who named a file.
enum WasmFailure {
    /// Runs `body`; what the engine throws becomes a ``CommandFailure``, frames named by `names`.
    static func explaining<T>(
        _ path: String, _ bytes: [UInt8], names: FunctionNames? = nil, _ body: () throws -> T
    ) throws -> T {
        do {
            return try body()
        } catch let error as WasmDecodingError {
            throw CommandFailure(
                error.code, "'\(path)' is not a valid WebAssembly module: \(error.message)",
                why: looksLike(bytes) ?? "Noticed at byte \(error.offset) of \(bytes.count).",
                exit: .dataError)
        } catch let error as WasmValidationError {
            let function = error.function.map { " in function \($0)" } ?? ""
            throw CommandFailure(
                error.code, "'\(path)' is not a valid WebAssembly module: \(error.message)",
                why: "Noticed at byte \(error.offset)\(function).", exit: .dataError)
        } catch let error as WasmUnsupportedProposal {
            throw CommandFailure(
                error.code, "'\(path)' needs the WebAssembly proposal '\(error.proposal)'",
                why: "The engine does not have it (used at byte \(error.offset)). "
                    + "Build the module without that feature.",
                exit: .dataError)
        } catch let error as WasmLinkError {
            throw CommandFailure(
                error.code, "'\(path)' cannot be linked: \(error.message)", exit: .dataError)
        } catch let trap as Trap {
            throw CommandFailure(
                trap.code, "trap: \(trap.reason.message)", why: frames(of: trap, names),
                exit: .software)
        } catch let error as WasmUsageError {
            throw CommandFailure(error.code, error.message, exit: .usage)
        } catch let error as WASIError {
            throw CommandFailure(error.code, error.description, exit: .usage)
        }
    }

    /// The innermost frames, one a line.
    private static func frames(of trap: Trap, _ names: FunctionNames?) -> String? {
        guard !trap.backtrace.isEmpty else { return nil }
        let frames = trap.backtrace.prefix(12)
        let shown = names?.describe(frames) ?? frames.map { "in \($0)" }
        let more = trap.backtrace.count - shown.count
        return (shown + (more > 0 ? ["and \(more) more frames"] : [])).joined(separator: "\n")
    }

    /// What a file that is no module looks like instead.
    private static func looksLike(_ bytes: [UInt8]) -> String? {
        if bytes.isEmpty { return "The file is empty." }
        if bytes.starts(with: [0, 0x61, 0x73, 0x6d]) {
            // Version and layer, of which components have layer 1.
            if bytes.count >= 8, bytes[6] == 1 {
                return "It is a WebAssembly component; only core modules can be run."
            }
            return nil
        }
        if bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46]) {
            return "It is a native (ELF) file, so it was not built for WebAssembly."
        }
        if bytes.starts(with: Array("(module".utf8)) {
            return "It is a module in text form; turn it into a binary with wat2wasm."
        }
        let start = bytes.prefix(4).map { hex($0) }.joined(separator: " ")
        return "A module starts with 00 61 73 6d; this file starts with \(start)."
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
