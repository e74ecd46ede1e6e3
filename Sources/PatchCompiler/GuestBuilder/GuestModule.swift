/// What a guest build gives: a module to ship and what explains it.
public struct GuestModule: Sendable, Equatable {
    /// The module, stripped of names and debug information.
    public var wasm: [UInt8]
    /// Names and line tables of ``wasm`` as a WebAssembly file of custom sections only; nil when
    /// the build was told to make none.
    public var debug: [UInt8]?
    /// The functions that the module exports, sorted, runtime exports (`op_alloc` …) included.
    public var exports: [String]
    /// Host functions that the module imports, `<capability>.<function>`, sorted.
    public var imports: [String]
    /// The capabilities that those imports need, sorted.
    public var capabilities: [String]
    /// What the compiler had to say although it succeeded.
    public var warnings: [CompilerDiagnostic]
    /// How long the steps took.
    public var timings: GuestBuildTimings
}

/// Wall-clock time that a guest build spent, in seconds.
public struct GuestBuildTimings: Sendable, Equatable {
    /// Making the guest runtime and the modules that ship with it; 0 when cached.
    public var runtime: Double = 0
    /// Compiling the sources; near 0 when these very sources were compiled before.
    public var compile: Double = 0
    /// Linking, stripping and checking.
    public var link: Double = 0

    public init() {}
}
