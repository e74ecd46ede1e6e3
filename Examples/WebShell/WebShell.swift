import Foundation
import WebViewBundle
import WebViewBundleGTK

/// A desktop app that is nothing but a web view: shows a bundled site and updates it live, from
/// signed releases (`--resources`) or from a remote (`--endpoint`).
@main
@MainActor
struct WebShell {
    static func main() {
        guard let options = Options(CommandLine.arguments) else {
            print(Options.usage)
            exit(64)
        }
        guard GTKMainLoop.prepare() else {
            FileHandle.standardError.write(Data("There is no display.\n".utf8))
            exit(69)
        }
        do {
            let shell = try Shell(options)
            shell.start()
            GTKMainLoop.run()
            shell.end()
            // Not `exit`: an update that is being fetched would meet libraries that are torn down.
            _exit(0)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(78)
        }
    }
}
