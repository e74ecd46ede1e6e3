import Foundation
import TestSupport
import Testing

@testable import WebViewBundle

@Suite("The bridge")
struct BridgeTests {
    private let page = BridgeCaller(url: "app://app.wvb/index.html", isMainFrame: true)
    private let app: TestApp

    init() throws { app = try TestApp(builtin: ["1.0.0": WebViewBundleTests.page("1.0.0")]) }

    private func dispatcher(
        _ policy: BridgePolicy = BridgePolicy(), own: Bridge? = nil, server: TestRemote? = nil
    ) throws -> BridgeDispatcher {
        let remote = try server?.remote()
        return BridgeDispatcher(
            commands: BridgeCommands.all(
                source: app.source, remote: remote,
                updater: try remote.map { try Updater(source: app.source, remote: $0) }),
            own: own, policy: policy, schemes: ["app", "dev"])
    }

    private func send(
        _ text: String, _ dispatcher: BridgeDispatcher, from caller: BridgeCaller? = nil
    ) async throws -> BridgeReply {
        await dispatcher.dispatch(json: Array(text.utf8), from: caller ?? page)
    }

    private func code(_ reply: BridgeReply) -> String? {
        guard case .failure(let failure) = reply else { return nil }
        return failure.code
    }

    private func result(_ reply: BridgeReply) throws -> String {
        guard case .success(let value) = reply else {
            Issue.record("\(reply)")
            return ""
        }
        return try value.javaScript()
    }

    // MARK: Who is answered

