import Foundation
import ModuleABI

/// Writes the Swift sources of a module: the functions that it serves, what they use from the
/// app, and the exports that the host calls.
struct PatchSourceGenerator {
    let index: DeclarationIndex
    let functions: [RoutableFunction]
    /// The views that it shows.
    let views: [RoutableView]
    private let known: ValueTypes
    /// The app's types that cross in these functions.
    let types: [ValueType]
    let closure: GuestClosure
    /// The app's functions that the module calls.
    let called: [RoutableFunction]
    /// The app's errors in reach, when something throws whatever it likes; else nil.
    let errors: [ValueType]?
    /// The app's types that JSON is made of.
    private let json: JSONCode
    private let usesJSON: Bool

    /// - Parameters:
    ///   - natives: declarations whose bodies stay native.
    ///   - barred: declarations of which the module has the name only.
    ///   - isCallable: whether modules may call a declaration, which the app has natively.
    init(
        index: DeclarationIndex, functions: [RoutableFunction], types: ValueTypes,
        natives: Set<Int> = [], barred: Set<Int> = [], views: [RoutableView] = [],
        isCallable: (Int) -> Bool = { _ in true }
    ) {
        self.index = index
        self.functions = functions
        self.views = views
        known = types
        // Objects that cross stay in the app; what is called of them may bring others.
        var proxied: Set<String> = []
        while true {
            let natives = natives.union(
                index.accessors(of: proxied).filter(isCallable))
            let closure = GuestClosure(
                of: functions, views: views, in: index, natives: natives, barred: barred,
                proxied: proxied)
            let called = closure.included.intersection(natives).sorted()
                .flatMap { index.declarations[$0].natives }
            let classes = types.reachable(from: (functions + called).flatMap(\.types))
                .filter(\.isObject).map(\.reference.path)
            if proxied.isSuperset(of: classes) {
                self.closure = closure
                self.called = called
                break
            }
            proxied.formUnion(classes)
        }
        var errors: [ValueType]?
        json = JSONCode(of: closure, in: index, types: types)
        usesJSON = JSONCode.isUsed(in: closure, index)
        if usesJSON
            || closure.included.contains(where: {
                ThrowRewriter.isUntyped(index.declarations[$0].node)
            })
        {
            let paths = Set(
                closure.valueTypes.map {
                    index.declarations[$0].typePath.joined(separator: ".")
                })
            errors = types.errors.filter {
                paths.contains($0.reference.path) && !$0.isNestedPrivate
            }
        }
        self.errors = errors
        self.types = types.reachable(
            from: (functions + called).flatMap(\.types) + views.flatMap(\.types)
                + ((errors ?? []) + json.types).map { .named($0.reference) }
                + (views.isEmpty ? [] : Self.states(types, closure, index)))
    }

    /// Whatever of the app's types may be state of some view in the module.
    private static func states(
        _ types: ValueTypes, _ closure: GuestClosure, _ index: DeclarationIndex
    ) -> [ABIType] {
        let paths = Set(
            closure.valueTypes.map { index.declarations[$0].typePath.joined(separator: ".") })
        return types.known.values.filter { paths.contains($0.reference.path) }
            .map { .named($0.reference) }
    }

    /// The sources, with what connects views to their state and to the host.
    /// - Throws: ``PatchProjectError`` `cannot_ship` for what no view in a module can do.
    func viewSources() throws -> [GuestSource] {
        guard !views.isEmpty else { return sources() }
        try refuseSharedObjects()
        return try ViewSources(
            sources(), routed: views, types: known,
            numbers: Dictionary(
                index.files.enumerated().map { ($0.element.path, $0.offset) },
                uniquingKeysWith: { first, _ in first })
        ).sources
    }

