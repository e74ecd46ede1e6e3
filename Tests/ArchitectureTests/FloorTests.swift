import Foundation
import TestSupport
import Testing

@Suite("Floors of the house")
struct FloorTests {
    @Test("the manifest declares no dependency on the same floor or above")
    func manifestRespectsFloors() throws {
        let package = try PackageDescription.shared.get()
        var violations: [String] = []
        for target in package.targets where isOurs(target) {
            for dependency in target.dependencies ?? [] where !isSystemLibrary(dependency) {
                if !Floors.allows(target.name, toImport: dependency) {
                    violations.append("\(target.name) depends on \(dependency)")
                }
            }
        }
        #expect(violations.isEmpty)
    }

    @Test("every target of the package stands on a floor")
    func everyTargetHasAFloor() throws {
        let package = try PackageDescription.shared.get()
        let homeless = package.targets.filter(isOurs).map(\.name)
            .filter { Floors.floor(of: $0) == nil }
        #expect(homeless.isEmpty)
        #expect(package.targets.filter(isOurs).count >= 15, "the description names too few targets")
    }

    @Test("no source file imports upwards, whatever the manifest says")
    func sourcesRespectFloors() throws {
        let names = Set(Floors.table.joined())
        var violations: [String] = []
        var imports = 0
        for target in names {
            let folder = SharedData.checkout.appendingPathComponent("Sources/\(target)")
            for file in SourceFiles.swift(below: folder) where !SourceFiles.isGuest(file) {
                for module in try importedModules(of: file) where names.contains(module) {
                    imports += 1
                    if module != target, !Floors.allows(target, toImport: module) {
                        violations.append("\(SourceFiles.relative(file)) imports \(module)")
                    }
                }
            }
        }
        #expect(violations.isEmpty)
        #expect(imports > 10, "the scan found too few imports to mean anything")
    }

    @Test("the floors themselves refuse an upward import")
    func floorsCanRefuse() {
        #expect(!Floors.allows("TUF", toImport: "UpdateEngine"))
        #expect(!Floors.allows("UpdateEngine", toImport: "ModuleABI"))
        #expect(!Floors.allows("PatchSDK", toImport: "PatchCompiler"))
        #expect(Floors.allows("PatchSDK", toImport: "UpdateEngine"))
    }

    @Test("the package needs no package from outside")
    func noOutsidePackages() throws {
        let package = try PackageDescription.shared.get()
        #expect(package.dependencies.isEmpty)
    }

    @Test("WasmKit is no part of this package unless a checkout is named, and then it is")
    func wasmKitIsAskedFor() throws {
        let usual = try PackageDescription.shared.get()
        #expect(!usual.targets.contains { $0.name == "WasmKitRuntime" })
        // A folder that looks like a checkout of WasmKit, as far as a manifest can tell.
        let folder = try TemporaryDirectory("kit")
        let checkout = folder.url.appendingPathComponent("MyWasmKit")
        let sources = checkout.appendingPathComponent("Sources/WasmKit")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Data().write(to: sources.appendingPathComponent("Empty.swift"))
        let manifest = """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "WasmKit", platforms: [.macOS(.v15), .iOS(.v18)],
                products: [.library(name: "WasmKit", targets: ["WasmKit"])],
                targets: [.target(name: "WasmKit")])
            """
        try Data(manifest.utf8).write(to: checkout.appendingPathComponent("Package.swift"))
        let asked = try PackageDescription.load(
            environment: ["OPENPATCH_WASMKIT": checkout.path])
        #expect(asked.dependencies.map(\.identity) == ["mywasmkit"])
        #expect(asked.targets.contains { $0.name == "WasmKitRuntime" })
        let sdk = asked.targets.first { $0.name == "PatchSDK" }
        #expect(sdk?.dependencies?.contains("WasmKitRuntime") == true)
    }

    private func isOurs(_ target: PackageDescription.Target) -> Bool {
        target.type != "test" && target.type != "system-target" && target.path.hasPrefix("Sources/")
    }

    private func isSystemLibrary(_ name: String) -> Bool {
        ["COpenSSL", "CBrotli", "CDivSufSort", "CMicroHTTPD", "CSQLite", "CWebKitGTK6"].contains(
            name)
    }

    private func importedModules(of file: URL) throws -> [String] {
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let position = words.firstIndex(of: "import"), position + 1 < words.count,
                words[..<position].allSatisfy({ $0.hasPrefix("@") || accessLevels.contains($0) })
            else { return nil }
            return String(words[position + 1].split(separator: ".")[0])
        }
    }

    private let accessLevels: Set<Substring> = ["public", "package", "internal", "private"]
}
