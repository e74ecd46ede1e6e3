/// Refuses what would compile in a module and then behave differently from the app.
enum GuestLinter {
    struct Finding: Equatable {
        var message: String
        var place: SourcePlace
        /// The declaration at fault.
        var position: Int
    }

    static func check(
        _ closure: GuestClosure, _ index: DeclarationIndex, target: GuestTarget = .wasm64,
        errors: Set<String> = []
    ) -> [Finding] {
        var findings: [Finding] = []
        let compiled = closure.included.subtracting(closure.natives).subtracting(closure.barred)
        for position in compiled.sorted() {
            let declaration = index.declarations[position]
            func find(_ message: String) {
                findings.append(
                    Finding(message: message, place: declaration.place, position: position))
            }
            if declaration.isConditional
                || declaration.kind != .type && declaration.kind != .extensionHeader
                    && ConditionalFinder.isConditional(declaration.node)
            {
                find(
                    "'\(declaration.path)' depends on #if, whose conditions differ in a module; "
                        + "move the decision into a native function")
            }
            let isStored =
                declaration.kind == .variable
                || declaration.kind == .storedProperty && declaration.isStatic
            if isStored {
                find(
                    "'\(declaration.path)' can change, and a module would have one of its own; "
                        + "pass its value as a parameter")
            }
            if declaration.kind == .constant {
                let types = declaration.references.free.filter { name in
                    (index.byName[name] ?? []).contains {
                        let kind = index.declarations[$0].typeKind
                        return kind == .classType || kind == .actorType
                    }
                }
                if let name = types.sorted().first {
                    find(
                        "'\(declaration.path)' holds an object of '\(name)', and a module would "
                            + "have one of its own; pass what is needed as a parameter")
                }
                if let name = SharedObjectCheck.changedClass(
                    position, in: index)
                {
                    find(
                        "'\(declaration.path)' holds an object of '\(name)' that the app changes "
                            + "or hands on, and a module would have one of its own; pass what is "
                            + "needed as a parameter")
                }
                if declaration.references.members.contains("random") {
                    find("'\(declaration.path)' is random, so a module would have another value")
                }
            }
            if !errors.isEmpty, declaration.kind != .type, declaration.kind != .extensionHeader,
                ErrorCastFinder.castsError(declaration.node, to: errors)
            {
                find(
                    "'\(declaration.path)' casts an error, which fails in a module, where errors "
                        + "are wrapped; catch it by its type, as in 'catch let error as …'")
            }
            if target == .wasm32, declaration.kind != .type, declaration.kind != .extensionHeader {
                for what in WordSizeLinter.findings(in: declaration.node) {
                    find(
                        "'\(declaration.path)' uses \(what), which means something else where "
                            + "Int has 32 bits; build for wasm64, or use Int64")
                }
            }
            if declaration.kind != .type, declaration.kind != .extensionHeader,
                let what = AsyncShape.obstacle(in: declaration.node)
            {
                find("'\(declaration.path)' uses '\(what)', and a module does one thing at a time")
            }
            if declaration.typeKind == .actorType, closure.valueTypes.contains(position) {
                find("'\(declaration.path)' is an actor, and a module has none")
            }
        }
        return findings
    }
}
