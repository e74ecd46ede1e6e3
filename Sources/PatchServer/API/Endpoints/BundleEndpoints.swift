import WebViewBundle

/// Released web bundles for clients of the remote contract, which know no channels' rollouts and
/// verify no metadata.
struct BundleEndpoints: Sendable {
    private static let bundles = "/api/v1/apps/{app_key}/bundles"

    /// The type of an archive.
    static let mediaType = BundleFormat.mediaType

    private let published: PublishedBundles

    init(services: Services) {
        published = PublishedBundles(layout: services.apps.layout)
    }

    var routes: [Route] {
        ["", "/{bundle}", "/{bundle}/{version}"].map {
            Route("GET", Self.bundles + $0, .anybody, .now(answer))
        }
    }

    @Sendable private func answer(_ call: Call) throws -> HTTPResponse {
        try published.answer(call.request, of: call.parameter("app_key"))
    }
}
