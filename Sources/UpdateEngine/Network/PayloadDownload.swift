import Foundation
import PatchCompression
import PatchCrypto
import PatchPlatform
import Rollout
import TUF

/// What it took to bring a payload onto this device.
public struct DownloadReport: Equatable, Sendable {
    /// Bytes that crossed the network.
    public var bytes = 0
    /// Whether the payload was made with a delta.
    public var isDelta = false
    /// Whether an earlier download was continued.
    public var isResumed = false
    /// How long it took, in seconds.
    public var seconds: Double = 0
    /// Why a delta that was tried was of no use.
    public var deltaProblem: UpdateError?

    /// Nothing crossed the network yet.
    public init() {}
}

/// Brings the payload of a release onto this device: through a delta where one fits, whole otherwise.
final class PayloadDownload: Sendable {
    /// Brings a file: target, called with the bytes that are here.
    typealias Fetch =
        @Sendable (TargetFile, @escaping @Sendable (Int) -> Void) async throws ->
        FileDownload.Report

    private let release: Release
    private let whole: TargetFile
    private let held: HeldPayloads
    private let maximumSize: Int
    private let files: any FileStore
    private let clock: any SystemClock
    private let published: @Sendable (String) -> TargetFile?
    private let fetch: Fetch
    private let progress: @Sendable (Int, Int) -> Void

    /// - Parameters:
    ///   - published: the published file of a path, if there is one.
    ///   - progress: called with the bytes that are here and those that there will be.
    init(
        release: Release, whole: TargetFile, held: HeldPayloads, maximumSize: Int,
        files: any FileStore, clock: any SystemClock,
        published: @escaping @Sendable (String) -> TargetFile?, fetch: @escaping Fetch,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) {
        self.release = release
        self.whole = whole
        self.held = held
        self.maximumSize = maximumSize
        self.files = files
        self.clock = clock
        self.published = published
        self.fetch = fetch
        self.progress = progress
    }

    /// The payload, of the signed size and digest.
    /// - Throws: ``UpdateError``.
    func run() async throws -> (payload: [UInt8], report: DownloadReport) {
        guard whole.length <= maximumSize, release.raw.size <= maximumSize, release.raw.size >= 0
        else { throw UpdateError(.sizeMismatch, "larger than the \(maximumSize) bytes allowed") }
        let begun = clock.monotonicNanoseconds()
        var report = DownloadReport()
        let payload = try await bring(&report)
        report.seconds = Double(clock.monotonicNanoseconds() &- begun) / 1e9
        return (payload, report)
    }

    private func bring(_ report: inout DownloadReport) async throws -> [UInt8] {
        if let offer = held.offer(for: release, whole: whole, published: published) {
            do {
                let encoded = try await receive(offer.target, &report)
                let payload = try apply(encoded, offer)
                report.isDelta = true
                return payload
            } catch let error as UpdateError
                where error.reason != .cancelled && error.reason != .diskFull
            {
                // Deltas save bytes; they never stand between a device and its update.
                report.deltaProblem = error
                report.isResumed = false
            }
        }
        switch release.encoding {
        case .identity, .brotli: break
        default: throw UpdateError(.encodingUnknown, release.encoding.rawValue)
        }
        let payload = try await receive(whole, &report, decode)
        return try checked(payload)
    }

    /// Brings a file and hands out its bytes; nothing of it is left on disk afterwards.
    private func receive(
        _ target: TargetFile, _ report: inout DownloadReport,
        _ read: ((DownloadPart) throws -> [UInt8])? = nil
    ) async throws -> [UInt8] {
        if let free = files.freeBytes(),
            free < UInt64(max(0, target.length)) + UInt64(release.raw.size)
        {
            throw UpdateError(.diskFull)
        }
        let total = target.length
        let progress = progress
        let received = try await fetch(target) { progress($0, total) }
        report.bytes += received.received
        report.isResumed = received.wasResumed
        let part = DownloadPart(files: files, target: target)
        defer { part.remove() }
        if let read { return try read(part) }
        guard let bytes = try? files.read(part.name, maximumSize: target.length) else {
            throw UpdateError(.stateUnreadable, part.name)
        }
        return bytes
    }

    private func apply(_ delta: [UInt8], _ offer: HeldPayloads.Offer) throws -> [UInt8] {
        do {
            let payload = try Delta.apply(
                delta, to: offer.base, digest: Hex.decode(offer.digest) ?? [],
                maximumSize: release.raw.size)
            return try checked(payload)
        } catch let error as UpdateError {
            throw error
        } catch {
            throw UpdateError(.deltaFailed, "\(error)")
        }
    }

    /// Decompresses piece by piece, so that only the payload is ever whole in memory.
    private func decode(_ part: DownloadPart) throws -> [UInt8] {
        do {
            guard let reader = try files.openForReading(part.name) else {
                throw UpdateError(.stateUnreadable, part.name)
            }
            if release.encoding == .identity {
                return try files.read(part.name, maximumSize: whole.length) ?? []
            }
            var payload: [UInt8] = []
            payload.reserveCapacity(release.raw.size)
            var decoder = try BrotliDecoder(maximumSize: release.raw.size)
            while true {
                let piece = try reader.read(upTo: 64 << 10)
                if piece.isEmpty { break }
                try decoder.feed(piece) { payload.append(contentsOf: $0) }
            }
            try decoder.finish()
            return payload
        } catch let error as CompressionError {
            throw UpdateError(.decodingFailed, "\(error)")
        } catch {
            throw UpdateError.state(error)
        }
    }

    private func checked(_ payload: [UInt8]) throws -> [UInt8] {
        guard payload.count == release.raw.size else {
            throw UpdateError(
                .sizeMismatch, "\(payload.count) bytes instead of \(release.raw.size)")
        }
        guard SHA256.hash(payload).hex == release.raw.sha256 else {
            throw UpdateError(.digestMismatch, release.raw.sha256)
        }
        return payload
    }
}
