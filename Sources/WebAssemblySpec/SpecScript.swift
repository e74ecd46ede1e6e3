import Foundation

/// One file of the specification's test suite in the JSON form that wabt's `wast2json` writes.
///
/// The modules that its commands name lie beside it as `.wasm` files.
public struct SpecScript: Decodable, Sendable {
    /// The `.wast` file that this was made from.
    public var sourceFilename: String
    /// The commands in their order; each may depend on all that came before.
    public var commands: [SpecCommand]

    enum CodingKeys: String, CodingKey {
        case sourceFilename = "source_filename"
        case commands
    }

    /// Reads a script.
    /// - Throws: ``SpecError`` when the file is absent or is not such a script.
    public init(contentsOf file: URL) throws {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw SpecError.unreadable(file: file.path)
        }
        do {
            self = try JSONDecoder().decode(SpecScript.self, from: data)
        } catch {
            throw SpecError.notAScript(file: file.path, reason: "\(error)")
        }
    }

    /// How many assertions a runner of binary modules has to pass, by the script's own count:
    /// commands whose type starts with `assert_` and whose module is not given as text.
    public var assertionCount: Int { commands.filter(\.isCountedAssertion).count }
}

/// One command of a ``SpecScript``.
public struct SpecCommand: Decodable, Sendable {
    /// The verb, `module` or `assert_return` for example.
    public var type: String
    /// The line in the `.wast` file.
    public var line: Int
    /// The module's file, beside the script.
    public var filename: String?
    /// The name that later commands call the module by, `$M` for example.
    public var name: String?
    /// `binary` or `text`; text modules test a text parser, which an engine has none of.
    public var moduleType: String?
    /// What to do.
    public var action: SpecAction?
    /// The results wanted.
    public var expected: [SpecConstant]?
    /// The message of the trap or refusal wanted.
    public var text: String?
    /// The name to register exports under.
    public var registeredName: String?

    enum CodingKeys: String, CodingKey {
        case type, line, filename, name, action, expected, text
        case moduleType = "module_type"
        case registeredName = "as"
    }

    /// Whether this is one of the assertions that have to pass.
    public var isCountedAssertion: Bool { type.hasPrefix("assert_") && !isText }
    /// Whether the command's module is given as text.
    public var isText: Bool { moduleType == "text" }
}

/// A call of an exported function, or a read of an exported global.
public struct SpecAction: Decodable, Sendable {
    /// `invoke` or `get`.
    public var type: String
    /// The module's name; nil means the latest module.
    public var module: String?
    /// The export.
    public var field: String
    /// The arguments of `invoke`.
    public var args: [SpecConstant]?
}

/// Why a script could not be run at all.
public enum SpecError: Error, Equatable, CustomStringConvertible {
    /// The file cannot be read.
    case unreadable(file: String)
    /// The file is something else.
    case notAScript(file: String, reason: String)
    /// The folder holds nothing to run.
    case noScripts(folder: String)

    /// A stable name for the failure.
    public var code: String {
        switch self {
        case .unreadable: "spec_unreadable"
        case .notAScript: "spec_not_a_script"
        case .noScripts: "spec_no_scripts"
        }
    }

    /// The failure as a sentence.
    public var description: String {
        switch self {
        case .unreadable(let file):
            "cannot read '\(file)'; name a .json file of the suite, or a folder of them"
        case .notAScript(let file, let reason):
            "'\(file)' is not a script written by wast2json (\(reason)); "
                + "convert the .wast file with wast2json first"
        case .noScripts(let folder):
            "'\(folder)' holds no .json file; unpack the suite and name the folder it went to"
        }
    }
}
