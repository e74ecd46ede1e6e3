import WebAssembly

/// The host module `spectest` that the suite's modules import (core specification tests,
/// `README`): print functions that print nothing here, and one of each other kind.
enum SpecTestModule {
    static func define(in imports: inout Imports, store: Store) throws {
        let prints: [(String, [ValueType])] = [
            ("print", []), ("print_i32", [.i32]), ("print_i64", [.i64]), ("print_f32", [.f32]),
            ("print_f64", [.f64]), ("print_i32_f32", [.i32, .f32]),
            ("print_f64_f64", [.f64, .f64]),
        ]
        for (name, parameters) in prints {
            imports.define(
                module: "spectest", name: name,
                Function(store: store, parameters: parameters) { _, _ in [] })
        }
        let globals: [(String, Value)] = [
            ("global_i32", .i32(666)), ("global_i64", .i64(666)),
            ("global_f32", .f32(Float(666.6).bitPattern)),
            ("global_f64", .f64(Double(666.6).bitPattern)),
        ]
        for (name, value) in globals {
            imports.define(
                module: "spectest", name: name,
                try Global(store: store, value: value, isMutable: false))
        }
        let tables = [
            "table": TableType(element: .funcRef, minimum: 10, maximum: 20),
            "table64": TableType(element: .funcRef, minimum: 10, maximum: 20, is64: true),
        ]
        for (name, type) in tables {
            imports.define(
                module: "spectest", name: name, try Table(store: store, type: type))
        }
        imports.define(
            module: "spectest", name: "memory",
            try Memory(store: store, type: MemoryType(minimum: 1, maximum: 2)))
    }
}
