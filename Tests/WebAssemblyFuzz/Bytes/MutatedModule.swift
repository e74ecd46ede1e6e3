import WebAssembly

/// A mutant of a generated module or of one of `corpus`; all of it follows from the seed, the
/// number and the corpus.
public struct MutatedModule: Sendable {
    /// The mutant.
    public let bytes: [UInt8]

    /// Makes mutant `number` of `seed`.
    public init(seed: UInt64, number: UInt64, corpus: [[UInt8]]) {
        var dice = Dice(seed: seed ^ 0x6d75_7461_6e74, case: number)
        func base(_ dice: inout Dice) -> [UInt8] {
            if corpus.isEmpty || dice.once(in: 2) {
                let made = FuzzCase(seed: seed, number: UInt64(dice.below(1 << 30)))
                return dice.pick(made.modules)
            }
            return dice.pick(corpus)
        }
        let first = base(&dice)
        let second = base(&dice)
        var mutator = ByteMutator(dice: dice)
        bytes = mutator.mutate(first, with: second)
    }
}

/// What our engine says of untrusted bytes.
public struct Verdict: Equatable, Sendable {
    /// Whether the module is valid.
    public var isValid: Bool
    /// The name of the refusal, or `valid`.
    public var code: String
    /// What must never happen.
    public var defects: [String]
}

/// Takes untrusted bytes as far as they go: decodes, validates, instantiates with imports that are
/// made to fit, calls every export. Bounded in fuel, time, memory and tables.
public struct UntrustedRunner {
    private static let engine = Engine(
        configuration: EngineConfiguration(
            defaultLimits: CallLimits(fuel: 20_000, timeoutNanoseconds: 2_000_000_000),
            maximumMemoryBytes: 4 << 20, maximumTableElements: 10_000, stackBytes: 64 << 10))

    /// Runs the module.
    public static func run(_ bytes: [UInt8]) -> Verdict {
        var verdict = Verdict(isValid: false, code: "valid", defects: [])
        do {
            let module = try parseWasm(bytes: bytes)
            var refusal: (any Error)?
            do { try module.validate() } catch { refusal = error }
            verdict.isValid = refusal == nil
            // Also without validation: functions are then refused at their first call.
            do {
                try use(module)
            } catch {
                if refusal == nil, isRefusal(error) {
                    verdict.defects.append("valid as a whole, refused when called: \(error)")
                } else if !isKnown(error) {
                    verdict.defects.append("\(type(of: error)): \(error)")
                }
            }
            if let refusal { throw refusal }
        } catch let error as WasmDecodingError {
            verdict.code = error.code
        } catch let error as WasmValidationError {
            verdict.code = error.code
        } catch let error as WasmUnsupportedProposal {
            verdict.code = "unsupported: \(error.proposal)"
        } catch {
            verdict.code = "unknown"
            verdict.defects.append("\(type(of: error)): \(error)")
        }
        return verdict
    }

    private static func isRefusal(_ error: any Error) -> Bool {
        error is WasmDecodingError || error is WasmValidationError
            || error is WasmUnsupportedProposal
    }

    private static func isKnown(_ error: any Error) -> Bool {
        isRefusal(error) || error is Trap || error is WasmLinkError || error is WasmUsageError
    }

    private static func use(_ module: Module) throws {
        let store = Store(engine: engine)
        var imports = Imports()
        for entry in module.imports {
            imports.define(module: entry.module, name: entry.name, try provide(entry, store))
        }
        let instance = try module.instantiate(store: store, imports: imports)
        for (_, export) in instance.exports.prefix(50) {
            guard case .function(let function) = export else { continue }
            do {
                try function.invoke(function.type.parameters.map(Value.zero))
            } catch {
                if !(error is Trap) { throw error }
            }
        }
    }

    private static func provide(_ entry: ImportType, _ store: Store) throws -> ExternalValue {
        switch entry.kind {
        case .function(let type):
            return .function(
                Function(store: store, parameters: type.parameters, results: type.results) {
                    _, _ in type.results.map(Value.zero)
                })
        case .memory(let type): return .memory(try Memory(store: store, type: type))
        case .table(let type): return .table(try Table(store: store, type: type))
        case .global(let type):
            return .global(
                try Global(store: store, value: .zero(type.value), isMutable: type.isMutable))
        }
    }
}
