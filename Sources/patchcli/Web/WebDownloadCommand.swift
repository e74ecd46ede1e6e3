import CommandLineKit
import Foundation
import PatchPlatform
import WebViewBundle

/// `patchcli web download NAME`
enum WebDownloadCommand {
    private static let name = Parameter<String>.argument("name", help: "The bundle's name.")
    private static let version = Parameter<String?>.option(
        "bundle-version", placeholder: "version", help: "The version; what is deployed when absent."
    )
    private static let output = Parameter<String?>.option(
        "output", short: "o", placeholder: "file",
        help: "Where to write; <name>_<version>.wvb when absent.", completion: .file(["wvb"]))

    private struct Report: Encodable {
        let name: String
        let version: String
        let file: String
        let bytes: Int
        let integrity: String?
        let signed: Bool
    }

    static var command: Command {
        Command(
            "download", abstract: "Fetch a bundle from a remote and check its integrity.",
            parameters: parameters(
                name, version, WebRemoteParameters.endpoint, WebRemoteParameters.channel, output,
                WebCommands.overwrite)
        ) { invocation in
            let mayReplace = try invocation[WebCommands.overwrite]
            if let named = try invocation[output] {
                try WebCommands.guardExisting(named, mayReplace)
            }
            let bundleName = try invocation[name]
            let wanted = try invocation[version]
            let channel = try invocation[WebRemoteParameters.channel]
            let endpoint = try invocation[WebRemoteParameters.endpoint]
            let (info, data) = try await WebRemoteParameters.explaining {
                let remote = try Remote(endpoint: endpoint)
                guard let wanted else {
                    return try await remote.download(bundleName: bundleName, channel: channel)
                }
                return try await remote.downloadVersion(bundleName: bundleName, version: wanted)
            }
            try WebCommands.explaining {
                if let stated = try info.integrity.map({ try Integrity($0) }),
                    stated != Integrity(of: data, stated.algorithm)
                {
                    throw CommandFailure(
                        "integrity_mismatch", "The bytes are not those that the remote states",
                        exit: .gateFailed)
                }
                try BundleReader(bytes: data).verify()
            }
            let file = try invocation[output] ?? "\(info.name)_\(info.version).wvb"
            try WebCommands.guardExisting(file, mayReplace)
            try WebCommands.write(data, to: file)
            let report = Report(
                name: info.name, version: info.version, file: file, bytes: data.count,
                integrity: info.integrity, signed: info.signature != nil)
            try invocation.console.report(report) { console in
                console.print(
                    "\(file): \(info.name) \(info.version), \(Quantity.bytes(data.count))")
                if info.integrity == nil { console.warn("the remote states no integrity") }
            }
        }
    }
}

/// `patchcli web builtin`
enum WebBuiltinCommand {
    private static let output = Parameter<String>.option(
        "output", short: "o", placeholder: "folder", default: "bundles",
        help: "The folder that the app ships.", completion: .folder)
    private static let only = Parameter<[String]>.options(
        "only", placeholder: "name", help: "Fetch these bundles instead of all.")

    static var command: Command {
        Command(
            "builtin", abstract: "Fetch what is deployed into a folder that an app ships.",
            discussion: "Integrity strings are demanded and checked.",
            parameters: parameters(
                WebRemoteParameters.endpoint, WebRemoteParameters.channel, output, only)
        ) { invocation in
            let folder = URL(fileURLWithPath: try invocation[output]).path
            let endpoint = try invocation[WebRemoteParameters.endpoint]
            let channel = try invocation[WebRemoteParameters.channel]
            let wanted = try invocation[only]
            let fetched = try await WebRemoteParameters.explaining {
                let remote = try Remote(endpoint: endpoint)
                let source = BundleSource(
                    options: SourceOptions(builtinDir: folder + "/none", remoteDir: folder))
                let updater = try Updater(source: source, remote: remote, channel: channel)
                var fetched: [String: String] = [:]
                for line in try await updater.listRemotes()
                where wanted.isEmpty || wanted.contains(line.name) {
                    let info = try await updater.downloadUpdate(bundleName: line.name)
                    try await updater.install(bundleName: line.name, version: info.version)
                    try source.confirm(line.name)
                    try source.pruneRemoteBundles(line.name)
                    fetched[info.name] = info.version
                }
                return fetched
            }
            // What belongs to a folder that is written to, an app does not ship.
            for name in ["openpatch-bundles.json", "openpatch-bundles.lock", ".incoming"] {
                try? FileManager.default.removeItem(atPath: folder + "/" + name)
            }
            guard !fetched.isEmpty else {
                throw CommandFailure(
                    "bundle_not_found", "The remote has none of these bundles deployed",
                    exit: .unavailable)
            }
            try invocation.console.report(fetched) { console in
                for (name, version) in fetched.sorted(by: { $0.key < $1.key }) {
                    console.print("\(folder): \(name) \(version)")
                }
            }
        }
    }
}
