// What released bundles ask of a WKWebView: to look at the page, and to load it anew when another
// version is to be seen. Type-checked on Linux against our own declarations (Stubs/WebKit).
#if canImport(WebKit)
    import Foundation
    import WebKit

    /// Tells releases about the pages of one web view.
    ///
    /// The navigation delegate is the app's, so a new page is known by the request for its document.
    @MainActor
    final class ReleasedPages {
        private weak var webView: WKWebView?
        private let releases: BundleReleases
        private var bundle: String?
        private var stop: (@Sendable () -> Void)?

        init(_ releases: BundleReleases) { self.releases = releases }

        deinit { stop?() }

        /// The web view asks for something in a bundle.
        func serves(_ bundleName: String, in webView: WKWebView, isDocument: Bool) {
            guard isDocument, releases.manages(bundleName) else { return }
            if self.webView !== webView || bundle != bundleName {
                self.webView = webView
                bundle = bundleName
                begin(bundleName)
            }
        }

        private func begin(_ bundleName: String) {
            stop?()
            releases.watch(bundleName, tellsCommits: false) { [weak self] in
                await self?.showsSomething()
            }
            stop = releases.listen { [weak self, releases] event in
                // What the first request is answered with is no change.
                guard case .shows(bundleName, _) = event, releases.hasStarted(bundleName) else {
                    return
                }
                Task { @MainActor [weak self] in self?.webView?.reload() }
            }
        }

        /// Nil when the page does not answer within a second.
        private func showsSomething() async -> Bool? {
            guard let webView else { return nil }
            return await withCheckedContinuation { continuation in
                var answer: CheckedContinuation<Bool?, Never>? = continuation
                webView.evaluateJavaScript(
                    PageSight.script, in: nil, in: .defaultClient
                ) { result in
                    answer?.resume(returning: (try? result.get()) as? Bool)
                    answer = nil
                }
                Task { @MainActor in
                    try? await Task.sleep(nanoseconds: 1_000_000_000)
                    answer?.resume(returning: nil)
                    answer = nil
                }
            }
        }
    }
#endif
