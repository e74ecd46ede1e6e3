// swift-tools-version: 6.1
import PackageDescription

let openPatch = Context.environment["OPENPATCH_PACKAGE"] ?? Context.packageDirectory + "/../.."

let package = Package(
    name: "Calls",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "OpenPatch", path: openPatch)],
    targets: [
        .executableTarget(
            name: "Calls", dependencies: [.product(name: "PatchSDK", package: "OpenPatch")])
    ],
    swiftLanguageModes: [.v6]
)
