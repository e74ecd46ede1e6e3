import Dispatch
import PatchSDK

/// Looks for an update and applies it at once, by the imperative calls of the SDK.
struct UpdateLoop {
    private(set) var reason = "started"
    private var lastProblem = ""

    /// - Returns: how long it took, when something was applied.
    mutating func step(_ screen: Screen) async -> Timing? {
        do {
            var timing = Timing()
            let begun = DispatchTime.now().uptimeNanoseconds
            guard let update = try await Patch.shared.checkForUpdate() else {
                lastProblem = ""
                return nil
            }
            let found = DispatchTime.now().uptimeNanoseconds
            guard try await Patch.shared.fetchUpdate() else { return nil }
            let fetched = DispatchTime.now().uptimeNanoseconds
            try await Patch.shared.reloadAsync()
            let applied = DispatchTime.now().uptimeNanoseconds
            timing.check = found - begun
            timing.fetch = fetched - found
            timing.swap = applied - fetched
            reason = update.reason.code
            lastProblem = ""
            return timing
        } catch {
            let error = error as? PatchError ?? PatchError(.callFailed, "\(error)")
            // The same failure at every poll is said once.
            if error.code != lastProblem {
                lastProblem = error.code
                screen.problem("\(error.code): \(error.description)")
            }
            return nil
        }
    }
}
