import ModuleABI

/// A struct or enum of the app whose values cross, or a class whose objects cross as numbers.
struct ValueType {
    enum Shape {
        case structure([Field])
        case enumeration([Case])
        /// Of a class. The object stays in the app; a module has a number for it during one call
        /// and reads and changes it there.
        case object
    }

    struct Field {
        /// As written, with backticks.
        var name: String
        var type: ABIType
        /// Whether only its file may read or set it.
        var isHidden = false
        /// The property that holds the text in which this one is a position.
        var anchor: Anchor?
    }

    struct Anchor {
        var name: String
        var type: ABIType
    }

    struct Case {
        var name: String
        var values: [ABIType.Element]
    }

    /// From where the type can be named.
    enum Home: Hashable {
        case anywhere
        case file
        /// Only inside the type of that path, in its file.
        case inside(String)
    }

    var reference: NamedType
    var shape: Shape
    var home: Home
    /// Index of the file that declares it.
    var file: Int
    /// `public` or `package` when other modules of the app may name it, else empty.
    var access: String
    var isError: Bool
    /// A constant that has its value in every one of them, so that no other value of the type can
    /// be assigned to one that is being made.
    var fixedProperty: String?

    /// The types of all that a value holds.
    var contents: [ABIType] {
        switch shape {
        case .structure(let fields): fields.map(\.type)
        case .enumeration(let cases): cases.flatMap { $0.values.map(\.type) }
        case .object: []
        }
    }

    var isObject: Bool {
        if case .object = shape { true } else { false }
    }

    /// Whether its code has to stand in the file that declares it.
    var isBoundToFile: Bool {
        if home != .anywhere { return true }
        guard case .structure(let fields) = shape else { return false }
        return fields.contains(where: \.isHidden)
    }

    /// Whether it can be named in one other type only.
    var isNestedPrivate: Bool {
        if case .inside = home { true } else { false }
    }

    /// Ends the names of its functions.
    var suffix: String { DeclarationID.hex16(DeclarationID.hash("\(reference.key)|type")) }

    /// The text that the layout's hash is taken over, without what it refers to.
    var layoutText: String {
        func element(_ label: String?, _ type: ABIType) -> String {
            (label.map { $0 + ":" } ?? "") + type.canonical
        }
        switch shape {
        case .structure(let fields):
            return "struct \(reference.key)("
                + fields.map { element($0.name, $0.type) }.joined(separator: ",") + ")"
        case .enumeration(let cases):
            return "enum \(reference.key)("
                + cases.map { one in
                    one.name + "("
                        + one.values.map { element($0.label, $0.type) }.joined(separator: ",")
                        + ")"
                }.joined(separator: ",") + ")"
        case .object: return "class \(reference.key)"
        }
    }
}

/// Why values of a type stay native.
struct TypeRefusal: Error {
    var why: String
    init(_ why: String) { self.why = why }
}
