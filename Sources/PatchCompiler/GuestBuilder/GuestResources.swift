import Foundation

/// The sources of the guest runtime, which ship beside the compiler.
struct GuestResources: Sendable {
    /// The folder `Guest`.
    var folder: URL

    struct File: Equatable, Sendable {
        var name: String
        var bytes: [UInt8]
    }

    /// The folder named by `OPENPATCH_GUEST`, else the one in the resource bundle beside the
    /// running program, else the one of the checkout that this was compiled in.
    ///
    /// SwiftPM's own accessor ends the process when the bundle is missing, so it is not used.
    static func locate() throws -> GuestResources {
        var candidates: [URL] = []
        if let named = ProcessInfo.processInfo.environment["OPENPATCH_GUEST"] {
            candidates.append(URL(fileURLWithPath: named))
        }
        let programs = [
            Bundle.main.executableURL, CommandLine.arguments.first.map(URL.init(fileURLWithPath:)),
        ]
        for program in programs.compactMap({ $0?.resolvingSymlinksInPath() }) {
            let folder = program.deletingLastPathComponent()
            for name in ["OpenPatch_PatchCompiler.resources", "OpenPatch_PatchCompiler.bundle"] {
                candidates.append(folder.appendingPathComponent(name + "/Guest"))
            }
            candidates.append(
                folder.deletingLastPathComponent().appendingPathComponent("share/openpatch/Guest"))
        }
        candidates.append(
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Guest"))
        for folder in candidates {
            let header = folder.appendingPathComponent("Runtime/guest.h")
            if FileManager.default.fileExists(atPath: header.path) {
                return GuestResources(folder: folder)
            }
        }
        throw GuestBuildError.system(
            "The guest runtime's sources are missing beside \(programs[0]?.path ?? "patchcli"). "
                + "Install patchcli with its resource folder, or name the folder in "
                + "OPENPATCH_GUEST.")
    }

    /// The files of a sub-folder with one of the extensions, by name.
    func files(in name: String, extensions: Set<String>) throws -> [File] {
        let sub = folder.appendingPathComponent(name)
        do {
            return try FileManager.default.contentsOfDirectory(atPath: sub.path)
                .filter { extensions.contains(URL(fileURLWithPath: $0).pathExtension) }
                .sorted()
                .map { name in
                    let data = try Data(contentsOf: sub.appendingPathComponent(name))
                    return File(name: name, bytes: [UInt8](data))
                }
        } catch {
            throw GuestBuildError.system("The folder \(sub.path) cannot be read: \(error).")
        }
    }
}