    @Test(
        "only main frames of the app's own schemes are answered",
        arguments: [
            ("app://app.wvb/", true, true), ("app://app.wvb/", false, false),
            ("dev://myapp/", true, true), ("https://evil.example/", true, false),
            ("other://app.wvb/", true, false), ("", true, false), ("about:blank", true, false),
            ("https://app://app.wvb/", true, false),
        ])
    func callers(url: String, isMainFrame: Bool, isAnswered: Bool) async throws {
        let caller = BridgeCaller(url: url, isMainFrame: isMainFrame)
        let reply = try await send(
            #"{"name":"sourceListBundles"}"#, dispatcher(), from: caller)
        #expect((reply == .dropped) == !isAnswered)
    }

    @Test("an allow-list of origins replaces the schemes")
    func origins() async throws {
        let policy = BridgePolicy(allowedOrigins: ["app://Shop.wvb", "dev://"])
        for (url, isAllowed) in [
            ("app://shop.wvb/x", true), ("app://app.wvb/", false), ("dev://anything/", true),
            ("app://shop.wvb.evil/", false),
        ] {
            let caller = BridgeCaller(url: url, isMainFrame: true)
            #expect(policy.allows(caller, schemes: ["app", "dev"]) == isAllowed, "\(url)")
        }
    }

    // MARK: Messages

    @Test("the message that the documentation prints is answered")
    func printedMessage() async throws {
        let server = try TestRemote()
        try server.publish("app", "1.1.0", WebViewBundleTests.page("1.1.0"))
        let message = #"{"name": "updaterGetUpdate", "params": {"bundleName": "app"}}"#
        let reply = try await send(message, dispatcher(server: server))
        guard case .success(let info) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(info["version"] == .string("1.1.0"))
        #expect(info["localVersion"] == .string("1.0.0"))
        #expect(info["isAvailable"] == .bool(true))
        #expect(info["integrity"]?.string?.hasPrefix("sha256:") == true)
        #expect(info["signature"] == nil)
    }

    @Test(
        "what is no message of the contract gets a code",
        arguments: [
            ("", "invalid_params"), ("[]", "invalid_params"), ("{}", "invalid_params"),
            (#"{"name":7}"#, "invalid_params"), (#"{"name":"nope"}"#, "handler_not_found"),
            (#"{"name":"sourceLoadVersion"}"#, "invalid_params"),
            (#"{"name":"sourceLoadVersion","params":{"bundleName":3}}"#, "invalid_params"),
            (#"{"name":"sourceLoadVersion","params":[]}"#, "invalid_params"),
            (#"{"name":"remoteListBundles"}"#, "remote_not_initialized"),
            (#"{"name":"updaterListRemotes"}"#, "updater_not_initialized"),
            (#"{"name":"__proto__"}"#, "handler_not_found"),
        ])
    func badMessages(text: String, code: String) async throws {
        #expect(self.code(try await send(text, dispatcher())) == code)
    }

    @Test("a message too large to be one is not decoded")
    func hugeMessage() async throws {
        let text = #"{"name":""# + String(repeating: "a", count: 2 << 20) + #""}"#
        #expect(code(try await send(text, dispatcher())) == "invalid_params")
    }

    @Test("a deeply nested message is refused without harm")
    func deepMessage() async throws {
        let text = String(repeating: "[", count: 100_000)
        #expect(code(try await send(text, dispatcher())) == "invalid_params")
    }

    // MARK: Commands

    @Test("the whole cycle can be driven by a page")
    func cycle() async throws {
        let server = try TestRemote()
        try server.publish("app", "1.1.0", WebViewBundleTests.page("1.1.0"))
        let dispatcher = try dispatcher(server: server)
        func call(_ name: String, _ params: String = #"{"bundleName":"app"}"#) async throws
            -> String
        {
            try result(
                try await send(#"{"name":"\#(name)","params":\#(params)}"#, dispatcher))
        }
        #expect(
            try await call("updaterListRemotes", "{}") == #"[{"name":"app","version":"1.1.0"}]"#)
        #expect(
            try await call("sourceLoadVersion") == #"{"type":"builtin","version":"1.0.0"}"#)
        let info = try await call("updaterDownload")
        #expect(info.contains(#""version":"1.1.0""#))
        #expect(
            try await call("updaterInstall", #"{"bundleName":"app","version":"1.1.0"}"#) == "null")
        #expect(try await call("sourceLoadVersion") == #"{"type":"remote","version":"1.1.0"}"#)
        #expect(try await call("updaterConfirm", "{}") == "true")
        #expect(app.source.remoteState().bundles["app"]?.confirmed == "1.1.0")
        #expect(try await call("sourceRemoteRetainedVersions") == #"["1.1.0"]"#)
        let metadata = try await call(
            "sourceLoadRemoteMetadata", #"{"bundleName":"app","version":"1.1.0"}"#)
        #expect(metadata.contains("integrity"))
        #expect(
            try await call("sourceLoadBuiltinMetadata", #"{"bundleName":"app","version":"9"}"#)
                == "null")
        let list = try await call("sourceListBundles", "{}")
        #expect(list.contains(#""item":{"current":true"#))
        #expect(try await call("remoteGetInfo").contains("1.1.0"))
        #expect(try await call("remoteDownload").contains("1.1.0"))
        #expect(
            try await call("remoteDownloadVersion", #"{"bundleName":"app","version":"1.1.0"}"#)
                .contains("etag"))
        #expect(try await call("sourceLoadVersion", #"{"bundleName":"nope"}"#) == "null")
    }

    @Test("every command of the contract exists")
    func allCommands() throws {
        let names = Set(try dispatcher().commands.keys)
        let contract = """
            sourceListBundles sourceLoadVersion sourceUpdateVersion sourceResolveFilepath \
            sourceGetBuiltinBundleFilepath sourceGetRemoteBundleFilepath \
            sourceLoadBuiltinMetadata sourceLoadRemoteMetadata sourceUnloadDescriptor \
            sourceRemoveRemoteBundle sourceRemoteRetainedVersions sourcePruneRemoteBundles \
            remoteListBundles remoteGetInfo remoteDownload remoteDownloadVersion \
            updaterListRemotes updaterGetUpdate updaterDownload updaterInstall
            """.split(separator: " ").map(String.init)
        #expect(contract.count == 20)
        #expect(names.subtracting(contract) == ["updaterConfirm"])
        #expect(Set(contract).subtracting(names).isEmpty)
    }

    @Test("commands that destroy, or tell where files lie, are the app's to grant")
    func permissions() async throws {
        let params = #""params":{"bundleName":"app","version":"1.0.0"}"#
        let path = #"{"name":"sourceGetBuiltinBundleFilepath",\#(params)}"#
        let prune = #"{"name":"sourcePruneRemoteBundles",\#(params)}"#
        let none = try dispatcher()
        #expect(code(try await send(path, none)) == "command_not_allowed")
        #expect(code(try await send(prune, none)) == "command_not_allowed")
        let all = try dispatcher(BridgePolicy(permissions: .all))
        #expect(try result(try await send(path, all)).hasSuffix(#"/builtin/app/app_1.0.0.wvb""#))
        #expect(try result(try await send(prune, all)) == "[]")
        let some = try dispatcher(BridgePolicy(permissions: .changeSource))
        #expect(code(try await send(path, some)) == "command_not_allowed")
    }

    @Test("errors of the library reach the page with their code")
    func failures() async throws {
        let server = try TestRemote()
        let dispatcher = try dispatcher(server: server)
        let reply = try await send(
            #"{"name":"updaterGetUpdate","params":{"bundleName":"../x"}}"#, dispatcher)
        #expect(code(reply) == "bundle_name_refused")
        let missing = try await send(
            #"{"name":"updaterGetUpdate","params":{"bundleName":"app"}}"#, dispatcher)
        #expect(code(missing) == "remote_bundle_not_found")
    }

    @Test("an app adds its own commands and hears who calls")
    func ownCommands() async throws {
        let own = Bridge()
        own.handler("greet") { parameters in
            .string("\(try parameters.string("name")) from \(parameters.caller.url)")
        }
        own.handler("fail") { _ in throw BridgeFailure(code: "mine", message: "no") }
        let dispatcher = try dispatcher(own: own)
        let reply = try await send(#"{"name":"greet","params":{"name":"x"}}"#, dispatcher)
        #expect(try result(reply) == #""x from app://app.wvb/index.html""#)
        #expect(code(try await send(#"{"name":"fail"}"#, dispatcher)) == "mine")
    }

    // MARK: Scripts

    @Test("callbacks are names of functions, and nothing else is evaluated")
    func callbackNames() {
        for name in [
            "f", "$f_1", "a.b.c", #"window.__wvb_bridge_callbacks__["cb_0123456789abcdef"]"#,
            "a['x-y'].z",
        ] {
            #expect(BridgeScript.isFunctionName(name), "\(name)")
        }
        for name in [
            "", "1f", "a.", ".a", "a..b", "alert(1)//", "a;b", "a b", "a[b]", "a[\"\"]", "a[\"x']",
            "(f)", "f\n", "a[\"x\"", "é", "f`x`", "a=>a", String(repeating: "a", count: 300),
        ] {
            #expect(!BridgeScript.isFunctionName(name), "\(name)")
        }
    }

    @Test("a reply becomes a call of the callback that the message names")
    func callbackScripts() throws {
        let message = JSONValue.object(["success": .string("ok"), "error": .string("bad")])
        #expect(
            BridgeScript.callback(for: message, .success(.object(["a": .string("x\u{2028}</b>")])))
                == #"ok({"a":"x\u2028</b>"})"#)
        #expect(
            BridgeScript.callback(
                for: message, .failure(BridgeFailure(code: "c", message: "m")))
                == #"bad({"code":"c","message":"m"})"#)
        #expect(BridgeScript.callback(for: message, .dropped) == nil)
        #expect(BridgeScript.callback(for: .object([:]), .success(.null)) == nil)
        #expect(
            BridgeScript.callback(for: .object(["success": .string("alert(1)")]), .success(.null))
                == nil)
        #expect(
            BridgeScript.event("wvb:progress", .object(["n": .number(3)]))
                == #"window.dispatchEvent(new CustomEvent("wvb:progress", {detail: {"n":3}}))"#)
    }

    @Test("JSON comes back as it went, numbers whole where they are")
    func json() throws {
        let text = #"{"a":[1,2.5,true,null,"x"],"b":{}}"#
        #expect(try JSONValue(json: Array(text.utf8))?.javaScript() == text)
        #expect(JSONValue(json: Array("nonsense".utf8)) == nil)
    }
}
