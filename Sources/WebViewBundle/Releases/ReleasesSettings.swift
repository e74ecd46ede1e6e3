import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// What the app asked for and what it ships, put together. What is wrong is kept, not thrown: the app
/// shows what it has in any case.
struct ReleasesSettings {
    /// The largest archive that a release delivers, in bytes. It is in memory while it is unpacked
    /// from a download.
    static let largestBundle = 128 << 20

    private(set) var engine: UpdateSettings
    private(set) var problems: [UpdateError] = []
    /// Where the state lies; nil when there is no place for it.
    let folder: URL?

    init(_ config: WebViewBundleReleasesConfig, refusal: Reason?, appVersion: String?) {
        var problems: [UpdateError] = []
        var shipped: ShippedConfiguration?
        let files = ShippedFiles(folder: config.resourcesDir.map { URL(fileURLWithPath: $0) })
        do {
            shipped = try files.configuration()
        } catch {
            problems.append(error as? UpdateError ?? UpdateError(.configMalformed, "\(error)"))
        }
        let appKey = config.appKey ?? shipped?.appKey
        if appKey == nil, problems.isEmpty { problems.append(UpdateError(.configMissing)) }
        let base = config.endpoint.map { URL(string: $0) } ?? shipped?.apiBaseURL
        var engine = UpdateSettings(
            appKey: appKey ?? "", appID: shipped?.appID,
            platform: shipped?.platform ?? HostPlatform.name,
            channel: config.channel ?? shipped?.channel ?? "stable",
            fingerprint: UpdateSettings.anyBuild, baseURL: appKey == nil ? nil : base,
            trust: config.trust.resolved(baseURL: base, files: files, refusal: refusal))
        engine.mirrors = config.mirrors.compactMap { URL(string: $0) }
        engine.deviceID = config.deviceID
        engine.capabilities = config.capabilities
        engine.tags = config.tags
        engine.cohort = config.cohort
        engine.appVersion = { appVersion }
        engine.systemVersion = HostPlatform.systemVersion
        engine.heed(shipped)
        if let sequence = config.embeddedSequence { engine.embeddedSequence = sequence }
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

    private static func folder(_ config: WebViewBundleReleasesConfig, appKey: String) -> URL? {
        if let folder = config.stateDir { return URL(fileURLWithPath: folder) }
        return HostPlatform.stateFolder(appKey: appKey)?.appendingPathComponent("bundles")
    }
}
