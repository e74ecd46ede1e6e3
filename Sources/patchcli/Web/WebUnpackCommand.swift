import CommandLineKit
import Foundation
import WebViewBundle

/// `patchcli web unpack BUNDLE`
enum WebUnpackCommand {
    private static let output = Parameter<String?>.option(
        "output", short: "o", placeholder: "folder",
        help: "Where to write; the archive's name without .wvb when absent.", completion: .folder)
    private static let overwrite = Parameter<Bool>.flag(
        "overwrite", help: "Write into a folder that is not empty, replacing files.")

    private struct Report: Encodable {
        let folder: String
        let files: Int
        let bytes: Int
    }

    static var command: Command {
        Command(
            "unpack", abstract: "Write the files of an archive to a folder.",
            discussion: """
                The whole archive is checked before the first file is written. No file lands \
                outside the folder, whatever the archive says or links in the folder point at.
                """,
            parameters: parameters(WebCommands.bundle, output, overwrite)
        ) { invocation in
            let path = try invocation[WebCommands.bundle]
            let bundle = try WebCommands.open(path)
            let folder =
                try invocation[output]
                ?? URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            var unpacker = BundleUnpacker()
            unpacker.overwrites = try invocation[overwrite]
            let count = try WebCommands.explaining { try unpacker.unpack(bundle, to: folder) }
            let report = Report(folder: folder, files: count, bytes: bundle.totalSize)
            try invocation.console.report(report) { console in
                console.print(
                    "\(folder): \(Quantity.count(count, "file")), "
                        + Quantity.bytes(bundle.totalSize))
            }
        }
    }
}
