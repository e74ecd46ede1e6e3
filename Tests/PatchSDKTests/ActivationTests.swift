import ModuleABI
import PatchPlatform
import PatchSDKWASI
import Rollout
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// A module that cannot work is refused, each for its own reason, before it replaces anything.
@Suite struct ActivationTests {
    func reason(
        _ bytes: [UInt8], release: Release? = nil,
        _ change: (inout ModuleExpectation) -> Void = { _ in }
    ) -> Reason? {
        do {
            _ = try Guests.load(bytes, release: release, change)
            return nil
        } catch {
            return (error as? PatchError)?.reason
        }
    }

    @Test("a module that fits is activated")
    func fits() throws {
        let module = try Guests.load(try Guests.fullModule(release: "2.0", sequence: 7))
        #expect(module.release.version == "2.0")
        #expect(module.release.sequence == 7)
        #expect(module.functions.count == Guests.all.count)
    }

    @Test("what is no WebAssembly is told from what is damaged")
    func notWasm() throws {
        #expect(reason([]) == .notWasm)
        #expect(reason(Array("<!doctype html>".utf8)) == .notWasm)
        #expect(reason([0x00, 0x61, 0x73, 0x6D]) == .moduleMalformed)
        #expect(reason([0x00, 0x61, 0x73, 0x6D, 2, 0, 0, 0]) == .moduleMalformed)
    }

    @Test("a module truncated at any byte is refused and crashes nothing")
    func truncated() throws {
        let whole = try Guests.module(Guests.greeting("hello"))
        for count in 0..<whole.count {
            #expect(reason(Array(whole[..<count])) != nil, "at byte \(count)")
        }
        #expect(reason(whole) == nil)
    }

    @Test("a module with any one byte changed is refused or runs within its limits")
    func anyByteChanged() throws {
        let whole = try Guests.module(Guests.greeting("hello"))
        for index in whole.indices {
            for bit in [0x01, 0x80] as [UInt8] {
                var bytes = whole
                bytes[index] ^= bit
                guard let module = try? Guests.load(bytes) else { continue }
                let table = RoutingTable { _, _ in }
                table.swap(to: module)
                _ = try? table.call("greeting_len", { _ in }, { try $0.i32() })
                _ = try? table.call("greeting_byte", { $0.i32(0) }, { try $0.i32() })
            }
        }
    }

    @Test("a command module is refused and the message names the flag that makes a reactor")
    func command() throws {
        var wasm = Guests.greeting("x")
        wasm.function("_start", [], [], [])
        #expect(reason(try Guests.module(wasm)) == .commandModule)
        #expect(PatchError(.commandModule).description.contains("-mexec-model=reactor"))
    }

    @Test("a module that says nothing of itself is accepted only as a plain one")
    func plain() {
        let bytes = Guests.greeting("x").build()
        #expect(reason(bytes) == .sectionMissing)
        #expect(reason(bytes) { $0.plainModules = WASIPlainModules() } == nil)
    }

    @Test("a module of another app, build, convention or release is refused")
    func foreign() throws {
        let wasm = Guests.greeting("x")
        #expect(reason(try Guests.module(wasm) { $0.app_id = "other" }) == .moduleOfOtherApp)
        #expect(reason(try Guests.module(wasm) { $0.fp = "other" }) == .moduleOfOtherBuild)
        #expect(reason(try Guests.module(wasm) { $0.abi = 2 }) == .abiUnsupported)
        var release = Release(
            appID: PublishedApp.appID, platform: "linux", version: "1.0", sequence: 5,
            fingerprint: PublishedApp.fingerprint, raw: RawPayload(sha256: "", size: 0))
        let module = try Guests.module(wasm, release: "1.0", sequence: 5)
        #expect(reason(module, release: release) == nil)
        release.sequence = 6
        #expect(reason(module, release: release) == .moduleOfOtherRelease)
        release.sequence = 5
        release.version = "1.1"
        #expect(reason(module, release: release) == .moduleOfOtherRelease)
    }

    @Test("a module built for another build runs where its release is listed for this one")
    func severalBuilds() throws {
        let module = try Guests.module(Guests.greeting("x"), sequence: 5) { $0.fp = "other" }
        let release = Release(
            appID: PublishedApp.appID, platform: "linux", version: "1.0", sequence: 5,
            fingerprint: PublishedApp.fingerprint, raw: RawPayload(sha256: "", size: 0))
        #expect(reason(module, release: release) == nil)
    }

    @Test("a module that needs what this build does not have is refused by id")
    func surface() throws {
        let known = Guests.add
        for (need, expected) in [
            (ModuleSection.Need(id: known, sig: Guests.signature), nil),
            (ModuleSection.Need(id: known, sig: 9), Reason.surfaceMissing),
            (ModuleSection.Need(id: 12345, sig: Guests.signature), .surfaceMissing),
        ] {
            let module = try Guests.module(Guests.greeting("x")) { $0.needs = [need] }
            #expect(reason(module) == expected)
        }
    }

