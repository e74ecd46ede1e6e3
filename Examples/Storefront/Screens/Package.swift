// swift-tools-version: 6.1
import PackageDescription

// A copy of this folder elsewhere finds OpenPatch by the environment; a real app would name a URL
// and a version here, and Apple's SwiftUI in the place of HostUI.
let openPatch = Context.environment["OPENPATCH_PACKAGE"] ?? Context.packageDirectory + "/../../.."

let package = Package(
    name: "StorefrontScreens",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "OpenPatch", path: openPatch),
        .package(name: "HostUI", path: openPatch + "/HostUI"),
    ],
    targets: [
        .executableTarget(
            name: "StorefrontScreens",
            dependencies: [
                .product(name: "PatchSDK", package: "OpenPatch"),
                .product(name: "HostUI", package: "HostUI"),
            ],
            // What `patchcli` writes for the app: root of trust, configuration, base module.
            resources: [.copy("Resources")])
    ],
    swiftLanguageModes: [.v5]
)
