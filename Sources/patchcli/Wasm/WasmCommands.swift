import CommandLineKit

/// `patchcli wasm …`
enum WasmCommands {
    static var group: Command {
        Command(
            "wasm", abstract: "Run and check WebAssembly modules.",
            subcommands: [
                WasmRunCommand.command,
                WasmInspectCommand.command,
                WasmValidateCommand.command,
                WasmSpecCommand.command,
                WasiSuiteCommand.command,
                WasmCallCostCommand.command,
                WasmStartupCommand.command,
            ])
    }

    static let file = Parameter<String>.argument(
        "file", help: "The module, a .wasm file.", completion: .file(["wasm"]))
}