    @Test("S14: imports that are not granted, not declared, unknown or of another type are refused")
    func S14_imports() throws {
        func importing(
            _ module: String, _ name: String, _ parameters: [WasmBuilder.Kind] = [],
            _ results: [WasmBuilder.Kind] = [], declared: [CapabilityName] = CapabilityName.core
        ) throws -> Reason? {
            var wasm = WasmBuilder()
            _ = wasm.importFunction(module, name, parameters, results)
            return reason(try Guests.module(wasm) { $0.capabilities = declared })
        }
        #expect(try importing("openpatch", "clock.now", [], [.f64]) == nil)
        #expect(try importing("openpatch", "fetch.get") == .capabilityDenied)
        #expect(try importing("openpatch", "app.keychain.read") == .capabilityDenied)
        #expect(
            try importing("openpatch", "clock.now", [], [.f64], declared: []) == .capabilityDenied)
        #expect(try importing("openpatch", "clock.tomorrow") == .importUnknown)
        #expect(try importing("openpatch", "clock.now", [], [.i64]) == .importUnknown)
        #expect(try importing("openpatch", "nonsense") == .importUnknown)
        #expect(try importing("env", "memcpy") == .importUnknown)
        #expect(try importing("wasi_snapshot_preview1", "fd_write") == .importUnknown)
    }

    @Test("a refused import is named")
    func importIsNamed() throws {
        var wasm = WasmBuilder()
        _ = wasm.importFunction("openpatch", "fetch.get")
        let module = try Guests.module(wasm) { $0.capabilities = [.fetch] }
        let error = #expect(throws: PatchError.self) { try Guests.load(module) }
        #expect(error?.description.contains("fetch.get") == true)
    }

    @Test("a plain module may import WASI where that is accepted")
    func wasi() throws {
        var plain = WasmBuilder()
        _ = plain.importFunction("wasi_snapshot_preview1", "proc_exit", [.i32])
        plain.function("f", [], [.i32], WasmBuilder.i32(3))
        #expect(reason(plain.build()) { $0.plainModules = WASIPlainModules() } == nil)
    }

    @Test("more memory than allowed is refused at the start and denied later")
    func memory() throws {
        var wasm = Guests.greeting("x")
        wasm.memoryPages = 100_000
        let tooMuch = reason(try Guests.module(wasm))
        #expect(tooMuch == .memoryLimit || tooMuch == .moduleMalformed || tooMuch == .moduleInvalid)
        wasm.memoryPages = 2
        #expect(
            reason(try Guests.module(wasm)) { $0.limits.memoryBytes = 65536 } == .memoryLimit)
        // memory.grow answers -1 beyond the limit.
        wasm.memoryPages = 1
        wasm.function("grow", [.i32], [.i32], [0x20, 0, 0x40, 0])
        let table = RoutingTable { _, _ in }
        table.swap(to: try Guests.load(try Guests.module(wasm)))
        #expect(try table.call("grow", { $0.i32(10) }, { try $0.i32() }) == 1)
        #expect(try table.call("grow", { $0.i32(60_000) }, { try $0.i32() }) == .max)
    }

    @Test("an invalid body is found before anything runs")
    func invalid() throws {
        var wasm = Guests.greeting("x")
        wasm.function("bad", [], [.i32], [0x42, 0])
        #expect(reason(try Guests.module(wasm)) == .moduleInvalid)
    }

    @Test("initialisers that trap or never end are refused within their limit")
    func initialisers() throws {
        var wasm = Guests.greeting("x")
        wasm.function("_initialize", [], [], [0x00])
        #expect(reason(try Guests.module(wasm)) == .startFailed)
        var endless = Guests.greeting("x")
        endless.function("_initialize", [], [], [0x03, 0x40, 0x0C, 0, 0x0B])
        #expect(
            reason(try Guests.module(endless)) { $0.limits.startNanoseconds = 50_000_000 }
                == .startFailed)
        var argument = Guests.greeting("x")
        argument.function("_initialize", [.i32], [], [])
        #expect(reason(try Guests.module(argument)) == .startFailed)
    }

    @Test("an allocator that hands out memory it does not have fails the smoke call")
    func smoke() throws {
        for answer in [0x7FFF_0000, -16, 0] as [Int32] {
            var wasm = Guests.greeting("x")
            wasm.function("op_alloc", [.i32], [.i32], WasmBuilder.i32(answer))
            wasm.function("op_free", [.i32, .i32], [], [])
            #expect(reason(try Guests.module(wasm)) == .smokeFailed, "\(answer)")
        }
    }

    @Test("a section that lists an export which is not there is refused")
    func missingExport() throws {
        let module = try Guests.module(Guests.greeting("x")) {
            $0.functions = [.init(id: 1, export: "op_f_gone", sig: 1)]
        }
        #expect(reason(module) == .sectionMalformed)
    }
}
