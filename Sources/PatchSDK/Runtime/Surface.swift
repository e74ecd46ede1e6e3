import CPatchGate
import TUF

/// The routed functions that `patchcli prepare` compiled into the app.
struct Surface: Sendable, Equatable {
    struct Function: Sendable, Equatable {
        var gate: UInt16
        var sig: UInt64
    }

    /// Gate and signature by function id.
    var functions: [UInt64: Function] = [:]
    /// Signatures of native functions that modules may call, by id.
    var natives: [UInt64: UInt64] = [:]
    /// Gate and signature of routed views, by id.
    var views: [UInt64: Function] = [:]

    /// What the executable says; nil when it was never prepared.
    /// - Throws: ``PatchError`` `surface_malformed`.
    static func compiledIn() throws -> Surface? {
        guard let text = openpatch_surface_v1() else { return nil }
        return try Surface(json: Array(String(cString: text).utf8))
    }

    init(functions: [UInt64: Function]) { self.functions = functions }

    /// Reads `{"v":1,"fp_surface":…,"functions":[{"id","gate","sig"}],"natives":[{"id","sig"}],
    /// "views":[{"id","gate","sig"}]}`.
    init(json: [UInt8]) throws {
        do {
            // As many values as fit: an app may have thousands of functions.
            var limits = DocumentFields.limits(json.count)
            limits.maximumValues = json.count
            let fields = try DocumentFields(try JSONValue(parsing: json, limits: limits), "surface")
            let version = try fields.integer("v")
            guard version == 1 else { throw PatchError(.surfaceMalformed, "version \(version)") }
            functions = try Self.declarations(fields.array("functions"), "functions")
            views = try Self.declarations(fields.optionalArray("views"), "views")
            for entry in try fields.optionalArray("natives") {
                let (id, sig) = try Self.declaration(DocumentFields(entry, "natives"))
                natives[id] = sig
            }
        } catch let error as PatchError {
            throw error
        } catch {
            throw PatchError(.surfaceMalformed, "\(error)")
        }
    }

    /// Gates and signatures of the functions or views that `entries` list.
    private static func declarations(_ entries: [JSONValue], _ name: String) throws
        -> [UInt64: Function]
    {
        var found: [UInt64: Function] = [:]
        for entry in entries {
            let fields = try DocumentFields(entry, name)
            guard let gate = UInt16(exactly: try fields.integer("gate")) else {
                throw PatchError(.surfaceMalformed, "a gate is out of range")
            }
            let (id, sig) = try declaration(fields)
            found[id] = Function(gate: gate, sig: sig)
        }
        return found
    }

    private static func declaration(_ fields: DocumentFields) throws -> (UInt64, UInt64) {
        let name = try fields.string("id")
        guard let id = DeclarationID.parse(name),
            let sig = DeclarationID.parse(try fields.string("sig"))
        else { throw PatchError(.surfaceMalformed, "id or sig of '\(name)'") }
        return (id, sig)
    }

    /// The signature of what a module may need: a routed function or view, or a native function.
    func signature(_ id: UInt64) -> UInt64? {
        functions[id]?.sig ?? natives[id] ?? views[id]?.sig
    }

    /// Signatures by id as the decision wants them.
    var signatures: [String: String] {
        var all: [String: String] = [:]
        for (id, sig) in natives { all[DeclarationID.hex16(id)] = DeclarationID.hex16(sig) }
        for (id, function) in functions.merging(views, uniquingKeysWith: { $1 }) {
            all[DeclarationID.hex16(id)] = DeclarationID.hex16(function.sig)
        }
        return all
    }

    /// Opens the gates of the functions that `module` serves and closes the others.
    func openGates(for module: LoadedModule?) {
        for (id, function) in functions {
            patch_gate_set(function.gate, module?.functions[id] == function.sig)
        }
        for (id, view) in views {
            patch_gate_set(view.gate, module?.views[id] == view.sig)
        }
    }

    /// Closes one function's gate.
    func closeGate(_ id: UInt64) {
        if let function = functions[id] ?? views[id] { patch_gate_set(function.gate, false) }
    }
}
