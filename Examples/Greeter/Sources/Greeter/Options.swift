/// What the command line asks for.
struct Options {
    static let usage = """
        usage: Greeter [--poll SECONDS] [--for SECONDS] [--plain] [--resources DIR] [--state DIR]

        Shows a greeting that comes from a module and a price that comes from native code, and looks
        for updates while it runs.

          --poll SECONDS   look for an update so often (default 1)
          --for SECONDS    end after so long (default: run until SIGTERM or Ctrl-C)
          --plain          one 'name: value' a line, for scripts
          --resources DIR  where patch-config.json, patch-root.json and base.wasm lie
          --state DIR      where downloaded releases are kept
        """

    var poll = 1.0
    var duration: Double?
    var isPlain = false
    var resources: String?
    var state: String?

    struct Problem: Error { let text: String }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--poll": poll = max(0.05, try Self.seconds(&rest, name))
            case "--for": duration = try Self.seconds(&rest, name)
            case "--plain": isPlain = true
            case "--resources": resources = try Self.value(&rest, name)
            case "--state": state = try Self.value(&rest, name)
            default: throw Problem(text: "unknown option '\(name)'")
            }
        }
    }

    private static func value(_ rest: inout ArraySlice<String>, _ name: String) throws -> String {
        guard let value = rest.popFirst() else { throw Problem(text: "\(name) needs a value") }
        return value
    }

    private static func seconds(_ rest: inout ArraySlice<String>, _ name: String) throws -> Double {
        guard let number = Double(try value(&rest, name)), number >= 0, number < 1e9 else {
            throw Problem(text: "\(name) needs a number of seconds")
        }
        return number
    }
}
