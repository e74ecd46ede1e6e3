// swift-tools-version: 6.1
import PackageDescription

// The vocabulary of patched views as a host build: the same view sources compile natively on Linux
// and write the same trees. A package of its own, because its module is named `SwiftUI` and would
// make `canImport(SwiftUI)` true for everything built beside it (Docs/decisions/0132).
// A copy of this folder elsewhere finds OpenPatch by the environment.
let openPatch = Context.environment["OPENPATCH_PACKAGE"] ?? Context.packageDirectory + "/.."

let package = Package(
    name: "HostUI",
    platforms: [.macOS(.v14)],
    products: [.library(name: "HostUI", targets: ["SwiftUI", "PatchSwiftUI"])],
    dependencies: [.package(name: "OpenPatch", path: openPatch)],
    targets: [
        // Symbolic links to the guest's modules; `#if hasFeature(Embedded)` tells the two apart.
        // What a module imports from its host (`PatchHost`) has no counterpart in a native program.
        .target(name: "PatchGuest"),
        .target(name: "SwiftUI", dependencies: ["PatchGuest"]),
        // What `patchcli prepare` puts around bodies, for programs on Linux.
        .target(
            name: "PatchSwiftUI",
            dependencies: [
                "PatchGuest", "SwiftUI", .product(name: "PatchSDK", package: "OpenPatch"),
                .product(name: "PatchHTML", package: "OpenPatch"),
            ]),
        .executableTarget(
            name: "hostviews", dependencies: ["SwiftUI"],
            swiftSettings: [.define("HOSTUI")]),
    ],
    swiftLanguageModes: [.v5]
)
