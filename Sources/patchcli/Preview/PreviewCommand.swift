import CommandLineKit
import Foundation
import PatchCompiler
import PatchPreview
import PatchServer

/// `patchcli preview FOLDER`
enum PreviewCommand {
    private static let folder = Parameter<String>.argument(
        "folder", help: "A folder of Swift files with views, or one file.",
        completion: .folder)
    private static let host = Parameter<String>.option(
        "host", placeholder: "address", default: "127.0.0.1", help: "IPv4 address to listen on.")
    private static let port = Parameter<UInt16>.option(
        "port", short: "p", placeholder: "number", default: 4330,
        help: "Port to listen on; 0 takes a free one.")

    private static let measure = Parameter<Int?>.option(
        "measure", placeholder: "count",
        help: "Draw each view so often, print what it costs, and end.",
        check: { (200...1_000_000).contains($0) ? nil : "expected 200 to 1000000" })

    static var command: Command {
        Command(
            "preview", abstract: "Show SwiftUI views in a browser, as a patch would.",
            discussion: """
                Compiles the views to a module, runs it, and draws what it draws. Edits are shown \
                as they are saved, with the state that the views had. Prints 'listening on \
                http://…' once it is ready; ends on SIGINT.
                """,
            parameters: parameters(folder, host, port, measure), body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let console = invocation.console
        let root = URL(fileURLWithPath: try invocation[folder]).standardizedFileURL
        guard FileManager.default.fileExists(atPath: root.path) else {
            throw CommandFailure(
                "no_such_folder", "There is nothing at '\(root.path)'",
                fix: "name a folder with views, as in 'patchcli preview Sources/App'",
                exit: .noInput)
        }
        let builder = GuestBuilder(toolchain: try Toolchain.discover())
        if let count = try invocation[measure] {
            let found = try ViewMeasurements(source: root, builder: builder, count: count)
            return try console.report(found) { console in show(found, console) }
        }
        let session = PreviewSession(source: root, builder: ViewModuleBuilder(builder)) {
            console.note($0)
        }
        session.build()
        let watch = PreviewWatch(session)
        defer { watch.stop() }
        let server = HTTPServer(handler: PreviewServer(session))
        try await WebServeCommand.run(
            server, host: try invocation[host], port: try invocation[port], console: console)
    }

    private static func show(_ found: ViewMeasurements, _ console: Console) {
        console.print(
            "module: \(found.compressedBytes) bytes of brotli, \(found.moduleBytes) before; built in "
                + "\(Measured.text(found.buildSeconds)) s")
        for view in found.views {
            console.print(
                "\(view.name): \(view.nodes) views and modifiers, \(view.treeBytes) bytes; drawn in "
                    + "\(Measured.text(view.drawMicroseconds)) µs, HTML in "
                    + "\(Measured.text(view.htmlMicroseconds)) µs, an event to its HTML in "
                    + "\(Measured.text(view.eventMicroseconds)) µs; memory \(view.memoryBytes) bytes, "
                    + "grown by \(view.grownBytes)")
        }
    }
}
