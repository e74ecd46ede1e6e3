import ModuleABI
import Testing

@testable import PatchSDK

/// Numbers by which modules know objects and functions of the app: nothing else names them.
@Suite struct ObjectNumberTests {
    private final class Thing {}

    @Test("an object has one number during a call, and none after it")
    func numbers() {
        var objects = PatchObjects()
        let (one, other) = (Thing(), Thing())
        let number = objects.number(of: one)
        #expect(objects.number(of: one) == number)
        #expect(objects.number(of: other) != number)
        #expect(objects.object(number) === one)
        objects.removeAll()
        #expect(objects.object(number) == nil)
        // The next call counts from the start and still has other numbers.
        #expect(objects.number(of: other) != number)
        #expect(objects.object(number) == nil)
        var elsewhere = PatchObjects()
        _ = elsewhere.number(of: one)
        #expect(elsewhere.object(number) == nil, "of another module")
    }

    @Test("made-up numbers name nothing", arguments: [0, 1, .max, .max - 1, 1 << 32, 1 << 63])
    func forged(number: UInt64) {
        #expect(PatchObjects().object(number) == nil)
        var objects = PatchObjects()
        let known = objects.number(of: Thing())
        #expect(number == known || objects.object(number) == nil)
        #expect(objects.object(known + 1) == nil)
        #expect(throws: MessagePackError.self) { try PatchCall.object(number, as: Thing.self) }
    }

    @Test("a call keeps no object alive, and has numbers for so many")
    func bounds() {
        weak var gone: Thing?
        var objects = PatchObjects()
        do {
            let thing = Thing()
            gone = thing
            _ = objects.number(of: thing)
        }
        #expect(gone != nil)
        var kept: [Thing] = []
        for _ in 1..<PatchObjects.maximumCount {
            kept.append(Thing())
            _ = objects.number(of: kept[kept.count - 1])
        }
        #expect(objects.number(of: kept[0]) != PatchObjects.none)
        #expect(objects.number(of: Thing()) == PatchObjects.none)
        objects.removeAll()
        #expect(gone == nil)
    }

    @Test("a lent function is called with what follows its number, until it is taken back")
    func functions() throws {
        let natives = NativeCalls(NativeTables(), declared: [])
        natives.begin()
        let function = PatchFunction { reader, writer in
            try reader.arrayHeader(exactly: 1)
            writer.int(try reader.int() * 2)
            try reader.finish()
        }
        let number = natives.number(of: function)
        let other = natives.number(of: Thing())
        func call(_ values: [UInt64]) throws -> Int {
            var writer = MessagePackWriter()
            writer.arrayHeader(values.count)
            for value in values { writer.uint(value) }
            return try natives.call(0, writer.bytes)
        }
        #expect(try call([number, 21]) == 1)
        #expect(natives.hasEffect)
        for wrong in [[], [number + 9, 1], [other, 1], [.max]] {
            #expect(throws: PatchError.self, "\(wrong)") { try call(wrong) }
        }
        #expect(throws: (any Error).self) { try natives.call(0, [0xC1]) }
        #expect(throws: PatchError.self) { try call([number]) }
        function.end()
        #expect(throws: PatchError.self) { try call([number, 21]) }
        natives.end()
        #expect(natives.object(number) == nil)
    }
}
