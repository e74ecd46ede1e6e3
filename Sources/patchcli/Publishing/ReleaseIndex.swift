import CommandLineKit
import Foundation
import Rollout
import TUF

/// What is published for an app, as releases and heads.
struct ReleaseIndex: Sendable {
    /// A published release of a module.
    struct Published: Sendable, Equatable {
        let target: TargetFile
        let release: Release
    }

    /// A published head.
    struct PublishedHead: Sendable, Equatable {
        let target: TargetFile
        let head: Head
    }

    /// All live releases, lowest sequence first.
    let releases: [Published]
    /// All heads, by path.
    let heads: [PublishedHead]
    /// All deltas.
    let deltas: [TargetFile]
    /// What servers restrict, by channel.
    let brakes: [String: Brake]

    /// Reads everything that the roles list.
    /// - Parameter read: gives the verified bytes of a head.
    init(
        _ editor: RepositoryEditor, read: (TargetFile) async throws -> [UInt8]
    ) async throws {
        var releases: [Published] = []
        var heads: [PublishedHead] = []
        var deltas: [TargetFile] = []
        var brakes: [String: Brake] = [:]
        for target in editor.listedTargets {
            let parts = target.path.split(separator: "/")
            switch parts.first {
            case "modules":
                guard let custom = target.custom else { continue }
                let json = JSONValue.object(custom).encoded()
                let release: Release = try Self.read(json, of: target)
                releases.append(Published(target: target, release: release))
            case "heads" where parts.count == 4 && parts[2] == "module":
                let head: Head = try Self.read(try await read(target), of: target)
                heads.append(PublishedHead(target: target, head: head))
            case "deltas": deltas.append(target)
            case "brakes" where parts.count == 3 && parts[2] == "module.json":
                let brake: Brake = try Self.read(try await read(target), of: target)
                brakes[brake.channel] = brake
            default: continue
            }
        }
        self.deltas = deltas
        self.brakes = brakes
        self.releases = releases.sorted { $0.release.sequence < $1.release.sequence }
        self.heads = heads
    }

    private static func read<Statement: Decodable>(
        _ bytes: [UInt8], of target: TargetFile
    ) throws -> Statement {
        do {
            return try JSONDecoder().decode(Statement.self, from: Data(bytes))
        } catch {
            throw CommandFailure(
                "release_malformed", "What is published as '\(target.path)' cannot be read",
                why: Explain.text(error),
                fix: "use the patchcli that published it, or publish it again", exit: .dataError)
        }
    }

    /// An index of known parts, for tests.
    init(
        releases: [Published], heads: [PublishedHead], deltas: [TargetFile] = [],
        brakes: [String: Brake] = [:]
    ) {
        self.brakes = brakes
        self.releases = releases
        self.heads = heads
        self.deltas = deltas
    }

    /// The sequence of the next release.
    var nextSequence: Int { (releases.last?.release.sequence ?? 0) + 1 }

    /// The head of a channel and build.
    func head(channel: String, fp16: String) -> Head? {
        heads.first { $0.target.path == Self.headPath(channel: channel, fp16: fp16) }?.head
    }

    /// How far a candidate reaches: the smaller of grant and cap, in basis points.
    func reach(_ candidate: Candidate, channel: String) -> Int {
        min(candidate.grant, brakes[channel]?.caps[candidate.digest] ?? Bucket.count)
    }

    /// Whether head or brake keep further devices from a head's candidate.
    func isHalted(_ head: Head) -> Bool {
        brakes[head.channel]?.halted == true || head.candidate?.haltedGrant != nil
    }

    /// The releases of a build.
    func releases(fp16: String) -> [Published] {
        releases.filter { $0.target.path.hasPrefix("modules/\(fp16)/") }
    }

    /// The deltas of a build.
    func deltas(fp16: String) -> [TargetFile] {
        deltas.filter { $0.path.hasPrefix("deltas/\(fp16)/") }
    }

    /// The release of a build with a digest.
    func release(digest: String?, fp16: String) -> Release? {
        guard let digest else { return nil }
        return releases(fp16: fp16).last { $0.release.raw.sha256 == digest }?.release
    }

    static func headPath(channel: String, fp16: String) -> String {
        "heads/\(channel)/module/\(fp16).json"
    }

    static func modulePath(fp16: String, version: String) -> String {
        "modules/\(fp16)/\(version).wasm"
    }
}
