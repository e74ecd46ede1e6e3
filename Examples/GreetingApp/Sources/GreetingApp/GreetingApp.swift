import Foundation
import PatchSDK

#if canImport(SwiftUI)
    import SwiftUI

    @main
    struct GreetingApp: App {
        init() {
            // The key is in openpatch.json after `patchcli init`.
            Patch.configure(.init(appKey: "pak_…"))
            // Crash reports then say which release ran.
            Patch.shared.onReleaseChange { release in
                UserDefaults.standard.set(release?.version, forKey: "release")
            }
        }

        var body: some Scene {
            WindowGroup {
                GreetingScreen()
                    // greeting://join?tag=qa-17&digest=3fa9… A tester confirms it first.
                    .onOpenURL { url in
                        Task { try await Patch.shared.join(url) }
                    }
            }
        }
    }
#else
    @main
    struct GreetingApp {
        static func main() { print("This example needs SwiftUI; see Examples/Greeter.") }
    }
#endif
