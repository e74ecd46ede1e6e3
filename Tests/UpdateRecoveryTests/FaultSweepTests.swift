import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateEngine
import UpdateFixture
import UpdateScenarios
import UpdateTestSupport

/// Every call that the engine makes to the file system fails in turn, over whole lives of an app.
@Suite("File faults at every call") struct FaultSweepTests {
    @Test(
        "whichever call fails, a fresh process starts with a whole release and nothing was lost",
        arguments: Situation.names)
    func everyCall(_ name: String) async throws {
        let situation = try await Situation(name)
        let folder = try TemporaryDirectory("faults")
        // How many calls there are without a fault.
        let calls = try await live(situation, folder, FaultyFileStore.Plan()).count
        #expect(calls > 10)
        for call in 0..<calls {
            var plan = FaultyFileStore.Plan()
            plan.call = call
            // Disk trouble that passes, and a disk that stays full, by turns.
            plan.lasts = call % 2 == 1
            plan.code = call % 4 < 2 ? .failed : .diskFull
            try await check(situation, folder, plan)
        }
    }

    @Test("when nothing can be read, native code runs and nothing is minted", arguments: ["update"])
    func nothingReadable(_ name: String) async throws {
        let situation = try await Situation(name)
        let folder = try TemporaryDirectory("faults")
        for steps: Set<FileStep> in [[.open], [.read], [.lock], [.open, .read, .list, .lock]] {
            var plan = FaultyFileStore.Plan()
            plan.call = 0
            plan.lasts = true
            plan.code = .unreadable
            plan.steps = steps
            try await check(situation, folder, plan)
        }
    }

    private func check(
        _ situation: Situation, _ folder: TemporaryDirectory, _ plan: FaultyFileStore.Plan
    ) async throws {
        let files = try await live(situation, folder, plan)
        let place = "call \(plan.call ?? -1) of '\(situation.name)': \(files.failed ?? "none")"
        let found = await inspect(situation, files.folder)
        let problems = situation.problems(in: found)
        #expect(problems.isEmpty, "\(place)")
        // The fault is gone: the app goes on as if nothing had been.
        let sound = UpdateEngine.Environment(files: LocalFileStore(folder: files.folder))
        let life = DeviceLife(settings: situation.settings, environment: sound)
        let failures = await life.live()
        #expect(failures.isEmpty, "\(place)")
        let unfinished = situation.unfinished(await inspect(situation, files.folder))
        #expect(unfinished.isEmpty, "\(place)")
    }

    private func live(
        _ situation: Situation, _ folder: TemporaryDirectory, _ plan: FaultyFileStore.Plan
    ) async throws -> FaultyFileStore {
        let files = FaultyFileStore(folder: try situation.device(in: folder.url), plan)
        await DeviceLife(
            settings: situation.settings, environment: UpdateEngine.Environment(files: files)
        ).live()
        return files
    }

    private func inspect(_ situation: Situation, _ folder: URL) async -> DeviceReport {
        await DeviceReport.inspect(
            settings: situation.settings,
            environment: UpdateEngine.Environment(files: LocalFileStore(folder: folder)),
            folder: folder)
    }
}
