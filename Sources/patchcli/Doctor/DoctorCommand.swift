import CommandLineKit
import Foundation
import PatchCompiler
import TUF

/// `patchcli doctor`
enum DoctorCommand {
    private static let fix = Parameter<Bool>.flag(
        "fix", help: "Put right what needs nobody's decision, then look again.")

    static var command: Command {
        Command(
            "doctor", abstract: "Check everything that a release needs.",
            discussion: """
                Looks at the toolchain, the project, the keys and the server. Each finding has a \
                stable code and says who can put it right: 'auto' is what --fix does, 'command' \
                names the command, 'blocked' needs you. Exits with 4 when something stands in the \
                way.
                """,
            examples: [
                ("patchcli doctor --fix", "Put right what can be."),
                ("patchcli doctor --json", "The findings, for a script."),
            ],
            parameters: parameters(fix, Common.project), body: run)
    }

    struct Finding: Encodable, Sendable {
        enum Level: String, Encodable, Sendable { case ok, warning, problem }
        /// Who can put it right: `auto` when --fix does, `command` when one command does, else
        /// `blocked`.
        enum Fixability: String, Encodable, Sendable { case none, auto, command, blocked }

        let code: String
        let level: Level
        let text: String
        var path: String?
        var fixability = Fixability.none
        var run: String?
        /// What --fix does about it.
        var repair: (@Sendable () async throws -> Void)?

        enum CodingKeys: String, CodingKey { case code, level, text, path, fixability, run }

        /// The same, put right by --fix.
        func repaired(by repair: @escaping @Sendable () async throws -> Void) -> Finding {
            var finding = self
            finding.fixability = .auto
            finding.run = finding.run ?? "patchcli doctor --fix"
            finding.repair = repair
            return finding
        }
    }

    struct Report: Encodable {
        let healthy: Bool
        let findings: [Finding]
        /// Codes of what --fix put right.
        let fixed: [String]
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        var findings = await look(invocation)
        var fixed: [String] = []
        if try invocation[fix] {
            for finding in findings {
                guard let repair = finding.repair else { continue }
                try await invocation.console.step("Put right: \(finding.code)") { _ in
                    try await repair()
                }
                fixed.append(finding.code)
            }
            // What was put right may have hidden something else.
            if !fixed.isEmpty { findings = await look(invocation) }
        }
        let isHealthy = !findings.contains { $0.level == .problem }
        let report = Report(healthy: isHealthy, findings: findings, fixed: fixed)
        try invocation.console.report(report) { show(report, on: $0) }
        if !isHealthy { throw SilentExit(.gateFailed) }
    }

    private static func look(_ invocation: Invocation) async -> [Finding] {
        var findings = toolchain(invocation.environment)
        findings += await project(invocation)
        return findings
    }

    private static func show(_ report: Report, on console: Console) {
        let style = console.style
        for finding in report.findings {
            switch finding.level {
            case .ok: console.print(style.green("✓") + " " + finding.text)
            case .warning: console.print(style.yellow("!") + " " + finding.text)
            case .problem: console.print(style.red("✗") + " " + finding.text)
            }
            if let run = finding.run {
                console.print("  " + style.dim("try:") + " " + style.cyan(run))
            }
            if finding.level != .ok { console.print("  " + style.dim("[\(finding.code)]")) }
        }
        if !report.fixed.isEmpty {
            console.print(
                style.green("Put right: ") + report.fixed.joined(separator: ", ") + ".")
        } else if report.findings.contains(where: { $0.repair != nil }) {
            console.note("'patchcli doctor --fix' puts some of it right.")
        }
    }

    // MARK: Toolchain

    private static func toolchain(_ environment: [String: String]) -> [Finding] {
        do {
            let found = try Toolchain.discover(environment: environment)
            let first = firstCompiler(environment)
            var findings = [
                Finding(
                    code: "toolchain", level: .ok,
                    text: "\(found.swiftc.path) compiles for WebAssembly",
                    path: found.swiftc.path)
            ]
            if environment["OPENPATCH_SWIFT"] == nil, let first, first != found.swiftc.path {
                findings.append(
                    Finding(
                        code: "path_order", level: .warning,
                        text: "Another swiftc comes first on PATH (\(first)) and cannot compile "
                            + "for WebAssembly; patchcli goes past it, your own builds do not. Put "
                            + "the swift.org toolchain first when both shall use the same one.",
                        path: first, fixability: .command,
                        run: "export PATH=\(found.swiftc.deletingLastPathComponent().path):$PATH"))
            }
            return findings
        } catch {
            let code = (error as? GuestBuildError)?.code ?? "toolchain_failed"
            return [
                Finding(
                    code: code, level: .problem,
                    text: "No Swift compiler for WebAssembly: \(error). The one inside Xcode "
                        + "cannot; install the swift.org toolchain and put it first on PATH.",
                    fixability: .command,
                    run: "export PATH=\"$HOME/.swiftly/bin:$PATH\" && hash -r")
            ]
        }
    }

