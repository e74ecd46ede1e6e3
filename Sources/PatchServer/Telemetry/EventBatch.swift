import Foundation
import Rollout
import WebViewBundle

/// What happened to a release on a device, as the wire names it; the order is the one that the
/// database counts by, so new ones come last.
enum EventName: String, CaseIterable, Codable, Sendable {
    case check, download, verify, activate, ready, rollback, trap, fallback, demotion
    case crashAfterReady = "crash_after_ready"

    /// The number under which it is stored.
    var code: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    /// The bit that stands for it in a set.
    var bit: Int { 1 << code }
}

/// One event, verified to be within bounds.
struct Event: Equatable, Sendable {
    let id: [UInt8]
    let name: EventName
    /// Seconds since 1970 by the device's clock.
    let at: Double
    let fingerprint: String
    /// The web bundle that it is about; nil for modules.
    let bundle: String?
    let sdk: String
    /// Digest of the release; empty for what the app shipped with.
    let release: String
    let os: String?
    let appVersion: String?
    let duration: Int?
    let bytes: Int?
    let isDelta: Bool?
    let isResumed: Bool?
    let reason: String?
    let detail: String?

    /// Under which name it is counted together with others: see ``RolloutSubject/name``.
    var build: String {
        (bundle.map { RolloutSubject.bundle($0) } ?? .build(fingerprint)).name
    }

    /// Whether it says that the release, or a part of it, does not work on the device. Leaving a
    /// release because head or brake said so is no failure of it.
    var isFailure: Bool {
        switch name {
        case .trap, .crashAfterReady, .fallback: return true
        case .rollback: return !isDecided
        case .activate: return reason != nil && !isDecided
        default: return false
        }
    }
}

extension Event {
    private var isDecided: Bool { reason.flatMap { Reason(rawValue: $0) }?.band == .decide }
}

/// The body of `POST …/events`: what one install tells (Docs/http-api.md).
struct EventBatch: Equatable, Sendable {
    static let largestBody = 128 << 10
    static let mostEvents = 50

    let install: [UInt8]
    let events: [Event]

    /// Reads and bounds a body.
    /// - Throws: ``APIError`` 400 when it is no such document, 422 `bad_event` with the index of
    ///   the event that can never be taken.
    init(_ body: [UInt8]) throws {
        let wire: Wire
        do {
            wire = try JSONDecoder().decode(Wire.self, from: Data(body))
        } catch {
            throw APIError.malformed(
                "malformed_request", "Send {\"install_id\": \"<uuid>\", \"events\": [...]}.")
        }
        guard let install = UUIDBytes.parse(wire.install_id) else {
            throw APIError.malformed("bad_install_id", "'install_id' is no UUID.")
        }
        guard wire.events.count <= Self.mostEvents else {
            throw APIError(
                status: 413, code: "too_many_events",
                message: "Send at most \(Self.mostEvents) events at once.")
        }
        self.install = install
        events = try wire.events.enumerated().map { try Self.event($1, $0) }
    }

    private struct Wire: Decodable {
        let install_id: String
        let events: [WireEvent]
    }

    private struct WireEvent: Decodable {
        let id: String
        let name: String
        let at: Double
        let fingerprint: String
        let bundle: String?
        let sdk: String
        let release: String?
        let os: String?
        let app_version: String?
        let duration_ms: Double?
        let bytes: Double?
        let is_delta: Bool?
        let resumed: Bool?
        let reason: String?
        let detail: String?
    }

    private static func event(_ wire: WireEvent, _ index: Int) throws -> Event {
        func refuse(_ what: String) -> APIError {
            .refused("bad_event", "Event \(index) was refused: \(what).")
        }
        guard let id = UUIDBytes.parse(wire.id) else { throw refuse("'id' is no UUID") }
        guard let name = EventName(rawValue: wire.name) else { throw refuse("unknown 'name'") }
        guard wire.at.isFinite, abs(wire.at) < 1e11 else { throw refuse("'at' is no time") }
        guard isName(wire.fingerprint) else { throw refuse("'fingerprint' is none") }
        if let bundle = wire.bundle, !BundleName.isValid(bundle) {
            throw refuse("'bundle' is no name of a web bundle")
        }
        if let release = wire.release, !isName(release) { throw refuse("'release' is no digest") }
        if let reason = wire.reason, !isName(reason) { throw refuse("'reason' is no code") }
        for text in [wire.sdk, wire.os, wire.app_version] {
            if let text, !isText(text, 64) { throw refuse("a text is longer than 64 bytes") }
        }
        if let detail = wire.detail, !isText(detail, 256) {
            throw refuse("'detail' is longer than 256 bytes")
        }
        return Event(
            id: id, name: name, at: wire.at, fingerprint: wire.fingerprint, bundle: wire.bundle,
            sdk: wire.sdk,
            release: wire.release ?? "", os: wire.os, appVersion: wire.app_version,
            duration: try count(wire.duration_ms, refuse("'duration_ms' is no count")),
            bytes: try count(wire.bytes, refuse("'bytes' is no count")), isDelta: wire.is_delta,
            isResumed: wire.resumed, reason: wire.reason, detail: wire.detail)
    }

    private static func count(
        _ number: Double?, _ refusal: @autoclosure () -> APIError
    ) throws -> Int? {
        guard let number else { return nil }
        // No device downloads a tebibyte, and a sum of these stays far from overflow.
        guard number >= 0, number <= 1e12 else { throw refusal() }
        return Int(number)
    }

    /// Digests, fingerprints and codes: what a name of ours is made of.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0) || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E
            }
    }

    private static func isText(_ text: String, _ size: Int) -> Bool {
        text.utf8.count <= size && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// UUIDs as their 16 bytes.
enum UUIDBytes {
    /// The bytes of `8-4-4-4-12` hexadecimal digits, nil for any other text.
    static func parse(_ text: String) -> [UInt8]? {
        let utf8 = Array(text.utf8)
        guard utf8.count == 36 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var index = 0
        while index < 36 {
            if [8, 13, 18, 23].contains(index) {
                guard utf8[index] == 0x2D else { return nil }
                index += 1
            }
            guard let high = digit(utf8[index]), let low = digit(utf8[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
            index += 2
        }
        return bytes
    }

    /// The usual lower-case text.
    static func text(_ bytes: [UInt8]) -> String {
        let hex = bytes.hex
        guard hex.utf8.count == 32 else { return hex }
        var text = ""
        for (index, character) in hex.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(character)
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: return byte - 0x30
        case 0x41...0x46: return byte - 0x37
        case 0x61...0x66: return byte - 0x57
        default: return nil
        }
    }
}
