/// The version of the conventions by which values cross into a module and by which a module
/// describes itself. A host refuses a module of any other version.
public let abiVersion = 1

/// Names that every generated module uses for what the host calls.
public enum GuestExport {
    /// `op_alloc(i32 length) -> i32 pointer`: room in guest memory for an argument.
    public static let allocate = "op_alloc"
    /// `op_free(i32 pointer, i32 length)`: gives back an argument or a packed result.
    public static let free = "op_free"
    /// Runs global initialisers, exactly once and before any other export.
    public static let initialize = "_initialize"
    /// The one linear memory of a module.
    public static let memory = "memory"

    /// The export that serves the routed function `id`.
    public static func function(_ id: UInt64) -> String { "op_f_" + DeclarationID.hex16(id) }
}
