import Foundation
import Rollout
import RolloutGates
import WebViewBundle

/// Rollouts and brakes.
struct RolloutEndpoints: Sendable {
    private static let app = "/api/v1/apps/{app_key}"
    /// A rollout of modules, and one of a web bundle.
    private static let places = [
        "\(app)/rollouts/{channel}/{fingerprint}", "\(app)/bundle-rollouts/{channel}/{bundle}",
    ]

    let services: Services
    private var rollouts: RolloutService { services.rollouts }

    var routes: [Route] {
        [
            Route("GET", "\(Self.app)/rollouts", .app(.read), .body(0, list)),
            Route("GET", "\(Self.app)/brakes/{channel}", .app(.read), .body(0, showBrake)),
            Route("POST", "\(Self.app)/brakes", .app(.rollout), .body(64 << 10, brake)),
        ] + Self.places.flatMap(routes)
    }

    private func routes(_ one: String) -> [Route] {
        [
            Route("GET", one, .app(.read), .body(0, show)),
            Route("PUT", one, .app(.rollout), .body(JSONBody.usual, change)),
            Route("POST", "\(one)/halt", .app(.rollout), .body(JSONBody.usual, halt)),
            Route("POST", "\(one)/resume", .app(.rollout), .body(JSONBody.usual, resume)),
            Route("GET", "\(one)/decisions", .app(.read), .body(0, decisions)),
        ]
    }

    // MARK: Rollouts

    private struct Listing: Encodable { let rollouts: [RolloutStatus] }

    private func document(_ status: RolloutService.Status) throws -> RolloutStatus {
        let head = status.published.head
        var document = RolloutStatus(
            channel: status.key.channel, fingerprint: status.key.subject.fingerprint,
            bundle: status.key.subject.bundle)
        document.stable = head.stable
        document.release = head.candidate?.digest
        document.grant = head.candidate?.grant ?? 0
        document.reach = status.published.reach
        document.isHalted = status.published.isHalted
        document.isPaused = status.settings.isPaused
        document.plan = status.plan
        if status.plan != nil {
            document.planOrigin = status.settings.plan == nil ? .head : .server
        }
        document.rules = status.settings.rules
        document.stageSince = status.settings.since
        document.headSequence = head.headSequence
        document.brakeSequence = status.published.brake?.brakeSequence ?? 0
        document.revision = status.revision
        document.lastDecision = try head.candidate.flatMap {
            try rollouts.tables.last(status.key, about: $0.digest)
        }
        return document
    }

    private func find(_ call: Call) async throws -> RolloutService.Status {
        let bundle = call.parameters["bundle"]
        return try await rollouts.find(
            try call.requireApp(), channel: call.parameter("channel"),
            bundle.map { .bundle($0) } ?? .build(call.parameter("fingerprint")))
    }

    private func answer(_ status: RolloutService.Status) throws -> HTTPResponse {
        .json(200, try document(status), [("ETag", "\"\(status.revision)\"")])
    }

    @Sendable private func list(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        .json(
            200,
            Listing(rollouts: try await rollouts.all(try call.requireApp()).map(document)))
    }

    @Sendable private func show(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        try answer(try await find(call))
    }

    private struct Change: Decodable {
        let plan: StagePlan?
        let rules: GateRules?
        let paused: Bool?
    }

    /// Says how a rollout is watched: what is absent is taken back to what it is without a word
    /// from the server (the head's plan, the usual rules, not paused).
    @Sendable private func change(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        try call.principal?.require(channel: call.parameter("channel"))
        let change = try JSONBody.read(Change.self, body)
        let status = try await rollouts.change(
            try call.requireApp(), try await find(call), revision: try call.ifMatch(),
            by: call.actor
        ) { settings in
            settings.plan = change.plan
            settings.rules = change.rules ?? GateRules()
            settings.isPaused = change.paused ?? false
        }
        return try answer(status)
    }

    private struct Reason: Decodable { let reason: String? }

    @Sendable private func halt(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        try call.principal?.require(channel: call.parameter("channel"))
        let reason = body.isEmpty ? nil : try JSONBody.read(Reason.self, body).reason
        if let reason { try JSONBody.checkName(reason) }
        try await rollouts.halt(
            try call.requireApp(), try await find(call), revision: try call.ifMatch(),
            by: call.actor, because: reason ?? "by hand")
        return try answer(try await find(call))
    }

