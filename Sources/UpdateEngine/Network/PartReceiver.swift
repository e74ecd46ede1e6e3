import Foundation
import PatchPlatform
import TUF

/// The server cannot continue where the last attempt ended.
struct RangeRefused: Error {}

/// Writes a download to disk and hashes it while it arrives; stops at the signed size. Holds no more
/// of it in memory than the piece at hand.
final class PartReceiver: HTTPReceiver {
    private struct State {
        var check: TargetCheck
        var writer: (any FileWriter)?
    }

    private let target: TargetFile
    private let part: DownloadPart
    private let url: URL
    /// How many bytes are there from an earlier attempt.
    private let earlier: Int
    private let progress: @Sendable (Int) -> Void
    private let state: Lock<State>
    private let begun = Lock(false)

    /// - Parameter check: has seen the `earlier` bytes that are on disk.
    init(
        target: TargetFile, part: DownloadPart, url: URL, earlier: Int, check: TargetCheck,
        progress: @escaping @Sendable (Int) -> Void
    ) {
        self.target = target
        self.part = part
        self.url = url
        self.earlier = earlier
        self.progress = progress
        state = Lock(State(check: check, writer: nil))
    }

    /// How many of the file's bytes are here.
    var count: Int { state.withLock { $0.check.size } }
    /// Whether the server continued what was here.
    var wasContinued: Bool { begun.withLock { $0 } }

    func begin(_ head: HTTPHead) throws {
        switch head.status {
        case 200:
            let writer = try part.files.openForWriting(part.name, appending: false)
            state.withLock { $0 = State(check: TargetCheck(target), writer: writer) }
        case 206:
            guard earlier > 0, continues(head.headers["content-range"]) else {
                throw RangeRefused()
            }
            let writer = try part.files.openForWriting(part.name, appending: true)
            state.withLock { $0.writer = writer }
            begun.withLock { $0 = true }
        case 416: throw RangeRefused()
        default:
            throw HTTPError(
                .badStatus, url: url, status: head.status, retryAfter: head.retryAfter)
        }
        try part.note(url: url, etag: head.etag)
    }

    /// `bytes <earlier>-<last>/<size>`, the last two as signed when they are said.
    private func continues(_ range: String?) -> Bool {
        guard let range, range.hasPrefix("bytes \(earlier)-") else { return false }
        guard let slash = range.lastIndex(of: "/") else { return false }
        let total = range[range.index(after: slash)...]
        return total == "*" || Int(total) == target.length
    }

    func receive(_ buffer: UnsafeRawBufferPointer) throws {
        let count = try state.withLock { state in
            try state.check.update(Array(buffer))
            try state.writer?.write(buffer)
            return state.check.size
        }
        progress(count)
    }

    /// Says that the answer has ended.
    /// - Throws: ``TUFError`` when it is not what was signed.
    func finish() throws {
        try state.withLock {
            $0.writer = nil
            try $0.check.finish()
        }
    }

    /// Closes the file of an attempt that failed.
    func close() { state.withLock { $0.writer = nil } }
}
