import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A real program that a test starts, bounded in time and ended by its id.
public final class ChildProcess: @unchecked Sendable {
    // Unchecked: what changes is read and written under the lock.

    /// How a program ended and all that it printed.
    public struct Result: Sendable {
        /// The exit code, or the number of the signal that ended it.
        public let status: Int32
        /// All of standard output.
        public let standardOutput: String
        /// All of standard error.
        public let standardError: String
    }

    /// The program did not do in time what the test waited for; it was killed.
    public struct TimedOut: Error, CustomStringConvertible {
        /// The program and its arguments.
        public let command: String
        /// What it had printed until then.
        public let output: String
        /// What was waited for, in a sentence.
        public var description: String { "'\(command)' did not end in time; it printed: \(output)" }
    }

    /// The process id, for signals of a test's own.
    public let processIdentifier: pid_t
    private let output: CollectedOutput
    private let errors: CollectedOutput
    private let command: String
    private let lock = NSLock()
    private var status: Int32?
    private var input: Int32?

    /// Starts `executable` (looked up on PATH when it has no slash).
    /// - Parameter input: whether ``send(_:)`` feeds its standard input; else that is empty.
    /// - Throws: ``SpawnedProcess/NotStarted``.
    public init(
        _ executable: String, _ arguments: [String] = [], in folder: URL? = nil,
        environment: [String: String] = [:], input takesInput: Bool = false
    ) throws {
        command = ([executable] + arguments).joined(separator: " ")
        let isPath = executable.contains("/")
        let out = try ClosedPipe()
        let err = try ClosedPipe()
        let input = takesInput ? try ClosedPipe() : nil
        output = CollectedOutput(out.readingEnd)
        errors = CollectedOutput(err.readingEnd)
        self.input = input?.writingEnd
        // The program has them now, or was never started: either way these are not ours.
        defer {
            for end in [out.writingEnd, err.writingEnd, input?.readingEnd] {
                if let end { close(end) }
            }
        }
        processIdentifier = try Spawn.start(
            isPath ? executable : "/usr/bin/env", isPath ? arguments : [executable] + arguments,
            in: folder,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: input.map { .descriptor($0.readingEnd) } ?? .nothing,
            output: .descriptor(out.writingEnd), errors: .descriptor(err.writingEnd))
    }

    deinit {
        kill()
        closeInput()
    }

    /// Whether the program has not ended yet.
    public var isRunning: Bool { lock.withLock { reap(WNOHANG) == nil } }

    /// All that the program has printed so far on standard output.
    public var printed: String { output.text }
    /// All that the program has printed so far on standard error.
    public var complained: String { errors.text }

    /// Waits for the end of the program.
    /// - Throws: ``TimedOut`` after `seconds`, having killed it.
    public func wait(seconds: Double = 1_200) throws -> Result {
        let deadline = Date().addingTimeInterval(seconds)
        while isRunning {
            if Date() > deadline {
                kill()
                throw TimedOut(command: command, output: printed + complained)
            }
            usleep(5_000)
        }
        output.finish()
        errors.finish()
        let ended = lock.withLock { status ?? 0 }
        let signal = ended & 0x7F
        return Result(
            status: signal == 0 ? ended >> 8 & 0xFF : signal, standardOutput: printed,
            standardError: complained)
    }

    /// Waits until standard output contains `text`.
    /// - Throws: ``TimedOut`` after `seconds` or when the program ended without printing it.
    public func waitForOutput(_ text: String, seconds: Double = 1_200) throws {
        let deadline = Date().addingTimeInterval(seconds)
        guard !output.wait(until: deadline, for: { $0.contains(text) }) else { return }
        kill()
        throw TimedOut(command: command, output: printed + complained)
    }

    /// Waits for the next line of standard output.
    /// - Returns: the line without its end; nil when there is none within `seconds`.
    public func nextLine(seconds: Double = 1_200) -> [UInt8]? {
        output.nextLine(until: Date().addingTimeInterval(seconds))
    }

    /// Writes to the standard input of a program that was started with one.
    public func send(_ text: String) throws {
        guard let input = lock.withLock({ input }) else { return }
        try FileHandle(fileDescriptor: input).write(contentsOf: Data(text.utf8))
    }

    /// Closes the standard input of a program that was started with one: no more will come.
    public func closeInput() {
        lock.withLock {
            if let input { close(input) }
            input = nil
        }
    }

    /// Asks the program to stop (SIGTERM).
    public func terminate() {
        lock.withLock { if reap(WNOHANG) == nil { _ = signal(SIGTERM) } }
    }

    /// Ends the program, and what it started in its group, at once (SIGKILL).
    public func kill() {
        lock.withLock {
            guard reap(WNOHANG) == nil else { return }
            Foundation.kill(-processIdentifier, SIGKILL)
            _ = reap(0)
        }
    }

    private func signal(_ number: Int32) -> Int32 { Foundation.kill(processIdentifier, number) }

    /// Collects how the program ended, once; under the lock.
    private func reap(_ options: Int32) -> Int32? {
        if let status { return status }
        var ended: Int32 = 0
        while true {
            let answer = waitpid(processIdentifier, &ended, options)
            if answer < 0, errno == EINTR { continue }
            // A child that somebody else collected has ended too; how is not known.
            if answer != 0 { status = answer < 0 ? 0xFF << 8 : ended }
            return status
        }
    }

    /// Runs a program to its end.
    public static func run(
        _ executable: String, _ arguments: [String] = [], in folder: URL? = nil,
        environment: [String: String] = [:], seconds: Double = 1_200
    ) throws -> Result {
        try ChildProcess(executable, arguments, in: folder, environment: environment)
            .wait(seconds: seconds)
    }
}
