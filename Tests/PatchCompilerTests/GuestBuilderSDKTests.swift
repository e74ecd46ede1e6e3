import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("The full SDK route")
struct GuestBuilderSDKTests {
    private static let source = GuestSource(
        name: "App/Guest/greeting.swift",
        text: """
            @_cdecl("greeting_len") public func length() -> Int32 { 22 }
            @_cdecl("greeting_byte") public func byte(_ index: Int32) -> Int32 { 0 }
            """)

    private static func package(allowsUndefined: Bool = false) throws -> SwiftSDKPackage {
        try SwiftSDKPackage(
            name: "GreetingGuest", sdk: "swift-6.3.2-RELEASE_wasm", sources: [source],
            allowsUndefined: allowsUndefined)
    }

    @Test("the package has reactor flags and one export option a function")
    func manifest() throws {
        let expected = """
            // swift-tools-version: 6.0
            // Written by patchcli for one build; do not edit.
            import PackageDescription

            let package = Package(
                name: "GreetingGuest",
                targets: [
                    .executableTarget(
                        name: "GreetingGuest",
                        swiftSettings: [.swiftLanguageMode(.v5)],
                        linkerSettings: [
                            .unsafeFlags([
                                // A reactor: exports that are called again and again, no `_start`.
                                "-Xclang-linker", "-mexec-model=reactor",
                                // What the host calls by name.
                                "-Xlinker", "--export=greeting_len",
                                "-Xlinker", "--export=greeting_byte",
                            ])
                        ]
                    )
                ]
            )

            """
        #expect(try Self.package().manifest == expected)
        #expect(
            try Self.package().files == [
                "Package.swift": expected, "Sources/GreetingGuest/greeting.swift": Self.source.text,
            ])
    }

    @Test("host functions may stay undefined when asked for")
    func undefined() throws {
        #expect(
            try Self.package(allowsUndefined: true).manifest.contains(
                #""-Xlinker", "--allow-undefined","#))
        #expect(try !Self.package().manifest.contains("--allow-undefined"))
    }

    @Test("the arguments are those of the seed")
    func arguments() throws {
        #expect(
            try Self.package().arguments == [
                "build", "--swift-sdk", "swift-6.3.2-RELEASE_wasm", "-c", "release",
            ])
    }

    @Test("SwiftPM accepts the package")
    func describe() throws {
        let folder = try TemporaryDirectory("sdk-package")
        try Self.package(allowsUndefined: true).write(to: folder.url)
        let toolchain = try Toolchain.discover()
        let swift = toolchain.swiftc.deletingLastPathComponent().appendingPathComponent("swift")
        let result = try ChildProcess.run(
            swift.path, ["package", "dump-package"], in: folder.url, seconds: 1_800)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(result.standardOutput.contains("--export=greeting_byte"))
        #expect(result.standardOutput.contains("-mexec-model=reactor"))
    }

    @Test(
        "a target name is made of what a target may be called",
        arguments: [
            ("Greeting Guest!", "GreetingGuest"), ("9lives", "Guest9lives"), ("", "Guest"),
            ("Ünï", "n"),
        ])
    func names(given: String, name: String) throws {
        let package = try SwiftSDKPackage(name: given, sdk: "x", sources: [Self.source])
        #expect(package.name == name)
    }

    @Test("an export that would end the string in the manifest is refused")
    func hostileExport() {
        #expect(throws: GuestBuildError.exportMissing(["a\",\"-evil"])) {
            try SwiftSDKPackage(
                name: "G", sdk: "x", sources: [Self.source], exports: ["a\",\"-evil"])
        }
    }

    @Test("ids are found among what `swift sdk list` prints")
    func parse() {
        #expect(SwiftSDKs.parse("No Swift SDKs are currently installed.\n") == [])
        #expect(
            SwiftSDKs.parse(
                "warning: the cache is old\nswift-6.3.2-RELEASE_wasm\nswift-6.3.2-RELEASE_wasm-embedded\n"
            ) == ["swift-6.3.2-RELEASE_wasm", "swift-6.3.2-RELEASE_wasm-embedded"])
    }

    /// A PATH of made-up toolchains: the first without SDKs, as Xcode's, the second with one.
    private func toolchains() throws -> (TemporaryDirectory, [String: String]) {
        let folder = try TemporaryDirectory("toolchains")
        let lists = [
            "xcode": "echo 'No Swift SDKs are currently installed.'", "swiftly": "echo my_wasm",
        ]
        for (name, command) in lists {
            let file = try folder.write("#!/bin/sh\n\(command)\n", to: "\(name)/swift")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        let path = "\(folder.file("xcode").path):\(folder.file("swiftly").path)"
        return (folder, ["PATH": path])
    }

    @Test("a missing SDK is explained by the order of PATH")
    func pathOrder() throws {
        let (folder, environment) = try toolchains()
        let sdks = try SwiftSDKs.list(environment: environment)
        #expect(sdks.ids == [])
        #expect(sdks.onPath.count == 2)
        let error = #expect(throws: GuestBuildError.self) { try sdks.require("my_wasm") }
        let text = error?.description ?? ""
        #expect(
            text.contains("The Swift SDK 'my_wasm' is not installed for \(folder.path)/xcode/swift")
        )
        #expect(text.contains("\(folder.path)/xcode/swift, \(folder.path)/swiftly/swift"))
        #expect(text.contains("hash -r"))
    }

    @Test("OPENPATCH_SWIFT is asked before PATH")
    func override() throws {
        let (folder, environment) = try toolchains()
        var changed = environment
        changed["OPENPATCH_SWIFT"] = folder.file("swiftly").path
        let sdks = try SwiftSDKs.list(environment: changed)
        #expect(sdks.webAssembly == ["my_wasm"])
        #expect(throws: Never.self) { try sdks.require("my_wasm") }
    }

    @Test("a command module that an SDK build made is refused", arguments: [true, false])
    func product(reactor: Bool) throws {
        // A stand-in for `swift build`, which puts a module where the SDK's triple says.
        let folder = try TemporaryDirectory("sdk-build")
        let made = try guestBuilder().build(sources: [Self.source]).wasm
        // The same module with `_initialize` called `_start`.
        let bytes = reactor ? made : renamed(made, "_initialize", "_start")
        try Data(bytes).write(to: folder.file("made.wasm"))
        let swift = try folder.write(
            """
            #!/bin/sh
            [ "$*" = "build --swift-sdk swift-6.3.2-RELEASE_wasm -c release" ] || exit 9
            mkdir -p .build/wasm32-unknown-wasip1/release
            cp "\(folder.file("made.wasm").path)" .build/wasm32-unknown-wasip1/release/GreetingGuest.wasm
            """, to: "bin/swift")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
        let sdks = SwiftSDKs(swift: swift, onPath: [swift.path], ids: ["swift-6.3.2-RELEASE_wasm"])
        let work = folder.file("work")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        let package = try Self.package()
        if reactor {
            #expect(try package.build(in: work, with: sdks) == made)
        } else {
            #expect(throws: GuestBuildError.commandModule) {
                try package.build(in: work, with: sdks)
            }
        }
    }

    @Test("a project's guest folders are built, and a renamed file is not compiled twice")
    func project() throws {
        let folder = try TemporaryDirectory("sdk-project")
        try folder.write(
            """
            {"v": 1, "app_id": "6f1f9b0c-3f0e-4d4e-9d55-3d1d3f0a9a10", "name": "Greeter",
             "platform": "linux", "guest": ["Guest"],
             "sources": [{"module": "Greeter", "path": "Sources/Greeter"}]}
            """, to: "openpatch.json")
        try folder.write(Self.source.text, to: "Guest/greeting.swift")
        try folder.write("", to: "Sources/Greeter/App.swift")
        let made = try guestBuilder().build(sources: [Self.source]).wasm
        try Data(made).write(to: folder.file("made.wasm"))
        let swift = try folder.write(
            """
            #!/bin/sh
            mkdir -p .build/wasm32-unknown-wasip1/release
            cp "\(folder.file("made.wasm").path)" \
                .build/wasm32-unknown-wasip1/release/GreeterGuest.wasm
            """, to: "bin/swift")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
        let sdks = SwiftSDKs(swift: swift, onPath: [swift.path], ids: ["my_wasm"])
        let project = try PatchProject(folder: folder.url)
        #expect(try project.buildWithSwiftSDK("my_wasm", sdks: sdks) == made)
        try FileManager.default.moveItem(
            at: folder.file("Guest/greeting.swift"), to: folder.file("Guest/hello.swift"))
        #expect(try project.buildWithSwiftSDK("my_wasm", sdks: sdks) == made)
        let sources = project.swiftSDKFolder.appendingPathComponent("Sources/GreeterGuest")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sources.path) == ["hello.swift"])
        #expect(throws: GuestBuildError.self) {
            try project.buildWithSwiftSDK("other", sdks: sdks)
        }
    }

    /// `wasm` with the export `old` called `new`, a shorter name.
    private func renamed(_ wasm: [UInt8], _ old: String, _ new: String) -> [UInt8] {
        let target = [UInt8(old.utf8.count)] + Array(old.utf8)
        guard let start = wasm.indices.first(where: { wasm[$0...].starts(with: target) }) else {
            return wasm
        }
        var bytes = wasm
        bytes.replaceSubrange(
            start..<start + target.count, with: [UInt8(new.utf8.count)] + Array(new.utf8))
        // The section became smaller, and says so in as many bytes as before.
        var position = 8
        while position < start {
            let size = leb(wasm, position + 1)
            if start < size.end + size.value {
                let smaller = size.value - (old.utf8.count - new.utf8.count)
                for index in position + 1..<size.end {
                    let more: UInt8 = index == size.end - 1 ? 0 : 0x80
                    let group = UInt8((smaller >> (7 * (index - position - 1))) & 0x7f)
                    bytes[index] = group | more
                }
                return bytes
            }
            position = size.end + size.value
        }
        return bytes
    }

    private func leb(_ bytes: [UInt8], _ start: Int) -> (value: Int, end: Int) {
        var value = 0
        var index = start
        while true {
            value |= Int(bytes[index] & 0x7f) << (7 * (index - start))
            index += 1
            if bytes[index - 1] & 0x80 == 0 { return (value, index) }
        }
    }
}
