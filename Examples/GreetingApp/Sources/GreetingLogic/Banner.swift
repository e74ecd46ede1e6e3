import PatchSDK

/// What the update banner shows: decided here, drawn by SwiftUI (or anything else).
public struct Banner: Equatable, Sendable {
    /// What its button does.
    public enum Action: Equatable, Sendable {
        /// Downloads the update and runs it.
        case download
        /// Runs the update that is on disk.
        case apply
        /// Looks again.
        case check
    }

    /// One line of text.
    public var text: String
    /// How far a download is, 0 to 1; nil for no bar.
    public var progress: Double?
    /// The button's title and effect; nil for no button.
    public var button: Button?

    /// A button.
    public struct Button: Equatable, Sendable {
        /// What it says.
        public var title: String
        /// What it does.
        public var action: Action
    }

    /// The banner of a state; nil where there is nothing to say.
    public init?(_ state: PatchUpdateState) {
        switch state {
        case .idle, .checking, .upToDate: return nil
        case .available(let update):
            let size = update.sizeBytes == 0 ? "" : ", \(Self.size(update.sizeBytes))"
            text =
                update.isRollback
                ? "Going back to \(update.version)" : "Update \(update.version)\(size)"
            if let notes = update.releaseNotes, !notes.isEmpty { text += ": \(notes)" }
            button = Button(title: "Download now", action: .download)
        case .downloading(let share):
            text = "Downloading"
            progress = min(max(share, 0), 1)
        case .readyToReload:
            text = "The update is ready"
            button = Button(title: "Apply", action: .apply)
        case .failed(let why):
            text = why
            button = Button(title: "Try again", action: .check)
        }
    }

    /// A size for people.
    static func size(_ bytes: Int) -> String {
        if bytes < 1000 { return "\(bytes) bytes" }
        let tenths = (bytes + 50) / 100
        return "\(tenths / 10).\(tenths % 10) kB"
    }

    /// Does what the button promises. What goes wrong shows as the next state.
    public static func perform(_ action: Action, with patch: Patch = .shared) async {
        do {
            switch action {
            case .download:
                if try await patch.fetchUpdate() { try await patch.reloadAsync() }
            case .apply: try await patch.reloadAsync()
            case .check: _ = try await patch.checkForUpdate()
            }
        } catch {
            // The state says so already (`.failed`).
        }
    }
}
