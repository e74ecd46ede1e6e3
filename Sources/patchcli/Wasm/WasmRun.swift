import CommandLineKit
import Foundation
import WebAssembly
import WebAssemblyWASI

/// One run of a module from a file: loads, links, calls.
struct WasmRun {
    var path: String
    /// The export to call; nil runs `_start`.
    var export: String?
    /// Arguments of the export, or of the program.
    var words: [String] = []
    /// The program's environment, each `name=value`.
    var variables: [String] = []
    var fuel: UInt64?
    var timeoutSeconds: Double?
    /// Where the guest's standard output goes.
    var printed = FileHandle.standardOutput
    /// A file of names; nil looks for one beside the module.
    var debug: String?
    /// How the run is looked at.
    var observation = RunObservation.Kind.none

    init(path: String) { self.path = path }

    struct Outcome: Encodable {
        struct Result: Encodable {
            let type: String
            let value: String
        }
        let exit: UInt32
        let results: [Result]
        /// With `--profile`, most expensive functions first.
        var profile: [RunObservation.Line]?
    }

    /// Runs.
    /// - Throws: ``CommandFailure`` for whatever went wrong.
    func perform(_ console: Console) throws -> Outcome {
        let file = try WasmFile(path: path)
        let names = try FunctionNames(of: file.module, file.bytes, path: path, debug: debug)
        if let remark = names.remark { console.warn(remark) }
        let observation = RunObservation(observation, names: names, console: console)
        let result = Result {
            try WasmFailure.explaining(path, file.bytes, names: names) {
                do {
                    return try run(file.module, observation)
                } catch let exit as WASIExit {
                    // A library may end itself, from `_initialize` or the export, as a program does.
                    return Outcome(exit: exit.code, results: [])
                }
            }
        }
        // What was seen is wanted most when the run went wrong.
        try observation.finish()
        var outcome = try result.get()
        outcome.profile = observation.lines
        return outcome
    }

    private func run(_ module: Module, _ observation: RunObservation) throws -> Outcome {
        let limits = CallLimits(
            fuel: fuel, timeoutNanoseconds: timeoutSeconds.map { UInt64($0 * 1e9) })
        let store = Store(
            engine: Engine(configuration: EngineConfiguration(defaultLimits: limits)),
            observer: observation.observer)
        observation.began(in: store)
        let wasi = try system()
        var imports = Imports()
        wasi.link(to: &imports, store: store)
        try checkImports(of: module, against: imports)
        // What the command line says is checked before anything of the module runs.
        let call = try export.map { try prepareCall($0, in: module) }
        if call == nil { try checkProgram(module) }
        let instance = try module.instantiate(store: store, imports: imports)
        guard let call, let function = instance.exports[function: call.name] else {
            return Outcome(exit: try wasi.start(instance), results: [])
        }
        try wasi.initialize(instance)
        let results = try function.invoke(call.arguments)
        return Outcome(
            exit: 0,
            results: results.map {
                .init(type: "\($0.type)".lowercased(), value: WasmText.text($0))
            })
    }

    private func system() throws -> WASIBridgeToHost {
        var host = WASIHost()
        let printed = printed
        host.standardOutput = { try? printed.write(contentsOf: Data($0)) }
        host.standardError = { try? FileHandle.standardError.write(contentsOf: Data($0)) }
        host.standardInput = { limit in
            (try? FileHandle.standardInput.read(upToCount: limit)).flatMap { $0 }.map(Array.init)
                ?? []
        }
        host.maximumSleep = timeoutSeconds.map { UInt64($0 * 1e9) } ?? .max
        var environment: [String: String] = [:]
        for variable in variables {
            guard let split = variable.firstIndex(of: "=") else { continue }
            environment[String(variable[..<split])] = String(
                variable[variable.index(after: split)...])
        }
        let name = URL(fileURLWithPath: path).lastPathComponent
        return try WASIBridgeToHost(
            args: export == nil ? [name] + words : [name], environment: environment, host: host,
            fileSystem: WASIFileSystem())
    }

    private func checkImports(of module: Module, against imports: Imports) throws {
        let missing = module.imports.filter { imports[$0.module, $0.name] == nil }
        guard !missing.isEmpty else { return }
        let names = missing.prefix(10).map { "\($0.module).\($0.name)" }
        let more = missing.count > names.count ? " and \(missing.count - names.count) more" : ""
        throw CommandFailure(
            "unknown_import",
            "'\(path)' imports what nobody provides: \(names.joined(separator: ", "))\(more)",
            why: "`wasm run` provides WASI preview 1 (\(WASIBridgeToHost.moduleName)) only. An "
                + "import from 'env' is mostly a C or Swift symbol that was not linked in.",
            exit: .dataError)
    }

    private func checkProgram(_ module: Module) throws {
        guard module.functionType(of: "_start") == nil else { return }
        throw CommandFailure(
            "not_a_command", "'\(path)' has no `_start` to run",
            why: "It is a library (reactor). \(module.exportedFunctions)",
            fix: "patchcli wasm run \(path) --invoke NAME ARGUMENT…", exit: .dataError)
    }

    private func prepareCall(
        _ name: String, in module: Module
    ) throws -> (name: String, arguments: [Value]) {
        guard let type = module.functionType(of: name) else {
            guard module.functionType(of: "_start") == nil else {
                throw CommandFailure(
                    "command_module", "'\(path)' exports no function '\(name)'",
                    why: "It is a command module: it has a `_start` that runs once, and "
                        + "\(module.exportedFunctions.lowercasedFirst) "
                        + "Build it as a library and keep the export.",
                    fix: "link with -Xclang-linker -mexec-model=reactor "
                        + "-Xlinker --export=\(name)",
                    exit: .dataError)
            }
            throw CommandFailure(
                "no_such_export", "'\(path)' exports no function '\(name)'",
                why: module.exportedFunctions, exit: .dataError)
        }
        guard words.count == type.parameters.count else {
            throw CommandFailure(
                "wrong_argument_count",
                "'\(name)' takes \(type.parameters.count) arguments, \(words.count) were given",
                why: "Its type is \(type).", exit: .usage)
        }
        let arguments = try zip(words, type.parameters).map { word, type in
            guard let value = WasmText.value(word, as: type) else {
                throw CommandFailure(
                    "wrong_argument", "'\(word)' is not a value of type \(type)", exit: .usage)
            }
            return value
        }
        return (name, arguments)
    }
}

extension Module {
    fileprivate func functionType(of name: String) -> FunctionType? {
        for export in exports where export.name == name {
            if case .function(let type) = export.kind { return type }
        }
        return nil
    }

    fileprivate var exportedFunctions: String {
        let names = exports.filter { if case .function = $0.kind { true } else { false } }
            .map(\.name)
        if names.isEmpty { return "It exports no function." }
        let more = names.count > 12 ? " and \(names.count - 12) more" : ""
        return "It exports \(names.prefix(12).joined(separator: ", "))\(more)."
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
