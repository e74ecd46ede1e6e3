import Foundation
import ModuleABI
import PatchCrypto

/// What identifies a store build: its surface, and everything native in it (patching.md §5).
///
/// Every input is listed, so that a difference can be named. No path outside the project, no
/// time, no environment value and no compiler version is one.
public struct Fingerprint: Sendable, Equatable, Codable {
    /// One thing that the fingerprint depends on.
    public struct Input: Sendable, Equatable, Codable {
        /// `surface`, `source Sources/Greeter/Prices.swift`, `dependencies`,
        /// `info-plist App/Info.plist UIBackgroundModes`.
        public var name: String
        /// SHA-256 in hex.
        public var hash: String
    }

    /// SHA-256 over the inputs, 64 hex digits.
    public var value: String
    /// SHA-256 over the surface alone, 64 hex digits.
    public var surface: String
    /// All inputs, sorted by name.
    public var inputs: [Input]

    /// The first 16 digits, as names of files and roles have them.
    public var short: String { String(value.prefix(16)) }

    /// The inputs that differ between two fingerprints, by name.
    public func differences(from other: Fingerprint) -> [String] {
        let own = Dictionary(inputs.map { ($0.name, $0.hash) }) { first, _ in first }
        let others = Dictionary(other.inputs.map { ($0.name, $0.hash) }) { first, _ in first }
        return Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }.sorted()
    }

    init(
        folder: URL, configuration: ProjectConfiguration, tree: SourceTree,
        functions: [RoutableFunction], natives: [RoutableFunction],
        views: [RoutableView] = [], lists: [PropertyListInputs.Entry]
    ) {
        let surface = Surface(
            configuration: configuration, functions: functions, natives: natives, views: views)
        self.surface = surface.hash
        var inputs = [Input(name: "surface", hash: surface.hash)]
        let bodies = Set(functions.map(\.body.id) + views.map(\.body.id))
        for file in tree.files {
            inputs.append(
                Input(
                    name: "source \(file.path)",
                    hash: Hex.encode(TokenHash.hash([file.tree._syntaxNode], omitting: bodies))))
        }
        if let pins = DependencyPins.read(folder) {
            inputs.append(Input(name: "dependencies", hash: Hex.encode(SHA256.hash(pins))))
        }
        inputs += lists.map { Input(name: $0.name, hash: $0.hash) }
        self.inputs = inputs.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let text = self.inputs.map { "\($0.name)\u{0}\($0.hash)\n" }.joined()
        value = Hex.encode(SHA256.hash("openpatch fingerprint 1\n" + text))
    }
}

/// The resolved versions of packages, without what differs between machines.
enum DependencyPins {
    /// One line a package: identity, revision and version; nil without `Package.resolved`.
    static func read(_ folder: URL) -> String? {
        let file = folder.appendingPathComponent("Package.resolved")
        guard let data = try? Data(contentsOf: file),
            let document = try? JSONDecoder().decode(Document.self, from: data)
        else { return nil }
        return document.pins.map {
            "\($0.identity) \($0.state.revision ?? "-") \($0.state.version ?? "-")"
        }.sorted().joined(separator: "\n")
    }

    private struct Document: Decodable {
        struct Pin: Decodable {
            struct State: Decodable {
                var revision: String?
                var version: String?
            }
            var identity: String
            var state: State
        }
        var pins: [Pin]
    }
}
