import Foundation
import TUF

/// `patch-config.json`, which `patchcli` writes into the app's resources. A class: the first use of an
/// optional structure with a URL in it takes a tenth of a start.
package final class ShippedConfiguration: Sendable {
    static let fileName = "patch-config.json"

    package let appKey: String
    package let appID: String?
    package let apiBaseURL: URL?
    package let channel: String?
    package let platform: String?
    package let fingerprint: String?
    let embeddedSequence: Int
    let minimumSequence: Int
    let minimumTargetsVersion: Int

    /// - Throws: ``UpdateError`` `config_malformed`.
    init(json: [UInt8]) throws {
        let version: Int
        do {
            // Written by people, too, so more is allowed than in what is signed.
            let limits = DocumentFields.limits(json.count)
            let fields = try DocumentFields(try JSONValue(parsing: json, limits: limits), "config")
            version = try fields.integer("v")
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
            embeddedSequence = try fields.optionalInteger("embedded_sequence") ?? 0
            let floors = try fields["floors"].map { try DocumentFields($0, "floors") }
            minimumTargetsVersion = try floors?.integer("min_targets_version") ?? 0
            minimumSequence = try floors?.integer("min_sequence") ?? 0
        } catch {
            throw UpdateError(.configMalformed, "\(error)")
        }
        guard version == 1 else { throw UpdateError(.configMalformed, "version \(version)") }
    }
}

extension UpdateSettings {
    /// Takes over what the build of the app shipped with and does not go below.
    package mutating func heed(_ shipped: ShippedConfiguration?) {
        guard let shipped else { return }
        embeddedSequence = shipped.embeddedSequence
        minimumSequence = shipped.minimumSequence
        minimumTargetsVersion = shipped.minimumTargetsVersion
    }
}
