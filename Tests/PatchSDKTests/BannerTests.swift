import GreetingLogic
import Rollout
import TestSupport
import Testing

@testable import PatchSDK

/// What the example's banner says (Examples/GreetingApp).
@Suite struct BannerTests {
    private func info(_ size: Int, notes: String? = nil, isRollback: Bool = false) -> UpdateInfo {
        UpdateInfo(
            version: "1.2", releaseNotes: notes, isMandatory: false, sizeBytes: size,
            isRollback: isRollback, reason: .updateStable, digest: nil, applyBy: nil)
    }

    @Test("there is a banner only where the user has something to see or to do")
    func whenShown() {
        #expect(Banner(.idle) == nil && Banner(.checking) == nil && Banner(.upToDate) == nil)
        #expect(Banner(.readyToReload)?.button?.action == .apply)
        #expect(Banner(.failed("Why."))?.text == "Why.")
        #expect(Banner(.failed("Why."))?.button?.action == .check)
    }

    @Test("an update is offered with its version, size and notes; a way back is called one")
    func offered() {
        #expect(Banner(.available(info(999)))?.text == "Update 1.2, 999 bytes")
        #expect(
            Banner(.available(info(12_345, notes: "Faster")))?.text == "Update 1.2, 12.3 kB: Faster"
        )
        #expect(Banner(.available(info(0, isRollback: true)))?.text == "Going back to 1.2")
        #expect(Banner(.available(info(1)))?.button?.action == .download)
    }

    @Test("progress stays within its bar")
    func progress() {
        #expect(Banner(.downloading(-1))?.progress == 0)
        #expect(Banner(.downloading(0.5))?.progress == 0.5)
        #expect(Banner(.downloading(7))?.progress == 1)
        #expect(Banner(.downloading(0.5))?.button == nil)
    }

    @Test("the buttons do what they say, and the screen follows what runs")
    @MainActor func performs() async throws {
        let fixture = try AppFixture()
        await fixture.launch()
        let store = GreetingStore(fixture.patch)
        await store.start()
        #expect(store.text == "bundled")
        try fixture.release("one", 1)
        await Banner.perform(.check, with: fixture.patch)
        try await fixture.eventuallyOnMain {
            Banner(fixture.patch.updateState.state)?.button?.action == .download
        }
        await Banner.perform(.download, with: fixture.patch)
        try await fixture.eventuallyOnMain { store.text == "one" }
        // Nothing is staged: the state says so.
        await Banner.perform(.apply, with: fixture.patch)
        try await fixture.eventuallyOnMain {
            Banner(fixture.patch.updateState.state)?.text.contains("no staged update") == true
        }
    }
}
