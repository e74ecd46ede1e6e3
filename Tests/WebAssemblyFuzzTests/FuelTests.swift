#if DEBUG
    import Testing

    @testable import WebAssemblyFuzz

    @Suite("Fuel")
    struct FuelTests {
        /// A number that changes only when what fuel counts does (decision 0014): releases must not
        /// change it unseen, since a call's limits are set by whoever ships an app.
        @Test("every backward branch and call of the corpus costs what it always did")
        func spent() {
            var sums: [UInt32] = []
            for number in 0..<Corpus.forms {
                sums.append(CaseRunner.runCountingFuel(Corpus.fuzzCase(number)).checksum)
            }
            #expect(Checksum.crc32(Array("\(sums)".utf8)) == 3_157_803_615)
        }
    }
#endif
