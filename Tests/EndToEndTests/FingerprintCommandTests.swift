import Foundation
import TestSupport
import Testing

/// What `patchcli fingerprint` says of a project, wherever and by whomever it is run.
@Suite("The fingerprint on the command line")
struct FingerprintCommandTests {
    private static func registered(_ name: String) throws -> Loop {
        let loop = try Loop(name)
        _ = try loop.json("init", "--base-url", "http://127.0.0.1:1/patches")
        _ = try loop.json("fingerprint", "register", "--no-publish")
        return loop
    }

    @Test("P27: checkouts under other users, paths, locales and time zones have the same value")
    func sameEverywhere() throws {
        let loop = try Self.registered("everywhere")
        let wanted = try #require(try loop.json("fingerprint", "show")["fingerprint"] as? String)
        let settings: [(folder: String, user: Int, environment: [String: String])] = [
            ("a b/日本 é", 65_534, ["TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8"]),
            ("c", 12_345, ["TZ": "America/St_Johns", "LC_ALL": "C"]),
            ("d/e/f/g", 0, ["TZ": "UTC", "LC_ALL": "ar_EG.UTF-8", "SOURCE_DATE_EPOCH": "1"]),
        ]
        var users: Set<String> = []
        for setting in settings {
            let checkout = loop.folder.file(setting.folder)
            try FileManager.default.createDirectory(
                at: checkout.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: loop.app, to: checkout)
            _ = try ChildProcess.run("chmod", ["-R", "a+rX", loop.folder.url.path])
            var environment = setting.environment
            environment["HOME"] = checkout.path
            environment["USER"] = "user\(setting.user)"
            let prefix = Self.canBe(setting.user) ? Self.becoming(setting.user) : []
            let words = prefix + [Loop.patchcli, "fingerprint", "show", "--json"]
            let result = try ChildProcess.run(
                words[0], Array(words.dropFirst()), in: checkout, environment: environment,
                seconds: 1_800)
            let shown =
                try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
                as? [String: Any]
            #expect(shown?["fingerprint"] as? String == wanted, "\(setting): \(result)")
            #expect(result.status == 0)
            users.insert(prefix.joined())
        }
        print("fingerprint: under \(users.count) users")
    }

    private static func becoming(_ user: Int) -> [String] {
        guard user != 0 else { return [] }
        return ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
    }

    /// Whether this machine lets a test act as another user, and that user run our program.
    private static func canBe(_ user: Int) -> Bool {
        guard user != 0, getuid() == 0, Tools.find("setpriv") != nil else { return user == 0 }
        let words = becoming(user) + [Loop.patchcli, "--version"]
        let result = try? ChildProcess.run(words[0], Array(words.dropFirst()))
        return result?.status == 0
    }

    @Test("a difference from the build is named with its input and its line")
    func difference() throws {
        let loop = try Self.registered("difference")
        let same = try loop.cli("fingerprint", "diff")
        #expect(same.status == 0 && same.standardOutput.contains("is that of build"))
        // A body that can be patched is none of it.
        try loop.edit("\"EUR \"", to: "\"€ \"")
        #expect(try loop.cli("fingerprint", "diff").status == 0)

        try loop.edit("A tiny shop", to: "A small shop")
        try loop.edit("priceLabel(_ cents: Int)", to: "priceLabel(_ cents: Int64)")
        let result = try loop.cli("fingerprint", "diff")
        #expect(result.status == 5)
        #expect(
            result.standardOutput.contains("Sources/Tiny/Price.swift:7: 'Tiny.main()' changed"),
            "\(result.standardOutput)")
        #expect(
            result.standardOutput.contains(
                "Sources/Tiny/Price.swift:2: 'priceLabel(_:)' has another signature"),
            "\(result.standardOutput)")
        let document = try loop.cli("fingerprint", "diff", "--json")
        #expect(document.status == 5 && document.standardOutput.contains("\"line\" : 7"))
    }

    @Test("keys of Info.plist and entitlements count, those for people do not")
    func propertyLists() throws {
        let loop = try Loop("plists")
        func list(_ pairs: [(String, String)]) -> String {
            let keys = pairs.map { "  <key>\($0.0)</key>\n  <string>\($0.1)</string>\n" }
            return """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0">
                <dict>
                \(keys.joined())</dict>
                </plist>

                """
        }
        func write(_ version: String, _ camera: String, _ group: String) throws {
            try loop.folder.write(
                list([
                    ("CFBundleShortVersionString", version), ("NSCameraUsageDescription", camera),
                ]), to: "app/Info.plist")
            try loop.folder.write(
                list([("com.apple.security.application-groups", group)]),
                to: "app/App.entitlements")
        }
        _ = try loop.json("init", "--base-url", "http://127.0.0.1:1/patches")
        let file = loop.app.appendingPathComponent("openpatch.json")
        var text = try String(contentsOf: file, encoding: .utf8)
        text = text.replacingOccurrences(
            of: "\"app_key\"",
            with: "\"info_plists\": [\"Info.plist\"], \"entitlements\": "
                + "[\"App.entitlements\"], \"app_key\"")
        try text.write(to: file, atomically: true, encoding: .utf8)
        try write("1", "To scan", "group.a")
        _ = try loop.json("fingerprint", "register", "--no-publish")
        try write("2", "To scan", "group.a")
        #expect(try loop.cli("fingerprint", "diff").status == 0)
        try write("2", "To watch", "group.b")
        let result = try loop.cli("fingerprint", "diff")
        #expect(result.status == 5)
        #expect(
            result.standardOutput.contains("Info.plist:6: 'NSCameraUsageDescription' changed"),
            "\(result.standardOutput)")
        #expect(
            result.standardOutput.contains("App.entitlements:4: 'com.apple"),
            "\(result.standardOutput)")
        // It cannot travel over the air either.
        let build = try loop.cli("build")
        #expect(build.status == 6)
        #expect(
            build.standardError.contains(
                "- Info.plist:6: 'NSCameraUsageDescription' is not as in the build"),
            "\(build.standardError)")
    }
}
