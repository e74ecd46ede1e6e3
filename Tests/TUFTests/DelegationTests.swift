import PatchCrypto
import TestSupport
import Testing

@testable import TUF
@testable import TUFRepository

@Suite("Delegations")
struct DelegationTests {
    private let now = RepositorySimulator.start

    /// Publishes roles that delegate as `graph` says; every role lists the target named after it.
    private func publish(
        _ repository: RepositorySimulator, _ graph: [String: [(name: String, terminating: Bool)]],
        roles: [String], listing: [String: [String]] = [:]
    ) async throws {
        let key = repository.releaseKey
        func delegations(_ role: String) -> Delegations? {
            guard let children = graph[role] else { return nil }
            return Delegations(
                keys: [key.key],
                roles: children.map {
                    DelegatedRole(
                        name: $0.name, keys: RoleKeys(keyIDs: [key.key.keyID]),
                        scope: .paths(["*"]), terminating: $0.terminating)
                })
        }
        try await repository.publish { editor in
            try editor.editTargets(signers: [key], at: now) {
                $0.delegations = delegations("targets")
            }
            for role in roles {
                let targets = Targets(
                    header: MetadataHeader(version: 1, expires: now.adding(days: 1)),
                    targets: (listing[role] ?? []).map { TargetFile(path: $0, contents: [1]) },
                    delegations: delegations(role))
                editor.delegated[role] = try SignedMetadata(targets, signers: [key])
                editor.record(role, try #require(editor.delegated[role]))
            }
        }
    }

    @Test("roles are visited in order of appearance, each before its brothers")
    func order() async throws {
        let repository = try RepositorySimulator()
        try await publish(
            repository, ["targets": [("a", false), ("b", false)], "a": [("c", false)]],
            roles: ["a", "b", "c"], listing: ["b": ["x"], "c": ["x"]])
        let device = try await Device(repository)
        try await device.updater.refresh()
        _ = await repository.takeRequests()
        _ = try await device.updater.target("x")
        #expect(await repository.takeRequests() == ["1.a.json", "1.c.json"])
    }

    @Test("a terminating delegation ends the search, found or not")
    func terminating() async throws {
        let repository = try RepositorySimulator()
        try await publish(
            repository, ["targets": [("a", true), ("b", false)]], roles: ["a", "b"],
            listing: ["b": ["x"]])
        let device = try await Device(repository)
        #expect(try await device.updater.target("x") == nil)
    }

    @Test("delegation loops end: each role is visited once")
    func loops() async throws {
        let repository = try RepositorySimulator()
        try await publish(
            repository,
            ["targets": [("a", false)], "a": [("b", false), ("a", false)], "b": [("a", false)]],
            roles: ["a", "b"])
        let device = try await Device(repository)
        try await device.updater.refresh()
        _ = await repository.takeRequests()
        #expect(try await device.updater.target("x") == nil)
        #expect(await repository.takeRequests() == ["1.a.json", "1.b.json"])
    }

    @Test("a long chain of delegations ends at the bound")
    func bounded() async throws {
        let repository = try RepositorySimulator()
        let names = (0..<60).map { "role\($0)" }
        var graph: [String: [(name: String, terminating: Bool)]] = [
            "targets": [("role0", false)]
        ]
        for (name, next) in zip(names, names.dropFirst()) { graph[name] = [(next, false)] }
        try await publish(repository, graph, roles: names, listing: ["role59": ["x"]])
        let device = try await Device(repository) { $0.maximumDelegations = 10 }
        try await device.updater.refresh()
        _ = await repository.takeRequests()
        #expect(try await device.updater.target("x") == nil)
        #expect(await repository.takeRequests().count == 10)
        let patient = try await Device(repository) { $0.maximumDelegations = 64 }
        #expect(try await patient.updater.target("x") != nil)
    }

    @Test("a role reached by two delegators is verified against the one it is reached by")
    func twoDelegators() async throws {
        let repository = try RepositorySimulator()
        let mine = repository.releaseKey
        let other = TUFSigner(try SigningKey.generate())
        func child(_ signer: TUFSigner, _ path: String) -> Delegations {
            Delegations(
                keys: [signer.key],
                roles: [
                    DelegatedRole(
                        name: "release", keys: RoleKeys(keyIDs: [signer.key.keyID]),
                        scope: .paths([path]))
                ])
        }
        try await repository.publish { editor in
            let expires = now.adding(days: 1)
            try editor.editTargets(signers: [mine], at: now) {
                $0.delegations = Delegations(
                    keys: [mine.key],
                    roles: ["a", "b"].map {
                        DelegatedRole(
                            name: $0, keys: RoleKeys(keyIDs: [mine.key.keyID]),
                            scope: .paths(["\($0)/*"]))
                    })
            }
            for (name, delegations) in [("a", child(mine, "a/*")), ("b", child(other, "b/*"))] {
                editor.delegated[name] = try SignedMetadata(
                    Targets(
                        header: MetadataHeader(version: 1, expires: expires),
                        delegations: delegations), signers: [mine])
            }
            editor.delegated["release"] = try SignedMetadata(
                Targets(
                    header: MetadataHeader(version: 1, expires: expires),
                    targets: ["a/x", "b/x"].map { TargetFile(path: $0, contents: [1]) }),
                signers: [mine])
            for (name, document) in editor.delegated { editor.record(name, document) }
        }
        let device = try await Device(repository)
        #expect(try await device.updater.target("a/x") != nil)
        #expect(
            await code { _ = try await device.updater.target("b/x") } == "signatures_insufficient")
    }

