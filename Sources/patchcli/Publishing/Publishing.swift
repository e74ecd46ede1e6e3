import CommandLineKit
import PatchCrypto
import TUF
import TUFRepository

/// Loads, changes and publishes, and does it again when somebody else was faster.
struct Publishing: Sendable {
    let workspace: Workspace
    let repository: any Repository
    let console: Console

    init(_ workspace: Workspace, console: Console) throws {
        self.workspace = workspace
        self.console = console
        repository = try workspace.repository()
    }

    /// What remains to be done once this machine has signed; nil where a server publishes it.
    var next: String? { repository.isStatic ? Self.copying : nil }

    /// Brings a static tree to the host.
    static let copying = "patchcli publish --static <folder>"

    /// What is published.
    func current() async throws -> (editor: RepositoryEditor, index: ReleaseIndex) {
        let editor = try await console.step("Read what is published") { _ in
            try await repository.load()
        }
        return (editor, try await ReleaseIndex(editor) { try await repository.read($0) })
    }

    /// What is published of modules, or of the web bundle that `--bundle-name` names.
    func index(_ invocation: Invocation) async throws -> ReleaseIndex {
        let index = try await current().index
        return try invocation[Common.bundleName].map(index.ofBundle) ?? index
    }

    /// Publishes `editor`'s changes.
    /// - Parameter freshness: signs freshness instead of the key on this machine, where that is
    ///   done here.
    func publish(
        _ editor: RepositoryEditor, targets: [NewTarget], freshness: TUFSigner? = nil,
        as what: String
    ) async throws -> Bool {
        let repository =
            freshness.map { self.repository.signingFreshness(by: $0) }
            ?? self.repository
        let size = targets.reduce(0) { $0 + $1.bytes.count }
        return try await console.step(what) { progress in
            let detail = size == 0 ? "" : Quantity.bytes(size)
            progress.update(nil, detail)
            return try await repository.publish(editor, targets: targets) {
                progress.update($0, detail)
            }
        }
    }

    /// Runs `change` on the published state, again when somebody else published meanwhile.
    func retrying<Result>(
        _ change: (RepositoryEditor, ReleaseIndex) async throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            let (editor, index) = try await current()
            do {
                return try await change(editor, index)
            } catch let refusal as ServerRefusal where refusal.status == 409 && attempt < 3 {
                attempt += 1
                console.note("Somebody else published; starting again from the new state.")
            }
        }
    }
}
