import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import TUF
@testable import TUFRepository

/// PyPI `tuf` on the other side: its client reads what we write, we read what it writes.
@Suite("python-tuf")
struct PythonTUFTests {
    /// The part `tree` of a folder, served by `python3 -m http.server`, which is ended with this
    /// value.
    final class Server: Sendable {
        let base: String
        private let process: ChildProcess

        init(_ folder: TemporaryDirectory) throws {
            let port = Tools.freePort()
            base = "http://127.0.0.1:\(port)/tree"
            process = try ChildProcess(
                Tools.python,
                [
                    "-u", "-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory",
                    folder.path,
                ])
            try process.waitForOutput("Serving HTTP")
        }

        deinit { process.kill() }
    }

    /// Reads a served tree from the disk, for our client.
    struct FolderFetcher: MetadataFetcher, TargetFetcher {
        let folder: URL

        private func read(_ path: String) -> [UInt8]? {
            (try? Data(contentsOf: folder.appendingPathComponent(path))).map { Array($0) }
        }

        func fetch(
            _ name: String, maximumLength: Int, ifNoneMatch validator: String?
        ) -> FetchResult {
            read("metadata/" + name).map { .found($0, validator: nil) } ?? .missing
        }

        func fetchTarget(_ path: String, maximumLength: Int) -> [UInt8]? { read("targets/" + path) }
    }

    private func run(
        _ script: String, _ arguments: [String] = [], in folder: TemporaryDirectory
    ) throws -> ChildProcess.Result {
        try folder.write(script, to: "script.py")
        return try ChildProcess.run(
            Tools.python, ["script.py"] + arguments, in: folder.url)
    }

