/// Something that crosses the border of an instance.
public enum ExternalValue {
    /// A function.
    case function(Function)
    /// A linear memory.
    case memory(Memory)
    /// A table.
    case table(Table)
    /// A global.
    case global(Global)
}

/// What a module is given at instantiation, by module and name.
public struct Imports {
    private var values: [ExactName: [ExactName: ExternalValue]] = [:]

    /// Makes an empty set.
    public init() {}

    /// Provides `value`; a later definition of the same name replaces an earlier one.
    public mutating func define(module: String, name: String, _ value: ExternalValue) {
        values[ExactName(module), default: [:]][ExactName(name)] = value
    }

    /// Provides a function.
    public mutating func define(module: String, name: String, _ function: Function) {
        define(module: module, name: name, .function(function))
    }

    /// Provides a memory.
    public mutating func define(module: String, name: String, _ memory: Memory) {
        define(module: module, name: name, .memory(memory))
    }

    /// Provides a table.
    public mutating func define(module: String, name: String, _ table: Table) {
        define(module: module, name: name, .table(table))
    }

    /// Provides a global.
    public mutating func define(module: String, name: String, _ global: Global) {
        define(module: module, name: name, .global(global))
    }

    /// Provides all exports of an instance under `module`.
    public mutating func define(module: String, _ exports: Exports) {
        for (name, value) in exports { define(module: module, name: name, value) }
    }

    /// The value of a name, if it is defined.
    public subscript(module: String, name: String) -> ExternalValue? {
        values[ExactName(module)]?[ExactName(name)]
    }
}

/// What an instance offers, by name, in the order of the module.
public struct Exports: Sequence {
    let data: InstanceData
    let store: Store

    /// The export called `name`.
    public subscript(name: String) -> ExternalValue? {
        guard let at = data.module.exportIndex[ExactName(name)] else { return nil }
        return data.export(data.module.contents.exports[at], store)
    }

    /// The function called `name`, or nil when there is none or it is something else.
    public subscript(function name: String) -> Function? {
        if case .function(let function)? = self[name] { return function }
        return nil
    }

    /// The memory called `name`, or nil when there is none or it is something else.
    public subscript(memory name: String) -> Memory? {
        if case .memory(let memory)? = self[name] { return memory }
        return nil
    }

    /// The table called `name`, or nil when there is none or it is something else.
    public subscript(table name: String) -> Table? {
        if case .table(let table)? = self[name] { return table }
        return nil
    }

    /// The global called `name`, or nil when there is none or it is something else.
    public subscript(global name: String) -> Global? {
        if case .global(let global)? = self[name] { return global }
        return nil
    }

    /// Goes through the exports in the order of the module.
    public func makeIterator() -> AnyIterator<(name: String, value: ExternalValue)> {
        var rest = data.module.contents.exports.makeIterator()
        return AnyIterator {
            guard let export = rest.next() else { return nil }
            return (export.name, data.export(export, store))
        }
    }
}
