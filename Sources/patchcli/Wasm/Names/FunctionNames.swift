import CommandLineKit
import Foundation
import PatchCompiler
import PatchCrypto
import WebAssembly

/// What a module's functions are called: by its own name section or exports, or by the debug file
/// that was kept when it was built.
struct FunctionNames {
    private let names: [Int: String]
    private let lines: LineTable?
    /// Where the contents of the code section begin, from which line tables count.
    private let codeStart: Int
    /// Why the debug file beside the module was not used; nil when it was or there is none.
    let remark: String?
    /// The debug file that gave names.
    let debugFile: String?

    /// - Parameter debug: the debug file; nil looks for `<module>.debug` beside the module.
    /// - Throws: ``CommandFailure`` for a named debug file that cannot be read (66) or is of another
    ///   module (65).
    init(of module: Module, _ bytes: [UInt8], path: String, debug: String?) throws {
        var names = module.functionNames
        var sections = module.customSections
        var remark: String?
        var used: String?
        do {
            if let found = try Self.read(debug, beside: path, bytes) {
                names.merge(found.module.functionNames) { _, kept in kept }
                sections = found.module.customSections
                used = found.path
            }
        } catch let failure as CommandFailure where debug == nil {
            remark = failure.what
        }
        self.names = names
        lines = LineTable(sections)
        codeStart = module.layout.codeStart ?? 0
        self.remark = remark
        debugFile = used
    }

    /// The name of a function as people write it; `function 12` when it has none.
    subscript(_ index: Int) -> String {
        names[index].map(SwiftNames.readable) ?? "function \(index)"
    }

    /// The frames of a trap as lines: the function, the line of its source where a line table has
    /// it, and the byte in the module.
    func describe(_ frames: some Collection<Trap.Frame>) -> [String] {
        let places = lines?.places(of: frames.map { $0.offset - codeStart }) ?? [:]
        return frames.map { frame in
            let place =
                places[frame.offset - codeStart].map { " at \($0.file):\($0.line)," } ?? " at"
            return "in \(self[frame.function])\(place) byte \(frame.offset)"
        }
    }

    private static func read(
        _ named: String?, beside path: String, _ module: [UInt8]
    ) throws -> WasmFile? {
        let file = named ?? path + ".debug"
        if named == nil, !FileManager.default.fileExists(atPath: file) { return nil }
        let debug = try WasmFile(path: file)
        let digest = debug.module.customSections
            .first { $0.name == GuestModule.debugSectionName }?.bytes
        guard digest == nil || digest == SHA256.hash(module) else {
            throw CommandFailure(
                "debug_of_other_module", "'\(file)' is the debug file of another module",
                why: "It names the digest of the module that it was made with, and that is not "
                    + "'\(path)'.",
                fix: "patchcli build, and keep both files", exit: .dataError)
        }
        return debug
    }
}