    private func write(_ bytes: [UInt8], _ path: String, in folder: TemporaryDirectory) throws {
        let url = folder.file(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    private func publish(
        _ repository: RepositorySimulator, in folder: TemporaryDirectory
    ) async throws {
        for (name, bytes) in await repository.files {
            try write(bytes, "tree/metadata/\(name)", in: folder)
        }
        for (path, bytes) in await repository.targetFiles {
            try write(bytes, "tree/targets/\(path)", in: folder)
        }
    }

    /// ngclient.Updater, unchanged, over HTTP.
    private static let client = """
        import json, os, sys
        from tuf.ngclient import Updater
        base, target = sys.argv[1], sys.argv[2]
        os.makedirs("trusted", exist_ok=True)
        os.makedirs("downloads", exist_ok=True)
        updater = Updater(
            metadata_dir="trusted", metadata_base_url=base + "/metadata/",
            target_dir="downloads", target_base_url=base + "/targets/",
            bootstrap=open("root.json", "rb").read())
        updater.refresh()
        info = updater.get_targetinfo(target)
        if info is None:
            print("none")
        else:
            path = updater.download_target(info)
            print(json.dumps({
                "custom": info.custom, "size": os.path.getsize(path),
                "body": open(path).read()}, sort_keys=True))
        """

    @Test("its client, unchanged, refreshes, finds a target through the delegation, downloads it")
    func theirClient() async throws {
        let folder = try TemporaryDirectory("python-tuf")
        let repository = try RepositorySimulator(at: .now)
        try await publish(repository, in: folder)
        try write(await repository.files["1.root.json"] ?? [], "root.json", in: folder)
        let tree = try Server(folder)
        let first = try run(Self.client, [tree.base, RepositorySimulator.module], in: folder)
        #expect(
            first.standardOutput
                == #"{"body": "module one", "custom": {"sequence": 1, "version": "1.0.0"}, "#
                + "\"size\": 10}\n", "\(first.standardError)")

        // A release, a new root with another release key, a second build: the same client goes on.
        let newKey = TUFSigner(try SigningKey.generate(.p256))
        try await repository.release(2, at: .now)
        try await repository.publish(at: .now) { editor in
            try editor.editRoot(signers: [repository.rootKey], at: .now) {
                $0.setKeys([repository.releaseKey.key, newKey.key], of: .targets)
                $0.openPatch?.minSequence = 2
            }
            try editor.registerBuild(
                fingerprint: "ffffffffffffffff00", signers: [newKey], at: .now)
        }
        try await publish(repository, in: folder)
        let second = try run(
            Self.client, [tree.base, "modules/0011223344556677/2.wasm"], in: folder)
        #expect(second.standardOutput.contains("module 2"), "\(second.standardError)")
        let absent = try run(
            Self.client, [tree.base, "modules/ffffffffffffffff/1.wasm"], in: folder)
        #expect(absent.standardOutput == "none\n", "\(absent.standardError)")
    }

    @Test("its client accepts each kind of key that we sign with", arguments: KeyKind.allCases)
    func keyKinds(kind: KeyKind) async throws {
        let folder = try TemporaryDirectory("python-tuf")
        let key: SigningKey
        if kind == .rsa {
            let made = try ChildProcess.run(
                "openssl",
                [
                    "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out",
                    "rsa.pem",
                ], in: folder.url)
            #expect(made.status == 0, "\(made.standardError)")
            key = try SigningKey(
                pemRepresentation: String(contentsOf: folder.file("rsa.pem"), encoding: .utf8))
        } else {
            key = try SigningKey.generate(kind)
        }
        let signer = TUFSigner(key)
        let repository = try RepositorySimulator(at: .now)
        // Every role but the first root is signed with it.
        try await repository.publish(at: .now, freshness: [signer]) { editor in
            try editor.editRoot(signers: [repository.rootKey, signer], at: .now) {
                for role in TopLevelRole.allCases { $0.setKeys([signer.key], of: role) }
            }
            try editor.editTargets(signers: [signer], at: .now)
            try editor.registerBuild(
                fingerprint: RepositorySimulator.fingerprint, signers: [signer], at: .now)
            try editor.setTargets(
                [], in: RepositorySimulator.build, signers: [signer], at: .now)
        }
        try await publish(repository, in: folder)
        try write(await repository.files["1.root.json"] ?? [], "root.json", in: folder)
        let tree = try Server(folder)
        let run = try run(Self.client, [tree.base, RepositorySimulator.module], in: folder)
        #expect(run.standardOutput.contains("module one"), "\(kind): \(run.standardError)")
        // And so do we.
        let device = try await Device(repository)
        device.clock.time = .now
        #expect(try await device.updater.target(RepositorySimulator.module) != nil)
    }

    @Test("its client refuses our repository after a bit is flipped, so it does verify")
    func theirClientRefuses() async throws {
        let folder = try TemporaryDirectory("python-tuf")
        let repository = try RepositorySimulator(at: .now)
        try await publish(repository, in: folder)
        try write(await repository.files["1.root.json"] ?? [], "root.json", in: folder)
        let name = "2.build-0011223344556677.json"
        let text = String(decoding: await repository.files[name] ?? [], as: UTF8.self)
        try folder.write(
            text.replacingOccurrences(of: "\"length\":10", with: "\"length\":11"),
            to: "tree/metadata/\(name)")
        let tree = try Server(folder)
        let result = try run(Self.client, [tree.base, RepositorySimulator.module], in: folder)
        #expect(result.status != 0)
        #expect(result.standardError.contains("was signed by 0/1 keys"))
    }

    @Test("it computes the same key identifiers and the same signed bytes")
    func keyIdentifiers() async throws {
        let folder = try TemporaryDirectory("python-tuf")
        let repository = try RepositorySimulator(at: .now)
        for kind in [KeyKind.p256, .p384] {
            let key = TUFKey(try SigningKey.generate(kind).publicKey)
            try await repository.publish(at: .now) {
                try $0.editRoot(signers: [repository.rootKey], at: .now) {
                    $0.keys[key.keyID] = key
                    $0[.root].keyIDs.append(key.keyID)
                }
            }
        }
        try await publish(repository, in: folder)
        let script = """
            import glob, hashlib
            from securesystemslib.signer import SSlibKey
            from securesystemslib.signer._utils import compute_default_keyid
            from tuf.api.metadata import Metadata
            for path in sorted(glob.glob("tree/metadata/*.json")):
                document = Metadata.from_file(path)
                name = path.rsplit("/", 1)[1]
                print(name, hashlib.sha256(document.signed_bytes).hexdigest())
                for keyid, key in getattr(document.signed, "keys", {}).items():
                    assert isinstance(key, SSlibKey), key
                    assert keyid == compute_default_keyid(key.keytype, key.scheme, key.keyval)
            """
        let result = try run(script, in: folder)
        #expect(result.status == 0, "\(result.standardError)")
        var expected: [String] = []
        for (name, bytes) in await repository.files.sorted(by: { $0.key < $1.key }) {
            let signed = try #require(try JSONValue(parsing: bytes)["signed"])
            expected.append("\(name) \(SHA256.hash(CanonicalJSON.encode(signed)).hex)")
        }
        #expect(result.standardOutput.split(separator: "\n").map(String.init) == expected)
    }

    /// Writes a repository with python-tuf's own metadata API: a threshold of two for root, RSA,
    /// ECDSA and Ed25519 keys, delegations by path and by hash prefix, hashes in the snapshot, odd
    /// target names and custom data.
    private static let writer = """
        import os, sys
        from datetime import datetime, timedelta, timezone
        from securesystemslib.signer import CryptoSigner
        from tuf.api.metadata import (
            DelegatedRole, Delegations, Metadata, MetaFile, Root, Snapshot, TargetFile, Targets,
            Timestamp)
        consistent = sys.argv[1] == "consistent"
        expires = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(days=10)
        root_keys = [CryptoSigner.generate_ed25519() for _ in range(3)]
        top, fresh = CryptoSigner.generate_rsa(), CryptoSigner.generate_ecdsa()
        dev, bin = CryptoSigner.generate_ed25519(), CryptoSigner.generate_ecdsa()
        os.makedirs("tree/metadata")
        written = {}

        def save(name, role, signers):
            document = Metadata(role)
            for signer in signers:
                document.sign(signer, append=True)
            data = document.to_bytes()
            versioned = consistent and name != "timestamp" or name == "root"
            prefix = f"{role.version}." if versioned else ""
            with open(f"tree/metadata/{prefix}{name}.json", "wb") as file:
                file.write(data)
            written[name] = data
            return data

        def target(path, body, custom=None):
            info = TargetFile.from_data(path, body, ["sha512", "sha256"])
            if custom:
                info.unrecognized_fields["custom"] = custom
            folder, _, name = path.rpartition("/")
            os.makedirs("tree/targets/" + folder, exist_ok=True)
            names = [f"{d}.{name}" for d in info.hashes.values()] if consistent else [name]
            for each in names:
                with open(os.path.join("tree/targets", folder, each), "wb") as file:
                    file.write(body)
            return info

        root = Root(expires=expires, consistent_snapshot=consistent)
        for key in root_keys:
            root.add_key(key.public_key, "root")
        root.roles["root"].threshold = 2
        root.add_key(top.public_key, "targets")
        root.add_key(fresh.public_key, "snapshot")
        root.add_key(fresh.public_key, "timestamp")
        first = save("root", root, root_keys[:2])
        with open("root.json", "wb") as file:
            file.write(first)
        root.version = 2
        root.unrecognized_fields["x-note"] = {"kept": ["é", 1]}
        save("root", root, root_keys[1:])

        targets = Targets(expires=expires)
        targets.targets["top level.txt"] = target("top level.txt", b"top", {"n": {"a": [1, "ü"]}})
        roles = {
            "dev": DelegatedRole("dev", [], 1, False, ["dev/*/x?.bin"]),
            "bin": DelegatedRole("bin", [], 1, True, None, ["0", "1", "2", "3", "4", "5", "6", "7",
                "8", "9", "a", "b", "c", "d", "e", "f"])}
        targets.delegations = Delegations({}, roles)
        targets.add_key(dev.public_key, "dev")
        targets.add_key(bin.public_key, "bin")
        save("targets", targets, [top])
        role = Targets(expires=expires)
        role.targets["dev/a/x1.bin"] = target("dev/a/x1.bin", b"one")
        save("dev", role, [dev])
        role = Targets(expires=expires)
        role.targets["dev/a/y1.bin"] = target("dev/a/y1.bin", b"two")
        save("bin", role, [bin])
        snapshot = Snapshot(expires=expires)
        for name in ["targets", "dev", "bin"]:
            snapshot.meta[name + ".json"] = MetaFile.from_data(1, written[name], ["sha256"])
        save("snapshot", snapshot, [fresh])
        timestamp = Timestamp(expires=expires)
        timestamp.snapshot_meta = MetaFile.from_data(1, written["snapshot"], ["sha256", "sha512"])
        save("timestamp", timestamp, [fresh])
        """

    @Test("our client reads what it writes", arguments: ["consistent", "plain"])
    func ourClient(kind: String) async throws {
        let folder = try TemporaryDirectory("python-tuf")
        let written = try run(Self.writer, [kind], in: folder)
        #expect(written.status == 0, "\(written.standardError)")
        let source = FolderFetcher(folder: folder.file("tree"))
        let updater = TUFUpdater(
            bootstrap: Array(try Data(contentsOf: folder.file("root.json"))), fetcher: source,
            cache: MemoryMetadataCache())
        try await updater.refresh()
        let root = try #require(await updater.trusted?.root.signed)
        #expect(root.version == 2 && root.consistentSnapshot == (kind == "consistent"))
        #expect(root.header.unrecognized["x-note"] == ["kept": ["é", 1]])
        for (path, body) in [
            ("top level.txt", "top"), ("dev/a/x1.bin", "one"), ("dev/a/y1.bin", "two"),
        ] {
            let target = try #require(try await updater.target(path), "\(path)")
            let bytes = try await updater.download(target, from: source)
            #expect(String(decoding: bytes, as: UTF8.self) == body)
        }
        let custom = try await updater.target("top level.txt")?.custom
        #expect(custom == ["n": ["a": [1, "ü"]]])
        #expect(try await updater.target("dev/a/z1.bin") == nil)
        #expect(try await updater.target("dev/a/b/x1.bin") == nil)
    }

    @Test("documents that it wrote are read and written again without loss")
    func reserialised() throws {
        let folder = try TemporaryDirectory("python-tuf")
        #expect(try run(Self.writer, ["plain"], in: folder).status == 0)
        func check<Role: MetadataRole>(_ name: String, _ role: Role.Type) throws {
            let bytes = Array(try Data(contentsOf: folder.file("tree/metadata/\(name).json")))
            let document = try SignedMetadata<Role>(parsing: bytes)
            #expect(try JSONValue(parsing: bytes)["signed"] == document.signed.json)
            #expect(try JSONValue(parsing: document.encoded()) == JSONValue(parsing: bytes))
        }
        try check("2.root", Root.self)
        try check("timestamp", Timestamp.self)
        try check("snapshot", Snapshot.self)
        try check("targets", Targets.self)
        try check("dev", Targets.self)
    }
}
