import RolloutGates

/// Has the gates look at every rollout once a minute while the server runs.
public final class GateService: Sendable {
    /// Seconds between two looks: a halt is in effect within one of them (updates.md §6).
    public static let interval: UInt64 = 60

    private let keeper: GateKeeper
    private let now: @Sendable () -> Int
    private let report: @Sendable ([GateKeeper.Outcome]) -> Void
    private let problem: @Sendable (any Error) -> Void

    /// A service over `store`.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - report: is told how each look ended, for log and metrics.
    ///   - problem: is told when a look was not possible at all; the next one tries again.
    public init(
        store: any GateStore, now: @escaping @Sendable () -> Int,
        report: @escaping @Sendable ([GateKeeper.Outcome]) -> Void,
        problem: @escaping @Sendable (any Error) -> Void
    ) {
        keeper = GateKeeper(store: store)
        self.now = now
        self.report = report
        self.problem = problem
    }

    /// Looks until its task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            await look()
            do {
                try await Task.sleep(nanoseconds: Self.interval * 1_000_000_000)
            } catch {
                return
            }
        }
    }

    /// Looks once.
    public func look() async {
        do {
            report(try await keeper.look(at: now()))
        } catch {
            problem(error)
        }
    }
}
