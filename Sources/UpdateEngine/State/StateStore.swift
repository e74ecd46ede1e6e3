import Foundation
import PatchPlatform
import Rollout

/// Reads and writes `state.json`, one writer at a time.
///
/// A state that cannot be read is never replaced: the shipped code runs, and neither a device id
/// nor anything else is minted over it.
struct StateStore: Sendable {
    static let fileName = "state.json"
    static let lockName = "lock"
    static let maximumSize = 1 << 20

    let files: any FileStore
    let random: any RandomSource
    /// How long to wait for another process that is writing, in seconds. Bounded, because a start
    /// of the app waits here and the other process may be suspended.
    let patience: Double

    /// The state on disk, or nil when there is none yet.
    /// - Throws: ``UpdateError`` `state_unreadable` or `state_too_new`.
    func load() throws -> UpdateState? {
        let bytes: [UInt8]?
        do {
            bytes = try files.read(Self.fileName, maximumSize: Self.maximumSize)
        } catch {
            throw UpdateError(.stateUnreadable, "\(error)")
        }
        guard let bytes else { return nil }
        return try UpdateState(parsing: bytes)
    }

    /// Changes the state under the lock between processes. Writes only when `change` changed
    /// something; a fresh state (with a fresh device id) is written in any case.
    /// - Parameter mustLast: false when losing the change to a power cut is harmless, which saves
    ///   waiting for the folder.
    /// - Throws: ``UpdateError``; the state on disk is then the old one.
    @discardableResult
    func update(
        mustLast: Bool = true, _ change: (inout UpdateState) throws -> Void
    ) throws -> UpdateState {
        do {
            let lock = try takeLock()
            defer { lock.release() }
            let old = try load()
            var state = old ?? UpdateState(deviceID: random.uuid())
            try change(&state)
            if state != old {
                let bytes = state.encoded()
                if mustLast {
                    try files.writeAtomically(bytes, to: Self.fileName)
                } else {
                    try files.writeVerifiable(bytes, to: Self.fileName)
                }
            }
            return state
        } catch {
            throw UpdateError.state(error)
        }
    }

    /// Reads while nobody writes, and without making anything: for the processes that only look.
    /// - Throws: ``UpdateError``, `state_busy` when a writer stays.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let lock = try patiently { try files.lockForReading(Self.lockName) }
            defer { lock?.release() }
            return try body()
        } catch {
            throw UpdateError.state(error)
        }
    }

    private func takeLock() throws -> FileLock {
        try patiently { try files.lock(Self.lockName, wait: false) }
    }

    private func patiently<Result>(_ attempt: () throws -> Result?) throws -> Result {
        var waited = 0.0
        while true {
            if let result = try attempt() { return result }
            guard waited < patience else { throw UpdateError(.stateBusy) }
            Thread.sleep(forTimeInterval: 0.005)
            waited += 0.005
        }
    }
}
