import Foundation
import ModuleABI
import SwiftParser
import SwiftSyntax

/// A view that a module can show by itself.
public struct PatchedView: Sendable, Equatable, Codable {
    /// What mounts it.
    public var id: UInt64
    /// The type's name, or the title of a `#Preview`.
    public var name: String
    /// Whether it is a preview and not a view of the app.
    public var isPreview: Bool
    /// The file that declares it, as the developer knows it.
    public var file: String
}

/// The sources of views, made ready for the guest's compiler.
struct ViewSources {
    var sources: [GuestSource] = []
    var views: [PatchedView] = []

    /// The types of state, by what is written.
    private let types: PropertyTypes?
    private let isNative: Bool
    private var refusals: [(String, SourcePlace)] = []
    /// Calls that announce the views of a file, by its number: only there can private ones be named.
    private var calls: [Int: [String]] = [:]

    /// - Parameters:
    ///   - files: all Swift files of the app's module that its views need.
    ///   - module: the app's Swift module, which ids are made with.
    ///   - isNative: for the full compiler and the host build of the vocabulary, which finds
    ///     properties by itself.
    /// - Throws: ``PatchProjectError`` `cannot_ship` for what no module can do.
    init(_ files: [GuestSource], module: String, isNative: Bool = false) throws {
        self.isNative = isNative
        // Without types there is no state that outlives the module; the compiler says why.
        let parsed = files.compactMap {
            try? SourceFile(
                module: module, path: $0.name, url: URL(fileURLWithPath: $0.name),
                stored: Array($0.text.utf8))
        }
        types =
            parsed.count == files.count && !isNative
            ? PropertyTypes(types: ValueTypes(SourceTree(files: parsed))) : nil
        for (number, file) in files.enumerated() {
            let scanner = ViewTypeScanner()
            let text = touchedUp(file, number: number, types: number, module, scanner)
            text.append(coding(ofFile: number))
            for type in scanner.types {
                let id = RoutableView.id(module: module, path: type.path)
                guard type.isReachable, let made = Self.make(type) else { continue }
                register(type.path, id, made, number, text)
                views.append(
                    PatchedView(
                        id: id, name: type.path, isPreview: type.isPreviewProvider,
                        file: file.name))
            }
            for preview in text.previews {
                let id = DeclarationID.hash("\(module)|\(file.name):\(preview.title)|preview")
                calls[number, default: []].append("\(preview.function)_register()")
                text.append(
                    """
                    func \(preview.function)_register() { _registerView(\(id)) { r in \
                    r.arrayHeader(exactly: 0); return _Block(\(preview.function)()) } }

                    """)
                views.append(
                    PatchedView(id: id, name: preview.title, isPreview: true, file: file.name))
            }
            text.append(announcement(ofFile: number))
            sources.append(GuestSource(name: file.name, text: text.edits.result))
        }
        try finish()
    }

    /// - Parameters:
    ///   - files: what a module needs of the app's files.
    ///   - routed: the views that the host may mount.
    ///   - types: the app's types.
    ///   - numbers: the app's files by their paths, as `types` counts them.
    /// - Throws: ``PatchProjectError`` `cannot_ship` for what no module can do.
    init(
        _ files: [GuestSource], routed: [RoutableView], types: ValueTypes,
        numbers: [String: Int]
    ) throws {
        isNative = false
        self.types = PropertyTypes(types: types)
        for (number, file) in files.enumerated() {
            guard file.text.contains("SwiftUI") else {
                sources.append(file)
                continue
            }
            let module = routed.first?.module ?? ""
            let text = touchedUp(
                file, number: number, types: numbers[file.name], module, ViewTypeScanner())
            for view in routed where view.place.file == file.name {
                register(view.path, view.id, Self.make(view), number, text)
            }
            text.append(announcement(ofFile: number))
            sources.append(GuestSource(name: file.name, text: text.edits.result))
        }
        try finish()
    }

    private mutating func finish() throws {
        if let first = refusals.first {
            throw PatchProjectError(.cannotShip, first.0, at: refusals.map(\.1))
        }
        sources.append(Self.registrations(calls.keys.sorted().map { "_opRegisterFile\($0)()" }))
    }

    /// The text of a file with touch-ups and `_link`.
    private mutating func touchedUp(
        _ file: GuestSource, number: Int, types place: Int?, _ module: String,
        _ scanner: ViewTypeScanner
    ) -> ViewTouchUps {
        let tree = Parser.parse(source: file.text)
        let touchUps = ViewTouchUps(file.text, suffix: String(number), isNative: isNative)
        touchUps.walk(tree)
        let locations = SourceLocationConverter(fileName: file.name, tree: tree)
        for (node, message) in touchUps.refusals {
            let line = node.startLocation(converter: locations).line
            refusals.append((message, SourcePlace(file: file.name, line: line)))
        }
        scanner.walk(tree)
        if isNative { return touchUps }
        for type in scanner.types {
            let place = place.map {
                TypeReader.Place(
                    module: module, file: $0, inside: type.path.components(separatedBy: "."))
            }
            // Inside of the type, which nothing outside can name when it is private.
            if let link = link(type, place) { touchUps.insert(link, at: type.closeOffset) }
        }
        return touchUps
    }

