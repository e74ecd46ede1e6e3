/// An instance of a module in a store (core specification 2.0, section 4.2.5).
public final class Instance {
    /// What the instance offers by name.
    public let exports: Exports
    /// The store that it lives in.
    public let store: Store
    /// The module that it was made from.
    public let module: Module

    init(exports: Exports, store: Store, module: Module) {
        self.exports = exports
        self.store = store
        self.module = module
    }
}

/// Owns all that guests of one host use together: instances, memories, tables, globals, one stack.
/// A store and all that lives in it belong to one thread at a time.
public final class Store {
    /// The engine whose limits hold here.
    public let engine: Engine

    /// Makes an empty store.
    public init(engine: Engine) { self.engine = engine }
}
