/// A shell with completion scripts.
public enum Shell: String, CaseIterable, ArgumentValue {
    /// GNU bash.
    case bash
    /// The Z shell.
    case zsh
    /// The friendly interactive shell.
    case fish
}

/// Writes completion scripts from the declarations.
struct CompletionScript {
    let root: Command

    func text(for shell: Shell) -> String {
        switch shell {
        case .bash: return bash
        case .zsh: return zsh
        case .fish: return fish
        }
    }

    /// Every command with the words that lead to it.
    private var all: [(path: [String], command: Command)] {
        func walk(_ command: Command, _ path: [String]) -> [(path: [String], command: Command)] {
            [(path, command)]
                + command.shownSubcommands.flatMap { walk($0, path + [$0.name]) }
        }
        return walk(root, [])
    }

    private func options(of command: Command) -> [ParameterDeclaration] {
        let own = command.parameters.map(\.declaration).filter {
            $0.kind != .argument && !$0.isHidden
        }
        let json = command.body == nil ? [] : [BuiltIn.json.declaration]
        return own + json + [BuiltIn.help.declaration]
    }

    private var bash: String {
        var cases = ""
        for (path, command) in all {
            let words =
                command.shownSubcommands.map(\.name) + options(of: command).map { "--\($0.name)" }
            var values = ""
            for option in options(of: command) where option.kind == .option {
                values += "            --\(option.name)) \(bashReply(option.completion)) ;;\n"
            }
            let place = command.parameters.map(\.declaration).first { $0.kind == .argument }
            let fallback = place.map { bashReply($0.completion) } ?? "return"
            cases += """
                    "\(path.joined(separator: " "))")
                        case "$prev" in
                \(values)            *)
                            COMPREPLY=($(compgen -W "\(words.joined(separator: " "))" -- "$cur"))
                            if [ ${#COMPREPLY[@]} -eq 0 ] && [[ "$cur" != -* ]]; then \(fallback); fi ;;
                        esac ;;

                """
        }
        let paths = all.map(\.path).filter { !$0.isEmpty }.map {
            "\"\($0.joined(separator: " "))\""
        }
        return """
            # bash completion for \(root.name); load with: source <(\(root.name) completions bash)
            _\(root.name)() {
                local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
                local path="" word candidate
                local known=(\(paths.joined(separator: " ")))
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    candidate="${path:+$path }$word"
                    for word in "${known[@]}"; do
                        if [ "$word" = "$candidate" ]; then path="$candidate"; break; fi
                    done
                done
                case "$path" in
            \(cases)    esac
            }
            complete -F _\(root.name) \(root.name)

            """
    }

    private func bashReply(_ completion: CompletionKind) -> String {
        switch completion {
        case .none: return "COMPREPLY=()"
        case .file: return #"COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null"#
        case .folder:
            return #"COMPREPLY=($(compgen -d -- "$cur")); compopt -o filenames 2>/dev/null"#
        case .words(let words):
            return #"COMPREPLY=($(compgen -W "\#(words.joined(separator: " "))" -- "$cur"))"#
        }
    }

    private var zsh: String {
        var functions = ""
        for (path, command) in all {
            let name = (["_" + root.name] + path).joined(separator: "_")
                .replacingDashes()
            var specs = options(of: command).map { option -> String in
                let help = zshQuoted(option.help)
                let star = option.arity == .many ? "*" : ""
                let value =
                    option.kind == .option
                    ? ":\(option.placeholder):\(zshAction(option.completion))" : ""
                return "'\(star)--\(option.name)[\(help)]\(value)'"
            }
            if command.subcommands.isEmpty {
                for place in command.parameters.map(\.declaration) where place.kind == .argument {
                    let star = place.arity == .many ? "*" : ""
                    specs.append("'\(star):\(place.placeholder):\(zshAction(place.completion))'")
                }
                functions += """
                    \(name)() {
                        _arguments -s \\
                            \(specs.joined(separator: " \\\n        "))
                    }

                    """
            } else {
                let verbs = command.shownSubcommands
                    .map { "        '\($0.name):\(zshQuoted($0.abstract))'" }
                let calls = command.shownSubcommands
                    .map { "            \($0.name)) \(name)_\($0.name.replacingDashes()) ;;" }
                specs += ["'1:command:->command'", "'*::argument:->argument'"]
                functions += """
                    \(name)() {
                        local line state
                        local -a verbs=(
                    \(verbs.joined(separator: "\n"))
                        )
                        _arguments -C \\
                            \(specs.joined(separator: " \\\n        "))
                        case $state in
                        command) _describe command verbs ;;
                        argument)
                            case $line[1] in
                    \(calls.joined(separator: "\n"))
                            esac ;;
                        esac
                    }

                    """
            }
        }
        return "#compdef \(root.name)\n\n\(functions)\ncompdef _\(root.name) \(root.name)\n"
    }

    private func zshAction(_ completion: CompletionKind) -> String {
        switch completion {
        case .none: return ""
        case .file(let extensions):
            guard !extensions.isEmpty else { return "_files" }
            return "_files -g \"*.(\(extensions.joined(separator: "|")))\""
        case .folder: return "_files -/"
        case .words(let words): return "(\(words.joined(separator: " ")))"
        }
    }

    private func zshQuoted(_ text: String) -> String {
        var quoted = ""
        for character in text {
            switch character {
            case "'": quoted += "'\\''"
            case "[", "]", ":": quoted += "\\" + String(character)
            default: quoted.append(character)
            }
        }
        return quoted
    }

    private var fish: String {
        var lines = ["# fish completion for \(root.name)", "complete -c \(root.name) -f"]
        for (path, command) in all {
            let below = command.shownSubcommands.map(\.name)
            var conditions = path.map { "__fish_seen_subcommand_from \($0)" }
            if !below.isEmpty {
                conditions.append(
                    "not __fish_seen_subcommand_from \(below.joined(separator: " "))")
            }
            let condition =
                conditions.isEmpty ? "" : " -n '\(conditions.joined(separator: "; and "))'"
            for verb in command.shownSubcommands {
                lines.append(
                    "complete -c \(root.name)\(condition) -a \(verb.name) -d '\(fishQuoted(verb.abstract))'"
                )
            }
            for option in options(of: command) {
                var line = "complete -c \(root.name)\(condition) -l \(option.name)"
                if let short = option.short { line += " -s \(short)" }
                if option.kind == .option { line += " -r" + fishAction(option.completion) }
                lines.append(line + " -d '\(fishQuoted(option.help))'")
            }
            for place in command.parameters.map(\.declaration) where place.kind == .argument {
                let action = fishAction(place.completion)
                if !action.isEmpty { lines.append("complete -c \(root.name)\(condition)\(action)") }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func fishAction(_ completion: CompletionKind) -> String {
        switch completion {
        case .none: return ""
        case .file: return " -F"
        case .folder: return " -a '(__fish_complete_directories)'"
        case .words(let words): return " -a '\(words.joined(separator: " "))'"
        }
    }

    private func fishQuoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
    }
}

extension String {
    fileprivate func replacingDashes() -> String { String(map { $0 == "-" ? "_" : $0 }) }
}
