import Foundation
import PatchCompiler
import PatchHTML
import ViewTree

/// The native views beside the module's: built when a page first wants them and again after each
/// edit, off the way of the module's own build.
final class NativePreview: @unchecked Sendable {
    // Unchecked: everything that changes is only touched while `lock` is held.
    enum State {
        case off, building, ready, failed(String)

        var name: String {
            switch self {
            case .off: return "off"
            case .building: return "building"
            case .ready: return "ready"
            case .failed: return "failed"
            }
        }

        var failure: String? {
            if case .failed(let why) = self { return why }
            return nil
        }
    }

    private let lock = NSLock()
    private let builder: NativeViewBuilder
    private let log: @Sendable (String) -> Void
    private var files: [GuestSource] = []
    private var isWanted = false
    private var now = State.off
    private var screens: NativeScreens?
    /// Counts the sources, so that a build of older ones is not shown.
    private var version = 0

    init(_ builder: NativeViewBuilder, log: @escaping @Sendable (String) -> Void) {
        self.builder = builder
        self.log = log
    }

    var state: State { lock.withLock { now } }

    /// Takes what the module was built from.
    func sources(_ files: [GuestSource]) {
        lock.withLock {
            self.files = files
            version += 1
            screens = nil
            now = .off
            if isWanted { build() }
        }
    }

    /// Begins to build; the lock is held.
    private func build() {
        isWanted = true
        now = .building
        let files = files
        let version = version
        let thread = Thread { [self] in
            let begun = Date()
            let built = Result { try NativeScreens(files, builder) }
            lock.withLock {
                guard version == self.version else { return }
                switch built {
                case .success(let screens):
                    self.screens = screens
                    now = .ready
                case .failure(let error): now = .failed("\(error)")
                }
            }
            let seconds = String(format: "%.1f", Date().timeIntervalSince(begun))
            log("native views: \(state.name) after \(seconds) s")
        }
        // The compiler's caller parses whole files; the usual half megabyte is little.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Tells the native view of an event, when it is shown.
    func send(_ view: UInt64, _ event: PreviewEvent) {
        lock.withLock {
            guard let screens, screens.shows(view) else { return }
            do {
                _ = try screens.send(view, event)
            } catch {
                fail(error)
            }
        }
    }

    /// The view begins anew.
    func forget(_ view: UInt64) {
        lock.withLock { screens?.forget(view) }
    }

    /// Draws the native view, brought to where the module's is.
    /// - Parameters:
    ///   - events: what the module's view was told so far.
    ///   - guest: the module's tree.
    func show(
        _ view: UInt64, in surroundings: Surroundings, after events: [PreviewEvent],
        guest: [UInt8], _ options: HTMLOptions
    ) -> PreviewSession.Answer.Native {
        lock.withLock {
            var answer = PreviewSession.Answer.Native()
            guard let screens else {
                if case .off = now { build() }
                answer.fault = now.failure ?? "the native views are being built"
                return answer
            }
            do {
                if !screens.shows(view) {
                    _ = try screens.mount(view, in: surroundings)
                    for event in events { _ = try screens.send(view, event) }
                }
                let bytes = try screens.show(view, in: surroundings)
                answer.isSame = bytes == guest
                answer.html = HTMLRenderer.screen(try Tree.decode(bytes), options).body
            } catch {
                fail(error)
                answer.fault = "\(error)"
            }
            return answer
        }
    }

    private func fail(_ error: any Error) {
        screens = nil
        now = .failed("\(error)")
    }
}
