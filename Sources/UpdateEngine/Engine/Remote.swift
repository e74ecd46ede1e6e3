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
    private let random: any RandomSource
    private let mirrors: Mirrors

    static func folder(_ base: URL, _ settings: UpdateSettings, _ name: String) -> URL {
        base.appendingPathComponent("apps").appendingPathComponent(settings.appKey)
            .appendingPathComponent(name, isDirectory: true)
    }

    init(
        settings: UpdateSettings, root: [UInt8], base: URL, kind: any PayloadKind,
        environment: UpdateEngine.Environment
    ) {
        let clock = environment.clock
        self.settings = settings
        self.kind = kind
        transport = environment.transport
        files = environment.files
        self.clock = clock
        random = environment.random
        mirrors = Mirrors([base] + settings.mirrors, memory: settings.network.mirrorMemory)
        fetcher = HTTPMetadataFetcher(
            transport: transport, base: Self.folder(base, settings, "metadata"),
            limits: settings.network)
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

    /// Asks what is published: the mirrors in turn, until one answers with what can be trusted and
    /// is not out of date.
    /// - Parameter known: what an earlier call of this object answered.
    /// - Throws: ``UpdateError``, that of the first place when no other had better.
    func catalog(known: Catalog?) async throws -> Catalog {
        var best: Result<Catalog, any Error>?
        for base in mirrors.order(at: clock.now()) {
            do {
                let found = try await catalog(known: known, at: base)
                if found.restriction == nil {
                    mirrors.didAnswer(base, at: clock.now())
                    return found
                }
                if (try? best?.get()) == nil { best = .success(found) }
            } catch {
                if (error as? UpdateError)?.reason == .cancelled { throw error }
                if best == nil { best = .failure(error) }
            }
        }
        guard let best else { throw UpdateError(.localOnly) }
        return try best.get()
    }

    private func catalog(known: Catalog?, at base: URL) async throws -> Catalog {
        fetcher.use(Self.folder(base, settings, "metadata"))
        do {
            let outcome = try await updater.refresh()
            if outcome == .notModified, let known, known.restriction == nil,
                clock.now() < known.expires
            {
                return known
            }
            return try await readCatalog(at: base)
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

    private func readCatalog(at base: URL) async throws -> Catalog {
        guard let root = await updater.trusted?.root.signed else { throw UpdateError(.rootMissing) }
        let own = root.openPatch
        if let own, let appID = settings.appID, appID != own.appID {
            throw UpdateError(.appMismatch, "the root says \(own.appID), this app \(appID)")
        }
        var head: Head?
        var listing = Catalog.Listing()
        let path = kind.headPath(channel: settings.channel, build: settings.build)
        if let target = try await updater.target(path) {
            head = try Catalog.head(
                try await readStatement(
                    target, at: base, named: "head", tooLarge: .headMalformed))
            let listed = try await updater.targets(ofRole: settings.buildRole) ?? []
            listing.add(listed, kind: kind)
        }
        var brake: Brake?
        var restriction: UpdateError?
        do {
            brake = try await readBrake(at: base)
        } catch {
            // Whoever can damage a brake stops updates by it, but does not hide a recall that the
            // head itself makes.
            restriction = .trust(error, transport: fetcher.lastFailure)
        }
        let trusted = await updater.trusted
        if let expired = trusted?.expiredRoles, !expired.isEmpty {
            restriction = explained(
                UpdateError(.metadataExpired, expired.sorted().joined(separator: ", ")))
        }
        return Catalog(
            head: head, brake: brake, restriction: restriction,
            expires: (trusted?.earliestExpiry?.secondsSince1970).map(Double.init) ?? 0,
            signers: trusted.map(Self.signers) ?? "", listing: listing, rootAppID: own?.appID,
            rootFloor: own?.minSequence ?? 0)
    }

    /// The brake of the channel; nil when the server has signed none.
    private func readBrake(at base: URL) async throws -> Brake? {
        guard let trusted = await updater.trusted,
            trusted.targets?.signed.delegations?.role(BrakesRole.name) != nil,
            // Delegated to, but not signed for the first time.
            trusted.snapshot?.signed[role: BrakesRole.name] != nil,
            let target = try await updater.target(kind.brakePath(channel: settings.channel))
        else { return nil }
        return try Catalog.brake(
            try await readStatement(
                target, at: base, named: "brake", tooLarge: .brakeMalformed))
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
        _ target: TargetFile, at base: URL, named name: String, tooLarge: Reason
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
        let url = FileDownload.url(
            Self.folder(base, settings, "targets"), try await updater.filePath(of: target))
        let response: HTTPResponse
        do {
            response = try await transport.fetch(
                HTTPRequest(
                    url, maximumSize: target.length, idleTimeout: settings.network.metadataIdle,
                    deadline: settings.network.metadataDeadline))
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
    /// - Parameter progress: called with the bytes that are here and those that there will be.
    /// - Throws: ``UpdateError``.
    func download(
        _ release: Release, of catalog: Catalog, holding held: HeldPayloads,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> (payload: [UInt8], report: DownloadReport) {
        guard let whole = catalog.listing.targets[release.raw.sha256] else {
            throw UpdateError(.releaseMissing, release.raw.sha256)
        }
        // One deadline for all: a delta that was tried in vain does not add to it.
        let limits = settings.network
        let seconds = limits.deadline + Double(whole.length) / 4096
        let end = clock.monotonicNanoseconds() + UInt64(seconds * 1e9)
        let deltas = catalog.listing.deltas
        let download = PayloadDownload(
            release: release, whole: whole, held: held, maximumSize: settings.maximumPayload,
            files: files, clock: clock, published: { deltas[$0] },
            fetch: { [self] target, progress in
                let path: String
                do {
                    path = try await updater.filePath(of: target)
                } catch { throw UpdateError.trust(error, transport: nil) }
                return try await FileDownload(
                    transport: transport, files: files, clock: clock, random: random,
                    limits: limits, mirrors: mirrors, target: target,
                    path: "apps/\(settings.appKey)/targets/\(path)", end: end, progress: progress
                ).run()
            }, progress: progress)
        return try await download.run()
    }
}
