import CPatchGate
import ModuleABI
import PatchPlatform
import Rollout
import TestSupport
import Testing

@testable import PatchSDK

/// Views that the active module draws, and what happens when it does that badly.
/// One after the other, because gates belong to the process.
@Suite("Views of modules", .serialized) struct ViewTests {
    let reports = Lock<[String]>([])
    let table: RoutingTable
    let mount: PatchedViewMount

    init() {
        let reports = reports
        table = RoutingTable { error, _ in
            reports.withLock { $0.append("\(error.code) \(error.context)") }
        }
        table.setSurface(ViewGuests.surface)
        mount = PatchedViewMount(table)
    }

    /// A number that native code keeps.
    final class Kept {
        var count: Int64 = 7
    }

    func view(_ kept: Kept = Kept(), _ id: UInt64 = ViewGuests.view) -> PatchedView {
        PatchedView(
            id, properties: { $0.arrayHeader(0) },
            values: [
                PatchedValue(
                    11, 12, isBinding: false, write: { $0.int(kept.count) },
                    read: { kept.count = try $0.int() })
            ])
    }

    var codes: [String] {
        reports.withLock { $0.map { String($0.prefix { $0 != " " }) } }
    }

    @Test("are mounted with what the app has, and the app's own are shown without a module")
    func mounted() throws {
        #expect(mount.render(view(), surroundings: [0x90]) == nil)
        #expect(mount.send(1, []) == .unknownToken)
        table.swap(to: try ViewGuests.load())
        let expected: [UInt8] = [0x93, 0x90, 0x90] + ViewGuests.state(11, 12, [7])
        #expect(mount.render(view(), surroundings: [0x90]) == expected)
        #expect(mount.isPatched)
        #expect(mount.render(nil, surroundings: [0x90]) == nil)
        #expect(!mount.isPatched)
        table.swap(to: nil)
        #expect(mount.render(view(), surroundings: [0x90]) == nil)
        #expect(codes.isEmpty)
    }

    @Test("hand their state to the next module, before what native code has of it")
    func migration() throws {
        var parts = ViewGuests.Parts()
        parts.state = ViewGuests.state(11, 12, [42])
        table.swap(to: try ViewGuests.load(parts))
        _ = mount.render(view(), surroundings: [0x90])
        table.swap(to: try ViewGuests.load())
        let both = try ViewState(reading: ViewGuests.state(11, 12, [42]))
            .before(try ViewState(reading: ViewGuests.state(11, 12, [7]))).encoded
        #expect(mount.render(view(), surroundings: [0x90]) == [0x93, 0x90, 0x90] + both)
    }

    @Test("tell native code what an event changed")
    func writeThrough() throws {
        var parts = ViewGuests.Parts()
        parts.state = ViewGuests.state(11, 12, [42])
        table.swap(to: try ViewGuests.load(parts))
        let kept = Kept()
        _ = mount.render(view(kept), surroundings: [0x90])
        #expect(kept.count == 7, "not in the middle of a pass")
        #expect(mount.send(1, []) == .changed)
        #expect(kept.count == 42)
        kept.count = 1
        mount.settle()
        #expect(kept.count == 42)
        #expect(codes.isEmpty)
    }

    @Test(
        "that trap, hang or lie are the app's own from that pass on, and it is said why",
        arguments: [
            ("trapped", "render", ViewGuests.unreachable),
            ("time_limit", "render", ViewGuests.endless),
            ("guest_memory_fault", "render", ViewGuests.packed(0x7000_0000, 16)),
            ("view_unreadable", "render", ViewGuests.packed(64, 0x7fff_ffff)),
            ("trapped", "render", ViewGuests.greedy),
            ("trapped", "mount", ViewGuests.unreachable),
            ("export_missing", "mount", WasmBuilder.i32(0)),
        ])
    func bad(code: String, part: String, body: [UInt8]) throws {
        var parts = ViewGuests.Parts()
        if part == "mount" { parts.mount = body } else { parts.render = body }
        table.swap(to: try ViewGuests.load(parts, limits: { $0.callNanoseconds = 500_000_000 }))
        #expect(patch_gate_is_open(900))
        #expect(mount.render(view(), surroundings: [0x90]) == nil)
        #expect(!patch_gate_is_open(900))
        #expect(patch_gate_is_open(901), "another view goes on")
        #expect(mount.render(view(), surroundings: [0x90]) == nil)
        #expect(codes == [code, "demoted"])
        // The next release is tried again.
        table.swap(to: try ViewGuests.load())
        #expect(mount.render(view(), surroundings: [0x90]) != nil)
        table.swap(to: nil)
    }

