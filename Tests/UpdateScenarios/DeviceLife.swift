import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// Payloads that are taken as they are.
public struct PlainPayload: PayloadKind {
    /// The kind.
    public init() {}
    /// See `PayloadKind`.
    public var name: String { "module" }
    /// See `PayloadKind`.
    public func headPath(channel: String, build: String) -> String {
        "heads/\(channel)/module/\(build).json"
    }
    /// See `PayloadKind`.
    public func inspect(_ payload: [UInt8], of release: Release) throws {}
}

/// One life of an app's process, as the SDK lives it: launch, run the newest there is, look for an
/// update, apply it, find that it works.
public struct DeviceLife: Sendable {
    let settings: UpdateSettings
    let environment: UpdateEngine.Environment

    /// A device with its state in the environment's files.
    public init(settings: UpdateSettings, environment: UpdateEngine.Environment) {
        self.settings = settings
        self.environment = environment
    }

    /// Lives once. A phase that fails does not keep the next from being tried, as in an app.
    /// - Parameter looksForUpdate: false for a life without network.
    /// - Returns: the reasons that phases failed with.
    @discardableResult
    public func live(looksForUpdate: Bool = true) async -> [Reason] {
        let engine = UpdateEngine(
            settings: settings, kind: PlainPayload(), environment: environment)
        var failures: [Reason] = []
        func attempt(_ body: () async throws -> Void) async {
            do {
                try await body()
            } catch {
                failures.append((error as? UpdateError)?.reason ?? .stateUnreadable)
            }
        }
        await attempt { try await Self.start(engine) }
        if looksForUpdate {
            await attempt { _ = try await engine.check() }
            await attempt {
                if try await engine.fetch() != nil { try await Self.apply(engine) }
            }
        }
        await attempt { try await engine.markReady() }
        engine.didEndCleanly()
        return failures
    }

    private static func start(_ engine: UpdateEngine) async throws {
        let plan = try await engine.launch()
        if plan.state.staged != nil { return try await apply(engine) }
        guard let current = plan.state.current else { return }
        try await run(current, engine) {}
    }

    private static func apply(_ engine: UpdateEngine) async throws {
        switch try await engine.open().staged {
        case .embedded: try await engine.didActivateStaged()
        case .release(let slot):
            try await run(slot, engine) { try await engine.didActivateStaged() }
        case nil: break
        }
    }

    private static func run(
        _ slot: Slot, _ engine: UpdateEngine, _ commit: () async throws -> Void
    ) async throws {
        do {
            _ = try await engine.payload(of: slot)
        } catch let error as UpdateError
            where error.reason == .slotMissing || error.reason == .slotDamaged
        {
            try await engine.didFail(slot.digest, because: error.reason)
            throw error
        }
        try await engine.willActivate(slot.digest)
        try await commit()
        engine.didActivate()
        engine.patchedCallBegan()
    }
}
