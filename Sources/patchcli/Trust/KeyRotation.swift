import CommandLineKit
import Foundation
import PatchCrypto
import TUF
import TUFRepository

/// `patchcli keys rotate` and `keys revoke`: other keys for a role, all in one publication.
enum KeyRotation {
    private static let role = Parameter<KeyStore.Role>.argument(
        "role", help: "root, root-backup, targets or freshness.")
    private static let keyID = Parameter<String>.argument(
        "key", help: "First digits of the key's id, as 'keys list' and 'status' show it.",
        check: { $0.count >= 6 ? Common.checkDigits($0) : "expected at least 6 digits" })
    private static let withKeys = Parameter<[String]>.options(
        "with-key", placeholder: "file",
        help: "A root key to sign with that lies elsewhere, such as the backup.",
        completion: .file(["pem"]))
    private static let publicKey = Parameter<String?>.option(
        "public-key", placeholder: "file",
        help: "The new release key's public half; the private one is asked by --sign-cmd.",
        completion: .file(["pem"]))
    private static let minimumSequence = Parameter<Int?>.option(
        "min-sequence", placeholder: "number",
        help: "Raise the floor as well: no release with a lower sequence may run any more. At most "
            + "the sequence of the next release.")

    static var rotate: Command {
        Command(
            "rotate", abstract: "Replace the key of a role.",
            discussion: """
                Makes a new key, names it in a new root, and signs anew what the old key signed, \
                all published at once; apps follow through the root chain, whatever root they \
                shipped with. The old key file stays beside the new one until you delete it. The \
                role 'root' can be rotated with the backup key alone, for when the root key is \
                lost: --with-key <backup.pem>. What the old release key signed before stays \
                listed; after a theft look at 'status' first, and use --min-sequence.
                """,
            examples: [
                ("patchcli keys rotate targets", "A new release key."),
                (
                    "patchcli keys rotate root --with-key /media/safe/root-backup.pem",
                    "A new root key after the old one was lost."
                ),
            ],
            parameters: parameters(
                Common.project, role, withKeys, publicKey, minimumSequence, Common.signCommand,
                Common.yes)
        ) { try await run($0, .rotate(try $0[role])) }
    }

    static var revoke: Command {
        Command(
            "revoke", abstract: "Take a key out of root, without a new one in its place.",
            discussion: """
                For a role that lists several keys: the others go on. What the key signed counts \
                no longer once devices have the new root. The only key of a role is not revoked \
                but replaced, by 'keys rotate'.
                """,
            examples: [("patchcli keys revoke 3f8a0c5d", "That key is worth nothing any more.")],
            parameters: parameters(
                Common.project, keyID, withKeys, minimumSequence, Common.signCommand, Common.yes)
        ) { try await run($0, .revoke(try $0[keyID].lowercased())) }
    }

    private static let alsoRoot = Parameter<Bool>.flag(
        "root", help: "Issue a new root as well, with the same keys.")

    static var renew: Command {
        Command(
            "renew", abstract: "Sign targets and build roles for another term.",
            discussion: """
                A release signs only the role of its build. Run this when 'status' or 'doctor' \
                warns, a quarter of the term before the end; with --root for root itself.
                """,
            parameters: parameters(Common.project, alsoRoot, withKeys, Common.signCommand)
        ) { try await run($0, .renew(root: try $0[alsoRoot])) }
    }

    enum Change {
        case rotate(KeyStore.Role)
        case revoke(String)
        case renew(root: Bool)
    }

    struct Report: Encodable {
        struct Key: Encodable {
            let role: String
            let key_id: String
        }
        let root_version: Int
        let added: [Key]
        let removed: [Key]
        /// The floor, when it was raised.
        var min_sequence: Int?
        let resources: String?
    }

    // MARK: Run

    private static func confirm(_ invocation: Invocation, _ what: String) throws {
        if try invocation[Common.yes] { return }
        try invocation.console.confirm("\(what), for every device?")
    }

