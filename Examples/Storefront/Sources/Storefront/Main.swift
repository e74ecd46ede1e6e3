import Foundation
import PatchSDK

/// A shop that runs for long and looks for updates of itself.
@main
struct Storefront {
    static func main() async {
        setvbuf(stdout, nil, _IOLBF, 0)
        let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? .infinity
        do {
            var configuration = try PatchConfiguration.bundled()
            if let state = ProcessInfo.processInfo.environment["STOREFRONT_STATE"] {
                configuration.stateFolder = URL(fileURLWithPath: state)
            }
            Patch.configure(configuration)
            _ = await Patch.shared.start()
        } catch {
            print("no updates: \(error)")
        }
        let begun = ProcessInfo.processInfo.systemUptime
        var shown = ""
        while ProcessInfo.processInfo.systemUptime - begun < seconds {
            let release = Patch.shared.currentRelease?.version ?? "native"
            let screens = "== \(release)\n" + Scenario.screens()
            if screens != shown {
                print(screens, terminator: "")
                shown = screens
            }
            do {
                if try await Patch.shared.checkForUpdate() != nil,
                    try await Patch.shared.fetchUpdate()
                {
                    try await Patch.shared.reloadAsync()
                }
            } catch {
                // Without a network the shop goes on as it is.
            }
            try? await Task.sleep(nanoseconds: 500_000_000)
        }
    }
}
