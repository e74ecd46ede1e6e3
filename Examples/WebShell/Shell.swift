import Foundation
import WebViewBundle
import WebViewBundleGTK

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
                releases: Self.releases(options),
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

    private static func releases(_ options: Options) -> WebViewBundleReleasesConfig? {
        guard let resources = options.resources else { return nil }
        let name = BundleRequest(url: options.url)?.bundleName ?? "app"
        var config = WebViewBundleReleasesConfig(
            bundles: [name], readiness: .page(seconds: options.readyWithin ?? 10),
            applies: options.appliesNow ? .now : .nextStart)
        config.resourcesDir = resources
        config.stateDir = options.state
        config.checkInterval = options.checkEvery
        return config
    }

    private static var current: Shell?
    private var loads = 0

    func start() {
        view.onLoad = { uri, failure in
            Shell.log(
                "load",
                .object(["uri": .string(uri), "failure": failure.map { .string($0) } ?? .null]))
            self.pictureOfLoad()
        }
        instance.releases?.listen { Shell.tell($0) }
        view.showWindow(title: "WebShell")
        view.load(options.url)
        if let seconds = options.seconds {
            GTKMainLoop.perform(afterMilliseconds: UInt32(seconds * 1000)) { self.finish() }
        }
        if let limit = options.readyWithin, options.resources == nil { watch(limit) }
        if let every = options.updateEvery { update(every) }
        if options.endsWithTitle { watchTitle() }
    }

    /// A picture of what each load led to, numbered.
    private func pictureOfLoad() {
        guard let folder = options.shotsOnLoad else { return }
        loads += 1
        let path = "\(folder)/load-\(loads).png"
        GTKMainLoop.perform(afterMilliseconds: 1000) {
            self.view.saveSnapshot(to: path) { result in
                if case .failure(let failure) = result {
                    Shell.log("shot", .string(failure.message))
                }
            }
        }
    }

    /// Ends as the user wants to: what was shown is not to blame.
    func end() {
        instance.releases?.didEndCleanly()
        view.close()
    }

    /// Looks at the title now and then; the first that is no empty text ends the app.
    private func watchTitle() {
        view.evaluate("document.title") { result in
            if case .success(let text) = result, let title = JSONValue(json: Array(text.utf8)),
                title != .string("")
            {
                Shell.log("title", title)
                return self.finish()
            }
            GTKMainLoop.perform(afterMilliseconds: 100) { self.watchTitle() }
        }
    }

    /// Takes the picture that was asked for and ends.
    func finish() {
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

    nonisolated private static func tell(_ event: BundleReleaseEvent) {
        func version(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        switch event {
        case .shows(_, let release): log("shows", version(release?.version))
        case .available(let update): log("available", version(update.version))
        case .progress(_, let received, let total):
            log("progress", .array([.number(Double(received)), .number(Double(total))]))
        case .staged(let update): log("staged", version(update.version))
        case .ready(let release): log("ready", .string(release.version))
        case .tookBack(let release, let code, let message, let now):
            log(
                "tookBack",
                .object([
                    "version": .string(release.version), "code": .string(code),
                    "message": .string(message), "now": version(now),
                ]))
        case .problem(_, let code, let message):
            log("problem", .object(["code": .string(code), "message": .string(message)]))
        }
    }

    nonisolated static func log(_ name: String, _ value: JSONValue) {
        let line = JSONValue.object([name: value]).jsonText + "\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }
}
