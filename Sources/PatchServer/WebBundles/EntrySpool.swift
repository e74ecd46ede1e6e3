import Foundation
import PatchPlatform

/// Unpacked entries of one archive in a temporary file that has no name, so that the kernel sends
/// them as it sends plain files, and each is unpacked once. What does not fit is not kept.
final class EntrySpool: Sendable {
    /// Where an entry lies in the file.
    struct Place: Sendable, Equatable {
        let offset: Int
        let size: Int
    }

    private struct State {
        var places: [String: Place] = [:]
        var end = 0
    }

    private let descriptor: Int32
    private let capacity: Int
    private let state = Lock(State())

    /// Nil when nothing is to be kept or there is no place for a file.
    init?(capacity: Int) {
        guard capacity > 0 else { return nil }
        var name = Array((NSTemporaryDirectory() + "/openpatch-entries-XXXXXX").utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return nil }
        unlink(name)
        // Children of this process have no use for it.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.capacity = capacity
    }

    deinit { close(descriptor) }

    /// The place of an entry, which is unpacked and written when it is asked for the first time.
    /// - Returns: nil when it cannot be kept, as on a full disk.
    func place(of path: String, unpack: () -> [UInt8]?) -> Place? {
        if let place = state.withLock({ $0.places[path] }) { return place }
        guard let contents = unpack() else { return nil }
        return state.withLock { state in
            if let place = state.places[path] { return place }
            guard contents.count <= capacity - state.end,
                write(contents, at: state.end)
            else { return nil }
            let place = Place(offset: state.end, size: contents.count)
            state.places[path] = place
            state.end += contents.count
            return place
        }
    }

    /// A part of an entry, as the body of a response; nil when no descriptor is left.
    func body(at place: Place, _ range: Range<Int>) -> HTTPResponse.Body? {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        return .file(
            descriptor: own, offset: UInt64(place.offset + range.lowerBound),
            count: UInt64(range.count))
    }

    private func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let part = pwrite(
                    descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done,
                    off_t(offset + done))
                if part < 0, errno == EINTR { continue }
                guard part > 0 else { return false }
                done += part
            }
            return true
        }
    }
}
