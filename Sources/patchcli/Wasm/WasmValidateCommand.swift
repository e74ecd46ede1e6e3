import CommandLineKit

/// `patchcli wasm validate FILE`
enum WasmValidateCommand {
    private struct Report: Encodable {
        let bytes: Int
        let exports: Int
        let imports: Int
        let valid: Bool
    }

    static var command: Command {
        Command(
            "validate", abstract: "Check that a file is a valid module that the engine can run.",
            discussion: """
                Checks every function body. Ends with exit code 0 or, when the file is no valid \
                module or needs a proposal that the engine does not have, 65.
                """,
            parameters: parameters(WasmCommands.file)
        ) { invocation in
            let file = try WasmFile(path: try invocation[WasmCommands.file])
            try WasmFailure.explaining(file.path, file.bytes) { try file.module.validate() }
            let report = Report(
                bytes: file.bytes.count, exports: file.module.exports.count,
                imports: file.module.imports.count, valid: true)
            try invocation.console.report(report) { console in
                console.print(
                    "valid: \(report.bytes) bytes, \(report.imports) imports, "
                        + "\(report.exports) exports")
            }
        }
    }
}