    @Test("a role that is delegated to but missing from the snapshot is an error with a code")
    func notInSnapshot() async throws {
        let repository = try RepositorySimulator()
        try await publish(repository, ["targets": [("a", false)]], roles: [])
        let device = try await Device(repository)
        #expect(await code { _ = try await device.updater.target("x") } == "role_not_in_snapshot")
    }

    @Test("role names with slashes, dots and other letters cannot leave the folder")
    func oddNames() async throws {
        let repository = try RepositorySimulator()
        let names = ["../evil", "a/b", "?", "ü", "1.root", "%2e", "."]
        try await publish(
            repository, ["targets": names.map { ($0, false) }], roles: names,
            listing: [".": ["x"]])
        let device = try await Device(repository)
        try await device.updater.refresh()
        _ = await repository.takeRequests()
        #expect(try await device.updater.target("x") != nil)
        #expect(
            await repository.takeRequests() == [
                "1...%2Fevil.json", "1.a%2Fb.json", "1.%3F.json", "1.%C3%BC.json",
                "1.1.root.json", "1.%252e.json", "1...json",
            ])
        for name in names {
            let file = MetadataFileName.of(role: name, version: 7)
            let parsed = MetadataFileName.parse(file)
            #expect(parsed?.role == name && parsed?.version == 7)
        }
        for name in ["targets", "root", "", String(repeating: "x", count: 300)] {
            let json: JSONValue = [
                "name": .string(name), "keyids": [], "threshold": 1, "paths": ["*"],
            ]
            #expect(throws: TUFError.self) { try DelegatedRole(json: json) }
        }
    }

    @Test(
        "a pattern's wildcards stay within one segment of the path",
        arguments: [
            ("targets/*.tgz", "targets/foo.tgz", true), ("targets/*.tgz", "targets/foo.txt", false),
            ("*.tgz", "targets/foo.tgz", false), ("*.tgz", "foo.tgz", true),
            ("foo-?.tgz", "foo-2.tgz", true), ("foo-?.tgz", "foo-alpha.tgz", false),
            ("*", "a/b", false), ("*/*", "a/b", true), ("*", "", true), ("a*", "a", true),
            ("heads/*/module/ab.json", "heads/production/module/ab.json", true),
            ("heads/*/module/ab.json", "heads/x/y/module/ab.json", false),
            ("[ab].c", "a.c", true), ("[!ab].c", "a.c", false), ("[a-f]0", "e0", true),
            ("[", "[", true), ("[]]", "]", true), ("[a", "[a", true), ("A*", "abc", false),
            ("*a*b*c", "xxaxxbxxc", true), ("*a*b*c", "xxaxxbxx", false), ("?", "é", true),
        ])
    func patterns(pattern: String, path: String, matches: Bool) {
        #expect(PathPattern.matches(path, pattern) == matches)
    }

    @Test("patterns with stars alone match byte by byte what they match by segments")
    func starsAlone() {
        var generator = SeededGenerator()
        let pieces = ["a", "b", "é", "/", "*", "a*", "*/", "/*"]
        func text(_ pieces: [String], _ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
        }
        var matching = 0
        for _ in 0..<50_000 {
            let (path, pattern) = (text(["a", "b", "é", "/"], 7), text(pieces, 6))
            let expected = PathPattern.matchesBySegments(path, pattern)
            #expect(
                PathPattern.plainlyMatches(path, pattern) == expected,
                "'\(path)' '\(pattern)', seed \(generator.seed)")
            if expected { matching += 1 }
        }
        #expect(matching > 1_000)
        #expect(PathPattern.plainlyMatches("a", "?") == nil)
        #expect(PathPattern.plainlyMatches("a", "[a]") == nil)
    }

    @Test("a pattern full of stars costs no more than its length times the path's")
    func hostilePattern() {
        let pattern = String(repeating: "*a", count: 300) + "b"
        let path = String(repeating: "a", count: 600)
        #expect(!PathPattern.matches(path, pattern))
    }

    @Test("hash prefixes divide the paths by the digest of the path")
    func hashPrefixes() throws {
        let digest = SHA256.hash("a/b.wasm").hex
        let role = DelegatedRole(
            name: "bin", keys: RoleKeys(keyIDs: []),
            scope: .hashPrefixes([String(digest.prefix(2))])
        )
        #expect(role.covers("a/b.wasm"))
        let others = (0..<200).filter { role.covers("other/\($0)") }
        #expect(others.count < 20)
        #expect(try DelegatedRole(json: role.json) == role)
    }
}
