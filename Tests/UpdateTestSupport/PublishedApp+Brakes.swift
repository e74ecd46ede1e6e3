import Foundation
import Rollout
import RolloutGates
import TUF
import TUFRepository

extension PublishedApp {
    /// Issues the next brake as the server does, with its ops key alone.
    public func setBrake(_ change: (inout Brake) -> Void) throws {
        var next =
            brake
            ?? Brake(
                appID: Self.appID, platform: "linux", channel: "production", brakeSequence: 0)
        next.brakeSequence += 1
        change(&next)
        brake = next
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try setBrake([UInt8](try encoder.encode(next)))
    }

    /// Lets the ops key sign brakes; the role itself is not signed yet.
    public func delegateBrakes() throws {
        try editor.delegateBrakes(to: [opsSigner.key], signers: [releaseSigner], at: now)
        try save()
    }

    /// Lists any bytes as the brake of the channel; delegates to the ops key first when nobody may
    /// sign brakes yet.
    public func setBrake(_ bytes: [UInt8]) throws {
        try editor.delegateBrakes(to: [opsSigner.key], signers: [releaseSigner], at: now)
        let file = TargetFile(
            path: BrakesRole.modulePath(channel: "production"), contents: bytes)
        try editor.setBrakes([file], signers: [opsSigner], at: now)
        try write(bytes, to: "targets/" + (try file.filePath(consistentSnapshot: true)))
        try save()
    }

    /// Lets another ops key sign brakes from now on, and signs what there is with it.
    public func replaceOpsKey(_ signer: TUFSigner) throws {
        try editor.delegateBrakes(to: [signer.key], signers: [releaseSigner], at: now)
        opsSigner = signer
        try editor.setBrakes([], signers: [signer], at: now)
        try save()
    }

    /// Lists anything in the brakes role, as a thief of its key and of the freshness key does who
    /// writes his own tools. The owner does not see it: nothing can be saved afterwards.
    public func forgeBrakes(_ files: [TargetFile], signer: TUFSigner? = nil) throws {
        try forge(BrakesRole.name, files, signer: signer ?? opsSigner)
    }

    /// The same for any delegated role.
    public func forge(_ role: String, _ files: [TargetFile], signer: TUFSigner) throws {
        guard var forged = editor.delegated[role]?.signed, var snapshot = editor.snapshot?.signed,
            var timestamp = editor.timestamp?.signed
        else { throw TUFError(.roleNotDelegated, "no brakes yet") }
        func publish<Role: MetadataRole>(_ role: Role, _ signer: TUFSigner, as name: String) throws
        {
            try write(
                try SignedMetadata(role, signers: [signer]).encoded(), to: "metadata/\(name).json")
        }
        for file in files { forged.targets[file.path] = file }
        forged.header.version += 1
        try publish(forged, signer, as: "\(forged.version).\(role)")
        snapshot.meta["\(role).json"] = MetaFile(version: forged.version)
        snapshot.header.version += 1
        try publish(snapshot, freshnessSigner, as: "\(snapshot.version).snapshot")
        timestamp.snapshot = MetaFile(version: snapshot.version)
        timestamp.header.version += 1
        try publish(timestamp, freshnessSigner, as: "timestamp")
    }

    /// Has another key sign releases from now on: a new root, targets and the build's role.
    public func replaceReleaseKey(
        _ signer: TUFSigner, _ change: (inout Root) -> Void = { _ in }
    ) throws {
        try editor.replaceReleaseKeys(
            [signer.key], signers: [signer], rootSigners: [rootSigner], at: now
        ) { change(&$0) }
        releaseSigner = signer
        try save()
    }

    /// Takes a release out of the build's role.
    public func unlist(version: String) throws {
        let build = role.dropFirst("build-".count)
        try editor.setTargets(
            [], removing: ["modules/\(build)/\(version).wasm"], in: role,
            signers: [releaseSigner], at: now)
        try save()
    }
}
