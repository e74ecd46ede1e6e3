import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF
import TUFRepository
import TestSupport

@testable import PatchServer

/// A server on a free port over a fresh folder, and a publisher with keys of its own.
final class ServerFixture {
    let folder: TemporaryDirectory
    let server: PatchServer
    let http: RawHTTP
    let appKey: String
    let appID: String
    let token: String
    let freshnessKeys: [TUFKey]
    let opsKeys: [TUFKey]
    let clock: ManualClock
    let rootKey: SigningKey
    let releaseKey: SigningKey
    var editor: RepositoryEditor
    static let fingerprint = String(repeating: "ab", count: 32)

    var fp16: String { BuildRole.fp16(Self.fingerprint) }
    var role: String { BuildRole.name(fingerprint: Self.fingerprint) }
    var signers: [TUFSigner] { [TUFSigner(releaseKey)] }

    init(
        limits: ServerLimits = .patient,
        monotonicNow: @escaping @Sendable () -> UInt64 = { monotonicNanoseconds() },
        appID: String? = nil, settings: APISettings = APISettings(),
        probe: LocalFileStore.Probe? = nil
    ) async throws {
        folder = try TemporaryDirectory("server")
        let clock = ManualClock(now: Date().timeIntervalSince1970.rounded())
        self.clock = clock
        var configuration = PatchServer.Configuration(dataFolder: folder.path)
        configuration.limits = limits
        configuration.settings = settings
        configuration.probe = probe
        server = try PatchServer(
            configuration: configuration, log: ServerLog(write: { _ in }),
            clock: { Date(timeIntervalSince1970: clock.now()) }, monotonicNow: monotonicNow)
        let address = try server.start()
        http = RawHTTP(port: UInt16(address.split(separator: ":").last ?? "") ?? 0)
        let admin = AppStore.readToken(server.adminTokenFile) ?? ""
        let answer = try await http.send(
            "POST", "/api/v1/apps", ["Authorization": "Bearer \(admin)"],
            body: Array(#"{"name":"Fixture"}"#.utf8))
        appKey = answer.json["app_key"] as? String ?? ""
        self.appID = appID ?? answer.json["app_id"] as? String ?? ""
        token = answer.json["token"] as? String ?? ""
        let document = try JSONValue(parsing: answer.body)
        freshnessKeys = try (document["freshness_keys"]?.array ?? []).map { try TUFKey(json: $0) }
        opsKeys = try (document["ops_keys"]?.array ?? []).map { try TUFKey(json: $0) }
        rootKey = try SigningKey.generate()
        releaseKey = try SigningKey.generate()
        editor = try RepositoryEditor(
            .init(
                rootKeys: [TUFKey(rootKey.publicKey)],
                targetsKeys: [TUFKey(releaseKey.publicKey)], freshnessKeys: freshnessKeys,
                openPatch: .init(appID: self.appID)),
            signers: [TUFSigner(rootKey)], at: .now)
        try editor.editTargets(signers: signers, at: .now)
    }

    deinit { server.stop() }

    func path(_ rest: String) -> String { "/api/v1/apps/\(appKey)/\(rest)" }

    func get(_ rest: String, _ headers: [String: String] = [:]) async throws -> RawHTTP.Answer {
        try await http.send("GET", path(rest), headers)
    }

    /// Uploads the editor's changes and `targets`.
    @discardableResult
    func upload(
        targets: [(path: String, bytes: [UInt8])] = [],
        metadata: [(name: String, bytes: [UInt8])]? = nil, token: String? = nil
    ) async throws -> RawHTTP.Answer {
        let files = metadata ?? editor.changes.map { ($0.name, $0.bytes) }
        return try await post(Form(metadata: files, targets: targets), token: token)
    }

    func post(_ form: Form, token: String? = nil) async throws -> RawHTTP.Answer {
        try await http.send(
            "POST", path("releases"),
            [
                "Authorization": "Bearer \(token ?? self.token)",
                "Content-Type": "multipart/form-data; boundary=\(form.boundary)",
            ], body: form.encoded())
    }

    var bearer: [String: String] { ["Authorization": "Bearer \(token)"] }

    /// Sends a JSON document with the app's token.
    func call(
        _ method: String, _ rest: String, _ document: [String: Any]? = nil,
        _ headers: [String: String] = [:]
    ) async throws -> RawHTTP.Answer {
        let all = bearer.merging(headers) { $1 }
        var body: [UInt8] = []
        if let document {
            body = [UInt8](
                try JSONSerialization.data(withJSONObject: document, options: .sortedKeys))
        }
        return try await http.send(method, path(rest), all, body: body)
    }

    /// The brakes are delegated to the server's ops key.
    func delegateBrakes() throws {
        try editor.delegateBrakes(to: opsKeys, signers: signers, at: .now)
    }

    /// Root, targets and the build's role are published.
    func publishBuild() async throws {
        try editor.registerBuild(fingerprint: Self.fingerprint, signers: signers, at: .now)
        let answer = try await upload()
        guard answer.status == 201 else { throw Unexpected(answer: answer.text) }
        editor.clearChanges()
    }

    struct Unexpected: Error { let answer: String }

    // MARK: Documents

    func release(
        _ version: String, sequence: Int, bytes: [UInt8], change: (inout Release) -> Void = { _ in }
    ) throws -> TargetFile {
        var release = Release(
            appID: appID, platform: "linux", version: version, sequence: sequence,
            fingerprint: Self.fingerprint,
            raw: RawPayload(sha256: SHA256.hash(bytes).hex, size: bytes.count),
            encoding: .identity)
        change(&release)
        let custom = try JSONValue(parsing: [UInt8](try JSONEncoder().encode(release)))
        return TargetFile(
            path: "modules/\(fp16)/\(version).wasm", contents: bytes, custom: custom.object)
    }

    func head(
        _ sequence: Int, stable: [UInt8]?, change: (inout Head) -> Void = { _ in }
    ) throws -> (file: TargetFile, bytes: [UInt8]) {
        var head = Head(
            appID: appID, platform: "linux", channel: "production",
            fingerprint: Self.fingerprint, headSequence: sequence,
            stable: stable.map { SHA256.hash($0).hex })
        change(&head)
        let bytes = [UInt8](try JSONEncoder().encode(head))
        return (TargetFile(path: "heads/production/module/\(fp16).json", contents: bytes), bytes)
    }

    /// Signs a release and its head and uploads them.
    func publish(
        _ version: String, sequence: Int, bytes: [UInt8], headSequence: Int? = nil
    ) async throws -> RawHTTP.Answer {
        let module = try release(version, sequence: sequence, bytes: bytes)
        let head = try head(headSequence ?? sequence, stable: bytes)
        try editor.setTargets([module, head.file], in: role, signers: signers, at: .now)
        let answer = try await upload(targets: [(module.path, bytes), (head.file.path, head.bytes)])
        if answer.status == 201 { editor.clearChanges() }
        return answer
    }

    /// What a device that trusts root 1 takes for current.
    func client() async throws -> TUFUpdater {
        let root = try await get("metadata/1.root.json").body
        let updater = TUFUpdater(
            bootstrap: root, fetcher: Fetcher(http: http, base: path("metadata/")),
            cache: MemoryMetadataCache())
        try await updater.refresh()
        return updater
    }

    private struct Fetcher: MetadataFetcher {
        let http: RawHTTP
        let base: String

        func fetch(
            _ name: String, maximumLength: Int, ifNoneMatch validator: String?
        ) async throws -> FetchResult {
            let answer = try await http.send("GET", base + name)
            return answer.status == 200
                ? .found(answer.body, validator: answer.headers["etag"]) : .missing
        }
    }
}

extension ServerLimits {
    /// Nobody is cut off for being slow: on a busy machine tests are.
    static var patient: ServerLimits {
        var limits = ServerLimits()
        limits.idleSeconds = 600
        limits.headerSeconds = 600
        limits.transferSeconds = 600
        limits.refusalSeconds = 600
        return limits
    }
}

/// A multipart form, well-formed unless a test says otherwise.
struct Form {
    var boundary = "test-boundary"
    var parts: [(name: String, filename: String?, bytes: [UInt8])] = []

    init(
        metadata: [(name: String, bytes: [UInt8])] = [],
        targets: [(path: String, bytes: [UInt8])] = []
    ) {
        parts =
            metadata.map { ("metadata", $0.name, $0.bytes) }
            + targets.map { ("target", $0.path, $0.bytes) }
    }

    func encoded(isClosed: Bool = true) -> [UInt8] {
        var body: [UInt8] = []
        for part in parts {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\""
            if let filename = part.filename { head += "; filename=\"\(filename)\"" }
            body += Array((head + "\r\n\r\n").utf8) + part.bytes + [13, 10]
        }
        return isClosed ? body + Array("--\(boundary)--\r\n".utf8) : body
    }
}
