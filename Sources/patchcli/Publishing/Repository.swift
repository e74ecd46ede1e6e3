import TUF
import TUFRepository

/// A target to publish: what is signed of it, and its bytes.
struct NewTarget: Sendable {
    let file: TargetFile
    let bytes: [UInt8]

    init(path: String, bytes: [UInt8], custom: [String: JSONValue]? = nil) {
        file = TargetFile(path: path, contents: bytes, custom: custom)
        self.bytes = bytes
    }
}

/// Where an app's tree is published.
protocol Repository: Sendable {
    /// The address below which `metadata/` and `targets/` lie, for people.
    var address: String { get }
    /// Whether freshness is signed on this machine.
    var isStatic: Bool { get }
    /// What is published, verified from the pinned root on.
    func load() async throws -> RepositoryEditor
    /// A metadata file as it is published, unverified; nil when there is none.
    func metadata(_ name: String) async throws -> [UInt8]?
    /// The bytes of a published target, verified.
    func read(_ target: TargetFile) async throws -> [UInt8]
    /// The same, with another key for freshness if that is signed on this machine.
    func signingFreshness(by signer: TUFSigner) -> any Repository
    /// Publishes an editor's changes and the targets that they list.
    /// - Returns: Whether anything was new.
    func publish(
        _ editor: RepositoryEditor, targets: [NewTarget],
        progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Bool
}

/// Bounds on what is read from anywhere.
enum RepositoryLimits {
    static let metadata = 5_000_000
    static let target = 64 << 20
}
