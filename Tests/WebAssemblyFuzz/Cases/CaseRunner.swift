import WebAssembly

/// What became of a case, one line per event, in words that other engines can be asked for too.
public struct CaseOutcome: Equatable, Sendable {
    /// One line for each instantiation, call and final state.
    public var lines: [String]
    /// What must never happen, for instance a generated module that is refused.
    public var defects: [String]

    /// A short fingerprint of the lines.
    public var checksum: UInt32 { Checksum.crc32(Array(lines.joined(separator: "\n").utf8)) }
}

/// Runs a case on our engine.
public struct CaseRunner {
    private let store: Store
    private let recorder: CallRecorder?
    private var instances: [Instance] = []
    // Looked up once: some cases make thousands of calls.
    private var functions: [[String: Function]] = []
    private var fuel: [Global] = []
    private let notes = Notes()
    private var lines: [String] = []
    private var defects: [String] = []
    private var countsFuel = false

    private final class Notes { var value: UInt64 = 0 }

    /// Limits that no generated program reaches by itself.
    private static let limits = CallLimits(fuel: 50_000_000)

    /// Runs all of a case. With an observer, which must see what happens and change nothing.
    public static func run(_ fuzzCase: FuzzCase, observed: Bool = false) -> CaseOutcome {
        var runner = CaseRunner(observed ? CallRecorder() : nil, limits)
        runner.run(fuzzCase)
        return CaseOutcome(lines: runner.lines, defects: runner.defects)
    }

    #if DEBUG || OPENPATCH_MUTATION
        /// Runs a case that is sure to end without limits, and counts the fuel of each call.
        static func runCountingFuel(_ fuzzCase: FuzzCase) -> CaseOutcome {
            var runner = CaseRunner(nil, CallLimits())
            runner.countsFuel = true
            runner.run(fuzzCase)
            return CaseOutcome(lines: runner.lines, defects: runner.defects)
        }
    #endif

    private init(_ recorder: CallRecorder?, _ limits: CallLimits) {
        self.recorder = recorder
        store = Store(
            engine: Engine(
                configuration: EngineConfiguration(
                    defaultLimits: limits, maximumMemoryBytes: 16 << 20,
                    maximumTableElements: 10_000)), observer: recorder)
    }

    private mutating func run(_ fuzzCase: FuzzCase) {
        for bytes in fuzzCase.modules {
            guard instantiate(bytes) else { return finish() }
        }
        for call in fuzzCase.calls { make(call) }
        finish()
    }

    private mutating func instantiate(_ bytes: [UInt8]) -> Bool {
        let name = "instance \(instances.count)"
        do {
            let module = try parseWasm(bytes: bytes)
            try module.validate()
            keep(try module.instantiate(store: store, imports: imports()))
            lines.append("\(name) ok")
            return true
        } catch {
            lines.append("\(name) \(describe(error))")
            return false
        }
    }

    private mutating func keep(_ instance: Instance) {
        instances.append(instance)
        var named: [String: Function] = [:]
        for case (let name, .function(let function)) in instance.exports { named[name] = function }
        functions.append(named)
        if let global = instance.exports[global: "fuel"] { fuel.append(global) }
    }

    private func imports() -> Imports {
        var imports = Imports()
        for function in HostModule.functions {
            let notes = notes
            imports.define(
                module: HostModule.name, name: function.name,
                Function(
                    store: store, parameters: function.type.parameters,
                    results: function.type.results
                ) { _, arguments in
                    try function.body(arguments, &notes.value)
                })
        }
        if let before = instances.last { imports.define(module: "a", before.exports) }
        return imports
    }

    private mutating func make(_ call: FuzzCase.Call) {
        let name = "call \(call.module) \(call.function)"
        for global in fuel { try? global.set(.i32(FuzzCase.fuel)) }
        guard let function = functions[call.module][call.function] else {
            return defects.append("\(name): not exported")
        }
        recorder?.begin()
        do {
            let results = try function.invoke(call.arguments)
            if let recorder, !recorder.saw(call.arguments, results) {
                defects.append("\(name): the observer saw something else")
            }
            #if DEBUG || OPENPATCH_MUTATION
                if countsFuel { lines.append("fuel \(Handlers.fuelSpent(in: store))") }
            #endif
            lines.append(([name, "ok"] + results.map(\.text)).joined(separator: " "))
        } catch {
            lines.append("\(name) \(describe(error))")
        }
    }

    private mutating func describe(_ error: any Error) -> String {
        switch error {
        case let trap as Trap:
            if [.fuelExhausted, .instanceDead].contains(trap.reason) {
                defects.append("a program that must end by itself does not: \(trap.reason)")
            }
            return "trap \(trap.reason.kind)"
        case is HostModule.Failure: return "failed in the host"
        default:
            defects.append("\(error)")
            return "refused"
        }
    }

    /// What is left in memories, tables and globals.
    private mutating func finish() {
        lines.append("notes \(notes.value)")
        for (number, instance) in instances.enumerated() {
            for (name, value) in instance.exports {
                let prefix = "\(number) \(name)"
                switch value {
                case .function: continue
                case .global(let global): lines.append("\(prefix) \(global.value.text)")
                case .memory(let memory):
                    let sum = memory.withUnsafeMutableBufferPointer(
                        offset: 0, count: memory.byteCount
                    ) { Checksum.crc32($0) }
                    lines.append("\(prefix) \(memory.pageCount) pages \(sum)")
                case .table(let table):
                    var text = ""
                    for index in 0..<min(table.count, 40) {
                        guard let element = try? table.get(index) else { continue }
                        text += Value.ref(element).text == "ref:null" ? "-" : "x"
                    }
                    lines.append("\(prefix) \(table.count) elements \(text)")
                }
            }
        }
    }
}

extension TrapReason {
    /// The reason, as coarse as other engines tell it.
    var kind: String {
        switch self {
        case .undefinedElement, .outOfBoundsTableAccess: return "table_bounds"
        default: return code
        }
    }
}
