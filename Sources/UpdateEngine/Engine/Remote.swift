import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF

/// The published side: brings metadata up to date and reads the catalog out of it.
final class Remote: Sendable {
    /// The largest head or brake, in bytes.
    static let maximumStatement = 64 << 10
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
        // What has expired may still restrict; that it does no more is seen to below.
        configuration.expiryPolicy = .collect
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
            if outcome == .notModified, let known, known.restriction == nil,
                clock.now() < known.expires
            {
                return known
            }
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
        guard let root = await updater.trusted?.root.signed else { throw UpdateError(.rootMissing) }
        if let own = root.openPatch {
            catalog.rootFloor = own.minSequence
            catalog.rootAppID = own.appID
            if let appID = settings.appID, appID != own.appID {
                throw UpdateError(.appMismatch, "the root says \(own.appID), this app \(appID)")
            }
        }
        let path = kind.headPath(channel: settings.channel, build: settings.build)
        if let target = try await updater.target(path) {
            catalog.head = try Catalog.head(
                try await readStatement(target, named: "head", tooLarge: .headMalformed))
            let listed = try await updater.targets(ofRole: settings.buildRole) ?? []
            catalog.add(listed, kind: kind.name)
        }
        do {
            catalog.brake = try await readBrake()
        } catch {
            // Whoever can damage a brake stops updates by it, but does not hide a recall that the
            // head itself makes.
            catalog.restriction = .trust(error, transport: fetcher.lastFailure)
        }
        let trusted = await updater.trusted
        catalog.signers = trusted.map(Self.signers) ?? ""
        if let expired = trusted?.expiredRoles, !expired.isEmpty {
            catalog.restriction = explained(
                UpdateError(.metadataExpired, expired.sorted().joined(separator: ", ")))
        }
        catalog.expires = (trusted?.earliestExpiry?.secondsSince1970).map(Double.init) ?? 0
        return catalog
    }

    /// The brake of the channel; nil when the server has signed none.
    private func readBrake() async throws -> Brake? {
        guard let trusted = await updater.trusted,
            trusted.targets?.signed.delegations?.role(BrakesRole.name) != nil,
            // Delegated to, but not signed for the first time.
            trusted.snapshot?.signed[role: BrakesRole.name] != nil,
            let target = try await updater.target(kind.brakePath(channel: settings.channel))
        else { return nil }
        return try Catalog.brake(
            try await readStatement(target, named: "brake", tooLarge: .brakeMalformed))
    }

    /// Which keys may sign heads and brakes, in short. Sequences count under the same keys only: with
    /// a key that root took away somebody may have counted up to the end.
    private static func signers(_ trusted: TrustedMetadataSet) -> String {
        let release = trusted.root.signed[.targets].keyIDs
        let brakes = trusted.targets?.signed.delegations?.role(BrakesRole.name)?.keys.keyIDs ?? []
        let text =
            release.sorted().joined(separator: " ") + "\n"
            + brakes.sorted().joined(separator: " ")
        return String(SHA256.hash(text).hex.prefix(16))
    }

    /// The bytes of a head or brake: the stored ones when they are still the signed ones.
    private func readStatement(
        _ target: TargetFile, named name: String, tooLarge: Reason
    ) async throws -> [UInt8] {
        guard target.length <= Self.maximumStatement else {
            throw UpdateError(tooLarge, "\(target.length) bytes")
        }
        let channel = settings.channel.filter { $0.isLetter || $0.isNumber }
        let stored = "metadata/\(name)-\(channel)"
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
