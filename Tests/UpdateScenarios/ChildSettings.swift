import Foundation
import UpdateEngine

/// The settings of the app that test processes are processes of.
public enum ChildSettings {
    /// Settings for the app that `PublishedApp` publishes.
    public static func make(root: [UInt8], base: URL, fingerprint: String) -> UpdateSettings {
        UpdateSettings(
            appKey: "pak_test", appID: "3f2b7c9a-0000-4000-8000-000000000001",
            platform: "linux", channel: "production", fingerprint: fingerprint, baseURL: base,
            trust: .root(root))
    }
}
