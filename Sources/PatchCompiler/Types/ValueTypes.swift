import PatchCrypto
import SwiftSyntax

/// The structs and enums of the app whose values cross, its classes whose objects do, and why the
/// others do not.
struct ValueTypes {
    /// Structs and enums whose values hold no object.
    private(set) var known: [String: ValueType] = [:]
    /// Classes, and structs and enums whose values hold objects or functions.
    private(set) var holders: [String: ValueType] = [:]
    /// Keys of structs and enums whose values hold functions.
    private var functionHolders: Set<String> = []
    private(set) var refusals: [String: String] = [:]
    let app: AppTypes

    init(_ tree: SourceTree) {
        app = AppTypes(tree)
        let shapes = ShapeReader(app)
        for (key, entry) in app.entries {
            do {
                known[key] = try shapes.read(entry)
            } catch {
                refusals[key] = error.why
            }
        }
        dropWhatHoldsOthers()
        let layouts = known.mapValues { layout(of: $0) }
        for (key, layout) in layouts { known[key]?.reference.layout = layout }
        let all = known
        for (key, type) in all {
            let parts = reachable(from: [.named(type.reference)])
            if parts.contains(where: { $0.contents.contains(where: \.mentionsFunction) }) {
                functionHolders.insert(key)
            } else if !parts.contains(where: \.isObject) {
                continue
            }
            holders[key] = type
        }
        for key in holders.keys { known[key] = nil }
    }

    /// Reads types with everything that is known of the app's, without objects.
    var reader: TypeReader {
        let known = known
        return TypeReader(app) { entry in known[AppTypes.key(entry.module, entry.path)]?.reference }
    }

    /// The same, with objects.
    var readerWithObjects: TypeReader {
        TypeReader(app, functions: true) { [known, holders] entry in
            let key = AppTypes.key(entry.module, entry.path)
            return (known[key] ?? holders[key])?.reference
        }
    }

    /// Reads the types of stored properties.
    var shapes: ShapeReader { ShapeReader(app) }

    func type(_ reference: NamedType) -> ValueType? {
        known[reference.key] ?? holders[reference.key]
    }

    /// Whether values of a type are or hold objects or functions of the app.
    func holdsObject(_ type: ABIType) -> Bool {
        type.mentionsFunction || type.named.contains { holders[$0.key] != nil }
    }

    /// Whether values of a type are or hold functions of the app, which cross one way only.
    func holdsFunction(_ type: ABIType) -> Bool {
        type.mentionsFunction || type.named.contains { functionHolders.contains($0.key) }
    }

    /// A constant of the type that has a value before any initialiser runs.
    func fixedProperty(of type: ABIType) -> String? {
        guard case .named(let reference) = type else { return nil }
        return self.type(reference)?.fixedProperty
    }

    /// All types that values of `types` are made of, sorted by name.
    func reachable(from types: [ABIType]) -> [ValueType] {
        var found: [String: ValueType] = [:]
        var pending = types.flatMap(\.named)
        while let next = pending.popLast() {
            guard found[next.key] == nil, let type = type(next) else { continue }
            found[next.key] = type
            pending += type.contents.flatMap(\.named)
        }
        return found.values.sorted {
            $0.reference.key.utf8.lexicographicallyPrecedes($1.reference.key.utf8)
        }
    }

    /// Errors of the app that can cross, sorted by name.
    var errors: [ValueType] {
        known.values.filter(\.isError).sorted { $0.reference.key < $1.reference.key }
    }

    /// Why values of a written type do not cross, in words that name the property at fault.
    func explanation(_ type: TypeSyntax, at place: TypeReader.Place) -> String? {
        let finder = NameFinder(viewMode: .sourceAccurate)
        finder.walk(type)
        for path in finder.paths {
            let target = path == ["Self"] ? place.own ?? path : path
            guard let entry = reader.entry(target, at: place) else { continue }
            if let why = refusals[AppTypes.key(entry.module, entry.path)] { return why }
        }
        return nil
    }

    private mutating func dropWhatHoldsOthers() {
        while true {
            var dropped: [(String, String)] = []
            for (key, type) in known {
                for content in type.contents {
                    guard let missing = content.named.first(where: { known[$0.key] == nil }) else {
                        continue
                    }
                    let why = refusals[missing.key] ?? "does not cross"
                    dropped.append((key, "holds '\(missing.path)', which \(why)"))
                    break
                }
            }
            if dropped.isEmpty { return }
            for (key, why) in dropped {
                known[key] = nil
                refusals[key] = why
            }
        }
    }

    private func layout(of type: ValueType) -> String {
        // The contents of a type are mentioned without their layouts, so texts do not depend on
        // the order in which layouts are found.
        let all = reachable(from: [.named(type.reference)]).map(\.layoutText)
        return Hex.encode(SHA256.hash(all.sorted().joined(separator: "\n")).prefix(8))
    }

    private final class NameFinder: SyntaxVisitor {
        var paths: [[String]] = []

        override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
            paths.append([FunctionScanner.plain(node.name)])
            return .visitChildren
        }

        override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
            paths.append(
                node.trimmedDescription.split(separator: ".").map(String.init))
            return .visitChildren
        }
    }
}
