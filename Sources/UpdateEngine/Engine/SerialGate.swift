/// Lets one task at a time through, in the order in which they came. An actor alone does not: others
/// enter it at every `await`.
public actor SerialGate {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// A gate that nobody is in.
    public init() {}

    /// Runs `body` when all earlier ones have ended; throws what it throws.
    public nonisolated func run<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        await enter()
        do {
            let result = try await body()
            await leave()
            return result
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await queueUp()
    }

    // Apart, because the types of continuations are made when they are first needed.
    @inline(never) private func queueUp() async {
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty { isBusy = false } else { letNextIn() }
    }

    @inline(never) private func letNextIn() { waiting.removeFirst().resume() }
}
