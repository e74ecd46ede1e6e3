import CommandLineKit
import Foundation
import PatchCompiler
import TUF
import TUFRepository

/// Findings that `doctor --fix` can put right, and how.
extension DoctorCommand {
    // MARK: This machine

    /// Keys that others on this machine can read.
    static func exposed(_ workspace: Workspace) throws -> [Finding] {
        try workspace.keys.list(workspace.app).compactMap { entry in
            let attributes = try FileManager.default.attributesOfItem(atPath: entry.path)
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o600
            guard mode & 0o077 != 0 else { return nil }
            return Finding(
                code: "key_exposed", level: .problem,
                text: "Others on this machine can read the \(entry.role.rawValue) key.",
                path: entry.path, run: "chmod 600 '\(entry.path)'"
            ).repaired {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: entry.path)
            }
        }
    }

    /// What the app carries, and what keeps scratch files out of version control.
    static func files(_ workspace: Workspace) -> [Finding] {
        var findings: [Finding] = []
        let ignore = workspace.folder.appendingPathComponent(".openpatch/.gitignore")
        if !FileManager.default.fileExists(atPath: ignore.path) {
            findings.append(
                Finding(
                    code: "ignore_file_missing", level: .warning,
                    text: "Nothing keeps .openpatch/out out of version control.",
                    path: ignore.path
                ).repaired { try ConfigurationFile.writeIgnoreFile(in: workspace.folder) })
        }
        guard let resources = workspace.resources, let root = try? workspace.pinnedRoot() else {
            return findings
        }
        let file = resources.folder.appendingPathComponent(AppResources.rootName)
        guard isOlder(file, than: root) else { return findings }
        findings.append(
            Finding(
                code: "resources_stale", level: .problem,
                text: "The app's resources lack the root that this project trusts, or carry an "
                    + "older one.", path: file.path
            ).repaired { try resources.write(root: root) })
        return findings
    }

    private static func isOlder(_ file: URL, than root: [UInt8]) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: file.path) else { return true }
        let own = try? SignedMetadata<Root>(parsing: [UInt8](bytes)).signed.version
        let pinned = try? SignedMetadata<Root>(parsing: root).signed.version
        return (own ?? 0) < (pinned ?? 0)
    }

    // MARK: What is published

    /// A role that nears its end or has passed it.
    static func expiry(_ role: RoleLife, _ publishing: Publishing) -> Finding? {
        let workspace = publishing.workspace
        var finding: Finding
        switch role.state {
        case .fresh: return nil
        case .ageing:
            finding = Finding(
                code: "metadata_expires_soon", level: .warning,
                text: "\(role.name) expires at \(role.expires), in \(role.daysLeft) days; sign it "
                    + "again before.", fixability: .command)
        case .expired:
            finding = Finding(
                code: "metadata_expired", level: .problem,
                text: "\(role.name) expired at \(role.expires); devices take nothing new.",
                fixability: .command)
        }
        switch role.name {
        case "snapshot" where workspace.isStatic, "timestamp" where workspace.isStatic:
            finding.run = "patchcli publish --static <folder> --refresh"
            return finding.repaired {
                let editor = try await publishing.repository.load()
                _ = try await publishing.repository.publish(editor, targets: []) { _ in }
            }
        case "snapshot", "timestamp", BrakesRole.name:
            finding.run = "patchd --data …"
            return finding
        case "root":
            finding.run = "patchcli keys renew --root"
            return finding
        default:
            finding.run = "patchcli keys renew"
            guard let signers = try? workspace.releaseSigners() else { return finding }
            return finding.repaired { try await renew(role.name, publishing, signers) }
        }
    }

    private static func renew(
        _ role: String, _ publishing: Publishing, _ signers: [TUFSigner]
    ) async throws {
        var editor = try await publishing.repository.load()
        if role == "targets" {
            try editor.editTargets(signers: signers, at: .now)
        } else {
            try editor.editRole(role, signers: signers, at: .now) { _ in }
        }
        _ = try await publishing.repository.publish(editor, targets: []) { _ in }
    }

    /// A build that was registered and never signed.
    static func unsigned(_ editor: RepositoryEditor, _ workspace: Workspace) -> Finding? {
        let manifests = (try? workspace.project.manifests()) ?? []
        let missing = manifests.filter {
            editor.delegated[BuildRole.name(fingerprint: $0.fingerprint)] == nil
        }
        guard let first = missing.first else { return nil }
        return Finding(
            code: "build_not_published", level: .warning,
            text: "Build \(first.short) is registered, but its role is not signed: nothing can be "
                + "released for it.", fixability: .command, run: "patchcli fingerprint register")
    }

    // MARK: The server

    private struct Identity: Decodable { let expires: Int? }

    /// Whether the token is still accepted, and whether the server may halt.
    static func server(_ publishing: Publishing, _ editor: RepositoryEditor) async -> [Finding] {
        let workspace = publishing.workspace
        do {
            let access = try ServerAccess(workspace)
            let identity: Identity = try await access.client.call(
                "GET", "whoami", token: access.token)
            var findings = [
                Finding(code: "token", level: .ok, text: "The server accepts the token")
            ]
            let days = identity.expires.map { ($0 - Int(Date().timeIntervalSince1970)) / 86_400 }
            if let days, days < 14 {
                findings.append(
                    Finding(
                        code: "token_expires_soon", level: .warning,
                        text: "The token ends in \(days) days.", fixability: .command,
                        run: "patchcli token create <name>"))
            }
            let keys = try await access.client.serverKeys(
                appKey: workspace.app, token: access.token)
            if let finding = brakes(keys.ops, editor, publishing) { findings.append(finding) }
            return findings
        } catch {
            return [problem(error, code: "server_unreachable")]
        }
    }

    /// Apps that are older than brakes have not let the server's ops key sign any.
    private static func brakes(
        _ ops: [TUFKey], _ editor: RepositoryEditor, _ publishing: Publishing
    ) -> Finding? {
        let listed = editor.targets?.signed.delegations?.role(BrakesRole.name)?.keys.keyIDs ?? []
        guard !ops.isEmpty, Set(listed) != Set(ops.map(\.keyID)) else { return nil }
        let finding = Finding(
            code: "brakes_not_delegated", level: .problem,
            text: "The server's ops key may not sign brakes: gates could not halt a rollout.",
            fixability: .blocked)
        guard let signers = try? publishing.workspace.releaseSigners() else { return finding }
        return finding.repaired {
            var editor = try await publishing.repository.load()
            try editor.delegateBrakes(to: ops, signers: signers, at: .now)
            _ = try await publishing.repository.publish(editor, targets: []) { _ in }
        }
    }
}
