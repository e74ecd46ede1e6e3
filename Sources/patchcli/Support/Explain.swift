import CommandLineKit
import FleetSimulation
import Foundation
import PatchCompiler
import PatchCrypto
import PatchPlatform
import RolloutGates
import TUF

/// Turns the errors of other modules into what happened, why, and what to run.
enum Explain {
    @Sendable static func failure(_ error: any Error) -> CommandFailure? {
        switch error {
        case let error as PatchProjectError: return project(error)
        case let error as GuestBuildError:
            return CommandFailure(
                error.code, "The module could not be built", why: error.description,
                fix: "patchcli doctor", exit: .dataError)
        case let error as TUFError: return trust(error)
        case let error as SimulationError:
            return CommandFailure(
                error.code, "The simulation cannot be run", why: error.description, exit: .usage)
        case let error as GateError:
            return CommandFailure(
                error.code, "The rollout cannot be planned so", why: error.description,
                exit: .usage)
        case let error as HTTPError:
            return CommandFailure(
                error.code, "The server could not be asked", why: error.description,
                fix: "patchcli doctor", exit: .unavailable)
        case let error as ServerRefusal: return refusal(error)
        case let error as FileError:
            return CommandFailure(
                error.code, "A file could not be used", why: error.description, exit: .ioError)
        case let error as CryptoError:
            return CommandFailure(
                error.code, "A key could not be used", why: error.description, exit: .dataError)
        case let error as CocoaError:
            return CommandFailure(
                "file_failed", "A file could not be used", why: text(error), exit: .ioError)
        case is DecodingError:
            return CommandFailure(
                "document_malformed", "A document cannot be read", why: text(error),
                exit: .dataError)
        case let error as POSIXError:
            return CommandFailure(
                "system_failed", "The operating system refused", why: text(error),
                exit: .osError)
        default: return nil
        }
    }

    /// An error in words of ours: Foundation's own descriptions name its types and domains.
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as DecodingError: return decoding(error)
        case let error as CocoaError:
            let file = error.filePath.map { "'\($0)' " } ?? "a file "
            switch error.code {
            case .fileNoSuchFile, .fileReadNoSuchFile: return file + "does not exist"
            case .fileReadNoPermission, .fileWriteNoPermission: return file + "may not be used"
            case .fileWriteOutOfSpace: return file + "does not fit on the disk"
            case .fileWriteFileExists: return file + "exists already"
            case .fileReadCorruptFile, .fileReadInapplicableStringEncoding,
                .fileReadUnknownStringEncoding:
                return file + "holds something else"
            default: return file + "could not be used (Cocoa \(error.code.rawValue))"
            }
        case let error as POSIXError: return String(cString: strerror(error.code.rawValue))
        default: return String(describing: error)
        }
    }

    private static func decoding(_ error: DecodingError) -> String {
        func place(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            let path = (context.codingPath + [key].compactMap { $0 }).map(\.stringValue)
            return path.isEmpty ? "the document" : "field '\(path.joined(separator: "."))'"
        }
        switch error {
        case .keyNotFound(let key, let context): return place(context, key) + " is missing"
        case .typeMismatch(_, let context): return place(context) + " has the wrong type"
        case .valueNotFound(_, let context): return place(context) + " has no value"
        case .dataCorrupted(let context): return place(context) + " is not what it should be"
        @unknown default: return "the document cannot be read"
        }
    }

    private static func project(_ error: PatchProjectError) -> CommandFailure {
        var failure = CommandFailure(
            error.code, "The project cannot be used as it is", why: error.description,
            exit: .dataError)
        switch error.kind {
        case .configurationMissing:
            failure.what = "There is no openpatch.json here"
            failure.fix = "patchcli init"
            failure.exit = .configuration
        case .configurationInvalid, .lockInvalid, .manifestInvalid:
            failure.what = "The project's configuration cannot be read"
            failure.exit = .configuration
            if error.kind == .lockInvalid { failure.fix = "git checkout -- openpatch.lock.json" }
        case .buildUnknown:
            failure.what = "The build is not registered"
            failure.fix = "patchcli fingerprint register"
            failure.exit = .fingerprintMismatch
        case .nativeChange, .cannotShip, .cannotCompile, .removed, .buildNotServed:
            failure.what = "This change cannot ship over the air; nothing was uploaded"
            failure.list = error.findings.map(\.description)
            if let why = summary(error) { failure.why = why }
            failure.exit = .cannotShip
        case .nothingChanged:
            failure.what = "There is nothing to release"
            failure.exit = .unreachable
        case .fileAccess: failure.exit = .ioError
        default: break
        }
        return failure
    }

    /// What the list of findings has in common, so that they are not said twice.
    private static func summary(_ error: PatchProjectError) -> String? {
        guard !error.findings.isEmpty else { return nil }
        switch error.kind {
        case .nativeChange:
            return "Part of it needs a store build. Take that back, or register and ship a new "
                + "build:"
        case .cannotCompile:
            return "A module is Embedded Swift and has what it uses from the app's own sources. "
                + "The compiler says:"
        case .cannotShip: return "It would not behave in a module as it does in the app:"
        default: return nil
        }
    }

    /// Runs `body`, which loads published metadata, and says which document was refused.
    /// - Parameters:
    ///   - fix: what helps against a damaged document.
    ///   - document: the document that was read last; whatever is refused is refused at once.
    /// - Throws: ``CommandFailure``, or what `body` throws.
    static func loading<Result>(
        fix: String, document: () -> String?, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as TUFError where !isAbsence(error) {
            throw CommandFailure(
                error.code, "The published metadata was refused",
                why: (document().map { "\($0): " } ?? "") + error.message, fix: fix,
                exit: .dataError)
        }
    }

    /// Whether nothing was read that could be at fault.
    private static func isAbsence(_ error: TUFError) -> Bool {
        [.metadataUnavailable, .downloadFailed, .repositoryIncomplete].contains(error.kind)
    }

    private static func trust(_ error: TUFError) -> CommandFailure {
        var failure = CommandFailure(
            error.code, "The published metadata was refused", why: error.message,
            exit: .dataError)
        switch error.kind {
        case .metadataUnavailable, .downloadFailed, .repositoryIncomplete:
            failure.what = "The published metadata could not be read"
            failure.fix = "patchcli doctor"
            failure.exit = .unavailable
        case .keyUnusable, .signingFailed, .signaturesInsufficient:
            failure.what = "The keys on this machine cannot sign this"
            failure.fix = "patchcli keys list"
            failure.exit = .noPermission
        default: break
        }
        return failure
    }

    private static func refusal(_ error: ServerRefusal) -> CommandFailure {
        var failure = CommandFailure(
            error.code, "The server refused", why: error.message, exit: .dataError)
        switch error.status {
        case 401, 403:
            failure.what = "The server does not accept the token"
            failure.fix = "OPENPATCH_TOKEN=… patchcli …"
            failure.exit = .noPermission
        case 404:
            failure.what = "The server does not know this address"
            failure.fix = "patchcli doctor"
            failure.exit = .unavailable
        case 409:
            failure.what = "Somebody else published at the same time"
            failure.exit = .temporaryFailure
        case 429, 503:
            failure.what = "The server asks to wait"
            failure.exit = .temporaryFailure
        case 500...: failure.exit = .unavailable
        default: break
        }
        return failure
    }
}

/// A server's typed refusal.
struct ServerRefusal: Error {
    let status: Int
    let code: String
    let message: String
}
