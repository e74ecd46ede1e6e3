import CPatchGate
import Foundation

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

    /// What the executable says; nil when it was never prepared.
    /// - Throws: ``PatchError`` `surface_malformed`.
    static func compiledIn() throws -> Surface? {
        guard let text = openpatch_surface_v1() else { return nil }
        return try Surface(json: Array(String(cString: text).utf8))
    }

    init(functions: [UInt64: Function]) { self.functions = functions }

    /// Reads `{"v":1,"fp_surface":…,"functions":[{"id","gate","sig"}],"natives":[{"id","sig"}]}`.
    init(json: [UInt8]) throws {
        struct Document: Decodable {
            struct Entry: Decodable {
                let id: String
                let gate: UInt16
                let sig: String
            }
            struct Native: Decodable {
                let id: String
                let sig: String
            }
            let v: Int
            let functions: [Entry]
            let natives: [Native]?
        }
        do {
            let document = try JSONDecoder().decode(Document.self, from: Data(json))
            guard document.v == 1 else {
                throw PatchError(.surfaceMalformed, "version \(document.v)")
            }
            for entry in document.functions {
                guard let id = DeclarationID.parse(entry.id),
                    let sig = DeclarationID.parse(entry.sig)
                else { throw PatchError(.surfaceMalformed, "id or sig of '\(entry.id)'") }
                functions[id] = Function(gate: entry.gate, sig: sig)
            }
            for entry in document.natives ?? [] {
                guard let id = DeclarationID.parse(entry.id),
                    let sig = DeclarationID.parse(entry.sig)
                else { throw PatchError(.surfaceMalformed, "id or sig of '\(entry.id)'") }
                natives[id] = sig
            }
        } catch let error as PatchError {
            throw error
        } catch {
            throw PatchError(.surfaceMalformed, "\(error)")
        }
    }

    /// The signature of what a module may need: a routed function, or a native one.
    func signature(_ id: UInt64) -> UInt64? { functions[id]?.sig ?? natives[id] }

    /// Signatures by id as the decision wants them.
    var signatures: [String: String] {
        var all: [String: String] = [:]
        for (id, sig) in natives { all[DeclarationID.hex16(id)] = DeclarationID.hex16(sig) }
        for (id, function) in functions {
            all[DeclarationID.hex16(id)] = DeclarationID.hex16(function.sig)
        }
        return all
    }

    /// Opens the gates of the functions that `module` serves and closes the others.
    func openGates(for module: LoadedModule?) {
        for (id, function) in functions {
            patch_gate_set(function.gate, module?.functions[id]?.sig == function.sig)
        }
    }

    /// Closes one function's gate.
    func closeGate(_ id: UInt64) {
        if let function = functions[id] { patch_gate_set(function.gate, false) }
    }
}
