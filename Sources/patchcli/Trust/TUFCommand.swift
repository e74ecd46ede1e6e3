import CommandLineKit
import Foundation
import PatchPlatform
import TUF

/// `patchcli tuf`: the bare client of The Update Framework, for any repository.
///
/// Its command line is the one that the public conformance suite drives
/// (theupdateframework/tuf-conformance, CLIENT-CLI.md): options may come before the verb, and it
/// exits with 0 or 1. It keeps to the specification: what OpenPatch adds for its own trees is off.
enum TUFCommand {
    private static let metadataFolder = Parameter<String>.required(
        "metadata-dir", placeholder: "folder", help: "Where trusted metadata is kept.",
        completion: .folder)
    private static let metadataURL = Parameter<String?>.option(
        "metadata-url", placeholder: "url", help: "The repository's metadata.")
    private static let targetNames = Parameter<[String]>.options(
        "target-name", placeholder: "path", help: "A target to download; may be repeated.")
    private static let targetURL = Parameter<String?>.option(
        "target-base-url", placeholder: "url", help: "The repository's targets.")
    private static let targetFolder = Parameter<String?>.option(
        "target-dir", placeholder: "folder", help: "Where downloaded targets go.",
        completion: .folder)
    private static let verb = Parameter<Verb>.argument(
        "verb", help: "init, refresh or download.")
    private static let root = Parameter<String?>.optionalArgument(
        "trusted-root", help: "With init: the root.json to begin from.",
        completion: .file(["json"]))

    enum Verb: String, CaseIterable, ArgumentValue { case `init`, refresh, download }

    static var command: Command {
        Command(
            "tuf", abstract: "A client of The Update Framework for any repository.",
            discussion: """
                init takes a root.json on trust; refresh brings root, timestamp, snapshot and \
                targets up to date by the workflow of the specification; download does so too and \
                fetches targets, verified, leaving those alone that are there already. Exits with \
                1 when anything was refused. The file name of a target is its path with '/' \
                written as %2F.
                """,
            examples: [
                ("patchcli tuf --metadata-dir m init root.json", "Trust a root."),
                (
                    "patchcli tuf --metadata-dir m --metadata-url https://tuf.example.com/metadata "
                        + "refresh", "Bring it up to date."
                ),
            ],
            parameters: parameters(
                metadataFolder, metadataURL, targetNames, targetURL, targetFolder, verb, root),
            body: run)
    }

    struct Report: Encodable {
        struct Target: Encodable {
            let path: String
            let file: String
            let length: Int
            let fetched: Bool
        }
        let metadata_dir: String
        let versions: [String: Int]
        let targets: [Target]
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        do {
            try await perform(invocation)
        } catch {
            var failure =
                error as? CommandFailure ?? Explain.failure(error)
                ?? CommandFailure("unexpected", Explain.text(error))
            // The protocol of the conformance suite knows 0 and 1 only.
            failure.exit = .failure
            throw failure
        }
    }

    private static func perform(_ invocation: Invocation) async throws {
        let folder = URL(fileURLWithPath: try invocation[metadataFolder])
        let files = LocalFileStore(folder: folder)
        let verb = try invocation[verb]
        if verb == .`init` {
            try initialise(files, from: try invocation[root])
            return try invocation.console.report(
                Report(metadata_dir: folder.path, versions: [:], targets: [])
            ) { $0.print("The root is trusted; it lies in \(folder.path).") }
        }
        let updater = TUFUpdater(
            bootstrap: nil, fetcher: try HTTPFolder(invocation[metadataURL], "--metadata-url"),
            cache: MetadataFolder(files: files), configuration: configuration)
        try await updater.refresh()
        var targets: [Report.Target] = []
        if verb == .download {
            let source = try HTTPFolder(invocation[targetURL], "--target-base-url")
            let names = try invocation[targetNames]
            guard !names.isEmpty, let place = try invocation[targetFolder] else {
                throw missing(names.isEmpty ? "--target-name" : "--target-dir")
            }
            let store = LocalFileStore(folder: URL(fileURLWithPath: place))
            for name in names {
                targets.append(try await download(name, updater, source, to: store))
            }
        }
        let report = Report(
            metadata_dir: folder.path, versions: versions(await updater.trusted), targets: targets)
        try invocation.console.report(report) { console in
            for target in report.targets {
                console.print(
                    target.fetched ? "Downloaded \(target.file)" : "\(target.file) is current")
            }
            if report.targets.isEmpty { console.print("The metadata is current.") }
        }
    }

    private static var configuration: UpdaterConfiguration {
        var configuration = UpdaterConfiguration()
        configuration.asksConditionally = false
        configuration.obeysRootFloors = false
        return configuration
    }

    private static func missing(_ option: String) -> CommandFailure {
        CommandFailure(
            "missing_option", "The option '\(option)' is missing", fix: "patchcli tuf --help")
    }

