/// The help text of one command, laid out like swift-argument-parser's.
struct HelpText {
    let command: Command
    let path: [String]
    let width: Int
    let style: Style

    var text: String {
        var sections: [String] = []
        let overview = command.abstract
        sections.append(
            style.bold("OVERVIEW:") + " "
                + wrapped(overview, indent: "", width: width - 10))
        if !command.discussion.isEmpty {
            sections.append(wrapped(command.discussion, indent: "", width: width))
        }
        sections.append(style.bold("USAGE:") + " " + usageLine)
        let shown = command.parameters.map(\.declaration).filter { !$0.isHidden }
        let places = shown.filter { $0.kind == .argument }
        if !places.isEmpty { sections.append(section("ARGUMENTS:", places.map(row))) }
        var options = shown.filter { $0.kind != .argument }
        if command.body != nil { options.append(BuiltIn.json.declaration) }
        if path.count == 1 { options.append(BuiltIn.version.declaration) }
        options.append(BuiltIn.help.declaration)
        sections.append(section("OPTIONS:", options.map(row)))
        let below = command.shownSubcommands
        if !below.isEmpty {
            var text = section("SUBCOMMANDS:", below.map { ($0.name, $0.abstract) })
            let tail = path.dropFirst().map { $0 + " " }.joined()
            text +=
                "\n\n  See '\(path[0]) help \(tail)<subcommand>' for detailed help."
            sections.append(text)
        }
        if !command.examples.isEmpty {
            let rows = command.examples.map { "  " + $0.line + "\n      " + style.dim($0.note) }
            sections.append(style.bold("EXAMPLES:") + "\n" + rows.joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// `patchcli release [--channel <channel>] [--dry-run] <file>`
    var usageLine: String {
        let name = path.joined(separator: " ")
        if !command.subcommands.isEmpty { return name + " <subcommand>" }
        let shown = command.parameters.map(\.declaration).filter { !$0.isHidden }
        let options = shown.filter { $0.kind != .argument }
        let places = shown.filter { $0.kind == .argument }
        var parts = [name]
        let compact = options.filter { !$0.isRequired }
        let spelled = compact.map { "[\($0.usage)]" }.joined(separator: " ")
        if spelled.count + name.count > 88 {
            parts.append("[<options>]")
        } else if !spelled.isEmpty {
            parts.append(spelled)
        }
        parts += options.filter(\.isRequired).map(\.usage)
        parts += places.map { $0.isRequired ? $0.usage : "[\($0.usage)]" }
        return parts.joined(separator: " ")
    }

    private func row(_ declaration: ParameterDeclaration) -> (String, String) {
        var label = declaration.usage
        if declaration.kind != .argument, let short = declaration.short {
            label = "-\(short), " + label
        }
        var text = declaration.help
        var facts: [String] = []
        if !declaration.choices.isEmpty {
            facts.append("values: " + declaration.choices.joined(separator: ", "))
        }
        if let value = declaration.defaultText, !value.isEmpty {
            facts.append("default: \(value)")
        }
        if let variable = declaration.environment { facts.append("or \(variable)") }
        if !facts.isEmpty { text += " (" + facts.joined(separator: "; ") + ")" }
        return (label, text)
    }

    private func section(_ title: String, _ rows: [(String, String)]) -> String {
        let column = 26
        var lines = [style.bold(title)]
        for (label, text) in rows {
            let body = wrapped(text, indent: String(repeating: " ", count: column), width: width)
            if label.count + 4 > column {
                lines.append("  " + label)
                lines.append(body)
            } else {
                let blanks = String(repeating: " ", count: column - 2 - label.count)
                lines.append("  " + label + blanks + String(body.dropFirst(column)))
            }
        }
        return lines.joined(separator: "\n")
    }
}
