import CommandLineKit
import PatchCompiler
import TUF

/// How many devices a change is about, as far as the server was told.
struct Reach: Encodable, Equatable, Sendable {
    /// Installs of the builds that told the server anything.
    let devices: Int
    /// How many builds these are.
    let builds: Int
    /// Installs of the app, whatever their build.
    let installs: Int

    /// `31,204 known devices on 2 builds`
    var words: String {
        Quantity.number(devices) + (devices == 1 ? " known device" : " known devices") + " on "
            + Quantity.count(builds, "build")
    }

    /// Counts the devices of some builds, or of a web bundle.
    /// - Returns: Nil where nobody counts: in a static tree, without a token, or when the server
    ///   does not answer that. A rollback in an emergency must not wait for a number, so what went
    ///   wrong is only noted; publishing meets it again where it matters.
    static func of(
        _ fingerprints: [String], bundle: String? = nil, _ workspace: Workspace, _ console: Console
    ) async -> Reach? {
        guard !workspace.isStatic, let access = try? ServerAccess(workspace) else { return nil }
        do {
            // The server tells of 200 pairs of release and build at most; of one build that is all.
            var query = [("days", "1")]
            if let bundle {
                query.append(("bundle", bundle))
            } else if fingerprints.count == 1 {
                query.append(("fingerprint", fingerprints[0]))
            }
            let insights: InsightsCommand.Document = try await access.call(
                "GET", "insights", query: query)
            let own = insights.releases.filter {
                $0.bundle == bundle && fingerprints.contains($0.fingerprint)
            }
            return Reach(
                devices: own.reduce(0) { $0 + $1.current }, builds: Set(fingerprints).count,
                installs: insights.installs)
        } catch {
            console.note("How many devices that concerns is not known: \(Explain.text(error))")
            return nil
        }
    }

    /// Refuses to release for builds that nobody runs, while others of the app are in use.
    /// - Throws: ``CommandFailure`` `reaches_nobody`, exit 3.
    func check(allowing: Bool) throws {
        guard devices == 0, installs > 0, !allowing else { return }
        throw CommandFailure(
            "reaches_nobody",
            "This would reach none of the \(Quantity.number(installs)) devices "
                + "that the server knows; nothing was uploaded",
            why: "None of them runs this build. Was another one shipped, or is this one not yet in "
                + "the store?",
            fix: "patchcli builds list, or --allow-unreachable", exit: .unreachable)
    }
}
