import Foundation

/// `patch-config.json`, which `patchcli` writes into the app's resources.
struct BundledConfiguration: Codable, Equatable, Sendable {
    static let fileName = "patch-config.json"

    struct Floors: Codable, Equatable, Sendable {
        var minTargetsVersion: Int
        var minSequence: Int

        enum CodingKeys: String, CodingKey {
            case minTargetsVersion = "min_targets_version"
            case minSequence = "min_sequence"
        }
    }

    var v: Int
    var appKey: String
    var appID: String?
    var apiBaseURL: URL?
    var channel: String?
    var platform: String?
    var fingerprint: String?
    var embeddedSequence: Int?
    var floors: Floors?

    enum CodingKeys: String, CodingKey {
        case v, channel, platform, fingerprint, floors
        case appKey = "app_key"
        case appID = "app_id"
        case apiBaseURL = "api_base_url"
        case embeddedSequence = "embedded_sequence"
    }

    /// - Throws: ``PatchError`` `config_malformed`.
    init(json: [UInt8]) throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json))
        } catch {
            throw PatchError(.configMalformed, "\(error)")
        }
        guard v == 1 else { throw PatchError(.configMalformed, "version \(v)") }
    }
}
