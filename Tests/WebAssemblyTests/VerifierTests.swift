import Testing

@testable import WebAssembly

@Suite("The check of accumulator uses")
struct VerifierTests {
    private func verify(_ instructions: [(UInt32, UInt64)]) throws {
        var words: [UInt64] = [UInt64(Opcode.enter), 0]
        for (opcode, operands) in instructions { words += [UInt64(opcode), operands] }
        try words.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            try AccumulatorVerifier.verify(base, buffer.count / 2, function: 0)
        }
    }

    @Test("a use after its producer passes")
    func good() throws {
        try verify([(Opcode.globalGetR, 0), (Opcode.copy, 0), (Opcode.copyR, 0), (Opcode.ret, 0)])
        try verify([(Opcode.globalGetF, 0), (Opcode.globalGetR, 0), (Opcode.retF, 0)])
    }

    @Test("a use without a producer, or of the other accumulator, is found")
    func missing() {
        for code in [
            [(Opcode.copyR, 0)], [(Opcode.globalGetF, 0), (Opcode.copyR, 0)],
            [(Opcode.globalGetR, 0), (Opcode.copyR, 0), (Opcode.copyR, 0)],
        ] as [[(UInt32, UInt64)]] {
            #expect(throws: AccumulatorVerifier.Failure.self) { try verify(code) }
        }
    }

    @Test("a use that another path can reach is found")
    func jumpedTo() {
        // br_if_s jumps over the producer, straight to the use.
        let code: [(UInt32, UInt64)] = [
            (Opcode.brIfS, 32 << 32), (Opcode.globalGetR, 0), (Opcode.copyR, 0),
        ]
        #expect(throws: AccumulatorVerifier.Failure.self) { try verify(code) }
    }
}
