import Foundation
import ModuleABI

/// The text that `prepare` adds: files beside the developer's own, and blocks at the end of those
/// that hold what only they may name.
struct GeneratedFiles {
    static let surfaceFileName = "OpenPatchSurface.swift"
    /// Ends the name of the file with a module's table; names differ between modules.
    static let nativesFileSuffix = "+OpenPatchNatives.swift"
    /// Modules of an app that can have native functions for patches (`PATCH_NATIVE_TABLES`).
    static let maximumTables = 32

    static let header = """
        // Written by `patchcli prepare`; do not edit. \(Marks.generated)
        // swift-format-ignore-file
        // swiftlint:disable all
        import PatchSDK

        """

    private let tree: SourceTree
    private let scan: FunctionScanner.Scan
    private let gates: [UInt64: Int]
    /// The app's types that cross in some routed function, errors included.
    private let types: [ValueType]
    private let errors: [ValueType]

    init(_ tree: SourceTree, _ scan: FunctionScanner.Scan, gates: [UInt64: Int]) {
        self.tree = tree
        self.scan = scan
        self.gates = gates
        let all = scan.functions + scan.natives
        let throwsAnything = all.contains {
            if case .untyped = $0.throwing { true } else { false }
        }
        errors = throwsAnything ? scan.types.errors : []
        types = scan.types.reachable(
            from: all.flatMap(\.types) + scan.views.flatMap(\.types)
                + errors.map { .named($0.reference) })
    }

    /// The path of the file beside one of the app's.
    static func helperPath(for path: String) -> String {
        String(path.dropLast(".swift".count)) + "+OpenPatch.swift"
    }

    /// The file beside file `number`; nil when there is nothing to say.
    func helpers(ofFile number: Int) -> String? {
        let path = tree.files[number].path
        let functions = scan.functions.filter { $0.place.file == path }
        let types = types.filter { $0.file == number && !$0.isBoundToFile }
        let natives = natives(ofFile: number, bound: false)
        let views = scan.views.filter { $0.place.file == path }
        guard !functions.isEmpty || !types.isEmpty || !natives.isEmpty || !views.isEmpty else {
            return nil
        }
        var text = Self.header
        let mentioned =
            functions.filter { $0.home == .anywhere }.flatMap(\.types) + types.flatMap(\.contents)
            + natives.flatMap(\.types)
            + (functions.contains(where: throwsAnything)
                ? errors(ofFile: number).map { .named($0.reference) } : [])
        text += imports(mentioned, tree.files[number].module)
        for function in functions {
            text += "\n" + GateCode.gateVariable(function, gate: gates[function.id] ?? 0)
            if !isBoundToFile(function) { text += GateCode.call(function) }
        }
        for view in views {
            text += "\n" + ViewGateCode.gateVariable(view, gate: gates[view.id] ?? 0)
        }
        let mayThrow = functions.filter { throwsAnything($0) && !isBoundToFile($0) }
        if !mayThrow.isEmpty {
            text += "\n" + ErrorCode.decoder(errors(ofFile: number), file: path)
        }
        for type in types { text += "\n" + TypeCode.functions(type, on: .app) }
        for native in natives { text += "\n" + NativeCode.text(native) }
        if !natives.isEmpty {
            text += "\n" + NativeCode.finder(natives, named: Self.finder(path, bound: false))
        }
        let own = errors.filter { $0.file == number && $0.home == .anywhere }
        if !own.isEmpty {
            text += "\n" + NativeCode.errorWriter(own, named: Self.errorWriter(path, bound: false))
        }
        return text
    }

    private static func finder(_ path: String, bound: Bool) -> String {
        "op_natives_\(ErrorCode.suffix(path))" + (bound ? "_own" : "")
    }

    private static func errorWriter(_ path: String, bound: Bool) -> String {
        "op_errors_\(ErrorCode.suffix(path))" + (bound ? "_own" : "")
    }

    /// What modules may call of a file: what has to stand in it, or the rest.
    private func natives(ofFile number: Int, bound: Bool) -> [RoutableFunction] {
        let path = tree.files[number].path
        return scan.natives.filter {
            $0.place.file == path && NativeCode.isBoundToFile($0) == bound
        }
    }

    /// The tables of native functions, by the path of the file; one for each module that has some.
    func tables(_ configuration: ProjectConfiguration) -> [String: String] {
        var tables: [String: String] = [:]
        for (number, target) in configuration.sources.enumerated().prefix(Self.maximumTables) {
            var finders: [String] = []
            var writers: [String] = []
            for (index, file) in tree.files.enumerated() where file.module == target.module {
                for bound in [false, true] {
                    if !natives(ofFile: index, bound: bound).isEmpty {
                        finders.append(Self.finder(file.path, bound: bound))
                    }
                    if errors.contains(where: {
                        $0.file == index && ($0.home == .file) == bound && !$0.isNestedPrivate
                    }) {
                        writers.append(Self.errorWriter(file.path, bound: bound))
                    }
                }
            }
            guard !finders.isEmpty else { continue }
            tables["\(target.path)/\(target.module)\(Self.nativesFileSuffix)"] =
                Self.header + NativeCode.table(finders: finders, errors: writers, number: number)
        }
        return tables
    }

