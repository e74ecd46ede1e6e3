#if canImport(SwiftUI) && !os(macOS) && !os(tvOS) && !os(watchOS)

    import Foundation
    import PatchSDK
    import SwiftUI
    import ViewTree

    /// A place on the screen that a module draws, and the way back for its events.
    ///
    /// Unchecked, because all of it is touched on the main thread only: SwiftUI asks there, and what
    /// other threads say is brought there first.
    final class PatchedPlace: ObservableObject, @unchecked Sendable {
        /// Grows when something else is to be drawn.
        @Published private(set) var generation = 0
        private let mount = PatchedViewMount()
        /// The tree that was drawn last, which the next one may only change.
        private var last: [ViewNode]?
        private var observation: PatchObservation?
        private var settings: (any NSObjectProtocol)?
        private var dismiss: () -> Void = {}

        init() {
            observation = Patch.shared.onReleaseChange { [weak self] _ in
                DispatchQueue.main.async { [weak self] in self?.redraw() }
            }
            // `@AppStorage` of a module shows what anybody changes of the settings.
            settings = NotificationCenter.default.addObserver(
                forName: UserDefaults.didChangeNotification, object: nil, queue: .main
            ) { [weak self] _ in self?.settingsChanged() }
        }

        deinit {
            observation?.cancel()
            if let settings { NotificationCenter.default.removeObserver(settings) }
        }

        private func settingsChanged() {
            if mount.isPatched { redraw() }
        }

        private func redraw() { generation += 1 }

        /// The module's tree; nil when the app's own content is to be shown.
        func draw(
            _ view: PatchedView?, in surroundings: Surroundings, dismiss: @escaping () -> Void
        ) -> [ViewNode]? {
            self.dismiss = dismiss
            let before = last
            last = nil
            guard
                let bytes = mount.render(
                    view, surroundings: surroundings.bytes, changesOnly: before != nil)
            else { return nil }
            do {
                let tree = try Tree.applying(bytes, to: before ?? [])
                last = tree
                // Not in the middle of a pass.
                DispatchQueue.main.async { [weak self] in self?.mount.settle() }
                return tree
            } catch {
                mount.refuse("\(error)")
                return nil
            }
        }

        func send(_ token: EventToken, _ payload: EventPayload = .none) {
            let outcome = mount.send(token.rawValue, payload.bytes)
            if outcome.contains(.dismissed) { dismiss() }
            if !outcome.isEmpty { redraw() }
        }

        /// A row of a long list.
        func row(_ list: EventToken, _ index: Int) -> [ViewNode] {
            guard let bytes = mount.row(list.rawValue, index) else { return [] }
            do {
                return try Tree.decode(bytes)
            } catch {
                mount.refuse("\(error)")
                DispatchQueue.main.async { [weak self] in self?.redraw() }
                return []
            }
        }

        func binding(_ bound: Bound<Bool>) -> Binding<Bool> {
            Binding(get: { bound.value }, set: { self.send(bound.token, .bool($0)) })
        }

        func binding(_ bound: Bound<String>) -> Binding<String> {
            Binding(get: { bound.value }, set: { self.send(bound.token, .string($0)) })
        }

        func binding(_ bound: Bound<Double>) -> Binding<Double> {
            Binding(get: { bound.value }, set: { self.send(bound.token, .double($0)) })
        }

        func binding(_ bound: Bound<UInt64>) -> Binding<UInt64> {
            Binding(get: { bound.value }, set: { self.send(bound.token, .integer($0)) })
        }
    }

#endif
