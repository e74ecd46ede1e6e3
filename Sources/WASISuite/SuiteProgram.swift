import Foundation

/// One program of the WebAssembly organisation's wasi-testsuite, with what it is given and what it
/// must do (the suite's `doc/specification.md`).
public struct SuiteProgram: Sendable {
    /// Language and file name, for example `rust/fd_readdir`.
    public let name: String
    /// The module.
    public let file: URL
    /// The program's arguments, without its name.
    public var arguments: [String] = []
    /// Its environment.
    public var environment: [String: String] = [:]
    /// The folder that it is given as its root; nil for none.
    public var root: URL?
    /// The exit code that it must end with.
    public var exitCode: UInt32 = 0
    /// What it must print, by stream; a stream that is not named is not compared.
    public var printed: [String: String] = [:]
    /// An operation that the runner must do and does not know.
    public var unknownOperation: String?

    /// Finds the programs below a checkout of the suite's branch with built programs, in the order
    /// of their names.
    /// - Throws: ``SuiteError`` when there are none or a description cannot be read.
    public static func all(below folder: URL) throws -> [SuiteProgram] {
        guard
            let walk = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        else { throw SuiteError.noPrograms(folder: folder.path) }
        let files = walk.compactMap { $0 as? URL }.filter {
            $0.pathExtension == "wasm" && $0.path.contains("/wasm32-wasip")
        }
        guard !files.isEmpty else { throw SuiteError.noPrograms(folder: folder.path) }
        return try files.map(SuiteProgram.init).sorted { $0.name < $1.name }
    }

    /// Reads the description that lies beside a module, if there is one.
    /// - Throws: ``SuiteError``.
    public init(_ file: URL) throws {
        self.file = file
        name = Self.language(of: file) + "/" + file.deletingPathExtension().lastPathComponent
        let description = file.deletingPathExtension().appendingPathExtension("json")
        guard FileManager.default.fileExists(atPath: description.path) else { return }
        do {
            let text = try Data(contentsOf: description)
            try read(try JSONDecoder().decode(Description.self, from: text))
        } catch let error as SuiteError {
            throw error
        } catch {
            throw SuiteError.unreadable(file: description.path, why: "\(error)")
        }
    }

    /// `tests/rust/testsuite/wasm32-wasip1/x.wasm` → `rust`; of a later preview `rust-wasip3`.
    private static func language(of file: URL) -> String {
        let folders = file.deletingLastPathComponent().pathComponents
        let language = folders.last { !$0.hasPrefix("wasm32-") && $0 != "testsuite" } ?? "?"
        let target = folders.last { $0.hasPrefix("wasm32-") } ?? ""
        return target == "wasm32-wasip1" ? language : language + target.dropFirst("wasm32".count)
    }

    // MARK: - The suite's descriptions

    /// Both forms: the flat one and the list of operations.
    private struct Description: Decodable {
        struct Operation: Decodable {
            let type: String
            let args: [String]?
            let env: [String: String]?
            let root: String?
            let exit_code: UInt32?
            let id: String?
            let payload: String?
        }
        let args: [String]?
        let env: [String: String]?
        let root: String?
        let exit_code: UInt32?
        let stdout: String?
        let stderr: String?
        let operations: [Operation]?
    }

    private mutating func read(_ description: Description) throws {
        take(description.args, description.env, description.root, description.exit_code)
        printed["stdout"] = description.stdout
        printed["stderr"] = description.stderr
        for operation in description.operations ?? [] {
            switch operation.type {
            case "run", "wait":
                take(operation.args, operation.env, operation.root, operation.exit_code)
            case "read":
                printed[operation.id ?? "stdout", default: ""] += operation.payload ?? ""
            default: unknownOperation = operation.type
            }
        }
    }

    private mutating func take(
        _ args: [String]?, _ env: [String: String]?, _ folder: String?, _ code: UInt32?
    ) {
        if let args { arguments = args }
        if let env { environment = env }
        if let folder { root = file.deletingLastPathComponent().appendingPathComponent(folder) }
        if let code { exitCode = code }
    }
}

/// Why the suite could not be run.
public enum SuiteError: Error, CustomStringConvertible {
    /// The folder holds no program.
    case noPrograms(folder: String)
    /// A description is not what the suite's documentation says.
    case unreadable(file: String, why: String)
    /// The list of expected results is malformed.
    case badList(line: Int, why: String)

    /// A stable name for the failure.
    public var code: String {
        switch self {
        case .noPrograms: "wasi_suite_empty"
        case .unreadable: "wasi_suite_unreadable"
        case .badList: "wasi_suite_list"
        }
    }

    /// The failure as a sentence.
    public var description: String {
        switch self {
        case .noPrograms(let folder):
            "'\(folder)' holds no program (*.wasm in a folder wasm32-wasip…); name a "
                + "checkout of the wasi-testsuite's branch prod/testsuite-base"
        case .unreadable(let file, let why): "'\(file)' is no description of a program: \(why)"
        case .badList(let line, let why): "line \(line) of the list of results: \(why)"
        }
    }
}
