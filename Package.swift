// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One idea decides this file: a target may only import from floors below its own
// (Tests/ArchitectureTests holds the rule). Floors are written beside each group.

// SwiftSyntax comes from the toolchain's own host libraries on Linux, so that no package
// has to be resolved. Only PatchCompiler and what stands on it sees these flags.
let hostLibraries = hostLibraryFolder()
let swiftSyntaxSearch: [SwiftSetting] = [.unsafeFlags(["-I", hostLibraries])]
let swiftSyntaxLink: [LinkerSetting] = [
    .unsafeFlags(["-L", hostLibraries, "-Xlinker", "-rpath", "-Xlinker", hostLibraries]),
    .linkedLibrary("SwiftSyntax"),
    .linkedLibrary("SwiftParser"),
    .linkedLibrary("SwiftOperators"),
    .linkedLibrary("SwiftParserDiagnostics"),
    .linkedLibrary("SwiftDiagnostics"),
    .linkedLibrary("SwiftBasicFormat"),
]

let package = Package(
    name: "OpenPatch",
    platforms: wasmKitFolder == nil
        ? [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .visionOS(.v1)]
        // WasmKit's own floor.
        : [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "PatchSDK", targets: ["PatchSDK"]),
        .library(name: "PatchSDKWASI", targets: ["PatchSDKWASI"]),
        .library(name: "WebAssembly", targets: ["WebAssembly", "WebAssemblyWASI"]),
        .library(name: "TUF", targets: ["TUF", "TUFRepository"]),
        .library(
            name: "WebViewBundle",
            targets: ["WebViewBundle"] + (webKitGTKWanted ? ["WebViewBundleGTK"] : [])),
    ] + apple.products + [
        // What HostUI shows screens with; tools and tests, not apps.
        .library(name: "PatchHTML", targets: ["PatchHTML", "ViewTree"]),
        .executable(name: "patchcli", targets: ["patchcli"]),
        .executable(name: "patchd", targets: ["patchd"]),
    ],
    dependencies: wasmKitFolder.map { [.package(path: $0)] } ?? [],
    targets: systemLibraries + webKitGTK + webBench + wasmKit + floor0 + floor1 + floor2 + floor3
        + floor4 + apple.targets + floor5 + preview
        + floor6 + tests
        + appleStubs,
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)

// MARK: - System libraries

