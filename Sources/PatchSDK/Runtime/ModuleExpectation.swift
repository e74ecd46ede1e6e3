import Rollout

/// What a module must fit to run in this app.
struct ModuleExpectation: Sendable {
    /// The app's id; nil when the app does not know it.
    var appID: String?
    /// The fingerprint of this build, or `_any`.
    var fingerprint: String
    /// The functions compiled into the app; nil when it was never prepared.
    var surface: Surface?
    /// What modules may import.
    var capabilities: [CapabilityName]
    /// Lets modules without a section run, if there is one.
    var plainModules: (any PatchPlainModules)?
    /// Bounds of every module.
    var limits: PatchLimits
    /// Whether the module must name this build; false once its signed release was found to.
    var checksBuild = true
    /// Whether all functions are validated at once; else each at its first call, which it cannot
    /// begin before.
    var validatesAll = true
}

extension ModuleExpectation {
    /// The same for a payload that was checked with its release before it became a slot, and whose
    /// digest says that it is still the same.
    var trustingBuild: ModuleExpectation {
        var copy = self
        copy.checksBuild = false
        copy.validatesAll = false
        return copy
    }
}
