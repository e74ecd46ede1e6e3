import Foundation
import PatchSDK

/// A shop that runs for long: an order in JSON is a line on standard input, its answer goes to
/// standard output with an empty line after it. Between two orders it takes updates of itself.
@main
struct Storefront {
    private enum Event: Sendable { case order(String), look, end }

    static func main() async {
        let options: Options
        let shop: Shop
        do {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
            shop = try Shop()
        } catch {
            say("\(error)")
            exit(64)
        }
        let updates = options.isNative ? nil : await Updates(options)
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        Thread.detachNewThread {
            while let line = readLine() { feed.yield(.order(line)) }
            feed.yield(.end)
        }
        feed.yield(.look)
        for await event in events {
            switch event {
            case .order(let json):
                // Not `print`, which keeps lines back when nobody looks at a terminal.
                FileHandle.standardOutput.write(Data((shop.answer(json) + "\n\n").utf8))
            case .end: return
            case .look:
                guard let updates else { break }
                await updates.look()
                Task {
                    try await Task.sleep(nanoseconds: UInt64(options.poll * 1e9))
                    feed.yield(.look)
                }
            }
        }
    }

    static func say(_ text: String) {
        FileHandle.standardError.write(Data("storefront: \(text)\n".utf8))
    }
}

/// What the command line asks for.
struct Options: Sendable {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    var resources: URL?
    var state: URL?
    var poll = 5.0
    var isNative = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst() else {
                    throw Problem(description: "\(name) wants a value")
                }
                return value
            }
            switch name {
            case "--resources": resources = URL(fileURLWithPath: try value())
            case "--state": state = URL(fileURLWithPath: try value())
            case "--poll":
                guard let seconds = Double(try value()), seconds > 0, seconds < 86_400 else {
                    throw Problem(description: "--poll wants seconds")
                }
                poll = seconds
            case "--native": isNative = true
            default:
                throw Problem(
                    description: """
                        usage: Storefront [--resources DIR] [--state DIR] [--poll SECONDS] \
                        [--native] < orders
                        """)
            }
        }
    }
}

/// Looks for releases and applies them, and says which one runs.
final class Updates {
    private var said = ""

    init?(_ options: Options) async {
        do {
            var configuration = try PatchConfiguration.bundled(resources: options.resources)
            if let state = options.state { configuration.stateFolder = state }
            configuration.autoApply = false
            Patch.configure(configuration)
        } catch {
            Storefront.say("no updates: \(error)")
            return nil
        }
        Patch.shared.onEvent { event in
            switch event.kind {
            case .refused, .call: Storefront.say("\(event)")
            default: break
            }
        }
        _ = await Patch.shared.start()
        sayRelease()
    }

    func look() async {
        do {
            if try await Patch.shared.checkForUpdate() != nil,
                try await Patch.shared.fetchUpdate()
            {
                try await Patch.shared.reloadAsync()
            }
            sayRelease()
        } catch {
            // Without a network the shop goes on as it is.
            report("cannot look for updates: \(error)")
        }
    }

    private func sayRelease() {
        report("running \(Patch.shared.currentRelease?.version ?? "native code")")
    }

    /// Says what was not said last.
    private func report(_ text: String) {
        guard text != said else { return }
        said = text
        Storefront.say(text)
    }
}
