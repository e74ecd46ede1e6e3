import Foundation

/// What this project remembers of the remote folder, in a file of its own beside the manifest.
///
/// It is the truth: the manifest is rewritten from it, so that after a crash between the two the
/// folder is still of one mind, and other implementations, which drop keys that they do not know,
/// take nothing away.
struct SourceState: Sendable, Equatable, Codable {
    struct Bundle: Sendable, Equatable, Codable {
        var versions: [String: BundleMetadata] = [:]
        var current: String?
        var previous: String?
        /// The last version that said it works.
        var confirmed: String?
        /// The builtin version that was there when `current` was installed.
        var builtin: String?
        /// Versions that were taken back because they did not work.
        var rejected: [String] = []

        /// Versions whose files must stay.
        var retained: Set<String> {
            Set([current, previous, confirmed].compactMap { $0 })
        }
    }

    static let fileName = "openpatch-bundles.json"
    static let maximumSize = BundleManifest.maximumSize
    /// The oldest rejections are forgotten above this number.
    static let mostRejected = 32

    var v = 1
    var bundles: [String: Bundle] = [:]

    init() {}

    init(json: [UInt8]) throws {
        let state: SourceState
        do {
            state = try JSONDecoder().decode(SourceState.self, from: Data(json))
        } catch {
            throw FailureCode.manifestDamaged.core("The state of the bundles is damaged.")
        }
        guard state.v == 1 else {
            throw FailureCode.manifestDamaged.core(
                "The state of the bundles is of version \(state.v); version 1 is supported.")
        }
        self = state
        bundles = bundles.filter { BundleNaming.problem(with: $0.key) == nil }
    }

    /// Takes over what another implementation left.
    init(_ manifest: BundleManifest) {
        for (name, entry) in manifest.entries {
            bundles[name] = Bundle(
                versions: entry.versions, current: entry.currentVersion,
                previous: entry.previousVersion, confirmed: entry.currentVersion)
        }
    }

    var manifest: BundleManifest {
        var manifest = BundleManifest()
        for (name, bundle) in bundles {
            manifest.entries[name] = BundleManifest.Entry(
                versions: bundle.versions, currentVersion: bundle.current,
                previousVersion: bundle.previous)
        }
        return manifest
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self))
    }
}

extension SourceState.Bundle {
    /// Makes `version` the current one.
    mutating func activate(_ version: String, builtin: String?) {
        guard current != version else { return }
        previous = current
        current = version
        self.builtin = builtin
        rejected.removeAll { $0 == version }
    }

    /// Takes the current version back in favour of one that worked, or of the builtin one.
    /// - Returns: whether there was anything to take back.
    mutating func revert() -> Bool {
        guard let bad = current else { return false }
        rejected.removeAll { $0 == bad }
        rejected.append(bad)
        rejected = Array(rejected.suffix(SourceState.mostRejected))
        let candidates = [confirmed, previous].compactMap { $0 }
        current = candidates.first { $0 != bad && versions[$0] != nil }
        previous = nil
        if confirmed == bad { confirmed = current }
        return true
    }
}
