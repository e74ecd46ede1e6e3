import TUF

// Read with the strict reader of signed metadata and not with `Codable`: a start of the app reads the
// section before its first call (decision record 0004).

extension ModuleSection {
    /// The size bounds the values, too: an entry takes more bytes than it has values.
    static var jsonLimits: JSONLimits {
        JSONLimits(maximumSize: maximumSize, maximumDepth: 8)
    }

    init(document: JSONValue) throws {
        let fields = try DocumentFields(document, "section")
        self.init(
            app_id: try fields.string("app_id"), release: try fields.string("release"),
            sequence: try fields.integer("sequence"), fp: try fields.string("fp"),
            needs: try fields.array("needs").map {
                let need = try DocumentFields($0, "needs")
                return Need(id: try need.hex16("id"), sig: try need.hex16("sig"))
            },
            functions: try fields.array("functions").map {
                let function = try DocumentFields($0, "functions")
                return Function(
                    id: try function.hex16("id"), export: try function.string("export"),
                    sig: try function.hex16("sig"))
            },
            views: try fields.array("views").map {
                let view = try DocumentFields($0, "views")
                return View(id: try view.hex16("id"), sig: try view.hex16("sig"))
            },
            app_targets: try fields.strings("app_targets"),
            capabilities: try fields.strings("capabilities").map {
                guard let name = CapabilityName(rawValue: $0) else {
                    throw DocumentFields.Fault("'\($0.prefix(80))' is no capability")
                }
                return name
            },
            vocabulary_max: try fields.integer("vocabulary_max"))
        v = try fields.integer("v")
        abi = try fields.integer("abi")
    }

    var document: JSONValue {
        [
            "v": .integer(Int64(v)), "app_id": .string(app_id), "abi": .integer(Int64(abi)),
            "release": .string(release), "sequence": .integer(Int64(sequence)),
            "fp": .string(fp), "needs": .array(needs.map { Self.declaration($0.id, $0.sig) }),
            "functions": .array(
                functions.map {
                    [
                        "id": .string(DeclarationID.hex16($0.id)), "export": .string($0.export),
                        "sig": .string(DeclarationID.hex16($0.sig)),
                    ]
                }),
            "views": .array(views.map { Self.declaration($0.id, $0.sig) }),
            "app_targets": .array(app_targets.map { .string($0) }),
            "capabilities": .array(capabilities.map { .string($0.rawValue) }),
            "vocabulary_max": .integer(Int64(vocabulary_max)),
        ]
    }

    private static func declaration(_ id: UInt64, _ sig: UInt64) -> JSONValue {
        [
            "id": .string(DeclarationID.hex16(id)), "sig": .string(DeclarationID.hex16(sig)),
        ]
    }
}

extension DocumentFields {
    fileprivate func hex16(_ name: String) throws -> UInt64 {
        let text = try string(name)
        guard let id = DeclarationID.parse(text) else {
            throw Fault("'\(text.prefix(80))' is not 16 lower-case hex digits")
        }
        return id
    }
}
