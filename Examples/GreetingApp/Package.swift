// swift-tools-version: 6.1
import PackageDescription

// `swift run GreetingApp` on a Mac; for a phone, open the folder in Xcode or move the three folders
// into an app target. A copy elsewhere finds OpenPatch by the environment.
let openPatch = Context.environment["OPENPATCH_PACKAGE"] ?? Context.packageDirectory + "/../.."

let package = Package(
    name: "GreetingApp",
    platforms: [.iOS(.v15), .macOS(.v12)],
    dependencies: [.package(name: "OpenPatch", path: openPatch)],
    targets: [
        .target(
            name: "GreetingLogic",
            dependencies: [.product(name: "PatchSDK", package: "OpenPatch")]),
        .executableTarget(
            name: "GreetingApp",
            dependencies: ["GreetingLogic", .product(name: "PatchSDK", package: "OpenPatch")],
            // What `patchcli` writes for the app: root of trust, configuration, base module.
            resources: [.copy("Resources")]),
    ],
    swiftLanguageModes: [.v6]
)
