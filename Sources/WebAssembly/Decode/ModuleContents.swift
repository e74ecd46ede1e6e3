/// What the sections of a module say, besides the function bodies.
struct ModuleContents {
    var types: [FunctionType] = []
    var imports: [ImportType] = []
    var exports: [Export] = []
    /// Type index of every function, imported ones first.
    var functions: [UInt32] = []
    var tables: [TableType] = []
    var memories: [MemoryType] = []
    var globals: [GlobalType] = []
    var globalValues: [ConstantExpression] = []
    var elements: [ElementSegment] = []
    var data: [DataSegment] = []
    var start: UInt32?
    var dataCount: UInt32?
    var bodies: [ByteSpan] = []
    var customs: [(name: String, span: ByteSpan)] = []
    /// Functions that occur outside of bodies: only those may be named by `ref.func`.
    private(set) var referable: [Bool] = []

    mutating func refer(to function: Int) {
        while referable.count <= function {
            referable.append(false)
            if referable.count == 1 { referable.reserveCapacity(functions.count) }
        }
        referable[function] = true
    }

    var importedFunctions = 0
    var importedTables = 0
    var importedMemories = 0
    var importedGlobals = 0

    struct Export {
        var name: String
        var kind: Kind
        var index: Int
    }

    enum Kind: UInt8 { case function, table, memory, global }
}

/// A range of the module's bytes.
struct ByteSpan {
    var start: UInt32
    var end: UInt32
}

/// What may stand where a constant is needed (core specification 2.0, section 3.3.8, and the
/// proposal extended-const), in evaluation order.
enum ConstantExpression {
    case bits(UInt64)
    case global(Int)
    case function(Int)
    case sequence([Step])

    enum Step {
        case push(UInt64)
        case global(Int)
        case function(Int)
        case add32, sub32, mul32, add64, sub64, mul64
    }
}

struct ElementSegment {
    var type: ValueType
    var mode: Mode
    var items: Items

    enum Mode {
        case passive
        case declarative
        case active(table: Int, offset: ConstantExpression)
    }

    enum Items {
        case functions([UInt32])
        case expressions([ConstantExpression])

        var count: Int {
            switch self {
            case .functions(let list): return list.count
            case .expressions(let list): return list.count
            }
        }
    }
}

struct DataSegment {
    var span: ByteSpan
    /// The offset where the segment is copied at instantiation; nil = passive.
    var offset: ConstantExpression?
}
