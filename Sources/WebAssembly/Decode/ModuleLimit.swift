/// Bounds on what a module may declare, close to those that browsers agree on. They keep the work
/// and memory that a hostile module can cause proportional to its size.
enum ModuleLimit {
    static let moduleBytes = 256 << 20
    static let types = 100_000
    static let functions = 1_000_000
    static let imports = 100_000
    static let exports = 100_000
    static let globals = 100_000
    static let tables = 1_000
    static let elements = 100_000
    static let data = 100_000
    static let parameters = 1_000
    static let results = 1_000
    static let locals = 50_000
    static let bodyBytes = 8 << 20
    static let nesting = 10_000
    static let branchTargets = 65_520
    static let frameSlots = 65_000
    static let instructions = 4_000_000
    /// Register instructions for each byte of a body; a tenth of it is usual.
    static let instructionsPerByte = 16
    static let customs = 10_000
    static let constantSteps = 1_000
}
