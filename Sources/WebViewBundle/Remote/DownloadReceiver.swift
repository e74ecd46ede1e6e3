import Foundation
import PatchCrypto
import PatchPlatform

/// Writes an answer to disk and hashes it while it arrives.
final class DownloadReceiver: HTTPReceiver {
    private struct State {
        var info: RemoteBundleInfo?
        var hash: IncrementalHash?
        var writer: (any FileWriter)?
        var size = 0
        var total: Int?
        /// The body of an answer with an error status, for its message.
        var refusal: (status: Int, body: [UInt8])?
    }

    private static let mostRefusal = 16 << 10

    private let download: BundleDownload
    private let earlier: BundleDownload.LeftOver?
    private let state = Lock(State())

    init(_ download: BundleDownload, earlier: BundleDownload.LeftOver?) {
        self.download = download
        self.earlier = earlier
    }

    func begin(_ head: HTTPHead) throws {
        switch head.status {
        case 200: try start(head, after: nil)
        case 206:
            guard let earlier,
                head.headers["content-range"]?.hasPrefix("bytes \(earlier.size)-")
                    == true
            else { throw CannotContinue() }
            try start(head, after: earlier)
        case 416: throw CannotContinue()
        default: state.withLock { $0.refusal = (head.status, []) }
        }
    }

    private func start(_ head: HTTPHead, after earlier: BundleDownload.LeftOver?) throws {
        let info = try RemoteBundleInfo(
            headers: head.headers, asked: download.name, download.version)
        try download.admit(info.version)
        let sidecar = BundleDownload.Sidecar(version: info.version, metadata: info.metadata)
        // A part goes on only under the very same statement: version, tag, integrity, signature.
        if let earlier, earlier.sidecar != sidecar { throw CannotContinue() }
        let algorithm = try download.verifier.algorithm(
            statedIntegrity: info.integrity, statedSignature: info.signature)
        if let length = head.contentLength, let free = download.freeBytes(), UInt64(length) > free {
            throw FailureCode.storage.core(
                "The bundle has \(length) bytes and the disk \(free) left; free some space.")
        }
        var hash = algorithm.map(IncrementalHash.init)
        if earlier != nil {
            try Self.feed(&hash, fileAt: download.partPath())
        } else {
            try download.keepSidecar(sidecar)
        }
        let writer = try download.openPart(appending: earlier != nil)
        let size = earlier?.size ?? 0
        let fed = hash
        state.withLock {
            $0.info = info
            $0.hash = fed
            $0.size = size
            $0.total = head.contentLength.map { $0 + size }
            $0.refusal = nil
        }
        keepWriter(writer)
    }

    // Apart from `start`, so that the writer is handed over and not shared.
    private func keepWriter(_ writer: sending any FileWriter) {
        state.withLock { $0.writer = writer }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        let progress = try state.withLock { state -> DownloadProgress? in
            if state.refusal != nil {
                let room = Self.mostRefusal - (state.refusal?.body.count ?? 0)
                state.refusal?.body.append(contentsOf: bytes.prefix(max(0, room)))
                return nil
            }
            guard let writer = state.writer else { return nil }
            try writer.write(bytes)
            state.hash?.update(bytes)
            state.size += bytes.count
            guard state.size <= download.remote.options.maximumBundleSize else {
                throw FailureCode.badBundle.http(
                    "The bundle has more than the "
                        + "\(download.remote.options.maximumBundleSize) bytes allowed.")
            }
            return DownloadProgress(
                bundleName: download.name, receivedBytes: state.size, totalBytes: state.total)
        }
        if let progress { download.progress(progress) }
    }

    /// Makes what arrived durable after a lost connection.
    func keep() {
        state.withLock {
            try? $0.writer?.finish()
            $0.writer = nil
        }
    }

    /// The end of the body: checks the digest.
    func finish() throws -> RemoteBundleInfo {
        let (info, digest) = try state.withLock { state -> (RemoteBundleInfo, [UInt8]) in
            if let refusal = state.refusal { try Remote.check(refusal.status, refusal.body) }
            guard let info = state.info, let writer = state.writer else {
                throw FailureCode.badAnswer.http("The remote sent no bundle.")
            }
            try writer.finish()
            state.writer = nil
            if let total = state.total, state.size != total {
                throw FailureCode.transport.http("The remote's answer ended early.")
            }
            return (info, state.hash?.finalize() ?? [])
        }
        try download.verifier.check(
            digest: digest, statedIntegrity: info.integrity, statedSignature: info.signature)
        return info
    }

    private static func feed(_ hash: inout IncrementalHash?, fileAt path: String) throws {
        guard hash != nil else { return }
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
            hash?.update(piece)
        }
    }
}
