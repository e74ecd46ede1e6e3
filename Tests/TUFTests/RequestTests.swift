import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

/// What a check asks for, what it stores, and what it makes of odd answers.
@Suite("Requests and storage")
struct RequestTests {
    private let now = RepositorySimulator.start
    private static let build = RepositorySimulator.build

    /// A device that has checked once and found the module; the log is empty.
    private func ready(
        _ repository: RepositorySimulator,
        configure: (inout UpdaterConfiguration) -> Void = { _ in }
    ) async throws -> Device {
        let device = try await Device(repository, configure: configure)
        try await device.updater.refresh()
        _ = try await device.updater.target(RepositorySimulator.module)
        _ = await repository.takeRequests()
        return device
    }

    private func check(_ device: Device) async throws -> [String] {
        try await device.updater.refresh()
        _ = try await device.updater.target(RepositorySimulator.module)
        return await device.repository.takeRequests()
    }

    @Test("a renewed timestamp costs two requests")
    func renewedTimestamp() async throws {
        let repository = try RepositorySimulator()
        let device = try await ready(repository)
        try await repository.publish()
        #expect(try await check(device) == ["timestamp.json?", "2.root.json"])
        #expect(try await check(device) == ["timestamp.json?"])
    }

    @Test("a renewed snapshot costs one more")
    func renewedSnapshot() async throws {
        let repository = try RepositorySimulator()
        let device = try await ready(repository)
        device.clock.time = now.adding(days: 3)
        try await repository.publish(at: device.clock.time)
        #expect(
            try await check(device) == ["timestamp.json?", "2.root.json", "2.snapshot.json"])
    }

    @Test("new delegations cost the targets, not the build roles that stayed")
    func newBuild() async throws {
        let repository = try RepositorySimulator()
        let device = try await ready(repository)
        try await repository.publish {
            try $0.registerBuild(
                fingerprint: "ffffffffffffffff", signers: [repository.releaseKey], at: now)
        }
        #expect(
            try await check(device) == [
                "timestamp.json?", "2.root.json", "2.snapshot.json", "3.targets.json",
            ])
    }

    @Test("a release of another build costs no more than the snapshot")
    func otherBuild() async throws {
        let repository = try RepositorySimulator()
        try await repository.publish {
            try $0.registerBuild(
                fingerprint: "ffffffffffffffff", signers: [repository.releaseKey], at: now)
        }
        let device = try await ready(repository)
        try await repository.publish {
            try $0.setTargets(
                [TargetFile(path: "modules/ffffffffffffffff/1.wasm", contents: [1])],
                in: "build-ffffffffffffffff", signers: [repository.releaseKey], at: now)
        }
        #expect(
            try await check(device) == ["timestamp.json?", "2.root.json", "3.snapshot.json"])
    }

    @Test("the strictly conforming client begins with the root each time")
    func conforming() async throws {
        let repository = try RepositorySimulator()
        let device = try await ready(repository) { $0.asksConditionally = false }
        #expect(try await check(device) == ["2.root.json", "timestamp.json"])
        try await repository.publish {
            try $0.editRoot(signers: [repository.rootKey], at: now) { _ in }
        }
        #expect(
            try await check(device) == ["2.root.json", "3.root.json", "timestamp.json"])
    }

    @Test("without consistent snapshots only roots have versions in their names")
    func plainNames() async throws {
        let repository = try RepositorySimulator()
        try await repository.publish {
            try $0.editRoot(signers: [repository.rootKey], at: now) {
                $0.consistentSnapshot = false
            }
        }
        for (plain, versioned) in [
            ("snapshot.json", "1.snapshot.json"), ("targets.json", "2.targets.json"),
            ("\(Self.build).json", "2.\(Self.build).json"),
        ] { await repository.serve(plain, await repository.files[versioned]) }
        await repository.serveTarget(RepositorySimulator.module, Array("module one".utf8))
        let device = try await Device(repository, root: await repository.files["1.root.json"])
        let target = try #require(try await device.updater.target(RepositorySimulator.module))
        _ = try await device.updater.download(target, from: repository)
        #expect(
            await repository.takeRequests() == [
                "2.root.json", "3.root.json", "timestamp.json", "snapshot.json", "targets.json",
                "\(Self.build).json", RepositorySimulator.module,
            ])
    }

    @Test("a role that is refused is not stored, those before it are")
    func storedUpToTheFault() async throws {
        let order = ["root", "timestamp", "snapshot", "targets"]
        let names = ["2.root.json", "timestamp.json", "2.snapshot.json", "3.targets.json"]
        for (index, name) in names.enumerated() {
            let repository = try RepositorySimulator()
            let device = try await Device(repository) { $0.asksConditionally = false }
            try await device.updater.refresh()
            let before = await device.cache.load("timestamp.json")
            try await repository.publish { editor in
                try editor.editRoot(signers: [repository.rootKey], at: now) { _ in }
                try editor.editTargets(signers: [repository.releaseKey], at: now)
            }
            await repository.serve(name, Array("{}".utf8))
            #expect(await code { try await device.updater.refresh() } != nil)
            let new = ["root": 2, "timestamp": 2, "snapshot": 2, "targets": 3]
            let old = ["timestamp": 1, "snapshot": 1, "targets": 2]
            for (place, role) in order.enumerated() {
                let expected = place < index ? new[role] : old[role]
                #expect(try await device.storedVersion(role) == expected, "\(name): \(role)")
            }
            if index <= 1 { #expect(await device.cache.load("timestamp.json") == before) }
        }
    }

    @Test("what is stored is the file as it came, byte by byte")
    func storedBytes() async throws {
        let repository = try RepositorySimulator()
        let spaced = (await repository.files["timestamp.json"] ?? []) + Array(" \n".utf8)
        await repository.serve("timestamp.json", spaced)
        let device = try await Device(repository)
        try await device.updater.refresh()
        #expect(await device.cache.load("timestamp.json") == spaced)
        for (stored, served) in [
            ("snapshot.json", "1.snapshot.json"), ("targets.json", "2.targets.json"),
        ] {
            #expect(await device.cache.load(stored) == (await repository.files[served]))
        }
    }

    @Test("a timestamp changed without a new version is not taken, and not stored")
    func sameVersion() async throws {
        let repository = try RepositorySimulator()
        let device = try await ready(repository)
        var changed = try #require(await repository.editor.timestamp).signed
        changed.snapshot = MetaFile(version: 100)
        let bytes = try SignedMetadata(changed, signers: [repository.freshnessKey]).encoded()
        await repository.serve("timestamp.json", bytes)
        #expect(try await check(device) == ["timestamp.json?", "2.root.json"])
        #expect(await device.cache.load("timestamp.json") != bytes)
        // Its validator belongs to other bytes, so the next check does not rely on it.
        #expect(await device.cache.load("timestamp.validator") == nil)
        #expect(try await check(device) == ["2.root.json", "timestamp.json"])
    }

    // MARK: Odd answers

    /// Answers by a script; what is not in it goes to the repository.
    private actor OddServer: MetadataFetcher {
        let repository: RepositorySimulator
        var validator: String??
        var notModified: Set<String> = []
        private(set) var sent: [String?] = []

        init(_ repository: RepositorySimulator) { self.repository = repository }

        func setValidator(_ value: String??) { validator = value }
        func setNotModified(_ names: Set<String>) { notModified = names }
        func takeSent() -> [String?] {
            defer { sent = [] }
            return sent
        }

        func fetch(
            _ name: String, maximumLength: Int, ifNoneMatch given: String?
        ) async throws -> FetchResult {
            if name == "timestamp.json" { sent.append(given) }
            if notModified.contains(name) { return .notModified }
            let answer = try await repository.fetch(
                name, maximumLength: maximumLength, ifNoneMatch: nil)
            if case .found(let bytes, _) = answer, let validator {
                return .found(bytes, validator: validator)
            }
            return answer
        }
    }

    private func updater(_ server: OddServer, _ cache: MemoryMetadataCache) async -> TUFUpdater {
        TUFUpdater(
            bootstrap: await server.repository.files["1.root.json"], fetcher: server, cache: cache,
            now: { RepositorySimulator.start })
    }

    @Test("a server without validators, or that ignores them, is asked in full")
    func withoutValidators() async throws {
        let server = OddServer(try RepositorySimulator())
        await server.setValidator(.some(nil))
        let client = await updater(server, MemoryMetadataCache())
        for _ in 0..<3 { #expect(try await client.refresh() == .refreshed) }
        #expect(await server.takeSent() == [nil, nil, nil])
        await server.setValidator("\"constant\"")
        for _ in 0..<3 { #expect(try await client.refresh() == .refreshed) }
        #expect(await server.takeSent() == [nil, "\"constant\"", "\"constant\""])
    }

    @Test(
        "a validator that would break a header, or is endless, is never sent back",
        arguments: ["a\r\nX-Evil: 1", "\u{0}", "ü", "", String(repeating: "x", count: 5000)])
    func badValidators(validator: String) async throws {
        let server = OddServer(try RepositorySimulator())
        await server.setValidator(validator)
        let client = await updater(server, MemoryMetadataCache())
        for _ in 0..<2 { try await client.refresh() }
        #expect(await server.takeSent() == [nil, nil])
    }

    @Test("'not modified' to a question that was not conditional is no answer")
    func unaskedNotModified() async throws {
        for name in ["timestamp.json", "1.snapshot.json", "2.targets.json"] {
            let server = OddServer(try RepositorySimulator())
            await server.setNotModified([name])
            let client = await updater(server, MemoryMetadataCache())
            #expect(await code { try await client.refresh() } == "metadata_unavailable", "\(name)")
        }
        // For the root it means what absence means: there is no newer one.
        let server = OddServer(try RepositorySimulator())
        await server.setNotModified(["2.root.json"])
        let client = await updater(server, MemoryMetadataCache())
        try await client.refresh()
    }

    @Test("a role that the server does not have is an error that names it")
    func absentRoles() async throws {
        for (name, role) in [
            ("timestamp.json", "timestamp"), ("1.snapshot.json", "snapshot"),
            ("2.targets.json", "targets"), ("2.\(Self.build).json", Self.build),
        ] {
            let repository = try RepositorySimulator()
            await repository.serve(name, nil)
            let device = try await Device(repository)
            do {
                try await device.updater.refresh()
                _ = try await device.updater.target(RepositorySimulator.module)
                Issue.record("\(name) was not missed")
            } catch let error as TUFError {
                #expect(error.code == "metadata_unavailable" && error.role == role)
            }
        }
    }

    @Test("each role has a bound of its own, which the fetcher is told")
    func bounds() async throws {
        actor Bounds: MetadataFetcher {
            let repository: RepositorySimulator
            private(set) var seen: [String: Int] = [:]
            init(_ repository: RepositorySimulator) { self.repository = repository }
            func fetch(
                _ name: String, maximumLength: Int, ifNoneMatch validator: String?
            ) async throws -> FetchResult {
                seen[name] = maximumLength
                return try await repository.fetch(
                    name, maximumLength: maximumLength, ifNoneMatch: validator)
            }
        }
        let repository = try RepositorySimulator()
        let fetcher = Bounds(repository)
        let client = TUFUpdater(
            bootstrap: await repository.files["1.root.json"], fetcher: fetcher,
            cache: MemoryMetadataCache(), now: { RepositorySimulator.start })
        _ = try await client.target(RepositorySimulator.module)
        let seen = await fetcher.seen
        let defaults = UpdaterConfiguration()
        #expect(seen["2.root.json"] == defaults.rootMaximumLength)
        #expect(seen["timestamp.json"] == defaults.timestampMaximumLength)
        #expect(seen["2.targets.json"] == defaults.targetsMaximumLength)
        #expect(seen["2.\(Self.build).json"] == defaults.targetsMaximumLength)
        // The timestamp states the snapshot's length, so no more than that is read.
        #expect(seen["1.snapshot.json"] == (await repository.files["1.snapshot.json"])?.count)
    }

    @Test("a length in signed metadata does not lift the client's own bound")
    func signedLength() async throws {
        let repository = try RepositorySimulator()
        var timestamp = try #require(await repository.editor.timestamp).signed
        timestamp.snapshot.length = 1 << 40
        await repository.serve(
            "timestamp.json",
            try SignedMetadata(timestamp, signers: [repository.freshnessKey]).encoded())
        await repository.serve("1.snapshot.json", [UInt8](repeating: 0x20, count: 6_000_000))
        let device = try await Device(repository)
        #expect(await code { try await device.updater.refresh() } == "metadata_too_large")
    }
}
