import WebAssembly

/// A module made to meet every operand form of some operators, and the calls that tell them apart.
///
/// Random programs use most handlers, but the value of one operator seldom reaches a result
/// undisturbed. Here each function holds one operator in one form and returns what it gave.
struct FormModule {
    private(set) var plan = ModulePlan()
    private(set) var calls: [FuzzCase.Call] = []
    /// Functions by signature, in the order of their places in the table.
    private var places: [Int] = []
    private var tableIs64 = false
    private var drivers: [FunctionType: Int] = [:]

    var fuzzCase: FuzzCase { FuzzCase(modules: [encoded()], calls: calls) }

    init() {
        plan.memory = MemoryType(minimum: 1, maximum: 1)
        var data: [UInt8] = [0, 0x41, 0, 0x0b]
        var bytes: [UInt8] = []
        for (type, width) in [(ValueType.i32, 4), (.i64, 8), (.f32, 4), (.f64, 8)] {
            for value in FormValues.list(type) { bytes.fixed(value, bytes: width) }
            while bytes.count % 128 != 0 { bytes.append(0) }
        }
        data.unsigned(bytes.count)
        plan.data.append(.init(bytes: data + bytes, count: bytes.count))
    }

    /// Replaces the memory by one that is full of a pattern at its beginning and end.
    mutating func useMemory(is64: Bool) {
        plan.memory = MemoryType(minimum: 1, maximum: 1, is64: is64)
        plan.data = []
        for at: UInt64 in [0, 65_536 - 400] {
            var data: [UInt8] = [0]
            data.constant(is64 ? .i64 : .i32, at)
            data.append(0x0b)
            data.unsigned(400)
            for k in 0..<UInt64(400) {
                // High and low bits vary, so that signs and widths show. No float of it is a NaN.
                let byte = UInt8(truncatingIfNeeded: (k &* 151 &+ at) ^ (k >> 3))
                data.append(k % 4 == 3 ? byte & 0xbf : byte)
            }
            plan.data.append(.init(bytes: data, count: 400))
        }
    }

    /// Adds an exported function; `locals` follow the parameters.
    @discardableResult
    mutating func add(
        _ type: FunctionType, locals: [ValueType] = [], _ code: [UInt8]
    ) -> String {
        _ = plan.number(of: type)
        let index = plan.functions.count
        plan.functions.append(type)
        var body: [UInt8] = []
        body.unsigned(locals.count)
        for local in locals { body += [1, local.rawValue] }
        plan.bodies.append(body + code + [0x0b])
        plan.exports.append(.init(name: "f\(index)", kind: 0, index: index))
        return "f\(index)"
    }

    /// Adds a function that only the table holds.
    mutating func place(_ type: FunctionType, _ code: [UInt8]) {
        add(type, code)
        places.append(plan.functions.count - 1)
    }

    /// Lets the table have 64-bit indices.
    mutating func useWideTable() { tableIs64 = true }

    mutating func number(of type: FunctionType) -> Int { plan.number(of: type) }

    mutating func call(_ function: String, _ arguments: [Value]) {
        calls.append(.init(module: 0, function: function, arguments: arguments))
    }

    /// Adds a function of one or two numbers to one, and a call that tries it on all border values.
    mutating func tabulate(_ type: FunctionType, locals: [ValueType] = [], _ code: [UInt8]) {
        add(type, locals: locals, code)
        places.append(plan.functions.count - 1)
        let driver = drivers[type] ?? addDriver(type)
        drivers[type] = driver
        call("f\(driver)", [.i32(UInt32(places.count - 1))])
    }

    /// A function that calls the one at a place of the table with all values, and folds the results
    /// into one number.
    private mutating func addDriver(_ type: FunctionType) -> Int {
        let isBinary = type.parameters.count == 2
        let parameter = type.parameters[0]
        let width = parameter == .i32 || parameter == .f32 ? 4 : 8
        let end = Int32(FormValues.list(parameter).count * width)
        let base = [ValueType.i32: 0, .i64: 128, .f32: 256, .f64: 384][parameter] ?? 0
        let load: [ValueType: UInt8] = [.i32: 0x28, .i64: 0x29, .f32: 0x2a, .f64: 0x2b]
        let result = type.results[0]
        // Locals: 0 place, 1 sum, 2 first, 3 second, 4 f32, 5 f64.
        var code: [UInt8] = [0x03, 0x40]
        if isBinary { code += [0x41, 0, 0x21, 3, 0x03, 0x40] }
        // Rotated, so that the highest bits count as much as others.
        code += [0x20, 1, 0x42, 5, 0x89, 0x42, 31, 0x7e]
        for local in [UInt8(2), 3].prefix(type.parameters.count) {
            code += [0x20, local, load[parameter] ?? 0, 0]
            code.unsigned(base)
        }
        code += [0x20, 0, 0x11]
        code.unsigned(plan.number(of: type))
        code.append(0)
        switch result {
        case .i32: code.append(0xad)
        case .f32:
            code += [0x22, 4]
            code.constant(.f32, 0x7fc0_0000)
            code += [0x20, 4, 0x20, 4, 0x5b, 0x1b, 0xbc, 0xad]
        case .f64:
            code += [0x22, 5]
            code.constant(.f64, 0x7ff8_0000_0000_0000)
            code += [0x20, 5, 0x20, 5, 0x61, 0x1b, 0xbd]
        default: break
        }
        code += [0x7c, 0x21, 1]
        for local in [UInt8(2), 3].prefix(type.parameters.count).reversed() {
            code += [0x20, local]
            code.constant(.i32, UInt64(width))
            code += [0x6a, 0x22, local]
            code.constant(.i32, UInt64(end))
            code += [0x49, 0x0d, 0, 0x0b]
        }
        add(
            FunctionType(parameters: [.i32], results: [.i64]),
            locals: [.i64, .i32, .i32, .f32, .f64], code + [0x20, 1])
        return plan.functions.count - 1
    }

    private func encoded() -> [UInt8] {
        var plan = plan
        if !places.isEmpty {
            plan.tables.append(
                TableType(element: .funcRef, minimum: UInt64(places.count), is64: tableIs64))
            var segment: [UInt8] = [0, tableIs64 ? 0x42 : 0x41, 0, 0x0b]
            segment.unsigned(places.count)
            for place in places { segment.unsigned(place) }
            plan.elements.append(.init(type: .funcRef, bytes: segment, count: places.count))
        }
        if plan.memory != nil { plan.exports.append(.init(name: "m", kind: 2, index: 0)) }
        return plan.encoded()
    }
}

/// The values that operators are tried on.
enum FormValues {
    static func list(_ type: ValueType) -> [UInt64] {
        switch type {
        case .i32: return integers.map { $0 & 0xffff_ffff }
        case .i64: return integers
        case .f32: return floats.map { UInt64(Float($0).bitPattern) }
        default: return floats.map(\.bitPattern)
        }
    }

    private static let integers: [UInt64] = [
        0, 1, UInt64.max, 2, 7, 31, 32, 33, 63, 0x7fff_ffff, 0x8000_0000, 0x1234_5678, 0xff80,
        0x8000_0000_0000_0000, 0x7fff_ffff_ffff_ffff, 0xfedc_ba98_7654_3210,
    ]

    private static let floats: [Double] = [
        0, -0.0, 1, -1, 0.5, -1.5, 2.5, 3.75, -3.25, 1e10, -2_147_483_649, .infinity, -.infinity,
        .nan, 1e-40, 4_294_967_295,
    ]
}
