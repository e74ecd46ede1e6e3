import CommandLineKit
import Foundation
import PatchCompiler
import PatchCrypto
import PatchPlatform
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
                "file_failed", "A file could not be used",
                why: (error.filePath.map { "'\($0)': " } ?? "") + error.localizedDescription,
                exit: .ioError)
        default: return nil
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
        case .buildUnknown:
            failure.what = "The build is not registered"
            failure.fix = "patchcli fingerprint register"
            failure.exit = .fingerprintMismatch
        case .nativeChange, .cannotShip, .cannotCompile:
            failure.what = "This change cannot ship over the air; nothing was uploaded"
            failure.exit = .cannotShip
        case .nothingChanged:
            failure.what = "There is nothing to release"
            failure.exit = .unreachable
        case .fileAccess: failure.exit = .ioError
        default: break
        }
        return failure
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
