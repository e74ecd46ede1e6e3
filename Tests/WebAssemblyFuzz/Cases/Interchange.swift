import Foundation
import WebAssembly

/// Cases as lines of JSON, for the runner on the other side (`Scripts/fuzz-differential.py`).
public enum Interchange {
    private struct Line: Encodable {
        struct Call: Encodable {
            let module: Int
            let function: String
            let arguments: [String]
        }
        let number: UInt64
        let modules: [String]
        let calls: [Call]
        let outcome: [String]
    }

    private struct VerdictLine: Encodable {
        let number: UInt64
        let bytes: String
        let valid: Bool
        let code: String
    }

    /// A case with what our engine made of it.
    public static func line(
        _ number: UInt64, _ fuzzCase: FuzzCase, _ outcome: CaseOutcome
    ) throws -> Data {
        try encode(
            Line(
                number: number, modules: fuzzCase.modules.map { Data($0).base64EncodedString() },
                calls: fuzzCase.calls.map {
                    .init(
                        module: $0.module, function: $0.function,
                        arguments: $0.arguments.map(\.text))
                },
                outcome: outcome.lines))
    }

    /// A mutant with our verdict.
    public static func line(
        _ number: UInt64, _ mutant: MutatedModule, _ verdict: Verdict
    ) throws -> Data {
        try encode(
            VerdictLine(
                number: number, bytes: Data(mutant.bytes).base64EncodedString(),
                valid: verdict.isValid, code: verdict.code))
    }

    private static func encode(_ line: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(line) + [0x0a]
    }
}
