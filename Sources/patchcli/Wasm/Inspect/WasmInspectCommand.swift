import CommandLineKit
import Foundation
import WebAssembly

/// `patchcli wasm inspect FILE`
enum WasmInspectCommand {
    private static let top = Parameter<Int>.option(
        "top", placeholder: "n", default: 20, help: "How many functions to list, largest first.",
        check: { $0 >= 0 ? nil : "expected a number of at least 0" })
    private static let debug = Parameter<String?>.option(
        "debug", placeholder: "file",
        help: "Take function names from this debug file; by default from FILE.debug if it exists.",
        completion: .file(["debug"]))

    static var command: Command {
        Command(
            "inspect", abstract: "Show what a module is made of.",
            discussion: """
                Sections with their sizes, imports, exports, memory, and functions by size. Names \
                come from the module's name section, its exports, or the debug file that was kept \
                when it was built; Swift's are demangled. Function bodies are not checked: that is \
                `patchcli wasm validate`.
                """,
            examples: [
                ("patchcli wasm inspect module.wasm --top 50", "List the fifty largest functions."),
                ("patchcli wasm inspect module.wasm --json", "All of it, for a program."),
            ],
            parameters: parameters(WasmCommands.file, top, debug)
        ) { invocation in
            let file = try WasmFile(path: try invocation[WasmCommands.file])
            let names = try FunctionNames(
                of: file.module, file.bytes, path: file.path, debug: try invocation[debug])
            let console = invocation.console
            if let remark = names.remark { console.warn(remark) }
            let report = ModuleReport(file, names)
            let top = try invocation[top]
            try console.report(report) { Page(report: report, console: $0).show(top: top) }
        }
    }
}

/// The report as a person reads it.
private struct Page {
    let report: ModuleReport
    let console: Console

    func show(top: Int) {
        summary()
        sections()
        imports()
        exports()
        functions(top)
    }

    private func heading(_ text: String) { console.print("\n" + console.style.bold(text)) }

    private func percent(_ bytes: Int) -> String {
        WasmText.percent(UInt64(bytes), of: UInt64(max(1, report.bytes)))
    }

    private func summary() {
        var fields: [(name: String, value: String)] = [
            ("file", report.file), ("size", "\(report.bytes) bytes"),
        ]
        for memory in report.memories {
            let most = memory.maximumPages.map { ", at most \($0)" } ?? ""
            fields.append(
                (
                    "memory",
                    "\(memory.minimumPages) × 64 KiB\(most), \(memory.address) addresses"
                ))
        }
        for table in report.tables { fields.append(("table", table)) }
        if report.globals > 0 { fields.append(("globals", "\(report.globals)")) }
        if report.dataBytes > 0 { fields.append(("data", "\(report.dataBytes) bytes")) }
        if report.elements > 0 { fields.append(("elements", "\(report.elements)")) }
        if let start = report.start { fields.append(("start", start)) }
        if let debug = report.debug { fields.append(("names", "from \(debug)")) }
        if let patch = report.patch {
            fields.append(("app", patch.app))
            fields.append(("release", "\(patch.release), patched functions: \(patch.functions)"))
            fields.append(("build", String(patch.fingerprint.prefix(16))))
            if !patch.capabilities.isEmpty {
                fields.append(("uses", patch.capabilities.joined(separator: ", ")))
            }
        }
        console.print(fields: fields, indent: "")
    }

    private func sections() {
        heading("Sections")
        var table = Table([
            .init("bytes", .right), .init("%", .right), .init("at", .right), .init("section"),
        ])
        for section in report.sections {
            table.add([
                "\(section.bytes)", percent(section.bytes), "\(section.offset)",
                section.id == 0 ? "custom \(section.name)" : section.name,
            ])
        }
        console.print(table, indent: "  ")
    }

    private func imports() {
        guard !report.imports.isEmpty else { return }
        heading("Imports (\(report.imports.count))")
        var table = Table("kind", "name", "type")
        for item in report.imports {
            table.add([item.kind, name("\(item.module).\(item.name)"), item.type])
        }
        console.print(table, indent: "  ")
    }

    private func exports() {
        guard !report.exports.isEmpty else { return }
        heading("Exports (\(report.exports.count))")
        var table = Table("kind", "name", "type")
        for item in report.exports { table.add([item.kind, name(item.name), item.type]) }
        console.print(table, indent: "  ")
    }

    private func functions(_ top: Int) {
        let all = report.functions
        guard !all.isEmpty, top > 0 else { return }
        let shown = all.prefix(top)
        heading(
            shown.count < all.count
                ? "Functions by size (\(shown.count) of \(all.count))"
                : "Functions by size (\(all.count))")
        var table = Table([
            .init("bytes", .right), .init("%", .right), .init("index", .right), .init("function"),
        ])
        let room = max(20, console.width - 26)
        for function in shown {
            table.add([
                "\(function.bytes)", percent(function.bytes), "\(function.index)",
                WasmText.shortened(function.name, to: room),
            ])
        }
        console.print(table, indent: "  ")
    }

    private func name(_ text: String) -> String {
        WasmText.shortened(text, to: max(48, console.width - 40))
    }
}
