import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import RolloutGates
import TUF
import WebViewBundle

/// Gives the released web bundles of apps to clients that speak the remote contract
/// (Docs/web-bundles.md, "Remotes"), at `/api/v1/apps/<appKey>/bundles…`.
///
/// Such clients draw no lots and verify no metadata, so they get stable releases only.
final class PublishedBundles: Sendable {
    private let layout: DataLayout
    private let shelves = Lock<[String: PublishedShelf]>([:])
    /// More apps than this are read anew.
    private static let mostKept = 64

    init(layout: DataLayout) { self.layout = layout }

    /// The answer to a request at an app's address.
    /// - Throws: ``APIError``.
    func answer(_ request: HTTPRequest, of app: String) throws -> HTTPResponse {
        guard SafeName.isAppKey(app), let shelf = try shelf(app) else { throw APIError.notFound }
        return try BundleRemoteHandler(
            shelf: shelf, prefix: "/api/v1/apps/\(app)", allowsOtherVersions: true
        ).answer(request)
    }

    /// What an app has published, read again when it published anew.
    private func shelf(_ app: String) throws -> PublishedShelf? {
        let tree = layout.app(app) + "/tree"
        let descriptor = open(tree + "/metadata/timestamp.json", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let stamp = FileStamp(descriptor: descriptor) else { return nil }
        if let known = shelves.withLock({ $0[app] }), known.stamp == stamp { return known }
        do {
            let shelf = try PublishedShelf(tree: tree, stamp: stamp)
            shelves.withLock {
                if $0.count >= Self.mostKept { $0.removeAll() }
                $0[app] = shelf
            }
            return shelf
        } catch {
            throw APIError.internalFailure("The app's metadata cannot be read.")
        }
    }
}

/// The released web bundles of one app.
struct PublishedShelf: BundleShelf {
    private struct Version: Sendable {
        let path: String
        let integrity: String
    }

    private struct Published: Sendable {
        var versions: [String: Version] = [:]
        var deployment = BundleRepository.Deployment()
    }

    let stamp: FileStamp
    private let bundles: [String: Published]
    private static let largestDocument = 8 << 20
    /// Channels that stand for "no channel" where an app has several.
    private static let usualChannels = ["stable", "production"]

    /// Reads the newest metadata of a tree, which the server wrote and verified itself.
    init(tree: String, stamp: FileStamp) throws {
        self.stamp = stamp
        let files = LocalFileStore(folder: URL(fileURLWithPath: tree))
        func read(_ name: String) throws -> [UInt8] {
            guard let bytes = try files.read(name, maximumSize: Self.largestDocument) else {
                throw APIError.notFound
            }
            return bytes
        }
        func document<Role: MetadataRole>(_ name: String, _: Role.Type) throws -> Role {
            try SignedMetadata<Role>(parsing: read("metadata/\(name).json")).signed
        }
        let timestamp = try document("timestamp", Timestamp.self)
        let snapshot = try document("\(timestamp.snapshot.version).snapshot", Snapshot.self)
        guard let role = snapshot[role: BuildRole.anyBuild] else {
            bundles = [:]
            return
        }
        let listed = try document("\(role.version).\(BuildRole.anyBuild)", Targets.self)
        var bundles: [String: Published] = [:]
        var heads: [Head] = []
        var names: [String] = []
        for target in listed.targets.values {
            let parts = target.path.split(separator: "/").map(String.init)
            if parts.count == 3, parts[0] == "bundles", parts[2].hasSuffix(".wvb"),
                let digest = target.sha256.flatMap({ Hex.decode($0) })
            {
                let file = try files.path(
                    "targets/" + (try target.filePath(consistentSnapshot: true)))
                bundles[parts[1], default: Published()].versions[String(parts[2].dropLast(4))] =
                    Version(
                        path: file, integrity: "sha256:" + Data(digest).base64EncodedString())
            } else if parts.count == 5, parts[0] == "heads", parts[2] == "bundle" {
                let bytes = try read("targets/" + (try target.filePath(consistentSnapshot: true)))
                heads.append(try JSONDecoder().decode(Head.self, from: Data(bytes)))
                names.append(parts[3])
            }
        }
        for (name, head) in zip(names, heads) where head.kind == .run {
            let path = listed.targets.values.first {
                $0.sha256 == head.stable && $0.path.hasPrefix("bundles/\(name)/")
            }?.path
            guard let version = path?.split(separator: "/").last?.dropLast(4) else { continue }
            bundles[name]?.deployment.channels[head.channel] = String(version)
        }
        for name in bundles.keys {
            let channels = bundles[name]?.deployment.channels ?? [:]
            bundles[name]?.deployment.version =
                Self.usualChannels.lazy.compactMap { channels[$0] }.first
                ?? (channels.count == 1 ? channels.values.first : nil)
        }
        self.bundles = bundles
    }

    func names() -> [String] { bundles.keys.sorted() }

    func deployment(of name: String) -> BundleRepository.Deployment? { bundles[name]?.deployment }

    func statement(of name: String, _ version: String) -> BundleRepository.Statement? {
        bundles[name]?.versions[version].map {
            BundleRepository.Statement(integrity: $0.integrity, signature: nil)
        }
    }

    func path(of name: String, _ version: String) throws -> String {
        guard let path = bundles[name]?.versions[version]?.path else { throw APIError.notFound }
        return path
    }
}
