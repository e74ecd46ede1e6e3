import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program started with nothing between it and the system, for tests that start hundreds:
/// `ChildProcess` keeps two threads for each.
public struct SpawnedProcess: Sendable {
    /// How it ended and what it printed.
    public struct Result: Sendable {
        /// The exit status, or nil when a signal ended it.
        public let status: Int32?
        /// The signal that ended it, if one did.
        public let signal: Int32?
        /// Standard output, whole.
        public let output: String
    }

    /// It could not be started.
    public struct NotStarted: Error {
        /// The system's error number.
        public let systemError: Int32
    }

    /// The process id, for signals.
    public let processIdentifier: pid_t
    private let output: String

    /// Starts `executable` (a path) with this process's environment and what is added to it; its
    /// standard output goes to `output`.
    public init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        output: URL
    ) throws {
        self.output = output.path
        processIdentifier = try Spawn.start(
            executable, arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: .nothing, output: .file(output.path), errors: .inherited)
    }

    /// Ends it at once.
    public func kill() { Foundation.kill(processIdentifier, SIGKILL) }

    /// Waits for its end; after `seconds` it is ended with SIGKILL.
    public func wait(seconds: Double = 1_200) -> Result {
        let deadline = Date().addingTimeInterval(seconds)
        var status: Int32 = 0
        while true {
            let ended = waitpid(processIdentifier, &status, WNOHANG)
            if ended == processIdentifier { break }
            if ended < 0, errno != EINTR { break }
            if Date() > deadline { kill() }
            usleep(1000)
        }
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        let signal = status & 0x7F
        return Result(
            status: signal == 0 ? status >> 8 & 0xFF : nil, signal: signal == 0 ? nil : signal,
            output: text)
    }
}
