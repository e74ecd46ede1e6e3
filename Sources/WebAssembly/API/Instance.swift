/// An instance of a module in a store (core specification 2.0, section 4.2.5).
public final class Instance {
    let data: InstanceData
    /// The store that it lives in; it lives as long as the store.
    public let store: Store

    init(data: InstanceData, store: Store) {
        self.data = data
        self.store = store
    }

    /// What the instance offers by name.
    public var exports: Exports { Exports(data: data, store: store) }

    /// The module that it was made from.
    public var module: Module { data.module }

    /// Whether a limit ended a call into it: it refuses every later call.
    public var isDead: Bool { data.record.pointee.dead != 0 }
}
