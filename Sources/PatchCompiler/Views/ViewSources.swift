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

    /// - Parameters:
    ///   - files: all Swift files of the app's module that its views need.
    ///   - module: the app's Swift module, which ids are made with.
    /// - Throws: ``PatchProjectError`` `cannot_ship` for what no module can do.
    init(_ files: [GuestSource], module: String) throws {
        var refusals: [(String, SourcePlace)] = []
        var registrations: [String] = []
        for (number, file) in files.enumerated() {
            let tree = Parser.parse(source: file.text)
            let touchUps = ViewTouchUps(file.text, suffix: String(number))
            touchUps.walk(tree)
            let locations = SourceLocationConverter(fileName: file.name, tree: tree)
            for (node, message) in touchUps.refusals {
                let line = node.startLocation(converter: locations).line
                refusals.append((message, SourcePlace(file: file.name, line: line)))
            }
            let scanner = ViewTypeScanner()
            scanner.walk(tree)
            for type in scanner.types {
                if let link = Self.link(type) { touchUps.append(link) }
                let id = DeclarationID.hash("\(module)|\(type.path).body|view")
                guard let (generated, name) = Self.factory(type, id: id, number: number) else {
                    continue
                }
                touchUps.append(generated)
                registrations.append(name)
                views.append(
                    PatchedView(
                        id: id, name: type.path, isPreview: type.isPreviewProvider,
                        file: file.name))
            }
            for preview in touchUps.previews {
                let id = DeclarationID.hash("\(module)|\(file.name):\(preview.title)|preview")
                registrations.append("\(preview.function)_register()")
                touchUps.append(
                    """
                    func \(preview.function)_register() { _registerView(\(id)) { r in \
                    r.arrayHeader(exactly: 0); return _Block(\(preview.function)()) } }

                    """)
                views.append(
                    PatchedView(id: id, name: preview.title, isPreview: true, file: file.name))
            }
            sources.append(GuestSource(name: file.name, text: touchUps.edits.result))
        }
        if let first = refusals.first {
            throw PatchProjectError(.cannotShip, first.0, at: refusals.map(\.1))
        }
        sources.append(Self.registrations(registrations))
    }

    private static func registrations(_ calls: [String]) -> GuestSource {
        var text = "import SwiftUI\n@_silgen_name(\"op_register_views\") public func "
        text += "_opRegisterViews() {\n"
        for call in calls { text += "    \(call)\n" }
        return GuestSource(name: "OpenPatch/Views.swift", text: text + "}\n")
    }

    /// `_link`, where there is something to connect.
    private static func link(_ type: ViewType) -> String? {
        guard !type.linked.isEmpty else { return nil }
        let calls = type.linked.enumerated().map { slot, name in
            "_l.link(&_\(name), \(slot))"
        }
        return "extension \(type.path) { mutating func _link(_ _l: _Linker) "
            + "{ \(calls.joined(separator: "; ")) } }\n"
    }

    /// What makes a view from encoded properties, and the call that announces it.
    private static func factory(
        _ type: ViewType, id: UInt64, number: Int
    ) -> (String, String)? {
        guard !type.isGeneric else { return nil }
        let name = "_opRegister\(number)"
        let made: String
        var count = 0
        if type.isPreviewProvider {
            made = "\(type.path).previews"
        } else if type.isApp {
            made = "_AppView(Self())"
        } else if type.isView, let required = type.required {
            var arguments: [String] = []
            for property in required {
                guard let read = reading(property.type) else { return nil }
                arguments.append("\(property.name): \(read)")
            }
            count = arguments.count
            made = "Self(\(arguments.joined(separator: ", ")))"
        } else {
            return nil
        }
        let text = """
            extension \(type.path) { static func \(name)() { _registerView(\(id)) { r in \
            r.arrayHeader(exactly: \(count)); return _Block(\(made)) } } }

            """
        return (text, "\(type.path).\(name)()")
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
