import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program started with nothing between it and the system, for tests that start hundreds:
/// `ChildProcess` keeps two threads and a run loop source for each.
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
        var actions = Self.noActions()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &actions, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words = ([executable] + arguments).map { strdup($0) } + [nil]
        var variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var pid = pid_t()
        let error = posix_spawn(&pid, executable, &actions, nil, &words, &variables)
        guard error == 0 else { throw NotStarted(systemError: error) }
        processIdentifier = pid
    }

    #if canImport(Darwin)
        private static func noActions() -> posix_spawn_file_actions_t? { nil }
    #else
        private static func noActions() -> posix_spawn_file_actions_t {
            posix_spawn_file_actions_t()
        }
    #endif

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