    /// A view may keep an object of its own, whose class then is another one.
    private func refuseSharedObjects() throws {
        guard !closure.proxied.isEmpty else { return }
        let seen = GuestClosure(of: [], views: views, in: index, natives: closure.natives)
        for position in seen.valueTypes.sorted() {
            let declaration = index.declarations[position]
            let path = declaration.typePath.joined(separator: ".")
            guard closure.proxied.contains(path) else { continue }
            throw PatchProjectError(
                .cannotShip,
                "a view and a function that takes objects of '\(path)' changed; release one after "
                    + "the other, or ship a new build",
                at: [declaration.place])
        }
    }

    /// What the linter has against the module.
    func findings(for target: GuestTarget) -> [GuestLinter.Finding] {
        GuestLinter.check(
            closure, index, target: target,
            errors: Set(
                (errors ?? []).compactMap { $0.reference.path.split(separator: ".").last }.map(
                    String.init)))
    }

    /// One source a file of the app, under the file's own name.
    func sources() -> [GuestSource] {
        let writer = GuestText(
            index: index, closure: closure, functions: functions, errors: errors)
        let sources: [GuestSource] = index.files.indices.compactMap { number in
            guard let text = writer.text(ofFile: number) else { return nil }
            let file = index.files[number]
            let own = functions.filter { $0.place.file == file.path }
            let crossing = types.filter { $0.file == number }
            let isAsking =
                called.contains { $0.place.file == file.path }
                || own.flatMap(\.types).contains(where: \.mentionsFunction)
                || crossing.flatMap(\.contents).contains(where: \.mentionsFunction)
            guard !own.isEmpty || !crossing.isEmpty || isAsking || writer.hasWeakReferences else {
                return GuestSource(name: file.path, text: text)
            }
            let coded = crossing.compactMap { json.text($0) }
            return GuestSource(
                name: file.path,
                text: text + "\nimport PatchGuest\n" + (isAsking ? "import PatchHost\n" : "")
                    + (coded.isEmpty ? "" : "import Foundation\n")
                    + crossing.map { "\n" + TypeCode.functions($0, on: .guest) }.joined()
                    + writer.mortals(ofFile: number)
                    .map { "\nextension \($0): PatchGuest.Mortal {}\n" }.joined()
                    + coded.map { "\n" + $0 }.joined()
                    + own.map { "\n" + GuestWrapper.text($0) }.joined())
        }
        guard let errors else { return sources }
        return sources + [
            GuestSource(
                name: "OpenPatchErrors.swift",
                text: ThrowRewriter.enumText(errors) + (usesJSON ? JSONCode.functions : ""))
        ]
    }

    /// The innermost declarations of the module at a place.
    func declarations(at place: SourcePlace) -> Set<Int> {
        guard let file = index.files.firstIndex(where: { $0.path == place.file }) else { return [] }
        let hit = index.declarations.indices.filter { position in
            let declaration = index.declarations[position]
            guard declaration.file == file, closure.included.contains(position) else {
                return false
            }
            let end = index.files[file].line(
                at: declaration.node.endPositionBeforeTrailingTrivia.utf8Offset)
            return (declaration.place.line...max(declaration.place.line, end))
                .contains(place.line)
        }
        // A member lies in its type as well; the innermost declarations are the guilty ones.
        let parents = Set(hit.compactMap { index.declarations[$0].parent })
        return Set(hit.filter { !parents.contains($0) })
    }

    /// The files of the configured guest folders, which go into every module.
    static func guestFolders(
        _ configuration: ProjectConfiguration, in folder: URL
    ) throws -> [GuestSource] {
        try configuration.guest.flatMap { path in
            try SourceTree.swiftFiles(in: folder, at: path).map { file in
                let bytes = try SourceTree.read(folder.appendingPathComponent(file), file)
                // The same error as for the app's own files, before any compiler runs.
                try SourceTree(files: [
                    SourceFile(
                        module: "", path: file, url: folder.appendingPathComponent(file),
                        stored: bytes)
                ]).checkSyntax()
                return GuestSource(name: file, text: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
