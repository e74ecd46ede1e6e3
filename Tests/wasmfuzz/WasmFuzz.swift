import CommandLineKit

/// Attacks the WebAssembly engine with modules that a seed makes. A tool of this repository, driven
/// by `make fuzz` and `make mutate`; see Docs/internals/fuzzing.md.
@main
struct WasmFuzz {
    static func main() async {
        var commands = [CasesCommand.command, BytesCommand.command]
        #if DEBUG || OPENPATCH_MUTATION
            commands += [MutateCommand.command, MutantCommand.command]
        #endif
        let root = Command(
            "wasmfuzz", abstract: "Attack the WebAssembly engine with modules made from a seed.",
            subcommands: commands)
        await CommandLineTool(root, version: "1").main()
    }
}
