import CommandLineKit
import Foundation
import Rollout
import RolloutGates
import TUF
import TUFRepository

/// What is published for an app, as releases and heads.
struct ReleaseIndex: Sendable {
    /// A published release.
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
    /// The web bundle whose releases these are; nil for modules.
    let bundle: String?
    /// The newest sequence of all releases of the app, whatever they deliver.
    let lastSequence: Int
    /// The lowest sequence that root lets run.
    let floor: Int
    /// What is published of each web bundle.
    private var bundles: [String: Bundle] = [:]

    private struct Bundle: Sendable {
        var releases: [Published] = []
        var heads: [PublishedHead] = []
        var brakes: [String: Brake] = [:]
    }

    /// Reads everything that the roles list; the releases are those of modules.
    /// - Parameter read: gives the verified bytes of a head.
    init(
        _ editor: RepositoryEditor, read: (TargetFile) async throws -> [UInt8]
    ) async throws {
        var modules = Bundle()
        var bundles: [String: Bundle] = [:]
        var deltas: [TargetFile] = []
        for target in editor.listedTargets {
            let parts = target.path.split(separator: "/").map(String.init)
            switch parts.first {
            case "modules":
                if let release = try Self.release(target) { modules.releases.append(release) }
            case "bundles" where parts.count == 3:
                guard let release = try Self.release(target) else { continue }
                bundles[parts[1], default: Bundle()].releases.append(release)
            case "heads" where parts.count == 4 && parts[2] == "module":
                modules.heads.append(try await Self.head(target, read))
            case "heads" where parts.count == 5 && parts[2] == "bundle":
                bundles[parts[3], default: Bundle()].heads.append(
                    try await Self.head(target, read))
            case "deltas": deltas.append(target)
            case "brakes" where parts.count == 3 && parts[2] == "module.json":
                let brake: Brake = try Self.read(try await read(target), of: target)
                modules.brakes[brake.channel] = brake
            case "brakes" where parts.count == 4 && parts[2] == "bundle":
                let brake: Brake = try Self.read(try await read(target), of: target)
                bundles[String(parts[3].dropLast(".json".count)), default: Bundle()]
                    .brakes[brake.channel] = brake
            default: continue
            }
        }
        self.deltas = deltas
        self.bundles = bundles
        bundle = nil
        brakes = modules.brakes
        releases = modules.releases.sorted { $0.release.sequence < $1.release.sequence }
        heads = modules.heads
        let all = modules.releases + bundles.values.flatMap(\.releases)
        lastSequence = all.map(\.release.sequence).max() ?? 0
        floor = editor.root.signed.openPatch?.minSequence ?? 0
    }

    private static func release(_ target: TargetFile) throws -> Published? {
        guard let custom = target.custom else { return nil }
        let json = JSONValue.object(custom).encoded()
        return Published(target: target, release: try read(json, of: target))
    }

    private static func head(
        _ target: TargetFile, _ read: (TargetFile) async throws -> [UInt8]
    ) async throws -> PublishedHead {
        PublishedHead(target: target, head: try Self.read(try await read(target), of: target))
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
        brakes: [String: Brake] = [:], bundle: String? = nil, lastSequence: Int? = nil,
        floor: Int = 0
    ) {
        self.floor = floor
        self.brakes = brakes
        self.releases = releases
        self.heads = heads
        self.deltas = deltas
        self.bundle = bundle
        self.lastSequence = lastSequence ?? releases.last?.release.sequence ?? 0
    }

    /// The releases of this index, and from that of the modules also those of web bundles.
    var releasesOfAll: [Published] { releases + bundles.values.flatMap(\.releases) }

    /// This index of the modules, and one of each web bundle.
    var withBundles: [ReleaseIndex] { [self] + bundleNames.map(ofBundle) }

    /// The names of the web bundles that were released.
    var bundleNames: [String] { bundles.keys.sorted() }

    /// The same of one web bundle, whose releases follow one another apart from the modules'.
    func ofBundle(_ name: String) -> ReleaseIndex {
        let found = bundles[name] ?? Bundle()
        let paths = Set(found.releases.flatMap(\.release.deltas).map(\.path))
        return ReleaseIndex(
            releases: found.releases.sorted { $0.release.sequence < $1.release.sequence },
            heads: found.heads, deltas: deltas.filter { paths.contains($0.path) },
            brakes: found.brakes, bundle: name, lastSequence: lastSequence,
            floor: floor)
    }

    /// The sequence of the next release; never one that the floor makes void.
    var nextSequence: Int { max(lastSequence + 1, floor) }

    /// The head of a channel and build.
    func head(channel: String, fp16: String) -> Head? {
        heads.first { $0.target.path == headPath(channel: channel, fp16: fp16) }?.head
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
        bundle != nil
            ? releases : releases.filter { $0.target.path.hasPrefix("modules/\(fp16)/") }
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

    /// Where the head of a channel is published.
    func headPath(channel: String, fp16: String) -> String {
        if let bundle { return "heads/\(channel)/bundle/\(bundle)/any.json" }
        return "heads/\(channel)/module/\(fp16).json"
    }

    /// Where the archive of a web bundle is published.
    static func bundlePath(_ name: String, version: String) -> String {
        "bundles/\(name)/\(version).wvb"
    }

    static func modulePath(fp16: String, version: String) -> String {
        "modules/\(fp16)/\(version).wasm"
    }
}
