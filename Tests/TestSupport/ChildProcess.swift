import Foundation

/// A real program that a test starts, bounded in time and ended by its id.
public final class ChildProcess: @unchecked Sendable {
    // Unchecked: `Process` is only started and signalled here, and the collected output is read
    // after the reader threads have been joined (or under the lock).

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

    private let process = Process()
    private let output = Collector()
    private let errors = Collector()
    private let command: String
    private let input: FileHandle?

    /// Starts `executable` (looked up on PATH when it has no slash).
    /// - Parameter input: whether ``send(_:)`` feeds its standard input; else that is empty.
    public init(
        _ executable: String, _ arguments: [String] = [], in folder: URL? = nil,
        environment: [String: String] = [:], input takesInput: Bool = false
    ) throws {
        command = ([executable] + arguments).joined(separator: " ")
        if executable.contains("/") {
            process.executableURL = URL(fileURLWithPath: executable)
            process.arguments = arguments
        } else {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [executable] + arguments
        }
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { $1 }
        let out = Pipe()
        let err = Pipe()
        let input = takesInput ? Pipe() : nil
        self.input = input?.fileHandleForWriting
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = out
        process.standardError = err
        try process.run()
        output.drain(out.fileHandleForReading)
        errors.drain(err.fileHandleForReading)
    }

    deinit { kill() }

    /// Whether the program has not ended yet.
    public var isRunning: Bool { process.isRunning }
    /// The process id, for signals of a test's own.
    public var processIdentifier: Int32 { process.processIdentifier }

    /// All that the program has printed so far on standard output.
    public var printed: String { output.text }
    /// All that the program has printed so far on standard error.
    public var complained: String { errors.text }

    /// Waits for the end of the program.
    /// - Throws: ``TimedOut`` after `seconds`, having killed it.
    public func wait(seconds: Double = 1_200) throws -> Result {
        let deadline = Date().addingTimeInterval(seconds)
        while process.isRunning {
            if Date() > deadline {
                kill()
                throw TimedOut(command: command, output: printed + complained)
            }
            Thread.sleep(forTimeInterval: 0.005)
        }
        output.finish()
        errors.finish()
        return Result(
            status: process.terminationStatus, standardOutput: printed, standardError: complained)
    }

    /// Waits until standard output contains `text`.
    /// - Throws: ``TimedOut`` after `seconds` or when the program ended without printing it.
    public func waitForOutput(_ text: String, seconds: Double = 1_200) throws {
        let deadline = Date().addingTimeInterval(seconds)
        while !printed.contains(text) {
            if Date() > deadline || !process.isRunning {
                output.finish()
                if printed.contains(text) { return }
                kill()
                throw TimedOut(command: command, output: printed + complained)
            }
            Thread.sleep(forTimeInterval: 0.005)
        }
    }

    /// Writes to the standard input of a program that was started with one.
    public func send(_ text: String) throws { try input?.write(contentsOf: Data(text.utf8)) }

    /// Asks the program to stop (SIGTERM).
    public func terminate() { if process.isRunning { process.terminate() } }

    /// Ends the program at once (SIGKILL).
    public func kill() {
        if process.isRunning {
            Foundation.kill(process.processIdentifier, SIGKILL)
            // Not `waitUntilExit`: on Linux it turns a run loop, which may miss the end of a process
            // that another thread started and then spin for ever.
            let deadline = Date().addingTimeInterval(5)
            while process.isRunning, Date() < deadline { Thread.sleep(forTimeInterval: 0.002) }
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

    private final class Collector: @unchecked Sendable {
        private let lock = NSLock()
        private let done = DispatchSemaphore(value: 0)
        private var data = Data()
        private var finished = false

        var text: String {
            lock.lock()
            defer { lock.unlock() }
            return String(decoding: data, as: UTF8.self)
        }

        func drain(_ handle: FileHandle) {
            Thread.detachNewThread { [self] in
                while true {
                    let part = handle.availableData
                    if part.isEmpty { break }
                    lock.lock()
                    data.append(part)
                    lock.unlock()
                }
                done.signal()
            }
        }

        /// Waits (a little: a grandchild may hold the pipe open) for the reader to see the end.
        func finish() {
            guard !finished else { return }
            if done.wait(timeout: .now() + 20) == .success { finished = true }
        }
    }
}