    /// What stands at the end of file `number` itself; nil for nothing.
    func block(ofFile number: Int) -> String? {
        let path = tree.files[number].path
        let functions = scan.functions.filter { $0.place.file == path && isBoundToFile($0) }
        let types = types.filter { $0.file == number && $0.isBoundToFile }
        let natives = natives(ofFile: number, bound: true)
        let views = scan.views.filter { $0.place.file == path }
        guard !functions.isEmpty || !types.isEmpty || !natives.isEmpty || !views.isEmpty else {
            return nil
        }
        var text = views.isEmpty ? "" : ViewGateCode.imports
        // Only what is used, so that no other name of the app changes its meaning.
        if !functions.isEmpty || !types.isEmpty { text += "import enum PatchSDK.PatchCall\n" }
        if functions.contains(where: \.takesObjects) {
            text += "import class PatchSDK.PatchFunction\n"
        }
        if !natives.isEmpty { text += "import enum PatchSDK.PatchNative\n" }
        text += "import struct PatchSDK.MessagePackReader\n"
        text += "import struct PatchSDK.MessagePackWriter\n"
        for function in functions { text += GateCode.call(function) }
        for view in views { text += ViewGateCode.call(view) }
        if functions.contains(where: throwsAnything) {
            text += ErrorCode.decoder(errors(ofFile: number), file: path)
        }
        for type in types { text += TypeCode.functions(type, on: .app) }
        for native in natives { text += NativeCode.text(native) }
        if !natives.isEmpty {
            text += NativeCode.finder(natives, named: Self.finder(path, bound: true))
        }
        let own = errors.filter { $0.file == number && $0.home == .file }
        if !own.isEmpty {
            text += NativeCode.errorWriter(own, named: Self.errorWriter(path, bound: true))
        }
        return text
    }

    private func throwsAnything(_ function: RoutableFunction) -> Bool {
        if case .untyped = function.throwing { true } else { false }
    }

    /// Errors that can be named on file level of a file.
    private func errors(ofFile number: Int) -> [ValueType] {
        let module = tree.files[number].module
        return errors.filter {
            let isNamed = $0.home == .anywhere || $0.home == .file && $0.file == number
            return isNamed
                && ($0.reference.module == module
                    || !$0.access.isEmpty
                        && scan.types.app.imports[number].contains($0.reference.module))
        }
    }

    private func isBoundToFile(_ function: RoutableFunction) -> Bool {
        if function.home != .anywhere { return true }
        // What may throw any error may throw one that only its file knows.
        return throwsAnything(function)
            && errors.contains {
                $0.home == .file && tree.files[$0.file].path == function.place.file
            }
    }

    private func imports(_ all: [ABIType], _ module: String) -> String {
        var modules = Set(all.flatMap(\.named).map(\.module)).subtracting([module])
        if all.contains(where: \.needsFoundation) { modules.insert("Foundation") }
        return modules.sorted().map { "import \($0)\n" }.joined()
    }

    /// The surface: what the app offers to modules, readable in the running program.
    func surface(hash: String) -> String {
        Self.header + """

            @_cdecl("openpatch_surface_v1")
            public func op_surface_v1() -> UnsafePointer<CChar> {
                UnsafeRawPointer(op_surface_text.utf8Start).assumingMemoryBound(to: CChar.self)
            }

            private let op_surface_text: StaticString = #"\(json(hash))"#

            """
    }

    /// `{"v":1,"fp_surface":…,"functions":[{"id":…,"gate":…,"sig":…}],"natives":[{"id":…,"sig":…}]}`.
    private func json(_ surface: String) -> String {
        let entries = scan.functions.sorted { $0.id < $1.id }.map {
            "{\"id\":\"\($0.hexID)\",\"gate\":\(gates[$0.id] ?? 0),"
                + "\"sig\":\"\(DeclarationID.hex16($0.signature))\"}"
        }
        let natives = scan.natives.sorted { $0.id < $1.id }.map {
            "{\"id\":\"\($0.hexID)\",\"sig\":\"\(DeclarationID.hex16($0.signature))\"}"
        }
        let views = scan.views.sorted { $0.id < $1.id }.map {
            "{\"id\":\"\($0.hexID)\",\"gate\":\(gates[$0.id] ?? 0),"
                + "\"sig\":\"\(DeclarationID.hex16($0.signature))\"}"
        }
        return "{\"v\":1,\"fp_surface\":\"\(surface)\",\"functions\":["
            + entries.joined(separator: ",") + "],\"natives\":["
            + natives.joined(separator: ",") + "]"
            + (views.isEmpty ? "" : ",\"views\":[" + views.joined(separator: ",") + "]") + "}"
    }
}
