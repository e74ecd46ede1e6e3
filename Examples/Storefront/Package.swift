// swift-tools-version: 6.1
import PackageDescription

// A copy of this folder elsewhere finds OpenPatch by the environment; a real app would name a URL
// and a version here.
let openPatch = Context.environment["OPENPATCH_PACKAGE"] ?? Context.packageDirectory + "/../.."

let package = Package(
    name: "Storefront",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "OpenPatch", path: openPatch)],
    targets: [
        .executableTarget(
            name: "Storefront",
            dependencies: [.product(name: "PatchSDK", package: "OpenPatch")],
            // What `patchcli` writes for the app: root of trust, configuration, base module.
            resources: [.copy("Resources")])
    ],
    swiftLanguageModes: [.v6]
)
