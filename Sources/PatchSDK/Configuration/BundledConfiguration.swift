import Foundation
import TUF

/// `patch-config.json`, which `patchcli` writes into the app's resources.
struct BundledConfiguration: Equatable, Sendable {
    static let fileName = "patch-config.json"

    struct Floors: Equatable, Sendable {
        var minTargetsVersion: Int
        var minSequence: Int
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

    /// - Throws: ``PatchError`` `config_malformed`.
    init(json: [UInt8]) throws {
        do {
            // Written by people, too, so more is allowed than in what is signed.
            let limits = DocumentFields.limits(json.count)
            let fields = try DocumentFields(try JSONValue(parsing: json, limits: limits), "config")
            v = try fields.integer("v")
            appKey = try fields.string("app_key")
            appID = try fields.optionalString("app_id")
            apiBaseURL = try fields.optionalString("api_base_url").map {
                guard let url = URL(string: $0) else {
                    throw DocumentFields.Fault("'api_base_url' is no URL")
                }
                return url
            }
            channel = try fields.optionalString("channel")
            platform = try fields.optionalString("platform")
            fingerprint = try fields.optionalString("fingerprint")
            embeddedSequence = try fields.optionalInteger("embedded_sequence")
            floors = try fields["floors"].map {
                let floors = try DocumentFields($0, "floors")
                return Floors(
                    minTargetsVersion: try floors.integer("min_targets_version"),
                    minSequence: try floors.integer("min_sequence"))
            }
        } catch {
            throw PatchError(.configMalformed, "\(error)")
        }
        guard v == 1 else { throw PatchError(.configMalformed, "version \(v)") }
    }
}
