import Foundation
import PatchPlatform
import Rollout
import UpdateEngine
import UpdateScenarios

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How a start ends.
enum Ending: String {
    /// It is found to work, and the app leaves.
    case ready
    /// It is found to work, and the app crashes later.
    case readyThenCrash = "ready-then-crash"
    /// The first call crashes the app.
    case crash
    /// The first call never returns; the test ends the process.
    case hang
    /// The app crashes while the payload is activated.
    case crashInActivation = "crash-in-activation"
    /// The app is ended in the background.
    case background
    /// No call begins, and the app crashes.
    case unusedCrash = "unused-crash"
    /// No call begins, and the app leaves.
    case unused
}

/// What this process plays.
struct Part {
    let settings: UpdateSettings
    let environment: UpdateEngine.Environment
    let folder: URL

    private func engine() -> UpdateEngine {
        UpdateEngine(settings: settings, kind: PlainPayload(), environment: environment)
    }

    private func say(_ value: some Encodable) throws {
        say(text: String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }

    /// Unbuffered, because this process may not end in a way that flushes anything.
    private func say(text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    func live(_ killer: Killer) async throws {
        let failures = await DeviceLife(settings: settings, environment: environment).live()
        killer.printPoints()
        if failures.isEmpty { return }
        print(failures.map(\.code).joined(separator: " "))
        exit(1)
    }

    func inspect(_ killer: Killer) async throws {
        let report = await DeviceReport.inspect(
            settings: settings, environment: environment, folder: folder)
        killer.printPoints()
        try say(report)
    }

    /// Says what it runs and why, runs it and ends.
    func start(_ ending: Ending) async throws {
        let engine = engine()
        let plan = try await engine.launch()
        try say(
            StartReport(
                runs: plan.state.current?.digest, isSafeMode: plan.isSafeMode,
                isConfirmed: plan.state.current?.isConfirmed ?? false,
                verdicts: plan.verdicts.map { "\($0.reason.code) \($0.action)" }))
        guard let slot = plan.state.current else { return }
        _ = try await engine.payload(of: slot)
        try await engine.willActivate(slot.digest)
        if ending == .crashInActivation { abort() }
        engine.didActivate()
        switch ending {
        case .unusedCrash: abort()
        case .unused: return engine.didEndCleanly()
        default: engine.patchedCallBegan()
        }
        switch ending {
        case .crash: abort()
        case .hang:
            say(text: "hangs")
            while true { sleep(1) }
        case .background:
            engine.didEnterBackground()
            kill(getpid(), SIGKILL)
        case .readyThenCrash:
            try await engine.markReady()
            abort()
        default:
            try await engine.markReady()
            engine.didEndCleanly()
        }
    }

    /// Bans a digest of its own and lives a life, again and again.
    func work(rounds: Int) async throws {
        var busy = 0
        for round in 0..<rounds {
            let digest = "ban-\(getpid())-\(round)"
            while true {
                do {
                    try await engine().didFail(digest, because: .trapped)
                    break
                } catch let error as UpdateError where error.reason == .stateBusy {
                    busy += 1
                }
            }
            let failures = await DeviceLife(settings: settings, environment: environment).live()
            // Another process may be fetching the same, or have taken it away meanwhile.
            let harmless: Set<Reason> = [.stateBusy, .slotMissing]
            for failure in failures where !harmless.contains(failure) {
                print("round \(round): \(failure.code)")
                exit(1)
            }
        }
        try say(["pid": "\(getpid())", "busy": "\(busy)"])
    }

    /// Reads what the app has and says whatever is not whole.
    func watch(rounds: Int) async throws {
        var seen: Set<String> = []
        var devices: Set<String> = []
        var faults: [String] = []
        for _ in 0..<rounds {
            do {
                let engine = engine()
                if let id = try await engine.deviceID() { devices.insert(id) }
                // A release that is replaced between the two steps is looked up anew, as in a start.
                for attempt in 0..<3 {
                    guard let slot = try await engine.launch().state.current else { break }
                    do {
                        _ = try await engine.payload(of: slot)
                        seen.insert(slot.digest)
                        break
                    } catch let error as UpdateError
                        where error.reason == .slotMissing && attempt < 2
                    {
                        continue
                    }
                }
            } catch {
                faults.append("\(error)")
            }
        }
        try say(WatchReport(devices: devices, releases: seen, faults: faults))
    }
}
