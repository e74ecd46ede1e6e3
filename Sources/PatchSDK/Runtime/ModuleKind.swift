import Rollout
import UpdateEngine

/// Modules as a payload of the update engine.
struct ModuleKind: PayloadKind {
    let expected: ModuleExpectation

    var name: String { "module" }

    func headPath(channel: String, build: String) -> String {
        "heads/\(channel)/module/\(build).json"
    }

    /// All checks that need no run, so that a module that cannot work is never staged.
    func inspect(_ payload: [UInt8], of release: Release) throws {
        do {
            _ = try ModuleInspection(expected: expected, release: release).inspect(payload)
        } catch let error as PatchError {
            throw UpdateError(error.reason, error.context)
        }
    }
}