    private static func run(_ invocation: Invocation, _ change: Change) async throws {
        let workspace = try Workspace(invocation)
        let publishing = try Publishing(workspace, console: invocation.console)
        switch change {
        case .renew: break
        case .rotate(let role):
            try confirm(invocation, "Replace the key of \(role.rawValue) by a new root")
        case .revoke(let id): try confirm(invocation, "Revoke the key \(id) by a new root")
        }
        let extra = try invocation[withKeys].map(KeyFile.privateKey)
        var minimum: Int?
        if case .renew = change {} else { minimum = try invocation[minimumSequence] }
        let floor = minimum
        let signCommand = try invocation[Common.signCommand]
        var newKey: TUFKey?
        if case .rotate(let role) = change, role == .targets, let file = try invocation[publicKey] {
            newKey = TUFKey(try KeyFile.publicKey(file))
        }
        let external = newKey
        var staged: KeyStore.Role?
        if case .rotate(let role) = change, external == nil {
            _ = try workspace.keys.stage(workspace.app, role)
            staged = role
        }
        let report = try await publishing.retrying { published, index in
            try floor.map { try Self.check(floor: $0, change, index) }
            var plan = Plan(
                workspace: workspace, editor: published, rootKeys: extra, command: signCommand,
                minimumSequence: floor)
            var report: Report
            switch change {
            case .rotate(let role): report = try plan.rotate(role, to: external)
            case .revoke(let id): report = try plan.revoke(id)
            case .renew(let root): report = try plan.renew(root: root)
            }
            report.min_sequence = floor
            try Self.check(plan.editor.root, after: published.root)
            _ = try await publishing.publish(
                plan.editor, targets: [], freshness: plan.freshness,
                as: "Sign and publish the new root")
            try workspace.resources?.write(root: plan.editor.root.encoded())
            return report
        }
        if let staged { try workspace.keys.promote(workspace.app, staged) }
        try invocation.console.report(report) { console in
            if case .renew(root: false) = change {
                console.print("Targets and build roles are signed for another term.")
            } else {
                console.print("Root \(report.root_version) is published.")
            }
            for key in report.added {
                console.print("  \(key.role): " + console.style.green("+ \(key.key_id)"))
            }
            for key in report.removed {
                console.print("  \(key.role): " + console.style.red("- \(key.key_id)"))
            }
            if let floor = report.min_sequence {
                console.print(
                    "No release below sequence \(floor) runs any more; "
                        + "\(console.style.cyan("patchcli status")) names those that are live.")
            }
            if let next = publishing.next {
                console.print("Not on your host yet: \(console.style.cyan(next))")
            }
            if let folder = report.resources {
                console.print("The next build of the app ships it: \(folder)/patch-root.json.")
            }
        }
    }

    /// A floor above the next release would make that void, and every one until the counter is there.
    private static func check(floor: Int, _ change: Change, _ index: ReleaseIndex) throws {
        guard floor > index.nextSequence else { return }
        var command = "patchcli keys"
        switch change {
        case .rotate(let role): command += " rotate \(role.rawValue)"
        case .revoke(let id): command += " revoke \(id)"
        case .renew: command += " renew"
        }
        throw CommandFailure(
            "floor_too_high", "No release could run above a floor of \(floor)",
            why: "The newest release has sequence \(index.lastSequence), the next one gets "
                + "\(index.nextSequence), and a floor is never lowered. With "
                + "\(index.nextSequence) nothing that is released by now runs any more.",
            fix: "\(command) --min-sequence \(index.nextSequence)", exit: .usage)
    }

    /// What devices could not read must not be published: they would follow no later root either.
    private static func check(
        _ root: SignedMetadata<Root>, after before: SignedMetadata<Root>
    ) throws {
        guard root.signed.version != before.signed.version else { return }
        do {
            var device = try TrustedMetadataSet(
                trustedRoot: before.encoded(), at: .now,
                limits: JSONLimits(maximumSize: RepositoryLimits.metadata))
            try device.updateRoot(root.encoded())
        } catch let error as TUFError {
            throw CommandFailure(
                "root_unusable", "Devices would refuse the new root; nothing was published",
                why: error.message, exit: .software)
        }
    }

