#if DEBUG
    import TestSupport
    import Testing

    @Suite("Every handler is needed by a check")
    struct MutationTests {
        /// All of them are tried by `make mutate`.
        @Test("a sample of handlers, removed or exchanged, is noticed")
        func sample() throws {
            let random = SeededGenerator()
            let tool = Tools.builtProducts.appendingPathComponent("wasmfuzz")
            let result = try ChildProcess.run(
                tool.path, ["mutate", "--sample", "40", "--seed", "\(random.seed)"])
            #expect(result.status == 0, "\(random): \(result.standardOutput)")
            #expect(result.standardOutput.contains("40 mutants"), "\(result.standardError)")
        }
    }
#endif
