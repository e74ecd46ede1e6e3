import Foundation
import WebViewBundle

/// An app without a window, for what tests do with processes: several at once, killed, or on a disk
/// that is full.
///
///     bundle-child install BUILTIN REMOTE ENDPOINT VERSION…   installs versions one after the other
///     bundle-child follow BUILTIN REMOTE RESOURCES STATE      follows releases once
///
/// Prints `shows <version>` at the end, or `failed <code>` and exits with 1.
@main
struct BundleChild {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            let shown: String?
            switch (words.first, words.count) {
            case ("install", 4...): shown = try await install(words)
            case ("follow", 5): shown = try await follow(words)
            default: exit(64)
            }
            say("shows \(shown ?? "nothing")")
        } catch let error as WebViewBundle.Error {
            say("failed \(error.code)")
            exit(1)
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func source(_ words: [String]) -> SourceOptions {
        SourceOptions(builtinDir: words[1], remoteDir: words[2])
    }

    private static func install(_ words: [String]) async throws -> String? {
        let source = BundleSource(options: source(words))
        var options = RemoteOptions()
        // A slow machine is no broken network.
        options.idleTimeout = 300
        options.deadline = 600
        let updater = try Updater(
            source: source, remote: Remote(endpoint: words[3], options: options))
        for version in words.dropFirst(4) {
            do {
                _ = try await updater.downloadUpdate(bundleName: "app", version: version)
                try await updater.install(bundleName: "app", version: version)
                try source.confirm("app")
            } catch let error as WebViewBundle.Error
                where ["downgrade_refused", "download_running", "bundle_version_not_found"]
                .contains(error.code)
            {
                // Another process was faster.
                continue
            }
            say("installed \(version)")
        }
        return source.loadVersion("app")?.version
    }

    private static func follow(_ words: [String]) async throws -> String? {
        // However slow the machine is, the page is not judged before it says that it works.
        var config = WebViewBundleReleasesConfig(
            bundles: ["app"], readiness: .page(seconds: 3_600))
        config.resourcesDir = words[3]
        config.stateDir = words[4]
        config.checksAtLaunch = false
        config.telemetry = .off
        let instance = try WebViewBundle(
            config: WebViewBundleConfig(
                source: source(words), protocols: [.bundle(scheme: "app")], releases: config))
        guard let releases = instance.releases,
            let request = BundleRequest(url: "app://app.wvb/")
        else { exit(70) }
        _ = try await releases.update("app")
        let answer = await instance.respond(to: request)
        try await releases.markReady("app")
        releases.didEndCleanly()
        return String(decoding: answer.body, as: UTF8.self)
    }
}
