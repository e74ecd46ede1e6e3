import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// What the app asked for and what it ships, put together. Problems are kept, not thrown: the app
/// starts in any case, with what is usable.
final class ResolvedConfiguration: Sendable {
    let configuration: PatchConfiguration
    let settings: UpdateSettings
    let expectation: ModuleExpectation
    let resources: ShippedFiles
    let surface: Surface?
    /// The channel of the configuration, whatever was chosen since.
    let configuredChannel: String
    /// What is wrong with configuration or resources.
    let problems: [PatchError]

    /// - Parameter choices: what was chosen on this device while the app ran.
    init(
        _ configuration: PatchConfiguration, environment: PatchEnvironment,
        choices: Choices = Choices()
    ) {
        self.configuration = configuration
        var problems: [PatchError] = []
        func attempt<Value>(_ body: () throws -> Value?) -> Value? {
            do {
                return try body()
            } catch {
                problems.append(PatchError(of: error))
                return nil
            }
        }
        let resources = ShippedFiles(folder: configuration.resources)
        self.resources = resources
        var bundled = attempt { try resources.configuration() }
        if let found = bundled, found.appKey != configuration.appKey {
            problems.append(
                PatchError(
                    .configMalformed,
                    "it is for the app key \(found.appKey), not \(configuration.appKey)"))
            bundled = nil
        }
        if configuration.stateFolder == nil, environment.files == nil,
            configuration.appGroupIdentifier != nil, Self.stateFolder(configuration) == nil
        {
            problems.append(
                PatchError(.appGroupMissing, configuration.appGroupIdentifier ?? ""))
        }
        let surface = attempt { try environment.surface() }
        self.surface = surface
        let baseURL =
            configuration.apiBaseURL == PatchConfiguration.bundledBaseURL
            ? bundled?.apiBaseURL : configuration.apiBaseURL
        let trust = configuration.trust.resolved(
            baseURL: baseURL, files: resources, refusal: environment.remoteRefusal)
        if case .none(let error) = trust, error.reason == .rootMalformed {
            problems.append(PatchError(of: error))
        }
        let fingerprint =
            configuration.fingerprint ?? bundled?.fingerprint ?? UpdateSettings.anyBuild
        configuredChannel = configuration.channel.name ?? bundled?.channel ?? "production"
        var settings = UpdateSettings(
            appKey: configuration.appKey, appID: configuration.appID ?? bundled?.appID,
            platform: bundled?.platform ?? HostPlatform.name,
            channel: choices.channel ?? configuredChannel,
            fingerprint: fingerprint, baseURL: baseURL, trust: trust)
        settings.deviceID = configuration.deviceID
        settings.abi = abiVersion
        settings.capabilities = Set(configuration.granted.map(\.rawValue))
        settings.surface = surface?.signatures ?? [:]
        settings.systemVersion = environment.systemVersion
        settings.appVersion = environment.appVersion
        settings.tags =
            choices.tags.isEmpty ? configuration.tags : configuration.tags.union(choices.tags)
        settings.cohort = configuration.cohort
        settings.heed(bundled)
        settings.maximumPayload = configuration.limits.moduleBytes
        settings.mirrors = configuration.mirrors
        settings.baseModule = {
            try? resources.module(maximumSize: configuration.limits.moduleBytes)
        }
        self.settings = settings
        expectation = ModuleExpectation(
            appID: settings.appID, fingerprint: fingerprint, surface: surface,
            capabilities: configuration.granted,
            plainModules: configuration.plainModules, limits: configuration.limits)
        self.problems = problems
    }

    /// Whether there is a server to ask and something to trust it by.
    var isRemote: Bool {
        if case .none = settings.trust { return false }
        return settings.baseURL != nil
    }

    /// Where the state lies: the app's choice, the App Group's container, or the platform's place.
    /// - Returns: nil when there is none; then nothing is kept.
    static func stateFolder(_ configuration: PatchConfiguration) -> URL? {
        if let folder = configuration.stateFolder { return folder }
        return HostPlatform.stateFolder(
            appKey: configuration.appKey, appGroup: configuration.appGroupIdentifier)
    }
}
