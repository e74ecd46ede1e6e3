import Foundation
import PatchCompiler

/// What a folder looks like before it has an openpatch.json.
struct ProjectLayout {
    let sources: [ProjectConfiguration.Target]
    let guest: [String]
    let resources: String?
    let platform: String

    init(folder: URL) {
        let manager = FileManager.default
        func isFolder(_ path: String) -> Bool {
            var isFolder: ObjCBool = false
            let full = folder.appendingPathComponent(path).path
            return manager.fileExists(atPath: full, isDirectory: &isFolder) && isFolder.boolValue
        }
        func hasSwift(_ path: String) -> Bool {
            let names = manager.enumerator(atPath: folder.appendingPathComponent(path).path)
            return names?.contains { ($0 as? String)?.hasSuffix(".swift") == true } ?? false
        }
        let below =
            (try? manager.contentsOfDirectory(
                atPath: folder.appendingPathComponent("Sources").path)) ?? []
        sources = below.sorted().map { "Sources/\($0)" }
            .filter { isFolder($0) && hasSwift($0) && !$0.hasSuffix("/Guest") }
            .map { .init(module: String($0.dropFirst("Sources/".count)), path: $0) }
        guest = ["Guest", "Sources/Guest"].filter { isFolder($0) }
        let candidates = ["Resources"] + sources.map { "\($0.path)/Resources" }
        resources = candidates.first(where: isFolder) ?? "Resources"
        #if os(Linux)
            platform = "linux"
        #else
            platform = "ios"
        #endif
    }
}
