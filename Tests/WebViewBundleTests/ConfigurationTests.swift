import Foundation
import PatchCrypto
import TestSupport
import Testing
import WebViewBundle

@Suite("The API of an app")
struct ConfigurationTests {
    private func refusal(_ protocols: [WebViewBundleProtocol]) -> WebViewBundleError? {
        do {
            _ = try WebViewBundle(config: WebViewBundleConfig(protocols: protocols))
            return nil
        } catch {
            return error as? WebViewBundleError
        }
    }

    @Test(
        "schemes of the web engine are refused before they could end the app",
        arguments: [
            "http", "https", "file", "ftp", "ftps", "ws", "wss", "about", "blob", "data",
            "javascript", "HTTPS",
        ])
    func reserved(scheme: String) {
        #expect(refusal([.bundle(scheme: scheme)]) == .reservedScheme(scheme))
    }

    @Test("empty, malformed and repeated schemes are refused")
    func malformed() {
        #expect(refusal([.bundle(scheme: "")]) == .emptyScheme)
        for scheme in ["1app", "App", "a_b", "a b", "-a", "ä", "a:"] {
            #expect(refusal([.bundle(scheme: scheme)]) == .invalidScheme(scheme))
        }
        #expect(
            refusal([.bundle(scheme: "app"), .local(scheme: "app", hosts: [:])])
                == .duplicateScheme("app"))
        #expect(
            refusal([.local(scheme: "dev", hosts: ["x": "localhost:1"])]) == .invalidLocalHost("x"))
        for scheme in ["app", "a", "a1+b.c-d"] {
            #expect(refusal([.bundle(scheme: scheme)]) == nil)
        }
    }

    @Test("every refusal has a code and a sentence")
    func sentences() {
        let errors: [WebViewBundleError] = [
            .emptyScheme, .invalidScheme("X"), .reservedScheme("http"), .duplicateScheme("app"),
            .invalidLocalHost("x"), .alreadyConfigured,
        ]
        #expect(Set(errors.map(\.code)).count == errors.count)
        #expect(errors.allSatisfy { $0.description.hasSuffix(" [\($0.code)]") })
    }

    // The calls of the product's documentation, as an app writes them.
    @Test("the documented configuration compiles and gives source, remote and updater")
    func documentedUse() async throws {
        let publicKeyDer = Data(try SigningKey.generate(.ed25519).publicKey.derRepresentation)
        let folder = try TemporaryDirectory("config")
        let instance = try WebViewBundle(
            config: WebViewBundleConfig(
                source: SourceOptions(
                    builtinDir: Foundation.Bundle.main.resourcePath.map { "\($0)/bundles" },
                    remoteDir: folder.path, builtinManifestFilepath: nil,
                    remoteManifestFilepath: nil),
                protocols: [
                    .bundle(scheme: "app"),
                    .local(scheme: "dev", hosts: ["myapp": "http://localhost:8080"]),
                ],
                updater: WebViewBundleUpdaterConfig(
                    remote: WebViewBundleRemoteConfig(endpoint: "https://bundles.example.com"),
                    channel: "stable", integrityPolicy: .strict,
                    signatureVerifier: SignatureVerifierOptions(
                        algorithm: .ed25519,
                        key: SignatureVerifyingKey(
                            format: .spkiDer, pem: nil, der: publicKeyDer)))))
        #expect(instance.schemes == ["app", "dev"])
        #expect(instance.remote?.endpoint == "https://bundles.example.com")
        #expect(instance.updater != nil)
        #expect(instance.source.remoteDir == folder.path)
    }

    @Test("a signature error is caught as documented")
    func documentedError() throws {
        let key = SignatureVerifyingKey(format: .spkiDer, pem: nil, der: Data([1]))
        do {
            _ = try SignatureVerifier(SignatureVerifierOptions(algorithm: .ed25519, key: key))
            Issue.record("accepted")
        } catch Error.Signature(let message) {
            #expect(!message.isEmpty)
        }
    }

    @Test("requests go to the bundle or the proxy that their scheme names")
    func dispatch() async throws {
        let server = try TestRemote()
        try server.publish("app", "1", page("1"))
        let app = try TestApp(builtin: ["1": page("1")])
        let instance = try WebViewBundle(
            config: WebViewBundleConfig(
                source: SourceOptions(
                    builtinDir: app.folder.path + "/builtin",
                    remoteDir: app.folder.path + "/remote"),
                protocols: [
                    .bundle(scheme: "app"),
                    .local(scheme: "dev", hosts: ["MyApp": server.endpoint + "/"]),
                ]))
        func get(_ url: String) async throws -> BundleResponse {
            await instance.respond(to: try #require(BundleRequest(url: url)))
        }
        #expect(try await get("app://app.wvb").body == Array("version 1".utf8))
        #expect(try await get("app://nope.wvb/").status == 404)
        #expect(try await get("other://app.wvb/").status == 404)
        #expect(try await get("dev://other/").status == 404)
        let list = try await get("dev://myapp/bundles?channel=x")
        #expect(list.status == 200)
        #expect(String(decoding: list.body, as: UTF8.self).contains(#""version": "1""#))
        #expect(list.headers.first("content-length") == "\(list.body.count)")
        #expect(server.requests().first?.hasPrefix("GET /bundles?channel=x") == true)
        #expect(try await get("dev://myapp/nothing").status == 404)
    }

    @Test("a proxy whose server is down answers 502 with advice")
    func serverDown() async throws {
        let instance = try WebViewBundle(
            config: WebViewBundleConfig(protocols: [
                .local(scheme: "dev", hosts: ["a": "http://127.0.0.1:\(Tools.freePort())"])
            ]))
        let request = try #require(BundleRequest(url: "dev://a/x"))
        let response = await instance.respond(to: request)
        #expect(response.status == 502)
        #expect(String(decoding: response.body, as: UTF8.self).contains("development server"))
    }

    // One test for all of the process's instance, since a process has only one.
    @Test("the process has one instance, and another configuration is an error")
    func sharedInstance() throws {
        #expect(WebViewBundle.safeShared == nil)
        let folder = try TemporaryDirectory("shared")
        let config = WebViewBundleConfig(
            source: SourceOptions(remoteDir: folder.path), protocols: [.bundle(scheme: "app")])
        let instance = try WebViewBundle.configure(config)
        #expect(WebViewBundle.shared === instance)
        #expect(WebViewBundle.safeShared === instance)
        #expect(try webViewBundle(config) === instance)
        #expect(try wvb(config) === instance)
        #expect(throws: WebViewBundleError.alreadyConfigured) {
            try WebViewBundle.configure(
                WebViewBundleConfig(protocols: [.bundle(scheme: "other")]))
        }
    }

    @Test("reading the shared instance before it is configured ends the process")
    func unconfigured() async {
        await #expect(processExitsWith: .failure) { _ = WebViewBundle.shared }
    }

    @Test("default folders lie in the app's resources and in the user's data")
    func defaults() throws {
        let source = BundleSource()
        #expect(source.builtinDir?.hasSuffix("/bundles") == true)
        #expect(source.remoteDir?.hasSuffix("/bundles") == true)
        #expect(source.remoteDir?.hasPrefix("/") == true)
    }
}
