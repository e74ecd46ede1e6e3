import Foundation
import PatchCompression
import PatchCrypto
import PatchPlatform
import Rollout
import TUF

/// Brings one published payload onto this device: download, verify, decode, verify.
struct PayloadDownload: Sendable {
    static let folder = "incoming"

    let transport: any HTTPTransport
    let files: any FileStore
    let release: Release
    let target: TargetFile
    let url: URL
    /// Called with the share of bytes received, 0 to 1.
    let progress: @Sendable (Double) -> Void

    /// The decoded payload, of the signed size and digest.
    /// - Throws: ``UpdateError``. What arrived of a download that was cut off stays for the next
    ///   attempt; all else is removed.
    func run(maximumSize: Int) async throws -> [UInt8] {
        guard target.length <= maximumSize, release.raw.size <= maximumSize else {
            throw UpdateError(.sizeMismatch, "larger than the \(maximumSize) bytes allowed")
        }
        if let free = files.freeBytes(), free < UInt64(target.length + release.raw.size) {
            throw UpdateError(.diskFull)
        }
        let encoded = try await receive()
        defer { removePart() }
        return try decode(encoded)
    }

    private var part: String { "\(Self.folder)/\(release.raw.sha256).part" }
    private var tag: String { "\(Self.folder)/\(release.raw.sha256).etag" }

    private func removePart() {
        try? files.remove(part)
        try? files.remove(tag)
    }

    private func receive() async throws -> [UInt8] {
        do {
            return try await receive(resuming: true)
        } catch let error as RangeRefused {
            _ = error
            removePart()
            return try await receive(resuming: false)
        }
    }

    /// The bytes that an earlier attempt left, when they can be continued.
    private func leftOver() -> (bytes: [UInt8], etag: String)? {
        guard let bytes = try? files.read(part, maximumSize: target.length - 1), !bytes.isEmpty,
            let etag = try? files.read(tag, maximumSize: 1024), !etag.isEmpty
        else { return nil }
        return (bytes, String(decoding: etag, as: UTF8.self))
    }

    private func receive(resuming: Bool) async throws -> [UInt8] {
        let old = resuming ? leftOver() : nil
        if old == nil { removePart() }
        // Two minutes, and more for what is large: 4 KiB a second is slow, less is stuck.
        let deadline = 120 + Double(target.length) / 4096
        let request = HTTPRequest(
            url, maximumSize: target.length, idleTimeout: 30, deadline: deadline
        )
        .resuming(at: old?.bytes.count ?? 0, etag: old?.etag)
        let receiver = try PayloadReceiver(
            target: target, earlier: old?.bytes ?? [], url: url,
            open: { isAppending in try files.openForWriting(part, appending: isAppending) },
            keepTag: { etag in
                // Not made durable: a lost tag only means that the download begins again.
                var etag = etag
                try etag.withUTF8 { bytes in
                    try files.openForWriting(tag, appending: false)
                        .write(UnsafeRawBufferPointer(bytes))
                }
            },
            progress: progress)
        do {
            try await transport.stream(request, into: receiver)
            return try receiver.finish()
        } catch let error as RangeRefused {
            throw error
        } catch let error as TUFError {
            removePart()
            throw UpdateError.trust(error, transport: nil)
        } catch let error as HTTPError where error.reason == .tooLarge {
            removePart()
            throw UpdateError(.sizeMismatch, "more than the signed \(target.length) bytes")
        } catch {
            throw UpdateError.network(error)
        }
    }

    private func decode(_ encoded: [UInt8]) throws -> [UInt8] {
        let payload: [UInt8]
        switch release.encoding {
        case .identity: payload = encoded
        case .brotli:
            do {
                payload = try Brotli.decompress(encoded, maximumSize: release.raw.size)
            } catch {
                throw UpdateError(.decodingFailed, "\(error)")
            }
        default: throw UpdateError(.encodingUnknown, release.encoding.rawValue)
        }
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

/// The server cannot continue where the last attempt ended.
struct RangeRefused: Error {}

/// Writes a download to disk and hashes it while it arrives; stops at the signed size.
final class PayloadReceiver: HTTPReceiver {
    private struct State {
        var check: TargetCheck
        var bytes: [UInt8]
        var writer: (any FileWriter)?
    }

    private let target: TargetFile
    private let earlier: [UInt8]
    private let url: URL
    private let open: @Sendable (Bool) throws -> any FileWriter
    private let keepTag: @Sendable (String) throws -> Void
    private let progress: @Sendable (Double) -> Void
    private let state: Lock<State>

    init(
        target: TargetFile, earlier: [UInt8], url: URL,
        open: @escaping @Sendable (Bool) throws -> any FileWriter,
        keepTag: @escaping @Sendable (String) throws -> Void,
        progress: @escaping @Sendable (Double) -> Void
    ) throws {
        self.target = target
        self.earlier = earlier
        self.url = url
        self.open = open
        self.keepTag = keepTag
        self.progress = progress
        state = Lock(State(check: TargetCheck(target), bytes: [], writer: nil))
    }

    func begin(_ head: HTTPHead) throws {
        switch head.status {
        case 200: try start(with: [])
        case 206:
            let start = "bytes \(earlier.count)-"
            guard !earlier.isEmpty, head.headers["content-range"]?.hasPrefix(start) == true else {
                throw RangeRefused()
            }
            try self.start(with: earlier)
        case 416: throw RangeRefused()
        default: throw HTTPError(.badStatus, url: url, status: head.status)
        }
        if let etag = head.etag { try keepTag(etag) }
    }

    private func start(with bytes: [UInt8]) throws {
        let writer = try open(!bytes.isEmpty)
        try state.withLock {
            $0.check = TargetCheck(target)
            try $0.check.update(bytes)
            $0.bytes = bytes
            $0.bytes.reserveCapacity(target.length)
            $0.writer = writer
        }
    }

    func receive(_ buffer: UnsafeRawBufferPointer) throws {
        let received = try state.withLock { state in
            let bytes = Array(buffer)
            try state.check.update(bytes)
            try state.writer?.write(buffer)
            state.bytes += bytes
            return state.check.size
        }
        progress(target.length == 0 ? 1 : Double(received) / Double(target.length))
    }

    /// The whole file, verified.
    func finish() throws -> [UInt8] {
        try state.withLock {
            try $0.check.finish()
            $0.writer = nil
            return $0.bytes
        }
    }
}
