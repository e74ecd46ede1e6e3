import Foundation
import TestSupport

/// The files that the rules of the house are held against.
enum SourceFiles {
    static func swift(below folder: URL) -> [URL] { files(below: folder, endings: ["swift"]) }

    static func files(below folder: URL, endings: Set<String>) -> [URL] {
        guard
            let walk = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        else { return [] }
        return walk.compactMap { $0 as? URL }
            .filter { endings.contains($0.pathExtension) && !$0.path.contains("/.build/") }
            .sorted { $0.path < $1.path }
    }

    /// Sources compiled for the guest: their imports are guest modules, not targets.
    static func isGuest(_ file: URL) -> Bool {
        file.path.contains("/Sources/PatchCompiler/Guest/")
    }

    static func relative(_ file: URL) -> String {
        let root = SharedData.checkout.path + "/"
        return file.path.hasPrefix(root) ? String(file.path.dropFirst(root.count)) : file.path
    }
}