    @Sendable private func resume(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        try call.principal?.require(channel: call.parameter("channel"))
        try await rollouts.resume(
            try call.requireApp(), try await find(call), revision: try call.ifMatch(),
            by: call.actor)
        return try answer(try await find(call))
    }

    private struct Decisions: Encodable { let decisions: [KeptDecision] }

    @Sendable private func decisions(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        let status = try await find(call)
        return .json(
            200,
            Decisions(
                decisions: try rollouts.tables.decisions(
                    status.key,
                    before: try call.number("before", default: .max, in: 1...Int.max),
                    limit: try call.number("limit", default: 50, in: 1...500))))
    }

    // MARK: Brakes

    @Sendable private func showBrake(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        let path = Self.braked(call.query("bundle")).brakePath(channel: call.parameter("channel"))
        guard
            let brake = try await services.releases.publisher(try call.requireApp()).brake(
                at: path)
        else { throw APIError.notFound }
        return .json(200, brake, [("ETag", "\"\(brake.brakeSequence)\"")])
    }

    /// What a brake is on: a web bundle, or the modules of all builds.
    private static func braked(_ bundle: String?) -> RolloutSubject {
        bundle.map { .bundle($0) } ?? .build("")
    }

    private struct BrakeChange: Decodable {
        let channel: String
        let bundle: String?
        let halted: Bool?
        let caps: [String: Int]?
        let recalled: [String]?
        let return_to: String?
        let kind: Head.Kind?

        /// Whether `return_to` was there, were it as null.
        let namesReturn: Bool

        enum CodingKeys: String, CodingKey {
            case channel, bundle, halted, caps, recalled, return_to, kind
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            channel = try values.decode(String.self, forKey: .channel)
            bundle = try values.decodeIfPresent(String.self, forKey: .bundle)
            halted = try values.decodeIfPresent(Bool.self, forKey: .halted)
            caps = try values.decodeIfPresent([String: Int].self, forKey: .caps)
            recalled = try values.decodeIfPresent([String].self, forKey: .recalled)
            return_to = try values.decodeIfPresent(String.self, forKey: .return_to)
            kind = try values.decodeIfPresent(Head.Kind.self, forKey: .kind)
            namesReturn = values.contains(.return_to)
        }
    }

    /// Signs another brake with the ops key. Members that are absent stay as they are.
    @Sendable private func brake(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        let app = try call.requireApp()
        let change = try JSONBody.read(BrakeChange.self, body)
        try JSONBody.checkIdentifier(change.channel, "channel")
        if let bundle = change.bundle, !BundleName.isValid(bundle) {
            throw APIError.malformed("bad_identifier", "'bundle' is no name of a web bundle.")
        }
        try call.principal?.require(channel: change.channel)
        let digests =
            Array((change.caps ?? [:]).keys) + (change.recalled ?? [])
            + [change.return_to].compactMap { $0 }
        guard digests.count <= 500, digests.allSatisfy(ReleaseRules.isDigest) else {
            throw APIError.malformed(
                "bad_digest", "Releases are named by 64 lower-case hexadecimal digits, 500 at most."
            )
        }
        guard (change.caps ?? [:]).values.allSatisfy({ (0...Bucket.count).contains($0) }) else {
            throw APIError.malformed("bad_cap", "Caps are 0 to 10,000 basis points.")
        }
        let outcome = try await services.releases.publisher(app).changeBrake(
            channel: change.channel, of: Self.braked(change.bundle),
            expected: try call.ifMatch()
        ) { brake in
            if let halted = change.halted { brake.halted = halted }
            if let caps = change.caps { brake.caps = caps }
            if let recalled = change.recalled { brake.recalled = recalled }
            if change.namesReturn { brake.returnTo = change.return_to }
            if let kind = change.kind { brake.kind = kind }
        }
        if outcome.isNew {
            try services.control.record(
                .init(
                    action: "brake.changed", appKey: app.appKey,
                    subject: change.channel + (change.bundle.map { "/bundle/\($0)" } ?? ""),
                    detail: [
                        "brake_seq": "\(outcome.brake.brakeSequence)",
                        "halted": "\(outcome.brake.halted)", "kind": outcome.brake.kind.rawValue,
                    ]), by: call.actor)
        }
        return .json(
            outcome.isNew ? 201 : 200, outcome.brake,
            [("ETag", "\"\(outcome.brake.brakeSequence)\"")])
    }
}
