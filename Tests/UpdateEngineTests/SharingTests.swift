import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateEngine

/// What apps with modules and apps with bundles both stand on.
@Suite("Shared parts") struct SharingTests {
    @Test("a serial gate lets one through at a time, and on after an error")
    func serialGate() async throws {
        struct Oops: Error {}
        let gate = SerialGate()
        let inside = Lock(0)
        let most = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    _ = try? await gate.run {
                        let now = inside.withLock {
                            $0 += 1
                            return $0
                        }
                        most.withLock { $0 = max($0, now) }
                        await Task.yield()
                        inside.withLock { $0 -= 1 }
                        if index % 7 == 0 { throw Oops() }
                    }
                }
            }
        }
        #expect(most.withLock { $0 } == 1)
        #expect(await gate.run { 5 } == 5)
    }

    @Test("what a killed process left half made is found in the folders named and nowhere else")
    func leftovers() throws {
        let folder = try TemporaryDirectory()
        let own = ProcessInfo.processInfo.processIdentifier
        let left = ["in/app.json.999999999-2.tmp", "in/.dat.nosync3b9ac9ff.aB"]
        let kept = [
            "in/app.json", "in/app.part", "in/app.json.\(own)-1.tmp", "in/notes.tmp",
            "other/app.json.999999999-2.tmp",
        ]
        for name in left + kept { try folder.write("half", to: name) }
        Leftovers(files: LocalFileStore(folder: folder.url), folders: ["in"]).remove()
        for name in left {
            #expect(!FileManager.default.fileExists(atPath: folder.file(name).path), "\(name)")
        }
        for name in kept {
            #expect(FileManager.default.fileExists(atPath: folder.file(name).path), "\(name)")
        }
    }
}
