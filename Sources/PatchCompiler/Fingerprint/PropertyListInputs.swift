import Foundation
import PatchCrypto

/// What of an app's Info.plist and entitlements decides how its native code behaves: one input of
/// the fingerprint for each key.
///
/// Versions, names and icons are for people and change with every build; they are none.
enum PropertyListInputs {
    /// A key that counts, with the line that it stands on; 0 where that cannot be told.
    struct Entry {
        var kind: Kind
        var file: String
        var key: String
        var hash: String
        var line: Int

        /// As the fingerprint lists it.
        var name: String { "\(kind.rawValue) \(file) \(key)" }
    }

    /// The file and the key of an input of this kind; nil for others.
    static func parts(of input: String) -> (file: String, key: String)? {
        var words = input.components(separatedBy: " ")
        guard words.count >= 3, Kind(rawValue: words.removeFirst()) != nil else { return nil }
        let key = words.removeLast()
        return (words.joined(separator: " "), key)
    }

    enum Kind: String {
        case info = "info-plist"
        case entitlements
    }

    /// - Throws: ``PatchProjectError`` `file_access` when the file is not there or no property list.
    static func read(_ kind: Kind, _ path: String, in folder: URL) throws -> [Entry] {
        let file = folder.appendingPathComponent(path)
        guard let data = try? Data(contentsOf: file), data.count <= 1 << 20 else {
            throw PatchProjectError(
                .fileAccess,
                "the file cannot be read, or is larger than 1 MB; correct its name in "
                    + ProjectConfiguration.fileName, at: [SourcePlace(file: path, line: 0)])
        }
        guard
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
            let keys = list as? [String: Any]
        else {
            throw PatchProjectError(
                .fileAccess, "the file is no property list with keys",
                at: [SourcePlace(file: path, line: 0)])
        }
        let lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
        return try keys.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .filter { kind == .entitlements || counts($0) }
            .map { key in
                guard let text = canonical(keys[key], depth: 0) else {
                    throw PatchProjectError(
                        .fileAccess, "the value of '\(key)' is nested too deeply",
                        at: [SourcePlace(file: path, line: 0)])
                }
                return Entry(
                    kind: kind, file: path, key: key, hash: Hex.encode(SHA256.hash(text)),
                    line: (lines.firstIndex { $0.contains("<key>\(key)</key>") } ?? -1) + 1)
            }
    }

    static func counts(_ key: String) -> Bool {
        key.hasSuffix("UsageDescription") || counted.contains(key)
    }

    /// The closed list; `Docs/functions.md` has it too.
    private static let counted: Set<String> = [
        "BGTaskSchedulerPermittedIdentifiers", "CFBundleDocumentTypes", "CFBundleURLTypes",
        "LSApplicationQueriesSchemes", "LSMinimumSystemVersion", "MinimumOSVersion",
        "NSAppTransportSecurity", "NSBonjourServices", "NSExtension", "NSPrincipalClass",
        "NSUserActivityTypes", "UIAppFonts", "UIApplicationSceneManifest", "UIBackgroundModes",
        "UIFileSharingEnabled", "UIMainStoryboardFile", "UIRequiredDeviceCapabilities",
        "UISupportedExternalAccessoryProtocols", "UTExportedTypeDeclarations",
        "UTImportedTypeDeclarations",
    ]

    /// One text for one value, whatever the form or order in the file; nil past 32 levels.
    private static func canonical(_ value: Any?, depth: Int) -> String? {
        guard depth < 32 else { return nil }
        switch value {
        case let list as [Any]:
            let parts = list.map { canonical($0, depth: depth + 1) }
            guard !parts.contains(nil) else { return nil }
            return "[" + parts.compactMap { $0 }.joined(separator: ",") + "]"
        case let keys as [String: Any]:
            let parts = keys.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { key in
                canonical(keys[key], depth: depth + 1).map { quoted(key) + ":" + $0 }
            }
            guard !parts.contains(nil) else { return nil }
            return "{" + parts.compactMap { $0 }.joined(separator: ",") + "}"
        case let text as String: return quoted(text)
        case let data as Data: return "<" + Hex.encode([UInt8](data)) + ">"
        case let date as Date: return "date \(Int(date.timeIntervalSince1970))"
        case let number as NSNumber: return "number \(number.stringValue)"
        default: return "nothing"
        }
    }

    /// With its length, so that no text can look like several.
    private static func quoted(_ text: String) -> String { "\(text.utf8.count)'\(text)'" }
}
