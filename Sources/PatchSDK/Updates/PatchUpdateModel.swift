#if canImport(Observation)
    import Observation  // newer API: every use stands behind the availability below

    /// The update state for views that observe by access (`@Observable`), where the system has that;
    /// elsewhere ``PatchUpdateStateObservable`` serves.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor
    public final class PatchUpdateModel: Observable {
        private let registrar = ObservationRegistrar()
        private var current: PatchUpdateState
        private var observation: PatchObservation?

        /// Follows the update state of `patch`.
        public init(_ patch: Patch = .shared) {
            current = patch.updateState.state
            observation = patch.updateState.onChange { [weak self] state in self?.become(state) }
        }

        deinit { observation?.cancel() }

        /// The state now.
        public var state: PatchUpdateState {
            registrar.access(self, keyPath: \.state)
            return current
        }

        private func become(_ state: PatchUpdateState) {
            registrar.withMutation(of: self, keyPath: \.state) { current = state }
        }
    }
#endif
