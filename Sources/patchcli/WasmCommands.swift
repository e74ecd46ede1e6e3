import CommandLineKit

/// `patchcli wasm …`
enum WasmCommands {
    static var group: Command {
        Command("wasm", abstract: "Run and check WebAssembly modules.", subcommands: [])
    }
}