    private mutating func register(
        _ path: String, _ id: UInt64, _ made: (count: Int, view: String), _ number: Int,
        _ text: ViewTouchUps
    ) {
        text.append(
            """
            extension \(path) { static func _opRegister\(number)() { _registerView(\(id)) { r in \
            r.arrayHeader(exactly: \(made.count)); return _Block(\(made.view)) } } }

            """)
        calls[number, default: []].append("\(path)._opRegister\(number)()")
    }

    /// The function that announces the views of a file; empty without any.
    private func announcement(ofFile number: Int) -> String {
        guard let calls = calls[number] else { return "" }
        return "func _opRegisterFile\(number)() { \(calls.joined(separator: "; ")) }\n"
    }

    /// The functions that encode and decode the types of a file, for state that holds them.
    private func coding(ofFile number: Int) -> String {
        guard let known = types?.types.known.values.filter({ $0.file == number }) else { return "" }
        let all = known.filter { types?.isNameable($0.reference, in: number) ?? false }
            .sorted { $0.reference.key < $1.reference.key }
        guard !all.isEmpty else { return "" }
        return "import PatchGuest\n" + all.map { TypeCode.functions($0, on: .guest) }.joined()
    }

    private static func registrations(_ calls: [String]) -> GuestSource {
        var text = "import SwiftUI\n@_silgen_name(\"op_register_views\") public func "
        text += "_opRegisterViews() {\n"
        for call in calls { text += "    \(call)\n" }
        return GuestSource(name: "OpenPatch/Views.swift", text: text + "}\n")
    }

    /// `_link`, where there is something to connect.
    private func link(_ type: ViewType, _ place: TypeReader.Place?) -> String? {
        guard !type.linked.isEmpty else { return nil }
        let calls = type.linked.enumerated().map { slot, property -> String in
            let name = property.name
            guard !type.isGeneric, let state = property.state, let place,
                let type = types?.type(of: state, at: place)
            else { return "_l.link(&_\(name), \(slot))" }
            return "_l.link(&_\(name), \(slot), \(RoutableView.identity(name, type)), "
                + "{ w, v in \(ValueCode.encode(type, "v", to: "w")) }, "
                + "{ r in \(ValueCode.decode(type, from: "r", on: .guest)) })"
        }
        return (type.closesInLine ? "; " : "")
            + "mutating func _link(_ _l: _Linker) { \(calls.joined(separator: "; ")) } "
    }

    /// What makes a routed view from encoded properties.
    private static func make(_ view: RoutableView) -> (count: Int, view: String) {
        let arguments = view.properties.map { property -> String in
            let read = ValueCode.decode(property.type, from: "r", on: .guest)
            guard property.isBinding else { return "\(property.name): \(read)" }
            return "\(property.name): "
                + "_bound(\(RoutableView.identity(property.name, property.type)), \(read)) "
                + "{ w, v in \(ValueCode.encode(property.type, "v", to: "w")) }"
        }
        return (arguments.count, "Self(\(arguments.joined(separator: ", ")))")
    }

    /// What makes any other view from encoded properties; nil when nothing can.
    private static func make(_ type: ViewType) -> (count: Int, view: String)? {
        guard !type.isGeneric else { return nil }
        if type.isPreviewProvider { return (0, "\(type.path).previews") }
        if type.isApp { return (0, "_AppView(Self())") }
        guard type.isView, let required = type.required else { return nil }
        var arguments: [String] = []
        for property in required {
            guard let read = reading(property.type) else { return nil }
            arguments.append("\(property.name): \(read)")
        }
        return (arguments.count, "Self(\(arguments.joined(separator: ", ")))")
    }

    /// How a property is read from the message of a mount; nil for types that do not cross yet.
    private static func reading(_ type: String) -> String? {
        switch type {
        case "Bool": return "r.bool()"
        case "String": return "r.string()"
        case "Double", "CGFloat": return "r.double()"
        case "Int", "UInt", "Int64", "UInt64", "Int32", "UInt32", "Int16", "UInt16", "Int8",
            "UInt8":
            return "r.integer(\(type).self)"
        default: break
        }
        if type.hasSuffix("?"), let inner = reading(String(type.dropLast())) {
            return "r.optional { r in \(inner) }"
        }
        if type.hasPrefix("["), type.hasSuffix("]"), !type.contains(":"),
            let inner = reading(String(type.dropFirst().dropLast()))
        {
            return "r.array { r in \(inner) }"
        }
        return nil
    }
}
