import Foundation
import Rollout
import RolloutGates

/// Rollouts and brakes.
struct RolloutEndpoints: Sendable {
    private static let app = "/api/v1/apps/{app_key}"
    private static let one = "\(app)/rollouts/{channel}/{fingerprint}"

    let services: Services
    private var rollouts: RolloutService { services.rollouts }

    var routes: [Route] {
        [
            Route("GET", "\(Self.app)/rollouts", .app(.read), .body(0, list)),
            Route("GET", Self.one, .app(.read), .body(0, show)),
            Route("PUT", Self.one, .app(.rollout), .body(JSONBody.usual, change)),
            Route("POST", "\(Self.one)/halt", .app(.rollout), .body(JSONBody.usual, halt)),
            Route("POST", "\(Self.one)/resume", .app(.rollout), .body(JSONBody.usual, resume)),
            Route("GET", "\(Self.one)/decisions", .app(.read), .body(0, decisions)),
            Route("GET", "\(Self.app)/brakes/{channel}", .app(.read), .body(0, showBrake)),
            Route("POST", "\(Self.app)/brakes", .app(.rollout), .body(64 << 10, brake)),
        ]
    }

    // MARK: Rollouts

    /// A rollout as the API tells of it.
    struct Document: Encodable {
        let channel: String
        let fingerprint: String
        let stable: String?
        let release: String?
        let grant_bps: Int
        let reach_bps: Int
        let halted: Bool
        let paused: Bool
        let plan: StagePlan?
        /// `server`, `head` or absent.
        let plan_from: String?
        let rules: GateRules
        let stage_since: Int
        let head_seq: Int
        let brake_seq: Int
        let revision: Int
        let last_decision: GateRecord?
    }

    private struct Listing: Encodable { let rollouts: [Document] }

    private func document(_ status: RolloutService.Status) throws -> Document {
        let head = status.published.head
        var from: String?
        if status.plan != nil { from = status.settings.plan == nil ? "head" : "server" }
        return Document(
            channel: status.key.channel, fingerprint: status.key.fingerprint, stable: head.stable,
            release: head.candidate?.digest, grant_bps: head.candidate?.grant ?? 0,
            reach_bps: status.published.reach, halted: status.published.isHalted,
            paused: status.settings.isPaused, plan: status.plan, plan_from: from,
            rules: status.settings.rules, stage_since: status.settings.since,
            head_seq: head.headSequence, brake_seq: status.published.brake?.brakeSequence ?? 0,
            revision: status.revision,
            last_decision: try head.candidate.flatMap {
                try rollouts.tables.last(status.key, about: $0.digest)
            })
    }

    private func find(_ call: Call) async throws -> RolloutService.Status {
        try await rollouts.find(
            try call.requireApp(), channel: call.parameter("channel"),
            fingerprint: call.parameter("fingerprint"))
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
        guard
            let brake = try await services.releases.publisher(try call.requireApp()).brake(
                channel: call.parameter("channel"))
        else { throw APIError.notFound }
        return .json(200, brake, [("ETag", "\"\(brake.brakeSequence)\"")])
    }

    private struct BrakeChange: Decodable {
        let channel: String
        let halted: Bool?
        let caps: [String: Int]?
        let recalled: [String]?
        let return_to: String?
        let kind: Head.Kind?

        /// Whether `return_to` was there, were it as null.
        let namesReturn: Bool

        enum CodingKeys: String, CodingKey {
            case channel, halted, caps, recalled, return_to, kind
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            channel = try values.decode(String.self, forKey: .channel)
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
            channel: change.channel, expected: try call.ifMatch()
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
                    action: "brake.changed", appKey: app.appKey, subject: change.channel,
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
