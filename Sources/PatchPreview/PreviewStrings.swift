import Foundation

/// The translations that lie beside previewed sources: `de.lproj/Localizable.strings` and
/// `Localizable.xcstrings`.
enum PreviewStrings {
    /// Bytes that one file may have.
    private static let maximumBytes = 4 << 20

    /// Texts by language, by key.
    static func find(below root: URL) -> [String: [String: String]] {
        var found: [String: [String: String]] = [:]
        guard
            let walk = FileManager.default.enumerator(
                at: root, includingPropertiesForKeys: [.fileSizeKey], options: [.skipsHiddenFiles])
        else { return [:] }
        for case let url as URL in walk {
            if [".build", "node_modules", "Pods"].contains(url.lastPathComponent) {
                walk.skipDescendants()
                continue
            }
            let size = (try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0
            guard size <= maximumBytes else { continue }
            let folder = url.deletingLastPathComponent()
            if url.lastPathComponent == "Localizable.strings", folder.pathExtension == "lproj" {
                let language = folder.deletingPathExtension().lastPathComponent
                found[language, default: [:]].merge(table(at: url)) { $1 }
            } else if url.lastPathComponent == "Localizable.xcstrings" {
                for (language, texts) in catalog(at: url) {
                    found[language, default: [:]].merge(texts) { $1 }
                }
            }
        }
        return found
    }

    private static func table(at url: URL) -> [String: String] {
        guard let data = try? Data(contentsOf: url),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { return [:] }
        return list as? [String: String] ?? [:]
    }

    private struct Catalog: Decodable {
        struct Entry: Decodable {
            struct Localization: Decodable {
                struct Unit: Decodable { var value: String }
                var stringUnit: Unit?
            }
            var localizations: [String: Localization]?
        }
        var strings: [String: Entry]
    }

    private static func catalog(at url: URL) -> [String: [String: String]] {
        guard let data = try? Data(contentsOf: url),
            let catalog = try? JSONDecoder().decode(Catalog.self, from: data)
        else { return [:] }
        var found: [String: [String: String]] = [:]
        for (key, entry) in catalog.strings {
            for (language, text) in entry.localizations ?? [:] {
                if let unit = text.stringUnit { found[language, default: [:]][key] = unit.value }
            }
        }
        return found
    }
}