    private static func firstCompiler(_ environment: [String: String]) -> String? {
        (environment["PATH"] ?? "").split(separator: ":")
            .map { URL(fileURLWithPath: String($0)).appendingPathComponent("swiftc") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
            .map {
                $0.resolvingSymlinksInPath().deletingLastPathComponent()
                    .appendingPathComponent("swiftc").path
            }
    }

    // MARK: Project

    private static func project(_ invocation: Invocation) async -> [Finding] {
        let workspace: Workspace
        do {
            workspace = try Workspace(invocation)
        } catch {
            return [problem(error, code: "configuration")]
        }
        var findings = [
            Finding(
                code: "configuration", level: .ok,
                text: "openpatch.json describes \(workspace.configuration.name)",
                path: workspace.folder.path)
        ]
        findings += lockFile(workspace)
        findings += builds(workspace)
        if workspace.app.isEmpty {
            findings.append(
                Finding(
                    code: "not_initialised", level: .problem, text: "The project has no app yet.",
                    fixability: .command, run: "patchcli init"))
            return findings
        }
        findings += keys(workspace)
        findings += files(workspace)
        findings += resources(workspace)
        findings += await published(workspace, invocation.console)
        return findings
    }

    private static func builds(_ workspace: Workspace) -> [Finding] {
        do {
            let manifests = try workspace.project.manifests()
            guard let latest = manifests.last else {
                return [
                    Finding(
                        code: "no_build", level: .warning,
                        text: "No store build is registered yet.", fixability: .command,
                        run: "patchcli fingerprint register")
                ]
            }
            var findings = [
                Finding(
                    code: "builds", level: .ok,
                    text: "\(Quantity.count(manifests.count, "build")) registered, the latest "
                        + "with \(Quantity.count(latest.functions.count, "function"))")
            ]
            let current = try workspace.project.fingerprint()
            if !manifests.contains(where: { $0.fingerprint == current.value }) {
                findings.append(
                    Finding(
                        code: "fingerprint_mismatch", level: .warning,
                        text: "The sources are those of no registered build: what only a store "
                            + "build can carry has changed.", fixability: .command,
                        run: "patchcli fingerprint show"))
            }
            return findings
        } catch {
            return [problem(error, code: "builds_unreadable")]
        }
    }

    private static func keys(_ workspace: Workspace) -> [Finding] {
        do {
            var findings = try exposed(workspace)
            let needed: [KeyStore.Role] = workspace.isStatic ? [.targets, .freshness] : [.targets]
            for role in needed {
                do {
                    _ = try workspace.keys.require(workspace.app, role)
                    findings.append(
                        Finding(
                            code: "key_\(role.rawValue)", level: .ok,
                            text: "The \(role.rawValue) key is on this machine"))
                } catch {
                    findings.append(problem(error, code: "key_missing"))
                }
            }
            if try workspace.keys.key(workspace.app, .rootBackup) != nil {
                findings.append(
                    Finding(
                        code: "backup_key_here", level: .warning,
                        text: "The spare root key still lies on this machine; it is of use only "
                            + "elsewhere.", fixability: .blocked))
            }
            if !workspace.isStatic {
                _ = try workspace.keys.token(workspace.app, environment: workspace.environment)
            }
            return findings
        } catch {
            return [problem(error, code: "keys_unusable")]
        }
    }

    private static func published(_ workspace: Workspace, _ console: Console) async -> [Finding] {
        do {
            let publishing = try Publishing(workspace, console: console)
            let repository = publishing.repository
            let editor = try await repository.load()
            let version = editor.timestamp?.signed.version ?? 0
            var findings = [
                Finding(
                    code: "published", level: .ok,
                    text: "\(repository.address) verifies (timestamp \(version))")
            ]
            findings += RoleLife.all(of: editor).compactMap { expiry($0, publishing) }
            if let finding = unsigned(editor, workspace) { findings.append(finding) }
            if !workspace.isStatic { findings += await server(publishing, editor) }
            return findings
        } catch {
            return [problem(error, code: "published_unreadable")]
        }
    }

    static func problem(_ error: any Error, code: String) -> Finding {
        var failure = (error as? CommandFailure) ?? Explain.failure(error)
        // This is what the doctor was asked for.
        if failure?.fix == "patchcli doctor" { failure?.fix = nil }
        return Finding(
            code: failure?.code ?? code, level: .problem,
            text: [failure?.what ?? Explain.text(error), failure?.why].compactMap { $0 }
                .joined(separator: ": "),
            fixability: failure?.fix == nil ? .blocked : .command, run: failure?.fix)
    }
}
