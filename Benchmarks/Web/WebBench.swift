import Foundation
import PatchServer
import WebViewBundle

#if canImport(WebViewBundleGTK)
    import WebViewBundleGTK
#endif

/// What `make bench-web` measures; each prints numbers for Scripts/bench-web.py.
///
///     webbench make DIR [MEGABYTES]   a site of 1,000 files
///     webbench pack DIR FILE          seconds to pack it
///     webbench open FILE              milliseconds to the first entry, kilobytes of memory
///     webbench serve FILE PORT        the archive over HTTP, as patchcli web serve does it
///     webbench load FILE DIR PAIRS    page loads from the archive and from plain files, by turns
@main
struct WebBench {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("make", 2...): try Site.make(in: arguments[1], size: 50 << 20)
        case ("pack", 3): try pack(arguments[1], arguments[2])
        case ("open", 2): try open(arguments[1])
        case ("serve", 3): try serve(arguments[1], UInt16(arguments[2]) ?? 0)
        case ("load", 4):
            try load(arguments[1], arguments[2], pairs: Int(arguments[3]) ?? 20)
        default:
            print("usage: webbench make|pack|open|serve|load …")
            exit(64)
        }
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: Archive

    private static func pack(_ folder: String, _ file: String) throws {
        let begun = now()
        let packed = try BundlePacker().pack(folder: folder)
        try Data(packed.bytes).write(to: URL(fileURLWithPath: file))
        print(now() - begun, packed.contentSize, packed.bytes.count, packed.paths.count)
    }

    /// Memory that only this process has, in kilobytes.
    private static func memory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
            .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
            .reduce(0, +)
    }

    private static func open(_ file: String) throws {
        let before = memory()
        let begun = now()
        let bundle = try BundleReader(path: file)
        let handler = BundleRequestHandler(lookup: { _ in bundle })
        guard let request = BundleRequest(url: "app://app.wvb/") else { exit(70) }
        let answer = handler.respond(to: request)
        let milliseconds = (now() - begun) * 1000
        guard answer.status == 200 else { exit(70) }
        print(milliseconds, memory() - before, bundle.count)
    }

    private static func serve(_ file: String, _ port: UInt16) throws {
        signal(SIGPIPE, SIG_IGN)
        let bundle = try BundleReader(path: file)
        var limits = ServerLimits()
        limits.threads = max(2, ProcessInfo.processInfo.processorCount)
        let server = HTTPServer(
            handler: BundleServer(bundle, BundleRequestHandler(lookup: { _ in bundle })),
            limits: limits)
        try server.start(host: "127.0.0.1", port: port)
        FileHandle.standardOutput.write(Data("listening\n".utf8))
        while true { sleep(1000) }
    }

    // MARK: Pages

    private static func load(_ file: String, _ folder: String, pairs: Int) throws {
        #if canImport(WebViewBundleGTK)
            try MainActor.assumeIsolated { try PageLoads(file, folder, pairs: pairs).run() }
        #else
            print("built without WebKitGTK")
            exit(69)
        #endif
    }
}
