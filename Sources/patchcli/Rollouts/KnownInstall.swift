import CommandLineKit

/// What the server knows of an install.
enum KnownInstall {
    private struct Document: Decodable {
        let fingerprint: String
        let bundle: String?
        let release: String
        let reason: String?
        let last_event: String
        let os: String?
        let app_version: String?
    }

    /// Fills in what the server was told by an install. The id that rollouts draw by is never among
    /// it: devices keep that to themselves.
    static func describe(
        _ install: String, _ workspace: Workspace, _ subject: inout ExplainCommand.Subject
    ) async throws {
        let document: Document
        do {
            document = try await ServerAccess(workspace).call(
                "GET", "devices/\(install.lowercased())")
        } catch let refusal as ServerRefusal where refusal.status == 404 {
            throw CommandFailure(
                "install_unknown", "The server knows no install '\(install)'",
                why: "It never told anything, or it was erased.",
                fix: "patchcli explain --device-id <uuid>", exit: .usage)
        }
        subject.fingerprint = document.fingerprint
        subject.bundle = document.bundle
        if subject.running == nil, !document.release.isEmpty { subject.running = document.release }
        subject.system = subject.system ?? document.os.map(version)
        subject.app = subject.app ?? document.app_version
        subject.said = document.last_event + (document.reason.map { ": " + $0 } ?? "")
    }

    /// `17.5` of `iOS 17.5`.
    private static func version(_ system: String) -> String {
        system.split(separator: " ").last.map(String.init) ?? system
    }
}
