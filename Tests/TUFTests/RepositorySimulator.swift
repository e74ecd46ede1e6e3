import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

/// A repository in memory, entered through the public fetcher protocols.
///
/// Faults that a client survives here: files replaced by anything, files absent, answers without
/// end, a server that is down or that always answers "not modified", and every key of the
/// repository in an attacker's hands but root's.
actor RepositorySimulator: MetadataFetcher, TargetFetcher {
    struct Down: Error {}

    let rootKey: TUFSigner
    let backupKey: TUFSigner
    let releaseKey: TUFSigner
    let freshnessKey: TUFSigner
    var editor: RepositoryEditor
    /// What the server has: metadata by file name, targets by path.
    var files: [String: [UInt8]] = [:]
    var targetFiles: [String: [UInt8]] = [:]
    /// Names that were asked for since the log was cleared, with `?` when asked conditionally.
    private(set) var requests: [String] = []
    var isDown = false
    var alwaysNotModified = false
    var endless: Set<String> = []

    static let start = MetadataTime(secondsSince1970: 1_800_000_000)
    static let fingerprint = "00112233445566778899aabbccddeeff"
    static let build = "build-0011223344556677"
    static let module = "modules/0011223344556677/1.wasm"

    init(at start: MetadataTime = RepositorySimulator.start) throws {
        rootKey = TUFSigner(try SigningKey.generate())
        backupKey = TUFSigner(try SigningKey.generate())
        releaseKey = TUFSigner(try SigningKey.generate())
        freshnessKey = TUFSigner(try SigningKey.generate())
        var editor = try RepositoryEditor(
            .init(
                rootKeys: [rootKey.key, backupKey.key], targetsKeys: [releaseKey.key],
                freshnessKeys: [freshnessKey.key],
                openPatch: .init(appID: "8c7d1a52-0000-4000-8000-000000000001")),
            signers: [rootKey], at: start)
        let (release, fresh) = (releaseKey, freshnessKey)
        let target = TargetFile(
            path: Self.module, contents: Array("module one".utf8),
            custom: ["version": "1.0.0", "sequence": 1])
        // Three things published one after the other, hence targets 2 and build role 2.
        let steps: [(inout RepositoryEditor) throws -> Void] = [
            { try $0.editTargets(signers: [release], at: start) },
            { try $0.registerBuild(fingerprint: Self.fingerprint, signers: [release], at: start) },
            {
                try $0.setTargets([target], in: Self.build, signers: [release], at: start)
                try $0.signFreshness(signers: [fresh], at: start)
            },
        ]
        var files: [String: [UInt8]] = [:]
        for step in steps {
            try step(&editor)
            for file in editor.changes { files[file.name] = file.bytes }
            editor.clearChanges()
        }
        self.editor = editor
        self.files = files
        targetFiles[try target.filePath(consistentSnapshot: true)] = Array("module one".utf8)
    }

    // MARK: What the owner does

    /// Changes the repository with its own keys and publishes.
    func publish(
        at time: MetadataTime = RepositorySimulator.start, freshness: [TUFSigner]? = nil,
        _ change: (inout RepositoryEditor) throws -> Void = { _ in }
    ) throws {
        try change(&editor)
        try editor.signFreshness(signers: freshness ?? [freshnessKey], at: time)
        for file in editor.changes { files[file.name] = file.bytes }
        editor.clearChanges()
    }

    /// Releases another module in the build role.
    func release(_ version: Int, at time: MetadataTime = RepositorySimulator.start) throws {
        let bytes = Array("module \(version)".utf8)
        let target = TargetFile(path: "modules/0011223344556677/\(version).wasm", contents: bytes)
        targetFiles[try target.filePath(consistentSnapshot: true)] = bytes
        try publish(at: time) {
            try $0.setTargets([target], in: Self.build, signers: [releaseKey], at: time)
        }
    }

    func addTargetFile(_ target: TargetFile, _ bytes: [UInt8]) throws {
        targetFiles[try target.filePath(consistentSnapshot: true)] = bytes
    }

    // MARK: What the attacker does

    func serve(_ name: String, _ bytes: [UInt8]?) { files[name] = bytes }
    func serveTarget(_ path: String, _ bytes: [UInt8]?) { targetFiles[path] = bytes }
    func setDown(_ value: Bool) { isDown = value }
    func setAlwaysNotModified(_ value: Bool) { alwaysNotModified = value }
    func setEndless(_ names: Set<String>) { endless = names }

    /// Everything as it is served now, to be served again later.
    var state: [String: [UInt8]] { files }
    func restore(_ state: [String: [UInt8]]) { files = state }

    func takeRequests() -> [String] {
        defer { requests = [] }
        return requests
    }

    // MARK: Fetchers

    func fetch(
        _ name: String, maximumLength: Int, ifNoneMatch validator: String?
    ) throws -> FetchResult {
        requests.append(name + (validator == nil ? "" : "?"))
        if isDown { throw Down() }
        if endless.contains(name) { throw FetchError.tooLarge }
        if alwaysNotModified, validator != nil { return .notModified }
        guard let bytes = files[name] else { return .missing }
        let tag = "\"" + SHA256.hash(bytes).hex.prefix(16) + "\""
        // Larger than allowed on purpose: the client itself has to look.
        return tag == validator ? .notModified : .found(bytes, validator: tag)
    }

    func fetchTarget(_ path: String, maximumLength: Int) throws -> [UInt8]? {
        requests.append(path)
        if isDown { throw Down() }
        return targetFiles[path]
    }
}

/// One device: an updater, its cache, its clock.
struct Device {
    let repository: RepositorySimulator
    let cache = MemoryMetadataCache()
    let updater: TUFUpdater
    let clock: Clock

    /// A clock that stands still until it is set.
    final class Clock: @unchecked Sendable {
        // Unchecked: a test sets it between checks, from one task.
        var time = RepositorySimulator.start
    }

    init(
        _ repository: RepositorySimulator, root: [UInt8]? = nil,
        configure: (inout UpdaterConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = UpdaterConfiguration()
        configure(&configuration)
        var anchor = root
        if anchor == nil { anchor = await repository.files["1.root.json"] }
        let clock = Clock()
        self.clock = clock
        self.repository = repository
        updater = TUFUpdater(
            bootstrap: anchor, fetcher: repository, cache: cache, configuration: configuration,
            now: { clock.time })
    }

    /// A later start of the same app: same cache, new process.
    func restarted(
        configure: (inout UpdaterConfiguration) -> Void = { _ in }
    ) async -> TUFUpdater {
        var configuration = UpdaterConfiguration()
        configure(&configuration)
        return TUFUpdater(
            bootstrap: await repository.files["1.root.json"], fetcher: repository, cache: cache,
            configuration: configuration, now: { clock.time })
    }

    /// The version of a role that the cache holds.
    func storedVersion(_ role: String) async throws -> Int? {
        guard let bytes = await cache.load("\(role).json") else { return nil }
        return try JSONValue(parsing: bytes)["signed"]?["version"]?.integer.map { Int($0) }
    }
}

/// Runs `body` and gives the code of the error that it ends with; nil when it succeeds.
func code(of body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch let error as TUFError {
        return error.code
    } catch {
        return "not a TUFError: \(error)"
    }
}
