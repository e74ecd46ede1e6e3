import CSpawn
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts programs with `posix_spawn` and nothing of this process open in them.
///
/// Not `Foundation.Process`: on Linux it reads past a buffer, and ends the tests, when more than
/// about a thousand files are open.
enum Spawn {
    /// Where a standard stream of the new program leads.
    enum Stream {
        /// Empty to read from, gone when written to.
        case nothing
        /// A file, made or emptied.
        case file(String)
        /// An open descriptor of this process.
        case descriptor(Int32)
        /// Where this process's own stream leads.
        case inherited
    }

    /// Starts `executable` (a path) as the leader of a process group of its own.
    /// - Throws: ``SpawnedProcess/NotStarted``.
    static func start(
        _ executable: String, _ arguments: [String], in folder: URL? = nil,
        environment: [String: String], input: Stream, output: Stream, errors: Stream
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }

        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawnattr_setpgroup(&attributes, 0)
        // What this process ignores or blocks is its own affair.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)

        for (number, stream) in [input, output, errors].enumerated() {
            let target = Int32(number)
            switch stream {
            case .nothing:
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
            case .file(let path):
                posix_spawn_file_actions_addopen(
                    &actions, target, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            case .descriptor(let descriptor):
                posix_spawn_file_actions_adddup2(&actions, descriptor, target)
            case .inherited:
                #if canImport(Darwin)
                    posix_spawn_file_actions_addinherit_np(&actions, target)
                #else
                    break
                #endif
            }
        }
        cspawn_close_others(&actions)
        if let folder { cspawn_set_folder(&actions, folder.path) }

        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var child = pid_t()
        let error = posix_spawn(&child, executable, &actions, &attributes, words, variables)
        guard error == 0 else { throw SpawnedProcess.NotStarted(systemError: error) }
        return child
    }
}

/// A pipe that no program inherits, except through ``Spawn``.
struct ClosedPipe {
    let readingEnd: Int32
    let writingEnd: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard cspawn_private_pipe(&ends) == 0 else {
            throw SpawnedProcess.NotStarted(systemError: errno)
        }
        readingEnd = ends[0]
        writingEnd = ends[1]
    }
}
