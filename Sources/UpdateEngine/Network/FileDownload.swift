import Foundation
import PatchPlatform
import Rollout
import TUF

/// Brings one published file onto the disk, as signed: from any of the mirrors, in as many pieces as
/// the network makes of it, within a deadline.
final class FileDownload: Sendable {
    /// What it took.
    struct Report: Sendable, Equatable {
        /// Bytes that crossed the network.
        var received = 0
        /// Whether bytes of an earlier attempt were of use.
        var wasResumed = false
    }

    private let transport: any HTTPTransport
    private let files: any FileStore
    private let clock: any SystemClock
    private let random: any RandomSource
    private let limits: NetworkLimits
    private let mirrors: Mirrors
    private let target: TargetFile
    private let path: String
    private let end: UInt64
    private let progress: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - path: where the file lies below each mirror.
    ///   - end: when to give up, as monotonic nanoseconds.
    ///   - progress: called with the number of bytes that are here.
    init(
        transport: any HTTPTransport, files: any FileStore, clock: any SystemClock,
        random: any RandomSource, limits: NetworkLimits, mirrors: Mirrors, target: TargetFile,
        path: String, end: UInt64, progress: @escaping @Sendable (Int) -> Void
    ) {
        self.transport = transport
        self.files = files
        self.clock = clock
        self.random = random
        self.limits = limits
        self.mirrors = mirrors
        self.target = target
        self.path = path
        self.end = end
        self.progress = progress
    }

    /// The verified file lies at ``DownloadPart/name`` afterwards. What came of a download that
    /// failed stays for the next attempt, unless it was not what is signed.
    /// - Throws: ``UpdateError``.
    func run() async throws -> Report {
        let part = DownloadPart(files: files, target: target)
        part.removeOthers()
        var report = Report()
        if target.length == 0 {
            try begin(part)
            return report
        }
        var refused: Set<URL> = []
        var failures = 0
        var requests = 0
        while true {
            let before = part.leftOver()?.count ?? 0
            var first: Failure?
            for base in mirrors.order(at: clock.now()) where !refused.contains(base) {
                requests += 1
                guard let failure = try await attempt(base, part, &report) else {
                    mirrors.didAnswer(base, at: clock.now())
                    return report
                }
                if failure.isFinal { refused.insert(base) }
                if first == nil { first = failure }
            }
            guard let first else { throw UpdateError(.serverUnreachable, target.path) }
            let gained = (part.leftOver()?.count ?? 0) - before
            // A network that brings something each time is worth another try, each time.
            failures = gained >= min(16 << 10, max(1, target.length / 20)) ? 1 : failures + 1
            let isAnyLeft = mirrors.order(at: clock.now()).contains { !refused.contains($0) }
            guard isAnyLeft, failures < limits.rounds, requests < limits.requests else {
                throw first.error
            }
            let pause = Backoff(longest: limits.longestPause).pause(
                after: failures, retryAfter: first.retryAfter, random: random)
            guard pause <= limits.longestPause * 1.5, pause < secondsLeft else { throw first.error }
            do {
                try await clock.sleep(seconds: pause)
            } catch { throw UpdateError(.cancelled) }
        }
    }

    private struct Failure {
        let error: UpdateError
        /// Whether asking the same mirror again is of no use.
        var isFinal = false
        var retryAfter: Double?
    }

    private var secondsLeft: Double {
        let now = clock.monotonicNanoseconds()
        return now < end ? Double(end - now) / 1e9 : 0
    }

    private func begin(_ part: DownloadPart) throws {
        do {
            _ = try files.openForWriting(part.name, appending: false)
        } catch { throw UpdateError.state(error) }
    }

    /// One mirror's turn: a request, and a second one for the whole file when the first one's range
    /// was refused or what it continued was spoiled.
    /// - Returns: nil when the file is here.
    /// - Throws: ``UpdateError`` when no mirror could help.
    private func attempt(
        _ base: URL, _ part: DownloadPart, _ report: inout Report
    ) async throws -> Failure? {
        for mayContinue in [true, false] {
            if !mayContinue { part.remove() }
            let earlier = mayContinue ? try earlierBytes(part) : nothing
            if earlier.count == target.length {
                // It ended between the last byte and its use.
                if (try? earlier.check.finish()) != nil {
                    report.wasResumed = true
                    return nil
                }
                continue
            }
            do {
                try await request(base, part, earlier, &report)
                return nil
            } catch is RangeRefused {
                continue
            } catch let error as TUFError {
                part.remove()
                if earlier.count > 0 { continue }
                return Failure(error: .trust(error, transport: nil), isFinal: true)
            } catch let error as HTTPError where error.reason == .tooLarge {
                part.remove()
                return Failure(
                    error: UpdateError(
                        .sizeMismatch, "more than the signed \(target.length) bytes"),
                    isFinal: true)
            } catch {
                return try failure(error)
            }
        }
        return Failure(
            error: UpdateError(.serverRefused, "\(target.path): no whole file"), isFinal: true)
    }

    private func failure(_ error: any Error) throws -> Failure {
        let translated = UpdateError.network(error)
        if translated.reason == .cancelled || error is FileError { throw translated }
        guard let error = error as? HTTPError else { return Failure(error: translated) }
        let temporary = [408, 425, 429]
        let isFinal =
            error.reason == .insecureRedirect
            || error.status.map { $0 < 500 && !temporary.contains($0) } ?? false
        return Failure(error: translated, isFinal: isFinal, retryAfter: error.retryAfter)
    }

    private typealias Earlier = (count: Int, check: TargetCheck, sidecar: DownloadPart.Sidecar?)

    private var nothing: Earlier { (0, TargetCheck(target), nil) }

    /// What is on disk already, hashed.
    private func earlierBytes(_ part: DownloadPart) throws -> Earlier {
        guard let left = part.leftOver(), let reader = try? files.openForReading(part.name) else {
            part.remove()
            return nothing
        }
        var check = TargetCheck(target)
        while let piece = try? reader.read(upTo: 64 << 10), !piece.isEmpty {
            guard (try? check.update(piece)) != nil else { break }
        }
        guard check.size == left.count else {
            part.remove()
            return nothing
        }
        return (left.count, check, left.sidecar)
    }

    private func request(
        _ base: URL, _ part: DownloadPart, _ earlier: Earlier, _ report: inout Report
    ) async throws {
        let left = secondsLeft
        guard left > 0 else { throw UpdateError(.serverTimedOut, "the time for it is over") }
        let url = Self.url(base, path)
        var request = HTTPRequest(
            url, maximumSize: target.length, idleTimeout: limits.idle, deadline: left)
        request.minimumRate = limits.minimumRate
        request.rateWindow = limits.rateWindow
        // The name of the file says what is in it, so any mirror may continue it; only the one that
        // named the tag understands it.
        let isSame = earlier.sidecar?.url == url.absoluteString
        request = request.resuming(
            at: earlier.count, etag: isSame ? earlier.sidecar?.etag : nil)
        let receiver = PartReceiver(
            target: target, part: part, url: url, earlier: earlier.count, check: earlier.check,
            progress: progress)
        defer {
            receiver.close()
            let kept = receiver.wasContinued ? earlier.count : 0
            report.received += max(0, receiver.count - kept)
        }
        try await transport.stream(request, into: receiver)
        try receiver.finish()
        if receiver.wasContinued { report.wasResumed = true }
    }

    static func url(_ base: URL, _ path: String) -> URL {
        path.split(separator: "/").reduce(base) { $0.appendingPathComponent(String($1)) }
    }
}