    @Test(
        "that fail in an event, a row or with their state are the app's own in the next pass",
        arguments: ["event", "row", "state", "type"])
    func late(part: String) throws {
        var parts = ViewGuests.Parts()
        switch part {
        case "event": parts.event = ViewGuests.unreachable
        case "row": parts.row = ViewGuests.unreachable
        case "state": parts.state = [0x91, 0x94, 0xff]
        default: parts.state = ViewGuests.state(11, 12, [0xa1, 0x61])
        }
        table.swap(to: try ViewGuests.load(parts))
        #expect(mount.render(view(), surroundings: [0x90]) != nil)
        if part == "row" {
            #expect(mount.row(1, 70) == nil)
        } else {
            #expect(mount.send(1, [0xc3]) == .changed, "the app's own view is to be drawn")
        }
        #expect(!mount.isPatched)
        #expect(mount.render(view(), surroundings: [0x90]) == nil)
        #expect(
            codes == [part == "event" || part == "row" ? "trapped" : "result_malformed", "demoted"])
    }

    @Test("whose tree nobody can read are the app's own, with the reader's words")
    func unreadable() throws {
        table.swap(to: try ViewGuests.load())
        _ = mount.render(view(), surroundings: [0x90])
        mount.refuse("byte 3 (tree_truncated)")
        #expect(mount.render(view(), surroundings: [0x90]) == nil)
        #expect(codes == ["view_unreadable", "demoted"])
        #expect(
            reports.withLock { $0[0] }.contains("view 00000000000000b1: byte 3 (tree_truncated)"))
    }

    @Test("a module is refused that draws what this SDK does not know, or lacks a part")
    func refused() throws {
        func reason(
            _ parts: ViewGuests.Parts = .init(), _ change: (inout ModuleSection) -> Void = { _ in }
        ) -> Reason? {
            let error = #expect(throws: PatchError.self) {
                _ = try ViewGuests.load(parts, section: change)
            }
            return error?.reason
        }
        var parts = ViewGuests.Parts()
        parts.vocabulary = viewVocabularyMaximum + 1
        #expect(reason(parts) == .viewVocabularyUnsupported)
        for export in ViewInstance.exports.map(\.name) {
            var parts = ViewGuests.Parts()
            parts.leavesOut = export
            #expect(reason(parts) == .sectionMalformed, "\(export)")
        }
        #expect(reason { $0.needs = [] } == .sectionMalformed)
        #expect(
            reason {
                $0.views[0].sig += 1
                $0.needs[0].sig += 1
            } == .surfaceMissing)
    }

    @Test("state that is damaged anywhere is refused or read, and nothing else")
    func damagedState() throws {
        var random = SeededGenerator()
        let whole = ViewState(
            entries: (0..<8).map {
                .init(
                    place: random.next(), name: random.next(), type: random.next(),
                    bytes: Array(repeating: UInt8($0), count: $0 * 40))
            }
        ).encoded
        #expect(try ViewState(reading: whole).encoded == whole)
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() & 255)
                case 1: bytes.removeLast(Int(random.next() % UInt64(bytes.count / 2)))
                default: bytes.insert(UInt8(random.next() & 255), at: bytes.count / 2)
                }
            }
            if let state = try? ViewState(reading: bytes) {
                #expect(state.entries.count <= ViewState.maximumCount, "\(random)")
            }
        }
    }
}
