import Foundation
import PatchPlatform
import Rollout
import TUF
import Testing

@testable import UpdateEngine

/// Every failure below becomes one reason of the table.
@Suite struct ErrorTests {
    @Test("no failure of the metadata workflow is taken for one of another phase")
    func trust() {
        for kind in TUFError.Kind.allCases {
            let error = UpdateError.trust(TUFError(kind, "why"), transport: nil)
            let bands: Set<Reason.Band> = [.trust, .network, .download, .state, .configure]
            #expect(bands.contains(error.reason.band), "\(kind)")
            #expect(error.context.contains("why"), "\(kind)")
        }
        #expect(
            UpdateError.trust(TUFError(.signaturesInsufficient, ""), transport: nil).reason
                == .metadataInvalid)
        #expect(
            UpdateError.trust(TUFError(.metadataExpired, ""), transport: nil).reason
                == .metadataExpired)
    }

    @Test("a failed request behind the workflow keeps its own reason")
    func transport() throws {
        let url = try #require(URL(string: "http://127.0.0.1/x"))
        let expected: [(HTTPError.Code, Reason)] = [
            (.unreachable, .serverUnreachable), (.timedOut, .serverTimedOut),
            (.cutOff, .answerCutOff), (.tooLarge, .answerTooLarge),
            (.badStatus, .serverRefused), (.insecureRedirect, .insecureRedirect),
            (.noAnswer, .serverNoAnswer), (.cancelled, .cancelled),
        ]
        for (code, reason) in expected {
            let error = UpdateError.trust(
                TUFError(.downloadFailed, "x"), transport: HTTPError(code, url: url))
            #expect(error.reason == reason)
            #expect(error.context.contains("127.0.0.1"))
        }
    }

    @Test("file errors are told apart by what the user can do")
    func files() {
        let expected: [(FileError.Code, Reason)] = [
            (.readOnly, .stateUnwritable), (.failed, .stateUnwritable),
            (.diskFull, .diskFull), (.unreadable, .stateUnreadable),
            (.tooLarge, .stateUnreadable),
        ]
        for (code, reason) in expected {
            #expect(UpdateError.state(FileError(code, name: "f")).reason == reason)
        }
    }

    @Test("the state's documents survive a round trip and keep their published names")
    func stateDocument() throws {
        var own = BuildState()
        let slot = Slot(
            digest: "d", size: 1, version: "1", sequence: 2, channel: "c", dataEpoch: 0,
            isConfirmed: true)
        own.current = slot
        own.staged = .release(slot)
        own.failed = ["x": FailedRelease(reason: .trapped, retryGeneration: 1, expires: 5)]
        own.heads = ["c": 4]
        own.lastCheck = CheckRecord(time: 1, reason: .upToDate, headSequence: 4)
        own.boot.starts["d"] = StartRecord()
        own.boot.safeModeUntil = 7
        own.boot.shipped = "s"
        own.boot.judged = ["n"]
        var state = UpdateState(deviceID: "id")
        state.builds = ["fp": own]
        let bytes = state.encoded()
        #expect(try UpdateState(parsing: bytes) == state)
        let text = String(decoding: bytes, as: UTF8.self)
        for name in [
            "device_id", "last_check", "retry_generation", "has_written_data", "confirmed",
            "data_epoch", "boot", "unclean", "clean_ends", "ready_runs", "safe_mode_until",
            "is_fallback", "judged", "shipped",
        ] {
            #expect(text.contains("\"\(name)\""), "\(name)")
        }
        own.staged = .embedded
        #expect(try BuildState(json: own.json).staged == .embedded)
    }
}
