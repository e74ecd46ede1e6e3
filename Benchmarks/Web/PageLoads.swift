#if canImport(WebViewBundleGTK)
    import Foundation
    import WebViewBundle
    import WebViewBundleGTK

    /// Loads one page by turns from an archive and from plain files, each in a web view of its own
    /// whose process has started, and prints the milliseconds of both.
    @MainActor
    final class PageLoads {
        private let instance: WebViewBundle
        private let addresses: [String]
        private var rest: Int
        private var times: [Double] = []
        private var view: BundleWebView?

        init(_ file: String, _ folder: String, pairs: Int) throws {
            guard GTKMainLoop.prepare() else { exit(69) }
            let builtin = NSTemporaryDirectory() + "webbench-\(getpid())"
            let archive = URL(fileURLWithPath: builtin + "/app/app_1.0.0.wvb")
            try FileManager.default.createDirectory(
                at: archive.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: URL(fileURLWithPath: file), to: archive)
            try Data(
                #"{"manifestVersion":1,"entries":{"app":{"versions":{"1.0.0":{}},"currentVersion":"1.0.0"}}}"#
                    .utf8
            ).write(to: URL(fileURLWithPath: builtin + "/manifest.json"))
            instance = try WebViewBundle(
                config: WebViewBundleConfig(
                    source: SourceOptions(builtinDir: builtin, remoteDir: builtin + "-remote"),
                    protocols: [.bundle(scheme: "app")]))
            addresses = [
                "app://app.wvb/index.html",
                URL(fileURLWithPath: folder).appendingPathComponent("index.html").absoluteString,
            ]
            // The first pair only warms the disk's cache and is not counted.
            rest = (pairs + 1) * 2
        }

        func run() {
            next()
            GTKMainLoop.run()
        }

        private func next() {
            view?.close()
            guard rest > 0 else { return finish() }
            // Which comes first changes with each pair.
            let pair = (rest + 1) / 2
            let isFirst = rest.isMultiple(of: 2)
            let which = pair.isMultiple(of: 2) == isFirst ? 0 : 1
            rest -= 1
            let view = BundleWebView(instance)
            self.view = view
            view.showWindow(title: "bench")
            var begun = 0.0
            view.onLoad = { [addresses] uri, failure in
                if uri == "about:blank" {
                    begun = Self.now()
                    view.load(addresses[which])
                    return
                }
                let time = (Self.now() - begun) * 1000
                view.evaluate("document.scripts.length + ' ' + (window.p2 ?? '')") { result in
                    guard failure == nil, (try? result.get()) == "\"60 2\"" else {
                        print("failed", uri, failure ?? "", result)
                        exit(70)
                    }
                    self.note(time, which)
                    GTKMainLoop.perform(afterMilliseconds: 50) { self.next() }
                }
            }
            view.load("about:blank")
        }

        private var pending: [Int: Double] = [:]

        private func note(_ time: Double, _ which: Int) {
            pending[which] = time
            guard let archive = pending[0], let file = pending[1] else { return }
            pending = [:]
            FileHandle.standardOutput.write(Data("\(archive) \(file)\n".utf8))
        }

        private func finish() { GTKMainLoop.quit() }

        private static func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }
#endif
