import CommandLineKit
import Foundation
import PatchServer

/// `patchd --data DIR`
enum ServeCommand {
    private static let data = Parameter<String>.required(
        "data", placeholder: "folder", help: "The folder that holds everything; made when missing.",
        completion: .folder)
    private static let host = Parameter<String>.option(
        "host", placeholder: "address", default: "127.0.0.1", help: "IPv4 address to listen on.")
    private static let port = Parameter<UInt16>.option(
        "port", placeholder: "number", default: 8080, help: "Port to listen on; 0 takes a free one."
    )
    private static let adminTokenFile = Parameter<String?>.option(
        "admin-token-file", placeholder: "file",
        help: "File with the token that may create apps, instead of the one in the folder.",
        completion: .file([]))
    private static let threads = Parameter<Int>.option(
        "threads", placeholder: "number", default: max(2, ProcessInfo.processInfo.processorCount),
        help: "Threads that serve connections.",
        check: { (1...256).contains($0) ? nil : "expected 1 to 256" })
    private static let accessLog = Parameter<Bool>.flag(
        "access-log", help: "Log reads too, not only changes and failures.")

    private static let proxies = Parameter<[String]>.options(
        "trusted-proxy", placeholder: "address",
        help: "A proxy's address whose X-Forwarded-For is believed, for limits by address.")
    private static let telemetryRate = Parameter<Int>.option(
        "telemetry-rate", placeholder: "number", default: APISettings().telemetryPerMinute,
        help: "Telemetry requests a minute that one address may send.",
        check: { (1...10_000_000).contains($0) ? nil : "expected 1 to 10,000,000" })
    private static let installRate = Parameter<Int>.option(
        "install-rate", placeholder: "number", default: APISettings().installsPerMinute,
        help: "Installs a minute that one address may begin to tell of.",
        check: { (1...10_000_000).contains($0) ? nil : "expected 1 to 10,000,000" })
    private static let changeRate = Parameter<Int>.option(
        "change-rate", placeholder: "number", default: APISettings().changesPerMinute,
        help: "Changes a minute that one address may make.",
        check: { (2...10_000_000).contains($0) ? nil : "expected 2 to 10,000,000" })
    private static let privateWebhooks = Parameter<Bool>.flag(
        "private-webhooks", help: "Let webhooks point into the server's own network, and to http.")

    static var command: Command {
        Command(
            "patchd", abstract: "Serve over-the-air updates from one folder.",
            discussion: """
                Prints 'listening on http://…' once it is ready, logs to standard error, and ends \
                on SIGTERM or SIGINT after requests in flight are answered. 'patchd backup', \
                'restore', 'migrate' and 'check' care for the folder; each has its own --help.
                """,
            examples: [
                ("patchd --data ./patchd-data", "Serve on 127.0.0.1:8080."),
                ("patchd --data /var/lib/patchd --host 0.0.0.0 --port 80", "Serve everybody."),
            ],
            parameters: parameters(
                data, host, port, adminTokenFile, threads, accessLog, proxies, telemetryRate,
                installRate, changeRate, privateWebhooks),
            body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        var configuration = PatchServer.Configuration(
            dataFolder: URL(fileURLWithPath: try invocation[data]).path)
        configuration.host = try invocation[host]
        configuration.port = try invocation[port]
        configuration.adminTokenFile = try invocation[adminTokenFile]
        configuration.limits.threads = try invocation[threads]
        configuration.limits.trustedProxies = Set(try invocation[proxies])
        configuration.settings.telemetryPerMinute = try invocation[telemetryRate]
        configuration.settings.installsPerMinute = try invocation[installRate]
        configuration.settings.changesPerMinute = try invocation[changeRate]
        configuration.settings.privateWebhooks = try invocation[privateWebhooks]
        let log = ServerLog(writesRequests: try invocation[accessLog])
        let server = try PatchServer(
            configuration: configuration, log: log,
            checkpoint: CrashForTests.checkpoint(invocation.environment))
        let stopped = TerminationSignals()
        let address = try server.start()
        log.info("started", ["address": address, "data": configuration.dataFolder])
        if server.isFirstStart {
            invocation.console.note("admin token: \(server.adminTokenFile)")
        }
        try invocation.console.report(
            ["listening": address, "admin_token_file": server.adminTokenFile]
        ) { $0.print("listening on \(address)") }
        await stopped.wait()
        server.stop()
        log.info("stopped")
    }
}

/// Tests of crash safety end the process at a named step of a publication; nothing else sets
/// the variable.
enum CrashForTests {
    static func checkpoint(
        _ environment: [String: String]
    ) -> @Sendable (PublishStep) -> Void {
        guard let name = environment["OPENPATCH_TEST_CRASH_AT"],
            let step = PublishStep(rawValue: name)
        else { return { _ in } }
        return { if $0 == step { kill(getpid(), SIGKILL) } }
    }
}