    /// One change of keys, worked out on what is published.
    private struct Plan {
        let workspace: Workspace
        var editor: RepositoryEditor
        let rootKeys: [SigningKey]
        let command: String?
        let minimumSequence: Int?
        /// Who signs freshness, when that changes.
        var freshness: TUFSigner?

        private var app: String { workspace.app }

        mutating func rotate(_ role: KeyStore.Role, to external: TUFKey?) throws -> Report {
            switch role {
            case .targets: return try rotateRelease(to: external)
            case .root, .rootBackup: return try rotateRoot(role)
            case .freshness: return try rotateFreshness()
            }
        }

        private mutating func rotateRelease(to external: TUFKey?) throws -> Report {
            let signer: TUFSigner
            if let external {
                guard let command else {
                    throw CommandFailure(
                        "missing_option", "A public key alone signs nothing",
                        fix:
                            "patchcli keys rotate targets --public-key <file> --sign-cmd <command>",
                        exit: .usage)
                }
                signer = SignCommand(command: command, environment: workspace.environment)
                    .signer(for: external)
            } else {
                signer = try workspace.keys.requireStaged(app, .targets).signer
            }
            let old = editor.root.signed.keys(of: .targets)
            let floor = minimumSequence
            try editor.replaceReleaseKeys(
                [signer.key], signers: [signer], rootSigners: try rootSigners(), at: .now
            ) { try Self.raise(floor, in: &$0) }
            return report("targets", added: [signer.key], removed: old)
        }

        private mutating func rotateRoot(_ role: KeyStore.Role) throws -> Report {
            let signers = try rootSigners()
            let new = try workspace.keys.requireStaged(app, role).signer
            let listed = editor.root.signed.keys(of: .root)
            // The key in the other file stays; whatever else is listed goes.
            let other: KeyStore.Role = role == .root ? .rootBackup : .root
            var kept: [TUFKey] = []
            let held = try workspace.keys.key(app, other)?.tufKey
            for key in [held].compactMap({ $0 }) + rootKeys.map({ TUFKey($0.publicKey) })
            where listed.contains(where: { $0.keyID == key.keyID })
                && !kept.contains(where: { $0.keyID == key.keyID })
            {
                kept.append(key)
            }
            if kept.isEmpty {
                // The file of the other key is in its safe place; the one to be replaced is here.
                let replaced = try workspace.keys.require(app, role).tufKey.keyID
                kept = listed.filter { $0.keyID != replaced }
            }
            let threshold = editor.root.signed[.root].threshold
            let floor = minimumSequence
            let keys = [new.key] + kept
            try editor.editRoot(signers: signers + [new], at: .now) { root in
                root.setKeys(keys, threshold: threshold, of: .root)
                try Self.raise(floor, in: &root)
            }
            let gone = listed.filter { old in !keys.contains { $0.keyID == old.keyID } }
            return report("root", added: [new.key], removed: gone)
        }

        private mutating func rotateFreshness() throws -> Report {
            guard workspace.isStatic else {
                throw CommandFailure(
                    "not_static", "The server holds the freshness key of this project",
                    why: "It makes the new key; root then lists what it names.",
                    fix: "patchcli doctor", exit: .usage)
            }
            let new = try workspace.keys.requireStaged(app, .freshness).signer
            let old = editor.root.signed.keys(of: .timestamp)
            try editor.replaceServerKeys(
                freshness: [new.key], ops: nil, rootSigners: try rootSigners(),
                releaseSigners: [], at: .now)
            freshness = new
            return report("freshness", added: [new.key], removed: old)
        }

