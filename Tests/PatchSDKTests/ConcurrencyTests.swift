import Foundation
import ModuleABI
import PatchPlatform
import Rollout
import Testing

@testable import PatchSDK

/// Calls from many threads and tasks while versions are swapped: no call sees two versions, nothing
/// hangs, and `make tsan` finds no race.
@Suite struct ConcurrencyTests {
    private static let version: UInt64 = 0xD1
    private static let pair: UInt64 = 0xD2
    private static let all = [version, pair]

    /// Native functions that ask the module for its version: at once, on the main actor, after
    /// waiting, and not at all but by failing.
    private static let again: UInt64 = 0xE1
    private static let onMain: UInt64 = 0xE2
    private static let later: UInt64 = 0xE3
    private static let natives = [again, onMain, later]

    private struct Failure: Error {}

    private let reports = Lock<[PatchError]>([])
    private let table: RoutingTable
    private let versions: [LoadedModule]

    /// `OPENPATCH_ROUNDS` times as much, for `make tsan`.
    private static let rounds =
        ProcessInfo.processInfo.environment["OPENPATCH_ROUNDS"].flatMap { Int($0) } ?? 1

    init() throws {
        let reports = reports
        let table = RoutingTable { error, _ in reports.withLock { $0.append(error) } }
        self.table = table
        let natives = PatchNatives(
            find: { id in
                @Sendable func ask(
                    _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter
                ) throws {
                    guard
                        let inner: UInt32 = table.invoke(
                            Self.version, { _ in }, { try $0.i32() })
                    else { throw Failure() }
                    try reader.skip()
                    writer.uint(UInt64(inner))
                }
                switch id {
                case Self.again: return .call(ask)
                case Self.onMain: return .main { try ask(&$0, &$1) }
                case Self.later:
                    return .task { bytes in
                        await Task.yield()
                        var reader = MessagePackReader(bytes)
                        var writer = MessagePackWriter()
                        try ask(&reader, &writer)
                        await MainActor.run {}
                        return writer.bytes
                    }
                default: return nil
                }
            }, error: { _, _ in false })
        versions = try (1...4).map { number in
            try Guests.load(
                Self.module(number),
                { $0.surface = Self.surface }, natives: NativeTables(tables: [natives]))
        }
        table.swap(to: versions[0])
    }

    private static var surface: Surface {
        var surface = Surface(
            functions: Dictionary(
                uniqueKeysWithValues: all.map {
                    ($0, Surface.Function(gate: UInt16($0), sig: Guests.signature))
                }))
        for id in natives { surface.natives[id] = Guests.signature }
        return surface
    }

    private static func module(_ number: Int) throws -> [UInt8] {
        var wasm = WasmBuilder()
        let native = wasm.importFunction("openpatch", "native.call", [.i64, .i32, .i32], [.i32])
        let take = wasm.importFunction("openpatch", "native.take", [.i32])
        wasm.allocator()
        wasm.place([0x05], at: 64)
        wasm.function(Guests.export(version), [], [.i32], WasmBuilder.i32(Int32(number)))
        // The version times 256, and what the app found when it asked.
        wasm.function(
            Guests.export(pair), [.i64], [.i32],
            [0x20, 0] + WasmBuilder.i32(64) + WasmBuilder.i32(1) + [0x10, native, 0x1A]
                + WasmBuilder.i32(128) + [0x10, take] + WasmBuilder.i32(128) + [0x2D, 0, 0]
                + WasmBuilder.i32(Int32(number * 256)) + [0x6A])
        return try Guests.module(wasm) { section in
            section.functions = all.map {
                .init(id: $0, export: Guests.export($0), sig: Guests.signature)
            }
            section.needs = (all + natives).map { .init(id: $0, sig: Guests.signature) }
            section.capabilities = [.native]
        }
    }

    private static func isWhole(_ found: UInt32?) -> Bool {
        guard let found else { return false }
        return (1...4).contains(found / 256) && found / 256 == found % 256
    }

