import Foundation
import PatchPlatform
import Rollout
import TUF

/// The published side: brings metadata up to date and reads the catalog out of it.
final class Remote: Sendable {
    /// The largest head, in bytes.
    static let maximumHead = 64 << 10
    /// The largest difference between device and server time that is not worth a word, in seconds.
    static let toleratedSkew: Double = 86400

    private let settings: UpdateSettings
    private let kind: any PayloadKind
    private let transport: any HTTPTransport
    private let files: any FileStore
    private let clock: any SystemClock
    private let fetcher: HTTPMetadataFetcher
    private let updater: TUFUpdater
    private let targetsBase: URL

    static func folder(_ base: URL, _ settings: UpdateSettings, _ name: String) -> URL {
        base.appendingPathComponent("apps").appendingPathComponent(settings.appKey)
            .appendingPathComponent(name, isDirectory: true)
    }

    init(
        settings: UpdateSettings, root: [UInt8], base: URL, kind: any PayloadKind,
        transport: any HTTPTransport, files: any FileStore, clock: any SystemClock
    ) {
        self.settings = settings
        self.kind = kind
        self.transport = transport
        self.files = files
        self.clock = clock
        targetsBase = Self.folder(base, settings, "targets")
        fetcher = HTTPMetadataFetcher(
            transport: transport, base: Self.folder(base, settings, "metadata"))
        var configuration = UpdaterConfiguration()
        configuration.minimumTargetsVersion = settings.minimumTargetsVersion
        updater = TUFUpdater(
            bootstrap: root, fetcher: fetcher,
            cache: FileMetadataCache(files: files, folder: "metadata"),
            configuration: configuration,
            now: { MetadataTime(secondsSince1970: Int64(clock.now())) })
    }

    /// Asks the server what is published.
    /// - Parameter known: what an earlier call of this object answered.
    /// - Throws: ``UpdateError``.
    func catalog(known: Catalog?) async throws -> Catalog {
        do {
            let outcome = try await updater.refresh()
            if outcome == .notModified, let known { return known }
            return try await readCatalog()
        } catch {
            throw explained(.trust(error, transport: fetcher.lastFailure))
        }
    }

    /// Says so when it is the device's clock rather than the metadata that is off.
    private func explained(_ error: UpdateError) -> UpdateError {
        guard error.reason == .metadataExpired, let server = fetcher.lastServerDate,
            abs(server - clock.now()) > Self.toleratedSkew
        else { return error }
        let days = Int(abs(server - clock.now()) / 86400)
        return UpdateError(.clockSkew, "\(days) days off the server's; \(error.context)")
    }

    private func readCatalog() async throws -> Catalog {
        var catalog = Catalog()
        if let own = await updater.trusted?.root.signed.openPatch {
            catalog.rootFloor = own.minSequence
            catalog.rootAppID = own.appID
            if let appID = settings.appID, appID != own.appID {
                throw UpdateError(.appMismatch, "the root says \(own.appID), this app \(appID)")
            }
        }
        let path = kind.headPath(channel: settings.channel, build: settings.build)
        guard let target = try await updater.target(path) else { return catalog }
        catalog.head = try Catalog.head(try await readHead(target))
        let listed = try await updater.targets(ofRole: settings.buildRole) ?? []
        catalog.add(listed, kind: kind.name)
        return catalog
    }

    /// The head's bytes: the stored ones when they are still the signed ones.
    private func readHead(_ target: TargetFile) async throws -> [UInt8] {
        guard target.length <= Self.maximumHead else {
            throw UpdateError(.headMalformed, "\(target.length) bytes")
        }
        let stored = "metadata/head-\(settings.channel.filter { $0.isLetter || $0.isNumber })"
        if let bytes = try? files.read(stored, maximumSize: target.length),
            (try? target.verify(bytes)) != nil
        {
            return bytes
        }
        let url = try await self.url(of: target)
        let response: HTTPResponse
        do {
            response = try await transport.fetch(HTTPRequest(url, maximumSize: target.length))
        } catch {
            throw UpdateError.network(error)
        }
        guard response.status == 200 else {
            throw UpdateError(.serverRefused, "\(url.absoluteString), status \(response.status)")
        }
        try target.verify(response.body)
        try files.writeVerifiable(response.body, to: stored)
        return response.body
    }

    /// Brings the payload of a release onto this device.
    /// - Throws: ``UpdateError``.
    func download(
        _ release: Release, _ target: TargetFile, progress: @escaping @Sendable (Double) -> Void
    ) async throws -> [UInt8] {
        let url: URL
        do {
            url = try await self.url(of: target)
        } catch {
            throw UpdateError.trust(error, transport: nil)
        }
        let download = PayloadDownload(
            transport: transport, files: files, release: release, target: target, url: url,
            progress: progress)
        return try await download.run(maximumSize: settings.maximumPayload)
    }

    private func url(of target: TargetFile) async throws -> URL {
        var url = targetsBase
        for part in try await updater.filePath(of: target).split(separator: "/") {
            url.appendPathComponent(String(part))
        }
        return url
    }
}
