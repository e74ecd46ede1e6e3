import Foundation
import WebViewBundle
import WebViewBundleGTK

/// A desktop app that is nothing but a web view: shows a bundled site, checks for updates, installs
/// them and shows the new page, all from the page or with `--update-every`.
@main
@MainActor
struct WebShell {
    static func main() {
        guard let options = Options(CommandLine.arguments) else {
            print(Options.usage)
            exit(64)
        }
        guard GTKMainLoop.prepare() else {
            FileHandle.standardError.write(Data("There is no display.\n".utf8))
            exit(69)
        }
        do {
            let shell = try Shell(options)
            shell.start()
            GTKMainLoop.run()
            shell.view.close()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(78)
        }
    }
}

/// What stands on the command line.
struct Options {
    static let usage = """
        usage: webshell --builtin DIR --remote DIR [--endpoint URL] [--scheme NAME]... \
        [--local HOST=URL] [--url URL] [--spa] [--shot FILE] [--seconds N] [--ready-within N] \
        [--update-every N] [--grant-all] [--print-title]
        """
    var builtin = ""
    var remote = ""
    var endpoint: String?
    var schemes: [String] = []
    var hosts: [String: String] = [:]
    var url = "app://app.wvb"
    var isSPA = false
    var shot: String?
    var seconds: Double?
    var readyWithin: Double?
    var updateEvery: Double?
    var grantsAll = false
    var printsTitle = false

    init?(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        func value() -> String? { rest.popFirst() }
        while let word = rest.popFirst() {
            switch word {
            case "--builtin": builtin = value() ?? ""
            case "--remote": remote = value() ?? ""
            case "--endpoint": endpoint = value()
            case "--scheme": if let name = value() { schemes.append(name) }
            case "--url": url = value() ?? url
            case "--shot": shot = value()
            case "--spa": isSPA = true
            case "--grant-all": grantsAll = true
            case "--print-title": printsTitle = true
            case "--seconds": seconds = value().flatMap(Double.init)
            case "--ready-within": readyWithin = value().flatMap(Double.init)
            case "--update-every": updateEvery = value().flatMap(Double.init)
            case "--local":
                let parts = (value() ?? "").split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { return nil }
                hosts[parts[0]] = parts[1]
            default: return nil
            }
        }
        guard !builtin.isEmpty, !remote.isEmpty else { return nil }
        if schemes.isEmpty { schemes = ["app"] }
    }
}

/// The window and what happens around it. Prints one JSON object a line for whoever watches.
@MainActor
final class Shell {
    let view: BundleWebView
    private let options: Options
    private let instance: WebViewBundle

    init(_ options: Options) throws {
        self.options = options
        var serving = BundleServingOptions()
        if options.isSPA { serving.spaFallback = "/index.html" }
        var protocols = options.schemes.map(WebViewBundleProtocol.bundle)
        if !options.hosts.isEmpty {
            protocols.append(.local(scheme: "dev", hosts: options.hosts))
        }
        instance = try WebViewBundle.configure(
            WebViewBundleConfig(
                source: SourceOptions(builtinDir: options.builtin, remoteDir: options.remote),
                protocols: protocols,
                updater: options.endpoint.map {
                    WebViewBundleUpdaterConfig(remote: WebViewBundleRemoteConfig(endpoint: $0))
                },
                serving: serving,
                bridge: BridgePolicy(permissions: options.grantsAll ? .all : []),
                onError: { Shell.log("error", .string("\($0)")) }))
        let bridge = Bridge()
        bridge.handler("report") { parameters in
            Shell.log("report", parameters.value)
            return .null
        }
        bridge.handler("reload") { _ in
            GTKMainLoop.perform { Shell.current?.view.reload() }
            return .null
        }
        bridge.handler("quit") { _ in
            GTKMainLoop.perform { Shell.current?.finish() }
            return .null
        }
        view = BundleWebView(instance, bridge: bridge)
        Shell.current = self
    }

    private static var current: Shell?

    func start() {
        view.onLoad = { uri, failure in
            Shell.log(
                "load",
                .object(["uri": .string(uri), "failure": failure.map { .string($0) } ?? .null]))
        }
        view.showWindow(title: "WebShell")
        view.load(options.url)
        if let seconds = options.seconds {
            GTKMainLoop.perform(afterMilliseconds: UInt32(seconds * 1000)) { self.finish() }
        }
        if let limit = options.readyWithin { watch(limit) }
        if let every = options.updateEvery { update(every) }
    }

    func finish() {
        guard options.printsTitle else { return save() }
        view.evaluate("document.title") { result in
            if case .success(let text) = result, let title = JSONValue(json: Array(text.utf8)) {
                Shell.log("title", title)
            }
            self.save()
        }
    }

    private func save() {
        guard let path = options.shot else { return GTKMainLoop.quit() }
        view.saveSnapshot(to: path) { result in
            if case .failure(let failure) = result { Shell.log("shot", .string(failure.message)) }
            GTKMainLoop.quit()
        }
    }

    /// A downloaded page that does not say in time that it works is taken back.
    private func watch(_ seconds: Double) {
        let name = BundleRequest(url: options.url)?.bundleName ?? "app"
        let source = instance.source
        GTKMainLoop.perform(afterMilliseconds: UInt32(seconds * 1000)) {
            guard let loaded = source.loadVersion(name), loaded.type == .remote,
                !source.isConfirmed(name)
            else { return }
            do {
                let now = try source.revert(name)
                Shell.log("reverted", .string(now?.version ?? ""))
            } catch {
                Shell.log("error", .string("\(error)"))
            }
            self.view.reload()
        }
    }

    private func update(_ seconds: Double) {
        guard let updater = instance.updater else { return }
        let name = BundleRequest(url: options.url)?.bundleName ?? "app"
        Task.detached {
            do {
                let info = try await updater.getUpdate(bundleName: name)
                if info.isAvailable {
                    _ = try await updater.downloadUpdate(bundleName: name, version: info.version)
                    try await updater.install(bundleName: name, version: info.version)
                    Shell.log("installed", .string(info.version))
                    GTKMainLoop.perform { Shell.current?.view.reload() }
                }
            } catch {
                Shell.log("error", .string("\(error)"))
            }
            GTKMainLoop.perform(afterMilliseconds: UInt32(seconds * 1000)) {
                Shell.current?.update(seconds)
            }
        }
    }

    nonisolated static func log(_ name: String, _ value: JSONValue) {
        let line = JSONValue.object([name: value]).jsonText + "\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }
}
