import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import TUF
@testable import TUFRepository

/// Delegation graphs drawn at random, searched by us, by a plain recursion and by python-tuf.
@Suite("Delegation graphs")
struct GraphTests {
    private let now = RepositorySimulator.start

    private struct Edge {
        let child: Int
        let patterns: [String]
        let prefixes: [String]?
        let terminating: Bool
    }

    /// Roles 0… in a graph that may have circles and several ways to a role.
    private struct Graph {
        var edges: [[Edge]]
        /// Target paths by role; the top-level targets come last.
        var targets: [[String]]

        static let paths = ["a/x", "a/y", "b/x", "b/y", "c", "a/b/x"]
        static let patterns = ["*", "*/*", "a/*", "b/?", "*/x", "c", "[ab]/x", "a/b/*", "nothing"]

        init(using generator: inout SeededGenerator) {
            let count = Int.random(in: 1...6, using: &generator)
            edges = []
            targets = []
            for _ in 0...count {
                var list: [Edge] = []
                var seen: Set<Int> = []
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    let child = Int.random(in: 0..<count, using: &generator)
                    guard seen.insert(child).inserted else { continue }
                    let hashed = Int.random(in: 0..<5, using: &generator) == 0
                    list.append(
                        Edge(
                            child: child,
                            patterns: (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                                Graph.patterns.randomElement(using: &generator) ?? "*"
                            },
                            prefixes: hashed
                                ? (0..<8).map { _ in
                                    String(Int.random(in: 0..<16, using: &generator), radix: 16)
                                } : nil,
                            terminating: Int.random(in: 0..<4, using: &generator) == 0))
                }
                edges.append(list)
                targets.append(
                    Graph.paths.filter { _ in Int.random(in: 0..<5, using: &generator) == 0 })
            }
        }

        var top: Int { edges.count - 1 }

        func name(_ role: Int) -> String { role == top ? "targets" : "role\(role)" }
    }

    /// The specification's search (§5.6.7) as a plain recursion. A path is the answer's contents.
    private func expected(_ graph: Graph, _ path: String) -> String? {
        enum Outcome {
            case found(String)
            case stop
            case goOn
        }
        var visited: Set<Int> = []
        func visit(_ role: Int) -> Outcome {
            guard visited.insert(role).inserted else { return .goOn }
            if graph.targets[role].contains(path) {
                return .found("\(graph.name(role)):\(path)")
            }
            for edge in graph.edges[role] {
                let covers =
                    edge.prefixes.map { list in
                        list.contains { SHA256.hash(path).hex.hasPrefix($0) }
                    } ?? edge.patterns.contains { PathPattern.matches(path, $0) }
                guard covers else { continue }
                switch visit(edge.child) {
                case .found(let text): return .found(text)
                case .stop: return .stop
                case .goOn: if edge.terminating { return .stop }
                }
            }
            return .goOn
        }
        if case .found(let text) = visit(graph.top) { return text }
        return nil
    }

    private func publish(
        _ graph: Graph, at time: MetadataTime
    ) async throws -> RepositorySimulator {
        let repository = try RepositorySimulator(at: time)
        let key = repository.releaseKey
        func document(_ role: Int, version: Int) throws -> SignedMetadata<Targets> {
            let files = graph.targets[role].map {
                TargetFile(path: $0, contents: Array("\(graph.name(role)):\($0)".utf8))
            }
            let delegations = Delegations(
                keys: graph.edges[role].isEmpty ? [] : [key.key],
                roles: graph.edges[role].map { edge in
                    DelegatedRole(
                        name: graph.name(edge.child), keys: RoleKeys(keyIDs: [key.key.keyID]),
                        scope: edge.prefixes.map { .hashPrefixes($0) } ?? .paths(edge.patterns),
                        terminating: edge.terminating)
                })
            return try SignedMetadata(
                Targets(
                    header: MetadataHeader(version: version, expires: time.adding(days: 9)),
                    targets: files, delegations: delegations), signers: [key])
        }
        for role in 0..<graph.edges.count {
            for path in graph.targets[role] {
                let body = Array("\(graph.name(role)):\(path)".utf8)
                try await repository.addTargetFile(TargetFile(path: path, contents: body), body)
            }
        }
        try await repository.publish(at: time) { editor in
            let top = try document(graph.top, version: 3)
            editor.targets = top
            editor.record("targets", top)
            for role in 0..<graph.top {
                let new = try document(role, version: 1)
                editor.delegated[graph.name(role)] = new
                editor.record(graph.name(role), new)
            }
        }
        return repository
    }

    @Test("a search finds what a plain recursion over the graph finds")
    func againstRecursion() async throws {
        var generator = SeededGenerator()
        var found = 0
        for _ in 0..<60 {
            let graph = Graph(using: &generator)
            let repository = try await publish(graph, at: now)
            let device = try await Device(repository)
            for path in Graph.paths + ["unknown"] {
                let target = try await device.updater.target(path)
                let text = expected(graph, path)
                #expect(
                    target?.sha256 == text.map { SHA256.hash($0).hex }, "\(path); \(generator)")
                if text != nil { found += 1 }
            }
        }
        #expect(found > 20, "\(generator)")
    }

    @Test("python-tuf finds the same in the same trees")
    func againstPython() async throws {
        var generator = SeededGenerator()
        let folder = try TemporaryDirectory("graphs")
        var answers: [String] = []
        for index in 0..<12 {
            let graph = Graph(using: &generator)
            let repository = try await publish(graph, at: .now)
            for (name, bytes) in await repository.files {
                try folder.write(
                    String(decoding: bytes, as: UTF8.self), to: "\(index)/metadata/\(name)")
            }
            for (path, bytes) in await repository.targetFiles {
                try folder.write(
                    String(decoding: bytes, as: UTF8.self), to: "\(index)/targets/\(path)")
            }
            for path in Graph.paths + ["unknown"] {
                answers.append("\(index) \(path) \(expected(graph, path) ?? "none")")
            }
        }
        // A fetcher for files in place of HTTP; the updater is as it comes.
        let script = """
            import os, sys
            from tuf.api.exceptions import DownloadHTTPError
            from tuf.ngclient import FetcherInterface, Updater

            class Files(FetcherInterface):
                def _fetch(self, url):
                    path = url.removeprefix("file:")
                    if not os.path.exists(path):
                        raise DownloadHTTPError("absent", 404)
                    yield open(path, "rb").read()

            for index in range(int(sys.argv[1])):
                os.makedirs(f"trusted/{index}", exist_ok=True)
                os.makedirs(f"down/{index}", exist_ok=True)
                updater = Updater(
                    metadata_dir=f"trusted/{index}",
                    metadata_base_url=f"file:{index}/metadata/",
                    target_dir=f"down/{index}", target_base_url=f"file:{index}/targets/",
                    fetcher=Files(),
                    bootstrap=open(f"{index}/metadata/1.root.json", "rb").read())
                for path in sys.argv[2:]:
                    info = updater.get_targetinfo(path)
                    text = "none" if info is None else open(updater.download_target(info)).read()
                    print(index, path, text)
            """
        try folder.write(script, to: "script.py")
        let run = try ChildProcess.run(
            Tools.python, ["script.py", "12"] + Graph.paths + ["unknown"], in: folder.url)
        #expect(run.status == 0, "\(run.standardError)")
        #expect(
            run.standardOutput.split(separator: "\n").map(String.init) == answers, "\(generator)")
    }
}
