import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

/// What a release must not lose without being told.
@Suite("What is gone from the sources")
struct RemovalTests {
    private static let release = ReleaseIdentity(version: "2", sequence: 1)

    private static func registered() throws -> (ProjectFixture, BuildManifest) {
        let fixture = try ProjectFixture(
            files: ["A.swift": "func f(_ x: Int) -> Int { x }\nfunc g(_ x: Int) -> Int { x }\n"],
            guest: ["g.swift": "@_cdecl(\"answer\") public func answer() -> Int32 { 41 }\n"])
        return (fixture, try fixture.project().registerBuild().manifest)
    }

    private func refusal(
        _ fixture: ProjectFixture, _ manifest: BuildManifest
    ) throws -> PatchProjectError? {
        #expect(throws: PatchProjectError.self) {
            try fixture.project().buildModule(for: manifest, release: Self.release)
        }
    }

    @Test("a deleted function or guest export stops a build unless that is meant")
    func removed() throws {
        let (fixture, manifest) = try Self.registered()
        try fixture.edit("Sources/A.swift", "func g(_ x: Int) -> Int { x }\n", "")
        let function = try refusal(fixture, manifest)
        #expect(function?.kind == .removed)
        #expect(function?.message.contains("'g(_:)'") == true)
        #expect(
            try fixture.project().buildModule(
                for: manifest, release: Self.release, allowingRemoval: true
            ).section.functions.isEmpty)

        try fixture.directory.write("\n", to: "Guest/g.swift")
        try fixture.directory.write(
            "func f(_ x: Int) -> Int { x + 1 }\nfunc g(_ x: Int) -> Int { x }\n",
            to: "Sources/A.swift")
        let export = try refusal(fixture, manifest)
        #expect(export?.kind == .removed)
        #expect(export?.message.contains("'answer'") == true)
        let module = try fixture.project().buildModule(
            for: manifest, release: Self.release, allowingRemoval: true)
        #expect(module.section.functions.count == 1)
    }

    @Test("a base module that is cut, foreign or missing is noticed before anything is built")
    func base() throws {
        let (fixture, manifest) = try Self.registered()
        let file = try fixture.project().buildFolder(manifest)
            .appendingPathComponent("base.wasm")
        let bytes = try Data(contentsOf: file)
        for broken in [bytes.dropLast(), Data([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), nil] {
            if let broken {
                try Data(broken).write(to: file)
            } else {
                try FileManager.default.removeItem(at: file)
            }
            let error = try refusal(fixture, manifest)
            #expect(error?.kind == .manifestInvalid)
            #expect(error?.message.contains("base.wasm") == true)
        }
    }

    @Test("a syntax error is the same error in the app and in guest code, at its line")
    func syntax() throws {
        let (fixture, manifest) = try Self.registered()
        try fixture.directory.write("\nfunc (\n", to: "Guest/g.swift")
        let guest = try refusal(fixture, manifest)
        #expect(guest?.kind == .syntaxError && guest?.places.first?.file == "Guest/g.swift")
        #expect(guest?.places.first?.line == 2)
        try fixture.directory.write("", to: "Guest/g.swift")
        try fixture.directory.write("\nfunc (\n", to: "Sources/A.swift")
        let app = try refusal(fixture, manifest)
        #expect(app?.kind == .syntaxError && app?.places.first?.file == "Sources/A.swift")
    }
}
