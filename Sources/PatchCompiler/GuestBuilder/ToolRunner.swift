import Foundation

/// Runs one program of the toolchain, bounded in time and output.
///
/// `Foundation.Process` cannot end what a driver started: a compiler driver that is killed leaves
/// its frontend running. Here each run is a process group of its own and ends as one.
enum ToolRunner {
    enum Ending: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    struct Result {
        var ending: Ending
        /// Standard output and standard error together, at most ``maximumOutput`` bytes.
        var output: String

        var succeeded: Bool { ending == .exit(0) }
    }

    static let maximumOutput = 4 << 20

    /// Runs `tool` in `folder` to its end.
    /// - Throws: ``GuestBuildError/timeout(tool:seconds:)`` after `timeout` seconds, with the whole
    ///   group killed; ``GuestBuildError/system(_:)`` when the program cannot be started.
    static func run(
        _ tool: URL, _ arguments: [String], in folder: URL, timeout: Double
    ) throws -> Result {
        // A tool that somebody has open for writing cannot be run yet: a program that was just
        // installed, when another process was started meanwhile.
        for _ in 0..<100 {
            let result = try runOnce(tool, arguments, in: folder, timeout: timeout)
            guard result.ending == .exit(126), result.output.contains("Text file busy") else {
                return result
            }
            usleep(20_000)
        }
        return try runOnce(tool, arguments, in: folder, timeout: timeout)
    }

    private static func runOnce(
        _ tool: URL, _ arguments: [String], in folder: URL, timeout: Double
    ) throws -> Result {
        let output = folder.appendingPathComponent(".output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let child = try spawn(tool, arguments, in: folder, output: output)
        var status: Int32 = 0
        let deadline = Date().addingTimeInterval(timeout)
        var pause: UInt32 = 1_000
        while true {
            let answer = waitpid(child, &status, WNOHANG)
            if answer == child { break }
            if answer < 0, errno != EINTR {
                throw GuestBuildError.system(
                    "Waiting for \(tool.lastPathComponent) failed: \(errorText(errno)).")
            }
            if Date() > deadline {
                kill(-child, SIGKILL)
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                throw GuestBuildError.timeout(tool: tool.lastPathComponent, seconds: timeout)
            }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
        // Whatever the tool left behind in its group ends with it.
        kill(-child, SIGKILL)
        let signal = status & 0x7f
        return Result(
            ending: signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal),
            output: try text(of: output))
    }

    private static func text(of file: URL) throws -> String {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return "" }
        defer { try? handle.close() }
        let data = try handle.read(upToCount: maximumOutput) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    private static func spawn(
        _ tool: URL, _ arguments: [String], in folder: URL, output: URL
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &actions, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The shell only changes the folder, which posix_spawn cannot do everywhere, and then
        // becomes the tool.
        let shell = ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder.path]
        let words = (shell + [tool.path] + arguments).map { strdup($0) } + [nil]
        let environment = cleanEnvironment().map { strdup($0) } + [nil]
        defer { (words + environment).forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, shell[0], &actions, &attributes, words, environment)
        guard failure == 0 else {
            throw GuestBuildError.system(
                "\(tool.path) cannot be started: \(errorText(failure)).")
        }
        return child
    }

    /// Only what a compiler needs to run: a variable that changes what it does would make the same
    /// source give other bytes on another machine.
    private static func cleanEnvironment() -> [String] {
        let kept = [
            "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
            // Where swiftly looks for the toolchain that it stands for.
            "SWIFTLY_HOME_DIR", "SWIFTLY_BIN_DIR", "SWIFTLY_TOOLCHAINS_DIR",
        ]
        let current = ProcessInfo.processInfo.environment
        // A crashing compiler would spend seconds on a backtrace of itself.
        let fixed = ["LC_ALL=C", "SWIFT_BACKTRACE=enable=no"]
        return kept.compactMap { name in current[name].map { "\(name)=\($0)" } } + fixed
    }

    private static func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }
}
