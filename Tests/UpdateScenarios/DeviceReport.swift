import Foundation
import PatchPlatform
import UpdateEngine

/// What a fresh process finds on a device.
public struct DeviceReport: Codable, Equatable, Sendable {
    /// Why the state cannot be used, if so.
    public var failure: String?
    /// The device id; nil while there is no state.
    public var deviceID: String?
    /// Digest of the release that is current, which may be confirmed.
    public var current: String?
    /// Digest of the release before it.
    public var previous: String?
    /// Digest of the release that is staged, or `embedded`.
    public var staged: String?
    /// The digests of current and previous that were found to work.
    public var confirmed: Set<String> = []
    /// Digests that are banned.
    public var failed: Set<String> = []
    /// Digests of releases that a slot names and whose payload cannot be had whole.
    public var broken: Set<String> = []
    /// Every file below the state folder.
    public var files: [String] = []

    /// Looks at a device as a start of the app does. Changes what a launch changes, no more.
    public static func inspect(
        settings: UpdateSettings, environment: UpdateEngine.Environment, folder: URL
    ) async -> DeviceReport {
        var report = DeviceReport()
        let engine = UpdateEngine(
            settings: settings, kind: PlainPayload(), environment: environment)
        do {
            let own = try await engine.launch().state
            report.current = own.current?.digest
            report.previous = own.previous?.digest
            report.failed = Set(own.failed.keys)
            var slots = [own.current, own.previous].compactMap { $0 }
            report.confirmed = Set(slots.filter(\.isConfirmed).map(\.digest))
            switch own.staged {
            case .release(let slot):
                report.staged = slot.digest
                slots.append(slot)
            case .embedded: report.staged = "embedded"
            case nil: break
            }
            for slot in slots where (try? await engine.payload(of: slot)) == nil {
                report.broken.insert(slot.digest)
            }
            if let bytes = try environment.files.read("state.json", maximumSize: 1 << 20) {
                let state = try UpdateState(parsing: bytes)
                report.deviceID = state.deviceID
            }
        } catch {
            report.failure = "\(error)"
        }
        report.files = files(below: folder)
        return report
    }

    private static func files(below folder: URL) -> [String] {
        let found = FileManager.default.enumerator(atPath: folder.path)
        var files: [String] = []
        while let name = found?.nextObject() as? String {
            var isFolder: ObjCBool = false
            let path = folder.appendingPathComponent(name).path
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            if !isFolder.boolValue { files.append(name) }
        }
        return files.sorted()
    }
}