    private static func initialise(_ files: LocalFileStore, from path: String?) throws {
        guard let path else {
            throw CommandFailure(
                "missing_argument", "There is no root to trust",
                fix: "patchcli tuf --metadata-dir <folder> init <root.json>")
        }
        let file = URL(fileURLWithPath: path)
        let source = LocalFileStore(folder: file.deletingLastPathComponent())
        guard
            let bytes = try source.read(
                file.lastPathComponent,
                maximumSize: UpdaterConfiguration().rootMaximumLength)
        else { throw CommandFailure("file_missing", "There is no file '\(path)'") }
        try files.writeAtomically(bytes, to: "root.json")
    }

    private static func versions(_ trusted: TrustedMetadataSet?) -> [String: Int] {
        var versions: [String: Int] = [:]
        versions["root"] = trusted?.root.signed.version
        versions["timestamp"] = trusted?.timestamp?.signed.version
        versions["snapshot"] = trusted?.snapshot?.signed.version
        versions["targets"] = trusted?.targets?.signed.version
        return versions
    }

    private static func download(
        _ path: String, _ updater: TUFUpdater, _ source: HTTPFolder, to store: LocalFileStore
    ) async throws -> Report.Target {
        guard let target = try await updater.target(path) else {
            throw TUFError(
                .targetNotFound, "No role that is trusted lists the target '\(path)'.")
        }
        guard target.length <= HTTPFolder.largestTarget else {
            throw TUFError(
                .targetTooLarge,
                "'\(path)' has \(target.length) bytes; this tool takes up to "
                    + "\(HTTPFolder.largestTarget).")
        }
        let name = fileName(path)
        let place = store.folder.appendingPathComponent(name).path
        if let bytes = try? store.read(name, maximumSize: target.length),
            (try? target.verify(bytes)) != nil
        {
            return .init(path: path, file: place, length: target.length, fetched: false)
        }
        let bytes = try await updater.download(target, from: source)
        try store.writeAtomically(bytes, to: name)
        return .init(path: path, file: place, length: target.length, fetched: true)
    }

    /// A flat name, so that no target leaves the folder or hides another one.
    private static func fileName(_ path: String) -> String {
        path.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}

/// Metadata as the client trusts it, in a folder: `root.json`, `timestamp.json`, ….
private struct MetadataFolder: MetadataCache {
    let files: LocalFileStore

    func load(_ name: String) throws -> [UInt8]? { try files.read(name, maximumSize: 8 << 20) }
    func store(_ name: String, _ bytes: [UInt8]) throws {
        try files.writeAtomically(bytes, to: name)
    }
    func remove(_ name: String) throws { try files.remove(name) }
}

/// Files below a URL.
private struct HTTPFolder: MetadataFetcher, TargetFetcher {
    /// Targets are held in memory until they are verified.
    static let largestTarget = 512 << 20

    let base: String
    let transport = URLSessionTransport()

    init(_ address: String?, _ option: String) throws {
        guard var base = address else {
            throw CommandFailure(
                "missing_option", "The option '\(option)' is missing", fix: "patchcli tuf --help")
        }
        while base.hasSuffix("/") { base.removeLast() }
        guard let url = URL(string: base), ["http", "https"].contains(url.scheme), url.host != nil
        else {
            throw CommandFailure(
                "bad_address", "'\(base)' is no http or https address", fix: "patchcli tuf --help")
        }
        self.base = base
    }

    func fetch(
        _ name: String, maximumLength: Int, ifNoneMatch validator: String?
    ) async throws -> FetchResult {
        guard let (body, etag) = try await get(name, maximumLength, validator) else {
            return .missing
        }
        return body.map { .found($0, validator: etag) } ?? .notModified
    }

    func fetchTarget(_ path: String, maximumLength: Int) async throws -> [UInt8]? {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ";"))
        guard let name = path.addingPercentEncoding(withAllowedCharacters: allowed) else {
            return nil
        }
        return try await get(name, maximumLength, nil)?.body
    }

    /// The body is nil when it has not changed.
    private func get(
        _ name: String, _ maximum: Int, _ validator: String?
    ) async throws -> (body: [UInt8]?, etag: String?)? {
        guard let url = URL(string: "\(base)/\(name)") else { return nil }
        do {
            let answer = try await transport.fetch(
                HTTPRequest(url, maximumSize: maximum).ifChanged(since: validator))
            switch answer.status {
            case 200: return (answer.body, answer.head.etag)
            case 304: return (nil, nil)
            case 403, 404, 410: return nil
            default: throw HTTPError(.badStatus, url: url, status: answer.status)
            }
        } catch let error as HTTPError where error.reason == .tooLarge {
            throw FetchError.tooLarge
        }
    }
}
