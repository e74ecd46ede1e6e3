import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("Finding the toolchain")
struct GuestBuilderToolchainTests {
    /// A folder `bin` with the given programs, beside what `resources` lists.
    private func toolchain(
        _ programs: [String], embedded: [String] = []
    ) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory("toolchain")
        for program in programs {
            let file = try folder.write("#!/bin/sh\n", to: "usr/bin/\(program)")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        for target in embedded {
            try folder.write(
                "",
                to:
                    "usr/lib/swift/embedded/Swift.swiftmodule/\(target)-unknown-none-wasm.swiftmodule"
            )
        }
        return folder
    }

    private let all = ["swiftc", "clang", "wasm-ld"]

    @Test("a compiler that cannot make WebAssembly is passed over on PATH")
    func passedOver() throws {
        let xcode = try toolchain(["swiftc", "clang"])
        let good = try toolchain(all, embedded: ["wasm64", "wasm32"])
        let path = [xcode, good].map { $0.file("usr/bin").path }.joined(separator: ":")
        let found = try Toolchain.discover(environment: ["PATH": path])
        #expect(
            found.swiftc.path
                == good.file("usr/bin/swiftc").resolvingSymlinksInPath().path)
        #expect(found.resources.lastPathComponent == "swift")
    }

    @Test("a link to the compiler leads to its toolchain")
    func link() throws {
        let good = try toolchain(all, embedded: ["wasm64"])
        let bin = try TemporaryDirectory("bin")
        try FileManager.default.createSymbolicLink(
            at: bin.file("swiftc"), withDestinationURL: good.file("usr/bin/swiftc"))
        let found = try Toolchain.discover(environment: ["PATH": bin.path])
        #expect(found.clang.path == good.file("usr/bin/clang").resolvingSymlinksInPath().path)
    }

    @Test("a stand-in on PATH is asked for the toolchain it stands for")
    func standIn() throws {
        let good = try toolchain(all, embedded: ["wasm64"])
        let bin = try TemporaryDirectory("bin")
        let stand = try bin.write(
            """
            #!/bin/sh
            [ "$1" = -print-target-info ] || exit 1
            echo '{"paths": {"runtimeResourcePath": "\(good.file("usr/lib/swift").path)"}}'
            """, to: "swiftc")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stand.path)
        let found = try Toolchain.discover(environment: ["PATH": bin.path])
        #expect(found.swiftc.path == good.file("usr/bin/swiftc").path)
        #expect(found.linker.path == good.file("usr/bin/wasm-ld").path)
    }

    @Test("what a toolchain lacks is named, with one command to run")
    func missing() throws {
        let half = try toolchain(["swiftc", "clang"], embedded: ["wasm64"])
        let environment = ["PATH": half.file("usr/bin").path]
        let error = #expect(throws: GuestBuildError.self) {
            try Toolchain.discover(environment: environment)
        }
        #expect(error?.code == "toolchain_cannot_target")
        #expect(error?.description.contains("has no wasm-ld") == true)
        #expect(error?.description.contains("swiftly install latest") == true)
        let other = #expect(throws: GuestBuildError.self) {
            try Toolchain.discover(target: .wasm32, environment: environment)
        }
        #expect(other?.description.contains("Embedded Swift library for wasm32") == true)
    }

    @Test("no compiler at all is an error that says how to get one")
    func none() throws {
        let error = #expect(throws: GuestBuildError.self) {
            try Toolchain.discover(environment: ["PATH": "/nowhere"])
        }
        #expect(error?.code == "toolchain_missing")
        #expect(error?.description.contains("swiftly install latest") == true)
    }

    @Test("OPENPATCH_SWIFT decides, as a program or a folder, and is not passed over")
    func override() throws {
        let good = try toolchain(all, embedded: ["wasm64"])
        let bad = try toolchain(["swiftc"])
        let path = good.file("usr/bin").path
        for name in ["usr/bin", "usr/bin/swiftc"] {
            let environment = ["PATH": "/nowhere", "OPENPATCH_SWIFT": good.file(name).path]
            #expect(throws: Never.self) { try Toolchain.discover(environment: environment) }
        }
        for name in [bad.file("usr/bin").path, "/nowhere/swiftc"] {
            #expect(throws: GuestBuildError.self) {
                try Toolchain.discover(environment: ["PATH": path, "OPENPATCH_SWIFT": name])
            }
        }
    }

    @Test("a program that prints much is cut, one that cannot start is an error")
    func runner() throws {
        let folder = try TemporaryDirectory("runner")
        let much = try ToolRunner.run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", "head -c 5000000 /dev/zero; exit 3"],
            in: folder.url, timeout: 60)
        #expect(much.ending == .exit(3))
        #expect(much.output.utf8.count == ToolRunner.maximumOutput)
        let killed = try ToolRunner.run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", "kill -9 $$"], in: folder.url, timeout: 60)
        #expect(killed.ending == .signal(9))
        let absent = try ToolRunner.run(
            folder.file("absent"), [], in: folder.url, timeout: 60)
        #expect(!absent.succeeded)
        #expect(absent.output.contains("absent"))
    }
}
