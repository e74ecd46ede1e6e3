/// What all instances of one store have together, held to the engine's configuration.
final class Quota {
    private let configuration: EngineConfiguration
    private var instances = 0
    private var globals = 0
    private var tables = 0
    private var memoryBytes: UInt64 = 0
    private var tableElements: UInt64 = 0

    init(_ configuration: EngineConfiguration) { self.configuration = configuration }

    func addInstance() throws {
        try count(&instances, 1, configuration.maximumInstances, "instances")
    }

    func addGlobals(_ more: Int) throws {
        try count(&globals, more, configuration.maximumGlobals, "globals")
    }

    func addTable() throws { try count(&tables, 1, configuration.maximumTables, "tables") }

    private func count(_ have: inout Int, _ more: Int, _ most: Int, _ what: String) throws {
        if more > most - have {
            throw WasmLinkError(
                code: "too_many_\(what)",
                message: "the store would hold more than \(most) \(what); make a new store, or "
                    + "allow more in EngineConfiguration")
        }
        have += more
    }

    /// Whether the store's memories may have `bytes` more together; if so, they count.
    func takeMemory(_ bytes: UInt64) -> Bool {
        take(&memoryBytes, bytes, configuration.maximumStoreMemoryBytes)
    }

    /// Whether the store's tables may have `elements` more together; if so, they count.
    func takeElements(_ elements: UInt64) -> Bool {
        take(&tableElements, elements, configuration.maximumStoreTableElements)
    }

    /// Takes back a growth that could not be made.
    func returnMemory(_ bytes: UInt64) { memoryBytes -= bytes }

    /// Takes back a growth that could not be made.
    func returnElements(_ elements: UInt64) { tableElements -= elements }

    private func take(_ have: inout UInt64, _ more: UInt64, _ most: UInt64) -> Bool {
        if have > most || more > most - have { return false }
        have += more
        return true
    }
}
