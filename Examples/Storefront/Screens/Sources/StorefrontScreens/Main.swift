import Foundation
import PatchSDK
import PatchSwiftUI
import SwiftUI
import ViewTree

/// The shop's screens on Linux, asked line by line on standard input and answering with a line of
/// JSON each:
///
///     show NAME           a screen, from its beginning
///     send TOKEN HEX      an event: the token in decimal, the encoded payload
///     draw                the screen as it is
///     look                looks for an update, takes it, and says what runs
@main
struct StorefrontScreens {
    static func main() async {
        do {
            if let resources = argument("--resources") {
                var configuration = try PatchConfiguration.bundled(
                    resources: URL(fileURLWithPath: resources))
                if let state = argument("--state") {
                    configuration.stateFolder = URL(fileURLWithPath: state)
                }
                configuration.autoApply = false
                Patch.configure(configuration)
                Patch.shared.onEvent { event in
                    guard [.refused, .call].contains(event.kind) else { return }
                    FileHandle.standardError.write(Data("screens: \(event)\n".utf8))
                }
                _ = await Patch.shared.start()
            }
            var screen = HostScreen { CatalogScreen() }
            while let line = readLine() {
                let words = line.split(separator: " ", omittingEmptySubsequences: false)
                switch words.first {
                case "show": screen = try Self.screen(String(words.last ?? ""))
                case "send" where words.count == 3:
                    screen.send(
                        UInt64(words[1]) ?? 0, payload: bytes(words[2]))
                case "look":
                    if try await Patch.shared.checkForUpdate() != nil,
                        try await Patch.shared.fetchUpdate()
                    {
                        try await Patch.shared.reloadAsync()
                    }
                default: break
                }
                try answer(screen)
            }
        } catch {
            FileHandle.standardError.write(Data("screens: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func screen(_ name: String) throws -> HostScreen {
        switch name {
        case "catalog": return HostScreen { CatalogScreen() }
        case "product":
            let quantity = Quantity()
            return HostScreen {
                ProductScreen(
                    product: Stock.products[0],
                    quantity: Binding(get: { quantity.value }, set: { quantity.value = $0 }))
            }
        case "cart": return HostScreen { CartScreen() }
        case "order": return HostScreen { OrderScreen() }
        default: return HostScreen { OptionsScreen() }
        }
    }

    private static func answer(_ screen: HostScreen) throws {
        let page = try screen.page()
        let answer = [
            "running": Patch.shared.currentRelease?.version ?? "native", "html": page.body,
            "tree": screen.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
        ]
        let data = try JSONSerialization.data(withJSONObject: answer, options: .sortedKeys)
        FileHandle.standardOutput.write(data + Data("\n".utf8))
    }

    private static func argument(_ name: String) -> String? {
        let all = CommandLine.arguments
        guard let place = all.firstIndex(of: name), place + 1 < all.count else { return nil }
        return all[place + 1]
    }

    private static func bytes(_ hex: Substring) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
        }
    }
}

/// How many of a product somebody wants, where the screen around keeps it.
final class Quantity {
    var value = 1
}
