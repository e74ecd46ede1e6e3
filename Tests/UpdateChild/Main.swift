import Foundation
import PatchPlatform
import UpdateEngine
import UpdateScenarios

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process of an app or of its extension, for tests with real processes.
///
/// - `live`: one life with an update; `OPENPATCH_TEST_KILL_AT=n` ends it with SIGKILL at its n-th
///   call to the file system or network.
/// - `inspect`, `extension`: what the app, or its extension, finds.
/// - `start HOW`: starts and ends as told (see ``Ending``).
/// - `work ROUNDS`: an app that changes the state again and again.
/// - `watch ROUNDS`: an extension that looks again and again.
@main enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "outbox", let url = URL(string: arguments[3]) {
            return try await Telling.live(folder: URL(fileURLWithPath: arguments[2]), url: url)
        }
        guard arguments.count >= 6, let base = URL(string: arguments[4]) else {
            print("usage: update-child COMMAND FOLDER ROOT URL FINGERPRINT [HOW|ROUNDS]")
            exit(64)
        }
        let folder = URL(fileURLWithPath: arguments[2])
        let root = [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[3])))
        let settings = ChildSettings.make(root: root, base: base, fingerprint: arguments[5])
        let detail = arguments.count > 6 ? arguments[6] : ""
        let killer = Killer(ProcessInfo.processInfo.environment)
        var environment = UpdateEngine.Environment(
            files: LocalFileStore(folder: folder) { killer.pass("\($0.rawValue) \($1)") },
            transport: KillableTransport(killer))
        if ["extension", "watch"].contains(arguments[1]) {
            environment.process = ExtensionOfApp()
        }
        let part = Part(settings: settings, environment: environment, folder: folder)
        switch arguments[1] {
        case "live": try await part.live(killer)
        case "start": try await part.start(Ending(rawValue: detail) ?? .ready)
        case "work": try await part.work(rounds: Int(detail) ?? 1)
        case "memory":
            try await MemoryUse.measure(settings: settings, environment: environment)
        case "watch": try await part.watch(rounds: Int(detail) ?? 1)
        default: try await part.inspect(killer)
        }
    }
}

/// Ends this process at the chosen point.
final class Killer: Sendable {
    private let target: Int?
    private let lists: Bool
    private let points = Lock<[String]>([])

    init(_ environment: [String: String]) {
        target = environment["OPENPATCH_TEST_KILL_AT"].flatMap { Int($0) }
        lists = environment["OPENPATCH_TEST_LIST_POINTS"] != nil
    }

    func pass(_ point: String) {
        let isTarget = points.withLock { points in
            points.append(point)
            return points.count - 1 == target
        }
        if isTarget { kill(getpid(), SIGKILL) }
    }

    func printPoints() {
        guard lists else { return }
        for point in points.withLock({ $0 }) { print("point \(point)") }
    }
}

/// The real network, with a point before each request, at its head, at each part and at its end.
struct KillableTransport: HTTPTransport {
    private let inner = URLSessionTransport()
    private let killer: Killer

    init(_ killer: Killer) { self.killer = killer }

    func stream(_ request: HTTPRequest, into receiver: any HTTPReceiver) async throws {
        killer.pass("ask \(request.url.lastPathComponent)")
        try await inner.stream(request, into: Points(receiver: receiver, killer: killer))
        killer.pass("answered \(request.url.lastPathComponent)")
    }

    private final class Points: HTTPReceiver {
        private let receiver: any HTTPReceiver
        private let killer: Killer

        init(receiver: any HTTPReceiver, killer: Killer) {
            self.receiver = receiver
            self.killer = killer
        }

        func begin(_ head: HTTPHead) throws {
            killer.pass("head of the answer")
            try receiver.begin(head)
        }

        func receive(_ buffer: UnsafeRawBufferPointer) throws {
            killer.pass("part of the answer")
            try receiver.receive(buffer)
        }
    }
}

/// The process of an extension.
struct ExtensionOfApp: ProcessIdentity {
    let live = LiveProcess()
    var processIdentifier: Int32 { live.processIdentifier }
    var kind: ProcessKind { .appExtension }
    var bootIdentifier: String? { live.bootIdentifier }
}
