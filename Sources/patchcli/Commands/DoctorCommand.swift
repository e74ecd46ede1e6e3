import CommandLineKit
import Foundation
import PatchCompiler
import TUF

/// `patchcli doctor`
enum DoctorCommand {
    static var command: Command {
        Command(
            "doctor", abstract: "Check everything that a release needs.",
            discussion: """
                Looks at the toolchain, the project, the keys and the server. Each finding has a \
                stable code and says what to do. Exits with 4 when something stands in the way.
                """,
            parameters: parameters(Common.project), body: run)
    }

    struct Finding: Encodable {
        enum Level: String, Encodable { case ok, warning, problem }
        /// Who can put it right: `command` when one command does, else `blocked`.
        enum Fixability: String, Encodable { case none, command, blocked }

        let code: String
        let level: Level
        let text: String
        var path: String?
        var fixability = Fixability.none
        var run: String?
    }

    struct Report: Encodable {
        let healthy: Bool
        let findings: [Finding]
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        var findings = toolchain(invocation.environment)
        findings += await project(invocation)
        let isHealthy = !findings.contains { $0.level == .problem }
        let report = Report(healthy: isHealthy, findings: findings)
        try invocation.console.report(report) { console in
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
        }
        if !isHealthy { throw SilentExit(.gateFailed) }
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
        findings += builds(workspace)
        if workspace.app.isEmpty {
            findings.append(
                Finding(
                    code: "not_initialised", level: .problem, text: "The project has no app yet.",
                    fixability: .command, run: "patchcli init"))
            return findings
        }
        findings += keys(workspace)
        findings += await published(workspace)
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
            var findings: [Finding] = []
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

    private static func published(_ workspace: Workspace) async -> [Finding] {
        do {
            let repository = try workspace.repository()
            let editor = try await repository.load()
            let version = editor.timestamp?.signed.version ?? 0
            var findings = [
                Finding(
                    code: "published", level: .ok,
                    text: "\(repository.address) verifies (timestamp \(version))")
            ]
            findings += RoleLife.all(of: editor).compactMap { expiry($0, workspace) }
            return findings
        } catch {
            return [problem(error, code: "published_unreadable")]
        }
    }

    private static func expiry(_ role: RoleLife, _ workspace: Workspace) -> Finding? {
        let run: String?
        switch role.name {
        case "snapshot", "timestamp":
            run =
                workspace.isStatic
                ? "patchcli publish --static <folder> --refresh" : "patchd --data …"
        case BrakesRole.name: run = "patchd --data …"
        case "root": run = "patchcli keys renew --root"
        default: run = "patchcli keys renew"
        }
        switch role.state {
        case .fresh: return nil
        case .ageing:
            return Finding(
                code: "metadata_expires_soon", level: .warning,
                text: "\(role.name) expires at \(role.expires), in \(role.daysLeft) days; sign it "
                    + "again before.", fixability: .command, run: run)
        case .expired:
            return Finding(
                code: "metadata_expired", level: .problem,
                text: "\(role.name) expired at \(role.expires); devices take nothing new.",
                fixability: .command, run: run)
        }
    }

    private static func problem(_ error: any Error, code: String) -> Finding {
        let failure = (error as? CommandFailure) ?? Explain.failure(error)
        return Finding(
            code: failure?.code ?? code, level: .problem,
            text: [failure?.what ?? Explain.text(error), failure?.why].compactMap { $0 }
                .joined(separator: ": "),
            fixability: failure?.fix == nil ? .blocked : .command, run: failure?.fix)
    }
}
