import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// What the app asked for and what it ships, put together. What is wrong is kept, not thrown: the app
/// shows what it has in any case.
struct ReleasesSettings {
    /// `patch-config.json`, as far as bundles need it.
    private struct Shipped: Decodable {
        struct Floors: Decodable {
            var min_targets_version: Int
            var min_sequence: Int
        }
        var v: Int
        var app_key: String
        var app_id: String?
        var api_base_url: String?
        var channel: String?
        var platform: String?
        var embedded_sequence: Int?
        var floors: Floors?
    }

    static let configurationName = "patch-config.json"
    static let rootName = "patch-root.json"
    private static let largestDocument = 512_000
    /// The largest archive that a release delivers, in bytes. It is in memory while it is unpacked
    /// from a download.
    static let largestBundle = 128 << 20

    private(set) var engine: UpdateSettings
    private(set) var problems: [UpdateError] = []
    /// Where the state lies; nil when there is no place for it.
    let folder: URL?

    init(_ config: WebViewBundleReleasesConfig, refusal: Reason?, appVersion: String?) {
        var problems: [UpdateError] = []
        var shipped: Shipped?
        do {
            shipped = try Self.shipped(config)
        } catch {
            problems.append(error as? UpdateError ?? UpdateError(.configMalformed, "\(error)"))
        }
        let appKey = config.appKey ?? shipped?.app_key
        if appKey == nil, problems.isEmpty { problems.append(UpdateError(.configMissing)) }
        let base = (config.endpoint ?? shipped?.api_base_url).flatMap { URL(string: $0) }
        var engine = UpdateSettings(
            appKey: appKey ?? "", appID: shipped?.app_id,
            platform: shipped?.platform ?? HostPlatform.name,
            channel: config.channel ?? shipped?.channel ?? "stable",
            fingerprint: UpdateSettings.anyBuild, baseURL: appKey == nil ? nil : base,
            trust: Self.trust(config, base, refusal))
        engine.mirrors = config.mirrors.compactMap { URL(string: $0) }
        engine.deviceID = config.deviceID
        engine.capabilities = config.capabilities
        engine.tags = config.tags
        engine.cohort = config.cohort
        engine.appVersion = { appVersion }
        let version = ProcessInfo.processInfo.operatingSystemVersion
        engine.systemVersion =
            "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        engine.embeddedSequence = config.embeddedSequence ?? shipped?.embedded_sequence ?? 0
        engine.minimumSequence = shipped?.floors?.min_sequence ?? 0
        engine.minimumTargetsVersion = shipped?.floors?.min_targets_version ?? 0
        engine.maximumPayload = Self.largestBundle
        if case .none(let error) = engine.trust, base != nil { problems.append(error) }
        self.engine = engine
        self.problems = problems
        folder = Self.folder(config, appKey: appKey ?? "app")
    }

    /// Whether there is a server to ask and something to trust it by.
    var isRemote: Bool {
        if case .none = engine.trust { return false }
        return engine.baseURL != nil
    }

    // MARK: What the app ships

    private static func folders(_ config: WebViewBundleReleasesConfig) -> [URL] {
        if let folder = config.resourcesDir { return [URL(fileURLWithPath: folder)] }
        var folders: [URL] = []
        let main = Foundation.Bundle.main
        if let resources = main.resourceURL { folders.append(resources) }
        if let program = main.executableURL?.resolvingSymlinksInPath() {
            folders.append(program.deletingLastPathComponent())
        }
        return folders + folders.map { $0.appendingPathComponent("Resources") }
    }

    private static func read(
        _ name: String, _ config: WebViewBundleReleasesConfig
    ) throws -> [UInt8]? {
        for folder in folders(config) {
            let files = LocalFileStore(folder: folder)
            if let bytes = try files.read(name, maximumSize: largestDocument) { return bytes }
        }
        return nil
    }

    private static func shipped(_ config: WebViewBundleReleasesConfig) throws -> Shipped? {
        do {
            guard let bytes = try read(configurationName, config) else { return nil }
            let shipped = try JSONDecoder().decode(Shipped.self, from: Data(bytes))
            guard shipped.v == 1 else {
                throw UpdateError(.configMalformed, "version \(shipped.v)")
            }
            return shipped
        } catch let error as UpdateError {
            throw error
        } catch {
            throw UpdateError(.configMalformed, "\(error)")
        }
    }

    private static func trust(
        _ config: WebViewBundleReleasesConfig, _ base: URL?, _ refusal: Reason?
    ) -> UpdateSettings.Trust {
        if let refusal { return .none(UpdateError(refusal)) }
        switch config.trust {
        case .root(let bytes): return .root(bytes)
        case .bundledRoot:
            do {
                guard let root = try read(rootName, config) else {
                    return .none(UpdateError(.rootMissing))
                }
                return .root(root)
            } catch {
                return .none(UpdateError(.rootMalformed, "\(error)"))
            }
        case .insecureForLocalDevelopment:
            guard let base, Loopback.contains(base) else {
                return .none(UpdateError(.insecureTrustRefused))
            }
            return .firstUse
        }
    }

    private static func folder(_ config: WebViewBundleReleasesConfig, appKey: String) -> URL? {
        if let folder = config.stateDir { return URL(fileURLWithPath: folder) }
        return HostPlatform.stateFolder(appKey: appKey)?.appendingPathComponent("bundles")
    }
}
