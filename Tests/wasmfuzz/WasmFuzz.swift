import CommandLineKit

/// Attacks the WebAssembly engine with modules that a seed makes. A tool of this repository, driven
/// by `make fuzz` and `make mutate`; see Docs/internals/fuzzing.md.
@main
struct WasmFuzz {
    static func main() async {
        let root = Command(
            "wasmfuzz", abstract: "Attack the WebAssembly engine with modules made from a seed.",
            subcommands: [CasesCommand.command, BytesCommand.command])
        await CommandLineTool(root, version: "1").main()
    }
}
