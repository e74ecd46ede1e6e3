import Foundation

/// Why a server's folder, one of its databases or its admin token cannot be used.
public struct StartFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stable codes.
    public enum Reason: String, Sendable {
        /// The folder cannot be made or used.
        case folderUnusable = "folder_unusable"
        /// A database is none, or a damaged one.
        case databaseDamaged = "database_damaged"
        /// A database was written by a newer patchd.
        case databaseTooNew = "database_too_new"
        /// The file with the admin token is missing, unreadable, blank or too large.
        case adminTokenUnusable = "admin_token_unusable"
    }

    /// What cannot be used.
    public let reason: Reason
    /// What is wrong with it, with its path.
    public let description: String
    /// A command to run next, or what to do.
    public let remedy: String

    /// Makes the server's folder.
    /// - Throws: ``StartFailure`` `folder_unusable`.
    static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StartFailure(
                reason: .folderUnusable,
                description: "'\(path)' cannot be made a folder: \(why(path)).",
                remedy: "patchd --data <a folder that you may write to>")
        }
    }

    private static func why(_ path: String) -> String {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
            !isFolder.boolValue
        {
            return "it is a file"
        }
        // Foundation keeps the system's reason to itself.
        return mkdir(path, 0o700) == 0 ? "it was in use" : String(cString: strerror(errno))
    }

    /// Runs `body`, which opens the database at `path`.
    /// - Throws: ``StartFailure`` when that file is at fault, else what `body` throws.
    static func opening<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        let folder = (path as NSString).deletingLastPathComponent
        let restore =
            "mv '\(folder)' '\(folder).damaged' && patchd restore --from <backup> "
            + "--data '\(folder)'"
        do {
            return try body()
        } catch let error as Database.TooNew {
            throw StartFailure(
                reason: .databaseTooNew, description: error.description, remedy: restore)
        } catch let error as DatabaseError where error.isDamaged {
            throw StartFailure(
                reason: .databaseDamaged, description: "'\(path)': \(error.message).",
                remedy: restore)
        } catch let error as DatabaseError where error.isRefused {
            throw StartFailure(
                reason: .folderUnusable, description: "'\(path)': \(error.message).",
                remedy: "ls -l '\(path)'")
        }
    }

    /// Reads the admin token once, so that a server does not serve what nobody can administer.
    /// - Throws: ``StartFailure`` `admin_token_unusable`.
    static func checkAdminToken(_ path: String, isOwn: Bool) throws {
        var information = stat()
        let problem: String
        if stat(path, &information) != 0 {
            problem = String(cString: strerror(errno))
        } else if information.st_mode & S_IFMT != S_IFREG {
            problem = "it is no regular file"
        } else if information.st_size > AppStore.maximumTokenFile {
            problem = "it has more than \(AppStore.maximumTokenFile) bytes"
        } else if AppStore.readToken(path) != nil {
            return
        } else if access(path, R_OK) != 0 {
            problem = String(cString: strerror(errno))
        } else {
            problem = "it holds no token"
        }
        throw StartFailure(
            reason: .adminTokenUnusable,
            description: "The admin token cannot be read from '\(path)': \(problem).",
            remedy: isOwn
                ? "rm '\(path)'; the next start makes another token"
                : "name a file with a token, or leave --admin-token-file out: patchd makes one")
    }
}
