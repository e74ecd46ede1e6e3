import CommandLineKit
import Foundation
import PatchCompiler
import PatchCrypto
import WebAssembly

/// Whether what the app carries, and what every machine builds it by, can be read.
extension DoctorCommand {
    /// The gates of routed functions.
    static func lockFile(_ workspace: Workspace) -> [Finding] {
        do {
            try workspace.project.checkLock()
            return []
        } catch {
            return [problem(error, code: "lock_invalid")]
        }
    }

    /// `patch-config.json` and `base.wasm`, against openpatch.json and the build they belong to.
    static func resources(_ workspace: Workspace) -> [Finding] {
        guard let resources = workspace.resources,
            let builds = try? workspace.project.manifests(), let latest = builds.last
        else { return [] }
        let file = resources.folder.appendingPathComponent(AppResources.configurationName)
        guard let own = resources.configuration else {
            let isThere = FileManager.default.fileExists(atPath: file.path)
            let text =
                isThere
                ? "\(AppResources.configurationName) cannot be read: the app would take no updates."
                : "The app's resources lack \(AppResources.configurationName): it would take no "
                    + "updates."
            return [
                Finding(
                    code: isThere ? "resources_damaged" : "resources_missing", level: .problem,
                    text: text + " 'patchcli fingerprint register' writes it anew.",
                    path: file.path, fixability: .command, run: "git checkout -- '\(file.path)'")
            ]
        }
        let build = builds.first { $0.fingerprint == own.fingerprint } ?? latest
        return [configuration(own, workspace, resources), base(build, workspace, resources)]
            .compactMap { $0 }
    }

    private static func configuration(
        _ own: AppResources.Configuration, _ workspace: Workspace, _ resources: AppResources
    ) -> Finding? {
        var wanted = own
        wanted.app_key = workspace.app
        wanted.app_id = workspace.configuration.appID
        wanted.api_base_url = workspace.apiBaseURL
        guard wanted != own else { return nil }
        let corrected = wanted
        let fields = [
            own.app_key == wanted.app_key ? nil : "app_key",
            own.app_id == wanted.app_id ? nil : "app_id",
            own.api_base_url == wanted.api_base_url ? nil : "api_base_url",
        ]
        return Finding(
            code: "resources_differ", level: .problem,
            text: "\(AppResources.configurationName) and openpatch.json differ: "
                + fields.compactMap { $0 }.joined(separator: ", ") + ".",
            path: resources.folder.appendingPathComponent(AppResources.configurationName).path
        ).repaired { try resources.write(corrected) }
    }

    private static func base(
        _ build: BuildManifest, _ workspace: Workspace, _ resources: AppResources
    ) -> Finding? {
        let file = resources.folder.appendingPathComponent(AppResources.baseName)
        let bytes = FileManager.default.contents(atPath: file.path).map { [UInt8]($0) }
        if let bytes, build.base.isEmpty ? isModule(bytes) : SHA256.hash(bytes).hex == build.base {
            return nil
        }
        let why: String
        switch bytes {
        case nil: why = "is missing"
        case let bytes? where !isModule(bytes): why = "is no WebAssembly module"
        default: why = "is not the module that build \(build.short) was registered with"
        }
        let finding = Finding(
            code: bytes == nil ? "resources_missing" : "resources_damaged", level: .problem,
            text: "\(AppResources.baseName) in the app's resources \(why).", path: file.path,
            fixability: .command, run: "git checkout -- '\(file.path)'")
        guard !build.base.isEmpty, let base = try? workspace.project.baseModule(of: build) else {
            return finding
        }
        var repairable = finding
        repairable.run = nil
        return repairable.repaired { try resources.write(base: base) }
    }

    private static func isModule(_ bytes: [UInt8]) -> Bool {
        do {
            try parseWasm(bytes: bytes).validate()
            return true
        } catch {
            return false
        }
    }
}
