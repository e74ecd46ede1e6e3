import Foundation
import PatchPlatform

/// A folder of which one call to the system, or every call from one on, fails.
///
/// The calls are those that a real store makes: for an atomic write, opening the temporary file,
/// both halves of the bytes, the sync, the rename, the sync of the folder. So a fault leaves on
/// disk what it would leave in earnest.
public final class FaultyFileStore: FileStore {
    /// What goes wrong.
    public struct Plan: Sendable {
        /// The number of the call that fails, from 0; nil for none.
        public var call: Int?
        /// Whether all calls after it fail as well.
        public var lasts = false
        /// What it fails with.
        public var code = FileError.Code.failed
        /// Only calls of these kinds are counted.
        public var steps = Set(FileStep.allCases)

        /// Nothing goes wrong.
        public init() {}
    }

    private struct State {
        var plan = Plan()
        var count = 0
        var failed: String?
    }

    private let files: LocalFileStore
    private let state: Lock<State>

    /// The folder below which the files are.
    public var folder: URL { files.folder }
    /// The calls so far that the plan counts.
    public var count: Int { state.withLock { $0.count } }
    /// What failed first, as `step name`; nil when nothing has.
    public var failed: String? { state.withLock { $0.failed } }

    /// Files below `folder`, with faults.
    public init(folder: URL, _ plan: Plan = Plan()) {
        let state = Lock(State(plan: plan))
        self.state = state
        files = LocalFileStore(folder: folder) { step, name in
            try state.withLock { state in
                guard state.plan.steps.contains(step) else { return }
                let number = state.count
                state.count += 1
                guard let call = state.plan.call else { return }
                if number == call || (number > call && state.plan.lasts) {
                    if state.failed == nil { state.failed = "\(step.rawValue) \(name)" }
                    throw FileError(state.plan.code, name: name, systemError: EIO)
                }
            }
        }
    }

    /// Starts counting anew under another plan.
    public func plan(_ plan: Plan) {
        state.withLock { $0 = State(plan: plan) }
    }

    /// See `FileStore`.
    public func read(_ name: String, maximumSize: Int) throws -> [UInt8]? {
        try files.read(name, maximumSize: maximumSize)
    }
    /// See `FileStore`.
    public func writeAtomically(_ bytes: [UInt8], to name: String) throws {
        try files.writeAtomically(bytes, to: name)
    }
    /// See `FileStore`.
    public func writeVerifiable(_ bytes: [UInt8], to name: String) throws {
        try files.writeVerifiable(bytes, to: name)
    }
    /// See `FileStore`.
    public func openForWriting(_ name: String, appending: Bool) throws -> any FileWriter {
        try files.openForWriting(name, appending: appending)
    }
    /// See `FileStore`.
    public func openForReading(_ name: String) throws -> (any FileReader)? {
        try files.openForReading(name)
    }
    /// See `FileStore`.
    public func move(_ name: String, to target: String) throws {
        try files.move(name, to: target)
    }
    /// See `FileStore`.
    public func remove(_ name: String) throws { try files.remove(name) }
    /// See `FileStore`.
    public func list(_ folder: String) throws -> [String] { try files.list(folder) }
    /// See `FileStore`.
    public func size(of name: String) throws -> Int? { try files.size(of: name) }
    /// See `FileStore`.
    public func freeBytes() -> UInt64? { files.freeBytes() }
    /// See `FileStore`.
    public func lock(_ name: String, wait: Bool) throws -> FileLock? {
        try files.lock(name, wait: wait)
    }
    /// See `FileStore`.
    public func lockForReading(_ name: String) throws -> FileLock?? {
        try files.lockForReading(name)
    }
}
