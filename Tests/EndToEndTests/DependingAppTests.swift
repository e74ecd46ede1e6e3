import Foundation
import TestSupport
import Testing

/// An app meets the package as its users do: by version, from a tagged clone.
@Suite("An app that depends on PatchSDK by version")
struct DependingAppTests {
    @Test("builds and runs, and links neither a server library nor a compiler")
    func buildsAndRuns() throws {
        let folder = try TemporaryDirectory("depending-app")
        let clone = folder.file("OpenPatch")
        try run("git", ["clone", "-q", "--no-hardlinks", SharedData.checkout.path, clone.path])
        try run("git", ["-C", clone.path, "tag", "1.0.0"])

        try folder.write(
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(
                name: "App",
                platforms: [.macOS(.v12)],
                dependencies: [.package(url: "\(clone.path)", from: "1.0.0")],
                targets: [
                    .executableTarget(
                        name: "App",
                        dependencies: [.product(name: "PatchSDK", package: "OpenPatch")])
                ])
            """, to: "App/Package.swift")
        try folder.write(
            """
            import PatchSDK
            @main struct App {
                static func main() async {
                    Patch.configure(.init(appKey: "pak_test", apiBaseURL: nil))
                    print("outcome:", await Patch.shared.start())
                }
            }
            """, to: "App/Sources/App/App.swift")

        let app = folder.file("App")
        let built = try ChildProcess.run(
            "swift", ["build", "--disable-sandbox"], in: app,
            environment: ["XDG_CACHE_HOME": folder.file("cache").path], seconds: 900)
        try #require(
            built.status == 0,
            "swift build: \(built.standardOutput.suffix(4000)) \(built.standardError.suffix(2000))")
        let binary = app.appendingPathComponent(".build/debug/App").path

        let state = folder.file("state").path
        let ran = try ChildProcess.run(binary, environment: ["XDG_STATE_HOME": state])
        #expect(ran.status == 0)
        #expect(ran.standardOutput.contains("outcome: noModule"), "\(ran.standardOutput)")

        let libraries = try ChildProcess.run("ldd", [binary]).standardOutput
        for unwanted in [
            "libmicrohttpd", "libSwiftSyntax", "libSwiftParser", "libpq", "libsqlite3",
        ] {
            #expect(!libraries.contains(unwanted), "an app must not link \(unwanted)")
        }
        #expect(libraries.contains("libcrypto"), "the check reads the right output")
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let result = try ChildProcess.run(program, arguments)
        try #require(result.status == 0, "\(program) \(arguments): \(result.standardError)")
    }
}
