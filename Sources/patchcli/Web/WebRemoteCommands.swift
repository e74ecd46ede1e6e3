import CommandLineKit
import Foundation
import PatchCrypto
import PatchPlatform
import PatchServer
import WebViewBundle

/// Parameters that the commands about remotes share.
enum WebRemoteParameters {
    static let repository = Parameter<String>.required(
        "remote", placeholder: "folder", help: "The folder of published bundles.",
        completion: .folder)
    static let channel = Parameter<String?>.option(
        "channel", placeholder: "name", help: "The channel; the default deployment when absent.")
    static let endpoint = Parameter<String>.required(
        "endpoint", placeholder: "url", help: "The remote's address.",
        environment: "OPENPATCH_WEB_ENDPOINT")

    /// Runs `body`; what repository and client throw becomes a ``CommandFailure``.
    static func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try WebCommands.explaining(body)
        } catch let error as APIError {
            throw CommandFailure(
                error.code, error.message,
                fix: error.code == "bundle_exists"
                    ? "add --overwrite, or name another version" : nil,
                exit: .dataError)
        } catch let error as FileError {
            throw CommandFailure(error.code, error.description, exit: .ioError)
        }
    }

    static func explaining<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as WebViewBundle.Error {
            throw CommandFailure(
                error.code, WebCommands.sentence(of: error), exit: .unavailable)
        } catch let error as BundleFormatError {
            throw CommandFailure(error.code, error.description, exit: .dataError)
        }
    }
}

/// `patchcli web upload BUNDLE`
enum WebUploadCommand {
    private static let name = Parameter<String>.required(
        "name", placeholder: "name", help: "The bundle's name, as in app of app://app.wvb.")
    private static let version = Parameter<String>.required(
        "bundle-version", placeholder: "version", help: "The version, as in 1.2.0.")
    private static let key = Parameter<String?>.option(
        "key", placeholder: "file", help: "Sign with this private key, a PKCS #8 PEM file.",
        completion: .file(["pem"]))
    private static let algorithm = Parameter<SignatureAlgorithm>.option(
        "algorithm", default: .ed25519, help: "The algorithm of the signature.")
    private static let deploy = Parameter<Bool>.flag(
        "deploy", help: "Deploy it at once, in the channel if one is named.")
    private static let overwrite = Parameter<Bool>.flag(
        "overwrite", help: "Replace a version that is published already.")

    private struct Report: Encodable {
        let name: String
        let version: String
        let integrity: String
        let signed: Bool
        let deployed: Bool
    }

    static var command: Command {
        Command(
            "upload", abstract: "Publish an archive into a folder that 'serve-remote' serves.",
            parameters: parameters(
                WebCommands.bundle, WebRemoteParameters.repository, name, version, key, algorithm,
                deploy, WebRemoteParameters.channel, overwrite)
        ) { invocation in
            let bundle = try WebCommands.open(try invocation[WebCommands.bundle])
            let bytes = try WebUploadCommand.read(try invocation[WebCommands.bundle], bundle)
            let repository = BundleRepository(
                folder: URL(fileURLWithPath: try invocation[WebRemoteParameters.repository]))
            let signer = try invocation[key].map { file in
                try WebCommands.explaining {
                    try BundleSigner(
                        try invocation[algorithm],
                        key: SigningKey(pemRepresentation: WebKey.read(file)))
                }
            }
            let isDeployed = try invocation[deploy]
            let statement = try WebRemoteParameters.explaining {
                let statement = try repository.publish(
                    try invocation[name], try invocation[version], bytes,
                    replacing: try invocation[overwrite],
                    sign: { try signer?.sign(integrity: $0) })
                if isDeployed {
                    try repository.deploy(
                        try invocation[name], try invocation[version],
                        channel: try invocation[WebRemoteParameters.channel])
                }
                return statement
            }
            let report = Report(
                name: try invocation[name], version: try invocation[version],
                integrity: statement.integrity, signed: statement.signature != nil,
                deployed: isDeployed)
            try invocation.console.report(report) { console in
                console.print(
                    "\(report.name) \(report.version): published"
                        + (report.signed ? ", signed" : "") + (isDeployed ? ", deployed" : ""))
            }
        }
    }

    private static func read(_ path: String, _ bundle: BundleReader) throws -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)),
            data.count == bundle.fileSize
        else { throw CommandFailure("no_input", "'\(path)' cannot be read", exit: .noInput) }
        return [UInt8](data)
    }
}

/// `patchcli web deploy NAME VERSION`
enum WebDeployCommand {
    private static let name = Parameter<String>.argument("name", help: "The bundle's name.")
    private static let version = Parameter<String>.argument(
        "version", help: "The version, which must be published.")

    static var command: Command {
        Command(
            "deploy", abstract: "Make a published version the one that devices get.",
            parameters: parameters(
                name, version, WebRemoteParameters.repository, WebRemoteParameters.channel)
        ) { invocation in
            let repository = BundleRepository(
                folder: URL(fileURLWithPath: try invocation[WebRemoteParameters.repository]))
            let channel = try invocation[WebRemoteParameters.channel]
            try WebRemoteParameters.explaining {
                try repository.deploy(
                    try invocation[name], try invocation[version], channel: channel)
            }
            let report = [
                "name": try invocation[name], "version": try invocation[version],
                "channel": channel ?? "",
            ]
            try invocation.console.report(report) { console in
                console.print(
                    "\(try invocation[name]) \(try invocation[version]): deployed"
                        + (channel.map { " in \($0)" } ?? ""))
            }
        }
    }
}

/// `patchcli web serve-remote FOLDER`
enum WebServeRemoteCommand {
    private static let folder = Parameter<String>.argument(
        "folder", help: "The folder of published bundles.", completion: .folder)
    private static let host = Parameter<String>.option(
        "host", placeholder: "address", default: "127.0.0.1", help: "IPv4 address to listen on.")
    private static let port = Parameter<UInt16>.option(
        "port", short: "p", placeholder: "number", default: 4313,
        help: "Port to listen on; 0 takes a free one.")
    private static let others = Parameter<Bool>.flag(
        "allow-other-versions", help: "Give out versions that are not deployed.")

    static var command: Command {
        Command(
            "serve-remote", abstract: "Serve a folder of published bundles to devices.",
            discussion: "Prints 'listening on http://…' once it is ready; ends on SIGINT.",
            parameters: parameters(folder, host, port, others)
        ) { invocation in
            let repository = BundleRepository(folder: URL(fileURLWithPath: try invocation[folder]))
            let server = HTTPServer(
                handler: BundleRemoteHandler(
                    repository, allowsOtherVersions: try invocation[others]))
            try await WebServeCommand.run(
                server, host: try invocation[host], port: try invocation[port],
                console: invocation.console)
        }
    }
}