    private static func ask(_ table: RoutingTable, _ id: UInt64) -> UInt32? {
        table.invoke(pair, { $0.i64(id) }, { try $0.i32() })
    }

    @Test("eight threads, calls in calls, and swaps: each call sees one version")
    func threads() {
        let (table, versions) = (table, versions)
        let broken = Lock<[UInt32?]>([])
        DispatchQueue.concurrentPerform(iterations: 9) { worker in
            if worker == 8 {
                for round in 0..<200 * Self.rounds { table.swap(to: versions[round % 4]) }
                return
            }
            for _ in 0..<100 * Self.rounds {
                let found = Self.ask(table, Self.again)
                if !Self.isWhole(found) { broken.withLock { $0.append(found) } }
            }
        }
        #expect(broken.withLock { $0 } == [])
        #expect(reports.withLock { $0 } == [])
        #expect(versions.allSatisfy { $0.isIdle } && table.isIdle)
    }

    /// Calls from the main actor, which are not waited for there.
    @MainActor
    private static func askOnMain(_ table: RoutingTable) async -> [UInt32?] {
        var broken: [UInt32?] = []
        for _ in 0..<30 * rounds {
            let found = ask(table, onMain)
            if !isWhole(found) { broken.append(found) }
            await Task.yield()
        }
        return broken
    }

    @Test("tasks that wait, hop to the main actor and back, and swaps: each call sees one version")
    func tasks() async {
        let (table, versions) = (table, versions)
        let broken = await withTaskGroup(of: [UInt32?].self) { group in
            for number in 0..<8 {
                group.addTask {
                    var broken: [UInt32?] = []
                    for round in 0..<30 * Self.rounds {
                        let id = [Self.again, Self.onMain, Self.later][(number + round) % 3]
                        let (outcome, found) = await table.serveTask(
                            Self.pair, { $0.i64(id) }, { try $0.i32() })
                        guard outcome.isServed, Self.isWhole(found) else {
                            broken.append(0)
                            continue
                        }
                    }
                    return broken
                }
            }
            group.addTask { await Self.askOnMain(table) }
            group.addTask {
                for round in 0..<100 * Self.rounds {
                    table.swap(to: versions[round % 4])
                    await Task.yield()
                }
                return []
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(broken.isEmpty, "\(broken)")
        #expect(reports.withLock { $0 } == [])
        #expect(versions.allSatisfy { $0.isIdle } && table.isIdle)
    }

    @Test("cancelled callers and failures among the others leave no instance behind")
    func cancelled() async {
        let (table, versions) = (table, versions)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<20 * Self.rounds {
                        // Every second asks for a function that the app does not have.
                        let id = number % 2 == 0 ? Self.later : 0xEE
                        _ = await table.serveTask(
                            Self.pair, { $0.i64(id) }, { try $0.i32() })
                    }
                }
            }
            group.cancelAll()
        }
        #expect(versions.allSatisfy { $0.isIdle } && table.isIdle)
        table.swap(to: versions[1])
        #expect(Self.isWhole(Self.ask(table, Self.again)), "the next version serves again")
    }

    @Test("modules ask Foundation on many threads at once")
    func foundation() {
        let wrong = Lock<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            let answers = FoundationAnswers()
            for round in 0..<20 * Self.rounds {
                var writer = MessagePackWriter()
                writer.arrayHeader(4)
                writer.int(4)
                writer.arrayHeader(2)
                writer.int(0)
                writer.string("")
                writer.arrayHeader(1)
                writer.arrayHeader(3)
                writer.int(0)
                writer.int(0)
                writer.string("de_DE")
                writer.arrayHeader(2)
                writer.int(0)
                writer.int(Int64(1000 + worker * 1000 + round))
                guard let question = FoundationAnswers.questions["format.number"],
                    (try? answers.ask(question, writer.bytes)) == 6
                else {
                    wrong.withLock { $0.append("\(worker) \(round)") }
                    continue
                }
            }
        }
        #expect(wrong.withLock { $0 } == [])
    }
}
