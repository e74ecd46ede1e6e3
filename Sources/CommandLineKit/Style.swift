/// Terminal colours, or none.
public struct Style: Equatable, Sendable {
    /// Whether escape sequences are written.
    public let isColoured: Bool

    /// Makes a style.
    public init(isColoured: Bool) { self.isColoured = isColoured }

    /// Colours only where a person looks, and never against `NO_COLOR` (no-color.org).
    static func detect(isTerminal: Bool, environment: [String: String]) -> Style {
        if let no = environment["NO_COLOR"], !no.isEmpty { return Style(isColoured: false) }
        if let force = environment["CLICOLOR_FORCE"], force != "0", !force.isEmpty {
            return Style(isColoured: true)
        }
        return Style(isColoured: isTerminal && environment["TERM"] != "dumb")
    }

    /// Heavier text.
    public func bold(_ text: String) -> String { wrap(text, "1") }
    /// Lighter text.
    public func dim(_ text: String) -> String { wrap(text, "2") }
    /// For what failed.
    public func red(_ text: String) -> String { wrap(text, "31") }
    /// For what went well.
    public func green(_ text: String) -> String { wrap(text, "32") }
    /// For what wants attention.
    public func yellow(_ text: String) -> String { wrap(text, "33") }
    /// For commands to run and addresses.
    public func cyan(_ text: String) -> String { wrap(text, "36") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// The columns that `text` takes on a terminal, escape sequences aside.
    static func width(of text: String) -> Int {
        var columns = 0
        var inEscape = false
        for character in text {
            if inEscape {
                if character.isLetter { inEscape = false }
            } else if character == "\u{1B}" {
                inEscape = true
            } else {
                columns += 1
            }
        }
        return columns
    }
}
