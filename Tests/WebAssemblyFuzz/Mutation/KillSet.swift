#if DEBUG || OPENPATCH_MUTATION
    import Foundation
    import WebAssembly
    import WebAssemblySpec

    /// One thing that `make test` checks, small enough to be run again and again.
    public enum Check: Hashable, Sendable, CustomStringConvertible {
        /// A case of the corpus, with the checksum of its outcome.
        case fuzz(UInt64, UInt32)
        /// The same in a store with an observer.
        case observed(UInt64, UInt32)
        /// The same without limits, with the fuel that each call spends.
        case fuel(UInt64, UInt32)
        /// A file of the specification's suite.
        case spec(String)

        /// As words for a command line.
        public var description: String {
            switch self {
            case .fuzz(let number, let sum): return "case:\(number):\(sum)"
            case .observed(let number, let sum): return "observed:\(number):\(sum)"
            case .fuel(let number, let sum): return "fuel:\(number):\(sum)"
            case .spec(let path): return "spec:\(path)"
            }
        }

        /// Reads those words.
        public init?(_ text: String) {
            let words = text.split(separator: ":", maxSplits: 2).map(String.init)
            switch words.first {
            case "case", "observed", "fuel":
                guard words.count == 3, let number = UInt64(words[1]), let sum = UInt32(words[2])
                else { return nil }
                switch words[0] {
                case "case": self = .fuzz(number, sum)
                case "observed": self = .observed(number, sum)
                default: self = .fuel(number, sum)
                }
            case "spec" where words.count == 2: self = .spec(words[1])
            default: return nil
            }
        }

        /// Whether it still holds.
        public func holds() -> Bool {
            switch self {
            case .fuzz(let number, let sum):
                return CaseRunner.run(Corpus.fuzzCase(number)).isRight(sum)
            case .observed(let number, let sum):
                return CaseRunner.run(Corpus.fuzzCase(number), observed: true).isRight(sum)
            case .fuel(let number, let sum):
                return CaseRunner.runCountingFuel(Corpus.fuzzCase(number)).isRight(sum)
            case .spec(let path):
                guard let report = try? SpecRunner.run(URL(fileURLWithPath: path)) else {
                    return false
                }
                return report.failures.isEmpty
            }
        }
    }

    extension CaseOutcome {
        fileprivate func isRight(_ sum: UInt32) -> Bool { checksum == sum && defects.isEmpty }
    }

    /// Which checks use which handler.
    public struct KillSet: Sendable {
        /// By opcode, quick ones first.
        public private(set) var checks: [[Check]]

        /// Runs the corpus once, as it is, and looks into the modules of the suite below `folders`.
        public init(suites folders: [String] = []) throws {
            checks = Array(repeating: [], count: Handlers.names.count)
            for number in 0..<Corpus.count {
                let fuzzCase = Corpus.fuzzCase(number)
                let sum = CaseRunner.run(fuzzCase).checksum
                add(.fuzz(number, sum), fuzzCase.modules)
                if number >= Corpus.forms {
                    observe(number, sum)
                } else {
                    let counted = CaseRunner.runCountingFuel(fuzzCase).checksum
                    add(.fuel(number, counted), fuzzCase.modules)
                }
            }
            for folder in folders {
                let url = URL(fileURLWithPath: folder)
                let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                for file in files where file.hasSuffix(".json") {
                    let path = url.appendingPathComponent(file)
                    let script = try SpecScript(contentsOf: path)
                    let modules = try script.commands.compactMap(\.filename)
                        .filter { $0.hasSuffix(".wasm") }
                        .map { [UInt8](try Data(contentsOf: url.appendingPathComponent($0))) }
                    add(.spec(path.path), modules)
                }
            }
        }

        private mutating func observe(_ number: UInt64, _ sum: UInt32) {
            for name in ["probe_enter", "probe_leave"] {
                if let opcode = Handlers.opcode(name) {
                    checks[opcode].append(.observed(number, sum))
                }
            }
        }

        private mutating func add(_ check: Check, _ modules: [[UInt8]]) {
            var used: Set<Int> = []
            for module in modules { used.formUnion(Handlers.used(by: module)) }
            // Calls from the host and between instances use these, whatever the code.
            for name in ["start", "halt", "cross_return"] {
                if let opcode = Handlers.opcode(name) { used.insert(opcode) }
            }
            for opcode in used { checks[opcode].append(check) }
        }
    }
#endif
