import Dispatch
import Foundation
import PatchSDK

@main
struct Greeter {
    static func main() async {
        let options: Options
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.contains("--help") || arguments.contains("-h") {
                return print(Options.usage)
            }
            options = try Options(arguments)
        } catch {
            let text = (error as? Options.Problem)?.text ?? "\(error)"
            FileHandle.standardError.write(Data("Greeter: \(text)\n\(Options.usage)\n".utf8))
            exit(64)
        }
        let stop = StopFlag()
        stop.watch(SIGTERM)
        stop.watch(SIGINT)
        await run(options, until: stop)
    }

    static func run(_ options: Options, until stop: StopFlag) async {
        let screen = Screen(isPlain: options.isPlain)
        let configuration = configuration(options, screen)
        let isRemote = configuration.apiBaseURL != nil
        Patch.configure(configuration)
        Patch.shared.onEvent { event in
            switch event.kind {
            case .configuration, .state, .refused, .call: screen.problem("\(event)")
            case .activated, .update, .log: break
            }
        }
        let banner = UpdateBanner(screen)
        let states = Patch.shared.updateStates
        let showing = Task { for await state in states { banner.show(state) } }
        defer { showing.cancel() }
        if case .fallback(let reason) = await Patch.shared.start() {
            screen.problem("native code runs: \(reason)")
        }
        var loop = UpdateLoop()
        var shown: Frame?
        let begun = DispatchTime.now().uptimeNanoseconds
        var nextPoll = begun
        while !stop.isSet {
            let now = DispatchTime.now().uptimeNanoseconds
            if let duration = options.duration, Double(now - begun) >= duration * 1e9 { break }
            var timing: Timing?
            // The first picture comes before the first look at the network.
            if shown != nil, isRemote, now >= nextPoll {
                timing = await loop.step(screen)
                nextPoll = now + UInt64(options.poll * 1e9)
            }
            let next = frame(loop.reason)
            if next != shown {
                banner.hide()
                screen.show(next)
                shown = next
            }
            if let timing { screen.timing(timing) }
            try? await Task.sleep(nanoseconds: 20_000_000)
        }
    }

    /// The bundled configuration; an app that `patchcli` never saw runs without updates.
    static func configuration(_ options: Options, _ screen: Screen) -> PatchConfiguration {
        let resources = options.resources.map { URL(fileURLWithPath: $0) }
        var configuration: PatchConfiguration
        do {
            configuration = try PatchConfiguration.bundled(resources: resources)
        } catch {
            screen.problem("no updates: \(error)")
            configuration = PatchConfiguration(appKey: "greeter-unconfigured", apiBaseURL: nil)
            configuration.resources = resources
        }
        // This program looks for updates by itself, to show each step and its time.
        configuration.autoApply = false
        if let state = options.state {
            configuration.stateFolder = URL(fileURLWithPath: state)
        }
        return configuration
    }

    static func frame(_ reason: String) -> Frame {
        let release: String
        if let current = Patch.shared.currentRelease {
            release =
                "\(current.version) (\(current.origin.rawValue), sequence \(current.sequence))"
        } else {
            release = "native"
        }
        let text: String
        do {
            text = try greeting()
        } catch {
            text = "Hello from native code"
        }
        return Frame(
            release: release, greeting: text, price: priceLabel(1234),
            bigPrice: priceLabel(5_000_000_000), reason: reason)
    }
}

/// Set by a signal; read by the loop.
final class StopFlag: @unchecked Sendable {
    // Unchecked: `sources` is only touched before the loop starts, `isSetStorage` under the lock.
    private let lock = NSLock()
    private var isSetStorage = false
    private var sources: [DispatchSourceSignal] = []

    var isSet: Bool {
        lock.lock()
        defer { lock.unlock() }
        return isSetStorage
    }

    func watch(_ number: Int32) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [weak self] in self?.set() }
        source.resume()
        sources.append(source)
    }

    private func set() {
        lock.lock()
        isSetStorage = true
        lock.unlock()
    }
}