var systemLibraries: [Target] {
    [
        .systemLibrary(
            name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CBrotli", path: "Sources/System/CBrotli", pkgConfig: "libbrotlienc",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        // Sorts suffixes for the maker of deltas; only tools link it.
        .systemLibrary(
            name: "CDivSufSort", path: "Sources/System/CDivSufSort", pkgConfig: "libdivsufsort",
            providers: [.apt(["libdivsufsort-dev"]), .brew(["libdivsufsort"])]),
        .systemLibrary(
            name: "CMicroHTTPD", path: "Sources/System/CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    ]
}

// MARK: - Floor 0: leaves

var floor0: [Target] {
    [
        .target(name: "CPatchGate"),
        .target(name: "PatchPlatform"),
        .target(
            name: "PatchCrypto",
            dependencies: onLinux("COpenSSL") + stubbed("CryptoKit", "Security")),
        .target(
            name: "PatchCompression",
            dependencies: onLinux("CBrotli") + stubbed("Compression")),
        .target(name: "CommandLineKit"),
    ]
}

// MARK: - Floor 1: engine, trust, decision

var floor1: [Target] {
    [
        .target(name: "CWasmCore"),
        .target(name: "WebAssembly", dependencies: ["CWasmCore"]),
        .target(name: "TUF", dependencies: ["PatchCrypto"]),
        .target(name: "Rollout", dependencies: ["PatchCrypto"]),
        // Makes deltas; a target of its own because apps only apply them.
        .target(
            name: "PatchDelta", dependencies: ["CDivSufSort", "PatchCompression", "PatchCrypto"]),
    ]
}

// MARK: - Floor 2: what stands on the engine or on trust alone

var floor2: [Target] {
    [
        .target(name: "WebAssemblyWASI", dependencies: ["WebAssembly"]),
        .target(name: "WebAssemblySpec", dependencies: ["WebAssembly"]),
        .target(name: "ModuleABI", dependencies: ["PatchCrypto", "TUF", "WebAssembly"]),
        // Apart from TUF, because apps read and never sign.
        .target(name: "TUFRepository", dependencies: ["PatchCrypto", "TUF"]),
        // Apart from Rollout, because apps decide for themselves alone and need no gates.
        .target(name: "RolloutGates", dependencies: ["Rollout"]),
        // The vocabulary of patched views, their tree and the guests that write it.
        .target(
            name: "ViewTree", dependencies: ["WebAssembly"], exclude: ["vocabulary.txt"]),
        .target(
            name: "UpdateEngine",
            dependencies: ["PatchPlatform", "PatchCrypto", "PatchCompression", "TUF", "Rollout"]),
    ]
}

// MARK: - Floor 3: the SDK, and what checks the engine with WASI

var floor3: [Target] {
    [
        .target(
            name: "PatchSDK",
            dependencies: [
                "CPatchGate", "ModuleABI", "PatchCrypto", "PatchPlatform", "Rollout", "TUF",
                "UpdateEngine", "WebAssembly",
            ] + wasmKitRuntime + stubbed("Combine"),
            resources: [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: wasmKitChosen),
        // Fleets of devices in simulated time, for `patchcli simulate`.
        .target(name: "FleetSimulation", dependencies: ["Rollout", "RolloutGates"]),
        // The public suite of WASI programs, for people who work on the engine.
        .target(name: "WASISuite", dependencies: ["WebAssembly", "WebAssemblyWASI"]),
    ]
}

// MARK: - Floor 4: what an app shows

var floor4: [Target] {
    [
        // Apart, because only apps with modules of a full Swift SDK need it.
        .target(
            name: "PatchSDKWASI", dependencies: ["PatchSDK", "WebAssembly", "WebAssemblyWASI"]),
        // Draws view trees as HTML, for previews and tests.
        .target(name: "PatchHTML", dependencies: ["ViewTree"]),
        // Stands on the update core, not on PatchSDK: a web app ships no interpreter.
        .target(
            name: "WebViewBundle",
            dependencies: [
                "PatchCompression", "PatchCrypto", "PatchPlatform", "Rollout", "TUF",
                "UpdateEngine",
            ] + stubbed("WebKit")),
    ]
}

// Draws view trees with SwiftUI. On Linux a target of the same name in HostUI does that, and this
// one is checked against the vocabulary (Scripts/check-apple.sh).
var apple: (products: [Product], targets: [Target]) {
    #if os(Linux)
        ([], [])
    #else
        (
            [.library(name: "PatchSwiftUI", targets: ["PatchSwiftUI"])],
            [
                .target(
                    name: "PatchSwiftUI", dependencies: ["PatchSDK", "ViewTree"],
                    swiftSettings: [.swiftLanguageMode(.v5)])
            ]
        )
    #endif
}

// WebKitGTK is half a gigabyte and of no use to most, so its adapter and the example that shows it
// are there only when OPENPATCH_WEBKITGTK is set (Scripts/test-webkitgtk.sh).
nonisolated var webKitGTKWanted: Bool { Context.environment["OPENPATCH_WEBKITGTK"] != nil }

var webKitGTK: [Target] {
    guard webKitGTKWanted else { return [] }
    return [
        .systemLibrary(
            name: "CWebKitGTK6", path: "Sources/System/CWebKitGTK6", pkgConfig: "webkitgtk-6.0",
            providers: [.apt(["libwebkitgtk-6.0-dev"])]),
        .target(name: "CWebKitGTK", dependencies: ["CWebKitGTK6"]),
        .target(name: "WebViewBundleGTK", dependencies: ["CWebKitGTK", "WebViewBundle"]),
        .executableTarget(
            name: "webshell", dependencies: ["WebViewBundle", "WebViewBundleGTK"],
            path: "Examples/WebShell"),
    ]
}

// What `make bench-web` measures; nobody else needs it.
var webBench: [Target] {
    guard Context.environment["OPENPATCH_WEBBENCH"] != nil else { return [] }
    return [
        .executableTarget(
            name: "webbench",
            dependencies: ["PatchServer", "WebViewBundle"]
                + (webKitGTKWanted ? ["WebViewBundleGTK"] : []),
            path: "Benchmarks/Web")
    ]
}

// MARK: - WasmKit in place of our engine

// Only when OPENPATCH_WASMKIT names a checkout of WasmKit: otherwise this package has no dependency,
// and none is looked for (README, "Another engine").
nonisolated var wasmKitFolder: String? {
    Context.environment["OPENPATCH_WASMKIT"].flatMap { $0.isEmpty ? nil : $0 }
}

var wasmKit: [Target] {
    let engine: Target.Dependency
    if let wasmKitFolder {
        // A package by path is known by the name of its folder.
        engine = .product(
            name: "WasmKit", package: URL(fileURLWithPath: wasmKitFolder).lastPathComponent)
    } else if stubsWanted {
        engine = "WasmKit"
    } else {
        return []
    }
    return [
        .target(name: "WasmKitRuntime", dependencies: ["WebAssembly", "WebAssemblyWASI", engine])
    ]
}

nonisolated var wasmKitRuntime: [Target.Dependency] {
    wasmKitFolder == nil ? [] : ["WasmKitRuntime"]
}

nonisolated var wasmKitChosen: [SwiftSetting] {
    wasmKitFolder == nil ? [] : [.define("OPENPATCH_WASMKIT")]
}

// MARK: - Floor 5: developer and operator

var floor5: [Target] {
    [
        .target(
            name: "PatchCompiler",
            dependencies: [
                "ModuleABI", "PatchCompression", "PatchCrypto", "PatchPlatform", "WebAssembly",
            ],
            resources: [.copy("Guest")],
            swiftSettings: swiftSyntaxSearch,
            linkerSettings: swiftSyntaxLink),
        .target(
            name: "PatchServer",
            dependencies: [
                "CMicroHTTPD", "CSQLite", "ModuleABI", "PatchCompression", "PatchCrypto",
                "PatchPlatform", "Rollout", "RolloutGates", "TUF", "WebViewBundle",
                "TUFRepository",
            ]),
    ]
}

// MARK: - Floor 5½: what stands on compiler and server

var preview: [Target] {
    [
        .target(
            name: "PatchPreview",
            dependencies: [
                "PatchCompiler", "PatchCompression", "PatchHTML", "PatchServer", "ViewTree",
                "WebAssembly",
            ],
            swiftSettings: swiftSyntaxSearch)
    ]
}

// MARK: - Floor 6: executables

var floor6: [Target] {
    [
        .executableTarget(
            name: "patchcli",
            dependencies: [
                "CommandLineKit", "FleetSimulation", "ModuleABI", "PatchCompiler",
                "PatchCompression", "PatchCrypto", "PatchDelta", "PatchPlatform", "PatchPreview",
                "PatchServer", "Rollout", "RolloutGates", "TUF", "TUFRepository", "UpdateEngine",
                "WASISuite", "WebAssembly", "WebAssemblySpec", "WebAssemblyWASI", "WebViewBundle",
            ],
            swiftSettings: swiftSyntaxSearch),
        .executableTarget(
            name: "patchd", dependencies: ["CommandLineKit", "PatchPlatform", "PatchServer"]),
    ]
}

// MARK: - Examples

/// What the SwiftUI example decides, which runs anywhere; its screen is only stub-checked here.
nonisolated var greetingLogic: Target {
    .target(
        name: "GreetingLogic", dependencies: ["PatchSDK"] + stubbed("Combine"),
        path: "Examples/GreetingApp/Sources/GreetingLogic")
}

// MARK: - Tests

var tests: [Target] {
    if stubsWanted { return [] }
    return [
        greetingLogic,
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .target(name: "TestSupport", dependencies: ["CSpawn"], path: "Tests/TestSupport"),
        // A published tree and a web server with faults, for what stands on updates.
        .target(
            name: "UpdateTestSupport",
            dependencies: [
                "PatchCompression", "PatchCrypto", "PatchDelta", "PatchPlatform", "Rollout", "TUF",
                "TestSupport", "RolloutGates", "TUFRepository",
            ],
            path: "Tests/UpdateTestSupport"),
        // One life of a device's process, for tests that fail or end it anywhere.
        .target(
            name: "UpdateScenarios", dependencies: ["PatchPlatform", "Rollout", "UpdateEngine"],
            path: "Tests/UpdateScenarios"),
        // A device, a published app and a server between them.
        .target(
            name: "UpdateFixture",
            dependencies: [
                "PatchCrypto", "PatchPlatform", "Rollout", "TUF", "TestSupport", "UpdateEngine",
                "UpdateTestSupport", "RolloutGates", "TUFRepository",
            ],
            path: "Tests/UpdateFixture"),
        // A small app, for what is to be known of its start.
        .executableTarget(
            name: "start-child",
            dependencies: ["PatchCrypto", "PatchPlatform", "PatchSDK", "PatchSDKWASI"],
            path: "Tests/StartChild"),
        .executableTarget(
            name: "update-child",
            dependencies: ["PatchPlatform", "UpdateEngine", "UpdateScenarios"],
            path: "Tests/UpdateChild"),
        // An app with web bundles and without a window, for tests of processes.
        .executableTarget(
            name: "bundle-child", dependencies: ["WebViewBundle"], path: "Tests/BundleChild"),
        // One of each view and modifier of the vocabulary.
        .target(name: "ViewSamples", dependencies: ["ViewTree"], path: "Tests/ViewSamples"),
        // Modules made from a seed, and the tool that attacks the engine with them.
        .target(
            name: "WebAssemblyFuzz", dependencies: ["CWasmCore", "WebAssembly", "WebAssemblySpec"],
            path: "Tests/WebAssemblyFuzz",
            // Tens of thousands of calls: fast in debug builds too.
            swiftSettings: [.unsafeFlags(["-O"])]),
        .executableTarget(
            name: "wasmfuzz", dependencies: ["CommandLineKit", "WebAssemblyFuzz"],
            path: "Tests/wasmfuzz"),
        .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"]),
        .testTarget(
            name: "PatchPlatformTests",
            dependencies: ["PatchPlatform", "TestSupport", "UpdateTestSupport"]),
        .testTarget(name: "PatchCryptoTests", dependencies: ["PatchCrypto", "TestSupport"]),
        .testTarget(
            name: "PatchCompressionTests", dependencies: ["PatchCompression", "TestSupport"]),
        .testTarget(
            name: "PatchDeltaTests",
            dependencies: ["PatchDelta", "PatchCompression", "PatchCrypto", "TestSupport"]),
        .testTarget(name: "CommandLineKitTests", dependencies: ["CommandLineKit", "TestSupport"]),
        .testTarget(name: "WebAssemblyTests", dependencies: ["WebAssembly", "TestSupport"]),
        // What every engine must do, over each that is there.
        .testTarget(
            name: "ModuleRuntimeTests",
            dependencies: ["WebAssembly", "WebAssemblyWASI", "TestSupport"] + wasmKitRuntime,
            swiftSettings: wasmKitChosen),
        .testTarget(
            name: "WebAssemblySpecTests",
            dependencies: ["WebAssemblySpec", "WebAssembly", "TestSupport"]),
        .testTarget(
            name: "WebAssemblyFuzzTests",
            dependencies: ["WebAssemblyFuzz", "TestSupport", "wasmfuzz"]),
        .testTarget(
            name: "WebAssemblyWASITests",
            dependencies: ["WASISuite", "WebAssemblyWASI", "WebAssembly", "TestSupport"]),
        .testTarget(
            name: "TUFTests", dependencies: ["TUF", "PatchCrypto", "TestSupport", "TUFRepository"]),
        .testTarget(
            name: "RolloutTests", dependencies: ["Rollout", "TestSupport", "RolloutGates"]),
        .testTarget(
            name: "RolloutGatesTests", dependencies: ["RolloutGates", "Rollout", "TestSupport"]),
        .testTarget(
            name: "FleetSimulationTests",
            dependencies: ["FleetSimulation", "Rollout", "RolloutGates", "TestSupport"]),
        .testTarget(name: "ModuleABITests", dependencies: ["ModuleABI", "TestSupport"]),
        .testTarget(
            name: "ViewTreeTests",
            dependencies: ["ViewTree", "ViewSamples", "WebAssembly", "TestSupport"]),
        .testTarget(
            name: "PatchHTMLTests",
            dependencies: ["PatchHTML", "ViewTree", "ViewSamples", "TestSupport"]),
        .testTarget(
            name: "UpdateEngineTests",
            dependencies: [
                "UpdateEngine", "TUF", "PatchCrypto", "PatchPlatform", "Rollout", "TestSupport",
                "UpdateFixture", "UpdateTestSupport", "RolloutGates", "TUFRepository",
            ]),
        // Faults at every call and processes that are killed. Apart, because it keeps the machine
        // busy and what tests networks has deadlines to keep.
        .testTarget(
            name: "UpdateRecoveryTests",
            dependencies: [
                "PatchCrypto", "PatchPlatform", "Rollout", "TestSupport", "UpdateEngine",
                "UpdateFixture", "UpdateScenarios", "UpdateTestSupport", "start-child",
                "update-child",
            ]),
        .testTarget(
            name: "PatchSDKTests",
            dependencies: [
                "PatchSDK", "PatchSDKWASI", "GreetingLogic", "ModuleABI", "PatchCompression",
                "PatchCrypto",
                "PatchPlatform", "TUF", "UpdateEngine", "WebAssembly", "TestSupport",
                "UpdateTestSupport",
            ]),
        .testTarget(
            name: "WebViewBundleTests",
            dependencies: [
                "WebViewBundle", "PatchCompression", "PatchCrypto", "PatchPlatform", "Rollout",
                "TestSupport", "TUF", "UpdateEngine", "UpdateTestSupport", "bundle-child",
            ] + (webKitGTKWanted ? ["webshell"] : []),
            exclude: ["Python"]),
        .testTarget(
            name: "PatchCompilerTests",
            dependencies: [
                "PatchCompiler", "ModuleABI", "PatchCompression", "PatchCrypto", "PatchDelta",
                "PatchSDK", "WebAssembly", "WebAssemblyWASI", "TestSupport",
            ],
            exclude: ["Fixtures"],
            swiftSettings: swiftSyntaxSearch),
        // Previews in a real browser.
        .testTarget(
            name: "PreviewTests",
            dependencies: ["PatchCompiler", "PatchPreview", "PatchServer", "TestSupport"],
            exclude: ["Python"], swiftSettings: swiftSyntaxSearch),
        // Views compiled, mounted and used as a host does.
        .testTarget(
            name: "ViewGuestTests",
            dependencies: [
                "PatchCompiler", "PatchHTML", "ViewTree", "WebAssembly", "TestSupport",
            ],
            swiftSettings: swiftSyntaxSearch),
        .testTarget(
            name: "PatchServerTests",
            dependencies: [
                "PatchServer", "PatchCompression", "PatchCrypto", "PatchPlatform", "Rollout",
                "RolloutGates", "TUF", "TestSupport", "WebViewBundle", "patchd", "TUFRepository",
            ]),
        // Static mode as a developer and a device see it: the real `patchcli`, a real web server.
        .testTarget(
            name: "StaticModeTests",
            dependencies: [
                "CommandLineKit", "PatchCrypto", "PatchPlatform", "Rollout", "TUF", "TestSupport",
                "UpdateEngine", "UpdateFixture", "patchcli", "RolloutGates", "TUFRepository",
            ],
            swiftSettings: swiftSyntaxSearch),
        // The loop as a whole, over the real executables.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "CommandLineKit", "ModuleABI", "PatchCompiler", "PatchCompression", "PatchCrypto",
                "PatchHTML", "PatchPlatform", "PatchSDK", "Rollout", "RolloutGates", "TUF",
                "TUFRepository", "ViewTree", "WebAssembly", "WebAssemblyWASI", "WebViewBundle",
                "TestSupport", "patchcli", "patchd",
            ],
            swiftSettings: swiftSyntaxSearch),
    ]
}

// MARK: - Apple stubs (make check-apple)

// Declarations of the Apple API that our adapters call, so that they are type-checked on
// Linux. Every target of the build then sees `canImport(CryptoKit)`, which is why this mode
// has a scratch path of its own and never runs anything.
nonisolated var stubsWanted: Bool { Context.environment["OPENPATCH_APPLE_STUBS"] != nil }
// Computed: a stored global of a manifest is set after `package` has been made.
nonisolated var stubNames: [String] {
    ["Combine", "Compression", "CryptoKit", "Security", "SwiftUI", "WasmKit", "WebKit"]
}

var appleStubs: [Target] {
    guard stubsWanted else { return [] }
    let stubs: [Target] = stubNames.map {
        .target(
            name: $0, dependencies: $0 == "SwiftUI" ? ["Combine"] : [], path: "Stubs/\($0)",
            swiftSettings: [.swiftLanguageMode(.v5)])
    }
    // The example's screen, so that it keeps compiling.
    let screen = Target.executableTarget(
        name: "GreetingApp", dependencies: ["GreetingLogic", "PatchSDK", "SwiftUI"],
        path: "Examples/GreetingApp/Sources/GreetingApp", exclude: ["Resources"])
    return stubs + [greetingLogic, screen]
}

nonisolated func stubbed(_ names: String...) -> [Target.Dependency] {
    stubsWanted ? names.map { .byName(name: $0) } : []
}

nonisolated func onLinux(_ name: String) -> [Target.Dependency] {
    [.target(name: name, condition: .when(platforms: [.linux]))]
}

/// Where the running toolchain keeps its host libraries. The manifest itself runs against a library
/// of that toolchain, so its own memory map names the place, also behind a version manager's
/// stand-in for `swift`.
nonisolated func hostLibraryFolder() -> String {
    if let named = Context.environment["OPENPATCH_SWIFT_HOST_LIBRARIES"] { return named }
    let beside = "/pm/ManifestAPI/libPackageDescription.so"
    let map = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    for line in map.split(separator: "\n") where line.hasSuffix(beside) {
        guard let slash = line.firstIndex(of: "/") else { continue }
        return line[slash...].dropLast(beside.count) + "/host"
    }
    let path = Context.environment["PATH"] ?? ""
    for folder in path.split(separator: ":") {
        let swift = URL(fileURLWithPath: String(folder)).appendingPathComponent("swift")
        guard FileManager.default.isExecutableFile(atPath: swift.path) else { continue }
        let tools = swift.resolvingSymlinksInPath().deletingLastPathComponent()
        let host = tools.deletingLastPathComponent().appendingPathComponent("lib/swift/host")
        if FileManager.default.fileExists(atPath: host.path) { return host.path }
    }
    return "/usr/lib/swift/host"
}

// MARK: - Small apps

// What an app links with PatchSDK is built to be small, as far as no app depends on it being
// otherwise (Docs/sdk.md, "What it weighs"): a section for each function, and nothing visible beyond
// the program, so that the linker drops what the app does not reach. A shared library of these targets
// could not be linked against then, so this is for Linux, where nobody makes one unasked.
let droppable = ["-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"]
let linkedByApps = [
    "ModuleABI", "PatchCompression", "PatchCrypto", "PatchPlatform", "PatchSDK", "Rollout", "TUF",
    "UpdateEngine", "WebAssembly",
]
/// Where speed counts: the engine, calls into it, checks of metadata, decompression.
let builtForSpeed = ["ModuleABI", "PatchCompression", "PatchSDK", "TUF", "WebAssembly"]

for target in package.targets {
    let name = target.name
    if linkedByApps.contains(name) {
        let flags = droppable + (builtForSpeed.contains(name) ? [] : ["-Osize"])
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(flags, .when(platforms: [.linux], configuration: .release))
            ]
    } else if name == "CWasmCore" {
        // Two thousand handlers that nobody unwinds through, and names that only listings need.
        let flags = [
            "-Os", "-fno-asynchronous-unwind-tables", "-ffunction-sections", "-fdata-sections",
        ]
        target.cSettings = [
            .unsafeFlags(flags, .when(platforms: [.linux], configuration: .release))
        ]
    }
}