        mutating func renew(root: Bool) throws -> Report {
            if root { try editor.editRoot(signers: try rootSigners(), at: .now) { _ in } }
            let signers = try workspace.releaseSigners(editor, command: command)
            try editor.editTargets(signers: signers, at: .now)
            for name in editor.delegated.keys.sorted() where name != BrakesRole.name {
                try editor.editRole(name, signers: signers, at: .now) { _ in }
            }
            return report("root", added: [], removed: [])
        }

        mutating func revoke(_ id: String) throws -> Report {
            let root = editor.root.signed
            for role in [TopLevelRole.root, .targets, .timestamp] {
                let keys = root.keys(of: role)
                let gone = keys.filter { $0.keyID.hasPrefix(id) }
                guard !gone.isEmpty else { continue }
                let kept = keys.filter { !$0.keyID.hasPrefix(id) }
                let threshold = root[role].threshold
                guard gone.count == 1, kept.count >= threshold else {
                    throw CommandFailure(
                        "last_key", "Without this key the role '\(role.rawValue)' could not sign",
                        why: "Root lists \(keys.count) for it and asks for \(threshold).",
                        fix:
                            "patchcli keys rotate \(role == .timestamp ? "freshness" : role.rawValue)",
                        exit: .usage)
                }
                let floor = minimumSequence
                switch role {
                case .targets:
                    let local = try workspace.releaseSigners(editor, command: command)
                        .filter { signer in kept.contains { $0.keyID == signer.key.keyID } }
                    try editor.replaceReleaseKeys(
                        kept, threshold: threshold, signers: local,
                        rootSigners: try rootSigners(), at: .now
                    ) { try Self.raise(floor, in: &$0) }
                default:
                    try editor.editRoot(signers: try rootSigners(), at: .now) { root in
                        root.setKeys(kept, threshold: threshold, of: role)
                        if role == .timestamp { root.setKeys(kept, of: .snapshot) }
                        try Self.raise(floor, in: &root)
                    }
                }
                return report(role.rawValue, added: [], removed: gone)
            }
            throw CommandFailure(
                "key_unknown", "Root lists no key '\(id)…'", fix: "patchcli status",
                exit: .usage)
        }

        /// All root keys at hand: root itself decides which count.
        private func rootSigners() throws -> [TUFSigner] {
            let listed = editor.root.signed[.root].keyIDs
            let local = try [KeyStore.Role.root, .rootBackup].flatMap {
                // A staged key counts when an earlier run was interrupted after publishing.
                [try workspace.keys.key(app, $0), try workspace.keys.staged(app, $0)]
                    .compactMap { $0?.signer }
            }
            var signers: [TUFSigner] = []
            for signer in rootKeys.map({ TUFSigner($0) }) + local
            where listed.contains(signer.key.keyID)
                && !signers.contains(where: { $0.key.keyID == signer.key.keyID })
            {
                signers.append(signer)
            }
            guard signers.count >= editor.root.signed[.root].threshold else {
                throw CommandFailure(
                    "root_key_missing", "Too few root keys are at hand to sign a new root",
                    why: "Root asks for \(editor.root.signed[.root].threshold) of "
                        + "\(listed.map { String($0.prefix(8)) }.joined(separator: ", ")); "
                        + "\(signers.count) found.",
                    fix: "patchcli keys … --with-key <root-backup.pem>", exit: .noPermission)
            }
            return signers
        }

        private static func raise(_ floor: Int?, in root: inout Root) throws {
            guard let floor else { return }
            guard let current = root.openPatch?.minSequence, floor >= current else {
                throw CommandFailure(
                    "floor_lowered", "A floor is raised, never lowered",
                    why: "Root says \(root.openPatch?.minSequence ?? 0).", exit: .usage)
            }
            root.openPatch?.minSequence = floor
        }

        private func report(_ role: String, added: [TUFKey], removed: [TUFKey]) -> Report {
            Report(
                root_version: editor.root.signed.version,
                added: added.map { .init(role: role, key_id: $0.keyID) },
                removed: removed.map { .init(role: role, key_id: $0.keyID) },
                resources: workspace.resources?.folder.path)
        }
    }
}
