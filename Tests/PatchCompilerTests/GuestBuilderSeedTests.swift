import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("The guest files of the first seed", .enabled(if: SharedData.isAvailable(Seed.path)))
struct GuestBuilderSeedTests {
    @Test(
        "the greeting builds as pasted and gives its text byte by byte",
        arguments: GuestTarget.allCases)
    func greeting(target: GuestTarget) throws {
        let module = try guestBuilder(target).build(sources: [Seed.greeting()])
        #expect(
            module.exports == [
                "_initialize", "greeting_byte", "greeting_len", "op_alloc", "op_free",
            ])
        #expect(module.imports == [])
        let expected = Array("Hello from version one".utf8)
        let steps =
            [call("greeting_len")] + (0..<expected.count).map { call("greeting_byte", $0) }
        let answers = try GuestRun.answers(module.wasm, steps).compactMap { $0 as? Int }
        #expect(answers == [expected.count] + expected.map { Int($0) })
    }

    @Test(
        "make_greeting builds as pasted and passes text through memory",
        arguments: GuestTarget.allCases)
    func pointerGreeting(target: GuestTarget) throws {
        let module = try guestBuilder(target).build(sources: [Seed.pointerGreeting()])
        #expect(module.exports.contains("make_greeting"))
        let names = ["World", "", "Zoë 👩‍👩‍👧‍👦", String(repeating: "long ", count: 5000)]
        let answers = try GuestRun.answers(
            module.wasm,
            names.map { call("make_greeting", text($0), packed: true, alloc: "guest_alloc") })
        #expect(answers.map { $0 as? String } == names.map { "Hello, \($0)" })
    }
}
