import PatchPlatform
import Rollout
import UpdateEngine

/// From the activation of a module to the moment at which it is found to work (updates.md §4).
extension Session {
    func trial(isOver: Bool) -> ModuleTrial {
        // Without the app's own word for it, the first returned call and some time alive decide.
        ModuleTrial(
            isOver: isOver,
            listener: ModuleTrial.Listener(
                began: { [engine] in engine.patchedCallBegan() },
                returned: { [weak self] module in self?.firstCallReturned(module) },
                hung: { [weak self] module, error in self?.hung(module, error) }))
    }

    private func firstCallReturned(_ module: LoadedModule) {
        guard case .automatic(let seconds) = configuration.readiness else { return }
        Task.detached { [weak self, environment] in
            do {
                try await environment.sleep(max(0, seconds))
            } catch {
                return
            }
            guard let self, self.routing.active === module else { return }
            await self.markReady()
        }
    }

    /// The active module works.
    func markReady() async {
        guard let module = routing.active else { return }
        module.endTrial()
        let isNews = module.trial?.end() ?? false
        do {
            try await engine.markReady()
            if isNews { reporter.note(.ready, module.release.digest) }
        } catch {
            report(.state, PatchError(of: error))
        }
    }

    /// Native code serves already; the release is not tried again until its ban ends.
    private func hung(_ module: LoadedModule, _ error: PatchError) {
        report(.refused, error, module.release)
        outlets.release(nil)
        reporter.note(.rollback, module.release.digest, reason: error.reason)
        guard module.release.origin == .downloaded else { return }
        Task.detached { [weak self] in
            do {
                try await self?.engine.didFail(module.release.digest, because: error.reason)
            } catch {
                self?.report(.state, PatchError(of: error))
            }
        }
    }
}
