import Foundation
import WebAssembly

/// Runs the commands of one script, in order, in a store of its own.
///
/// Nothing is skipped: a command that the runner does not know is a failure.
public struct SpecRunner {
    private let folder: URL
    private let store: Store
    private var imports: Imports
    private var latest: Instance?
    private var named: [String: Instance] = [:]
    private var report: SpecFileReport

    /// Runs a script and says what became of it.
    /// - Parameter observer: is told of every call.
    /// - Throws: ``SpecError`` when the script cannot be read; failing commands are reported.
    public static func run(
        _ file: URL, observer: (any CallObserver)? = nil
    ) throws -> SpecFileReport {
        let script = try SpecScript(contentsOf: file)
        var runner = try SpecRunner(script, file: file, observer: observer)
        for command in script.commands { runner.run(command) }
        return runner.report
    }

    /// Runs one `.json` file, or all that lie in a folder, by name.
    /// - Throws: ``SpecError`` when there is nothing to run.
    public static func runAll(
        _ location: URL, progress: (SpecFileReport) -> Void = { _ in }
    ) throws -> SpecSuiteReport {
        var reports: [SpecFileReport] = []
        for file in try scripts(in: location) {
            let report = try run(file)
            progress(report)
            reports.append(report)
        }
        return SpecSuiteReport(files: reports)
    }

    private static func scripts(in location: URL) throws -> [URL] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: location.path, isDirectory: &isFolder),
            isFolder.boolValue
        else { return [location] }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: location.path)) ?? []
        let names = files.filter { $0.hasSuffix(".json") }.sorted()
        guard !names.isEmpty else { throw SpecError.noScripts(folder: location.path) }
        return names.map { location.appendingPathComponent($0) }
    }

    private init(
        _ script: SpecScript, file: URL, observer: (any CallObserver)?
    ) throws {
        folder = file.deletingLastPathComponent()
        store = Store(engine: Engine(), observer: observer)
        imports = Imports()
        report = SpecFileReport(file: file.lastPathComponent, counted: script.assertionCount)
        try SpecTestModule.define(in: &imports, store: store)
    }

    // MARK: - Commands

    private mutating func run(_ command: SpecCommand) {
        do {
            try perform(command)
            if command.isCountedAssertion { report.passed += 1 }
        } catch {
            report.failures.append(
                SpecFailure(
                    file: report.file, line: command.line, command: command.type,
                    expected: command.wanted,
                    got: (error as? Mismatch)?.got ?? "\(SpecOutcome(error))"))
        }
    }

    private mutating func perform(_ command: SpecCommand) throws {
        if command.isText { return }
        switch command.type {
        case "module":
            latest = nil
            if let name = command.name { named[name] = nil }
            let instance = try instantiate(command)
            latest = instance
            if let name = command.name { named[name] = instance }
        case "module_definition":
            try load(command).validate()
        case "register":
            imports.define(
                module: command.registeredName ?? "", try instance(command.name).exports)
        case "action":
            _ = try act(command)
        case "assert_return":
            try check(try act(command), against: command.expected ?? [])
        case "assert_trap", "assert_exhaustion":
            try expectTrap(command) { try act(command) }
        case "assert_uninstantiable":
            try expectTrap(command) { try instantiate(command) }
        case "assert_invalid", "assert_malformed":
            try expect(.refused, "accepted") { try load(command).validate() }
        case "assert_unlinkable":
            try expect(.unlinkable, "linked") { try instantiate(command) }
        default:
            throw Mismatch(got: "a command that the runner does not know")
        }
    }

    private func load(_ command: SpecCommand) throws -> Module {
        guard let name = command.filename else { throw Mismatch(got: "no file name") }
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        return try parseWasm(bytes: [UInt8](data))
    }

    private func instantiate(_ command: SpecCommand) throws -> Instance {
        let module = try load(command)
        // All bodies are checked here: validation that waits for the first call would let a
        // valid module that we wrongly refuse pass unseen.
        try module.validate()
        return try module.instantiate(store: store, imports: imports)
    }

    private func instance(_ name: String?) throws -> Instance {
        if let name {
            guard let found = named[name] else { throw Mismatch(got: "no module \(name)") }
            return found
        }
        guard let latest else { throw Mismatch(got: "no module") }
        return latest
    }

    private func act(_ command: SpecCommand) throws -> [Value] {
        guard let action = command.action else { throw Mismatch(got: "no action") }
        let exports = try instance(action.module).exports
        switch action.type {
        case "invoke":
            guard let function = exports[function: action.field] else {
                throw Mismatch(got: "no exported function '\(action.field)'")
            }
            let arguments = try (action.args ?? []).map { constant in
                guard let value = constant.argument else {
                    throw Mismatch(got: "an argument that the runner cannot make: \(constant)")
                }
                return value
            }
            return try function.invoke(arguments)
        case "get":
            guard let global = exports[global: action.field] else {
                throw Mismatch(got: "no exported global '\(action.field)'")
            }
            return [global.value]
        default:
            throw Mismatch(got: "an action that the runner does not know: \(action.type)")
        }
    }

    // MARK: - Checks

    private func check(_ results: [Value], against wanted: [SpecConstant]) throws {
        let fits =
            results.count == wanted.count && zip(wanted, results).allSatisfy { $0.matches($1) }
        if !fits { throw Mismatch(got: "\(results)") }
    }

    private func expectTrap<T>(_ command: SpecCommand, _ body: () throws -> T) throws {
        let outcome = try outcome(of: body) { "no trap but \($0)" }
        guard outcome.kind == .trap, outcome.says(command.text ?? "") else {
            throw Mismatch(got: "\(outcome)")
        }
    }

    private func expect<T>(
        _ wanted: SpecOutcome.Kind, _ otherwise: String, _ body: () throws -> T
    ) throws {
        let outcome = try outcome(of: body) { _ in otherwise }
        guard outcome.kind == wanted else { throw Mismatch(got: "\(outcome)") }
    }

    /// What `body` ended with, which has to be an error of the engine.
    private func outcome<T>(
        of body: () throws -> T, otherwise: (T) -> String
    ) throws -> SpecOutcome {
        let result: T
        do {
            result = try body()
        } catch let error as Mismatch {
            throw error
        } catch {
            return SpecOutcome(error)
        }
        throw Mismatch(got: otherwise(result))
    }
}

/// What a command did instead of what its script wants.
struct Mismatch: Error {
    var got: String
}

extension SpecCommand {
    /// What the command wants, for a failure's message.
    var wanted: String {
        switch type {
        case "assert_return": "\(expected ?? [])"
        case "assert_trap", "assert_exhaustion", "assert_uninstantiable":
            "trap '\(text ?? "")'"
        case "assert_invalid", "assert_malformed", "assert_unlinkable":
            "refusal '\(text ?? "")'"
        default: "no error"
        }
    }
}
