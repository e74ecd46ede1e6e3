import CommandLineKit
import Foundation
import PatchServer
import WebViewBundle

/// `patchcli web serve BUNDLE`
enum WebServeCommand {
    private static let host = Parameter<String>.option(
        "host", placeholder: "address", default: "127.0.0.1", help: "IPv4 address to listen on.")
    private static let port = Parameter<UInt16>.option(
        "port", short: "p", placeholder: "number", default: 4312,
        help: "Port to listen on; 0 takes a free one.")
    private static let fallback = Parameter<String?>.option(
        "spa", placeholder: "path",
        help: "Answer unknown pages with this entry, as in '/index.html'.")
    private static let notFound = Parameter<String?>.option(
        "not-found", placeholder: "path", help: "Answer unknown pages with this entry and 404.")
    private static let style = Parameter<PathStyle>.option(
        "paths", default: .directoryIndex, help: "How a path finds its entry.")
    private static let cacheSize = Parameter<Int>.option(
        "cache", placeholder: "megabytes", default: 1024,
        help: "Unpacked entries kept in a temporary file; 0 unpacks for each request.",
        check: { (0...65_536).contains($0) ? nil : "expected 0 to 65536" })
    private static let threads = Parameter<Int>.option(
        "threads", placeholder: "number", default: max(2, ProcessInfo.processInfo.processorCount),
        help: "Threads that serve connections.",
        check: { (1...256).contains($0) ? nil : "expected 1 to 256" })

    static var command: Command {
        Command(
            "serve", abstract: "Serve an archive over HTTP, as a web view would be served.",
            discussion: "Prints 'listening on http://…' once it is ready; ends on SIGINT.",
            parameters: parameters(
                WebCommands.bundle, host, port, fallback, notFound, style, cacheSize, threads),
            body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let bundle = try WebCommands.open(try invocation[WebCommands.bundle])
        var options = BundleServingOptions()
        options.pathStyle = try invocation[style]
        options.spaFallback = try invocation[fallback]
        options.notFoundPage = try invocation[notFound]
        for page in [options.spaFallback, options.notFoundPage].compactMap({ $0 })
        where bundle.entry(at: page) == nil {
            throw CommandFailure(
                "bundle_no_such_entry", "The archive has no entry '\(page)'",
                why: "Paths of entries start with a slash.", exit: .usage)
        }
        let console = invocation.console
        let handler = BundleRequestHandler(
            options: options, onError: { console.warn("\($0)") }, lookup: { _ in bundle })
        var limits = ServerLimits()
        limits.threads = try invocation[threads]
        let keeping = try invocation[cacheSize] << 20
        let server = HTTPServer(
            handler: BundleServer(bundle, handler, keeping: keeping), limits: limits)
        try await run(
            server, host: try invocation[host], port: try invocation[port], console: console)
    }

    /// Serves until SIGTERM or SIGINT.
    static func run(
        _ server: HTTPServer, host: String, port: UInt16, console: Console
    ) async throws {
        signal(SIGPIPE, SIG_IGN)
        let stopped = TerminationSignals()
        do {
            try server.start(host: host, port: port)
        } catch let error as HTTPServer.StartError {
            throw CommandFailure(
                error.code, "The server could not start", why: error.description,
                fix: error.isHostWrong
                    ? "name an address of this machine, as in --host 127.0.0.1"
                    : "choose another port with --port", exit: .unavailable)
        }
        let url = "http://\(host):\(server.port)"
        try console.report(["url": url]) { $0.print("listening on \(url)") }
        await stopped.wait()
        server.stop()
    }
}

extension PathStyle: ArgumentValue {}
