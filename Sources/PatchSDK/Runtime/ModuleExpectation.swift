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
    var capabilities: Set<CapabilityName>
    /// Lets modules without a section run, if there is one.
    var plainModules: (any PatchPlainModules)?
    /// Bounds of every module.
    var limits: PatchLimits
    /// Whether the module must name this build; false once its signed release was found to.
    var checksBuild = true
}

extension ModuleExpectation {
    /// The same for a payload whose release was checked before it became a slot.
    var trustingBuild: ModuleExpectation {
        var copy = self
        copy.checksBuild = false
        return copy
    }
}
