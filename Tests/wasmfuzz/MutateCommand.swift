#if DEBUG || OPENPATCH_MUTATION
    import CommandLineKit
    import Foundation
    import WebAssemblyFuzz

    /// `wasmfuzz mutate`: is there a check for every handler?
    enum MutateCommand {
        private static let suites = Parameter<[String]>.options(
            "suite", placeholder: "folder", help: "An unpacked suite of the specification.",
            completion: .folder)
        private static let sample = Parameter<Int?>.option(
            "sample", placeholder: "number", help: "Try so many mutants only, chosen by the seed.")
        private static let only = Parameter<String?>.option(
            "handler", placeholder: "name", help: "Try the mutants of this handler only.")
        private static let jobs = Parameter<Int>.option(
            "jobs", placeholder: "number", default: 2, help: "Mutants tried at the same time.",
            check: { (1...64).contains($0) ? nil : "expected 1 to 64" })

        static var command: Command {
            Command(
                "mutate", abstract: "Take each handler away and see whether a check fails.",
                discussion: """
                    Each mutant runs in a process of its own: the checks that use the handler, until \
                    one fails. A crash and a run without end are failures too. Prints the mutants \
                    that survive; ends with exit code 0 only when none does.
                    """,
                parameters: parameters(suites, sample, only, jobs, FuzzLoop.seed)
            ) { invocation in
                let console = invocation.console
                let killSet = try KillSet(suites: try invocation[suites])
                var mutants = Mutant.all
                if let name = try invocation[only] {
                    mutants = mutants.filter { Handlers.names[$0.opcode] == name }
                }
                let seed = try invocation[FuzzLoop.seed]
                if let count = try invocation[sample] {
                    var dice = Dice(seed: seed, case: 0)
                    mutants = Array(mutants.shuffled(using: &dice).prefix(count))
                }
                let total = mutants.count
                let trial = Trial(mutants, killSet, jobs: try invocation[jobs])
                if !trial.control() {
                    throw CommandFailure(
                        "control_failed", "Checks fail although no handler was exchanged")
                }
                let survivors = trial.run { done in
                    if done % 500 == 0 { console.note("… \(done) of \(total)") }
                }
                for (mutant, checks) in survivors {
                    console.print("survives: \(mutant) (\(checks) checks use the handler)")
                }
                console.print(
                    "seed \(seed): \(total) mutants of \(Handlers.real.count) handlers, "
                        + "\(survivors.count) survive")
                if !survivors.isEmpty { throw SilentExit(.failure) }
            }
        }
    }

    /// `wasmfuzz mutant`: one of them, in this process.
    enum MutantCommand {
        private static let names = Parameter<[String]>.arguments(
            "words", help: "The handler, the one in its place, then checks.")

        static var command: Command {
            Command(
                "mutant", abstract: "Exchange one handler and run checks.",
                parameters: parameters(names), hidden: true
            ) { invocation in
                let words = try invocation[names]
                guard words.count > 2, let opcode = Handlers.opcode(words[0]),
                    let by = Handlers.opcode(words[1])
                else { throw CommandFailure("no_such_handler", "No handler is called that") }
                limitProcessorTime(seconds: 20)
                Handlers.replace(opcode, by: by)
                for check in words.dropFirst(2).compactMap(Check.init) where !check.holds() {
                    invocation.console.print("fails: \(check)")
                    throw SilentExit(.failure)
                }
            }
        }
    }

    /// Ends this process when it has worked for so long: a mutant may run without end.
    private func limitProcessorTime(seconds: UInt) {
        var limit = rlimit(rlim_cur: rlim_t(seconds), rlim_max: rlim_t(seconds))
        #if canImport(Darwin)
            setrlimit(RLIMIT_CPU, &limit)
        #else
            setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
        #endif
    }

    /// Tries mutants, each in a child process.
    final class Trial: @unchecked Sendable {
        // Unchecked: what changes is only touched under the lock.
        private let lock = NSLock()
        private var next = 0
        private var survivors: [(Mutant, Int)] = []
        private let mutants: [Mutant]
        private let killSet: KillSet
        private let jobs: Int

        init(_ mutants: [Mutant], _ killSet: KillSet, jobs: Int) {
            self.mutants = mutants
            self.killSet = killSet
            self.jobs = jobs
        }

        /// Whether checks hold when nothing is exchanged: else their failing would mean nothing.
        func control() -> Bool {
            let step = max(1, killSet.checks.count / 12)
            return stride(from: 0, to: killSet.checks.count, by: step).allSatisfy { opcode in
                survives(Mutant(opcode: opcode, by: opcode), killSet.checks[opcode])
            }
        }

        /// The mutants that no check notices, with the number of checks that were tried.
        func run(progress: @escaping @Sendable (Int) -> Void) -> [(Mutant, Int)] {
            DispatchQueue.concurrentPerform(iterations: jobs) { _ in
                while let mutant = take() {
                    let checks = killSet.checks[mutant.opcode]
                    if survives(mutant, checks) {
                        lock.withLock { survivors.append((mutant, checks.count)) }
                    }
                    progress(lock.withLock { next })
                }
            }
            return survivors.sorted { $0.0.opcode < $1.0.opcode }
        }

        private func take() -> Mutant? {
            lock.withLock {
                guard next < mutants.count else { return nil }
                next += 1
                return mutants[next - 1]
            }
        }

        private func survives(_ mutant: Mutant, _ checks: [Check]) -> Bool {
            // A few at first: nearly all mutants fall to one of them.
            for some in [checks.prefix(12), checks.dropFirst(12)] where !some.isEmpty {
                let words = [Handlers.names[mutant.opcode], Handlers.names[mutant.by]]
                if !passes(["mutant"] + words + some.map(\.description)) { return false }
            }
            return true
        }

        private func passes(_ arguments: [String]) -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            let ended = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in ended.signal() }
            guard (try? process.run()) != nil else { return true }
            // The child bounds itself.
            ended.wait()
            return process.terminationReason == .exit && process.terminationStatus == 0
        }
    }
#endif
