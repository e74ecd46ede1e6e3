import CommandLineKit

/// The update server: one binary, one folder.
@main
struct Patchd {
    static let tool = CommandLineTool(
        Command("patchd", abstract: "Serve releases to apps.", parameters: []) { _ in },
        version: "0.1.0")

    static func main() async { await tool.main() }
}
