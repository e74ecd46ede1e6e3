import Foundation
import PatchPlatform
import TUF

/// The events that wait, one JSON object a line in `outbox/events.jsonl`, oldest first. A process that
/// is killed while it writes leaves at most a last line without its end, which is dropped.
struct OutboxFile: Sendable {
    static let folder = "outbox"
    static let name = "\(folder)/events.jsonl"

    let files: any FileStore
    let limits: Outbox.Limits

    private var lock: OutboxLock { OutboxLock(files: files) }

    /// What waits, damaged lines left out.
    func load() throws -> [TelemetryEvent] { try read().events }

    /// Adds an event; the oldest ones give way.
    func append(_ event: TelemetryEvent) throws {
        let line = Self.line(event)
        try lock.run {
            let old = try read()
            let isFull =
                old.events.count >= limits.events
                || old.size + line.count > limits.bytes
            if old.size == 0 || old.isTorn || isFull {
                try write(old.events + [event])
            } else {
                let writer = try files.openForWriting(Self.name, appending: true)
                try line.withUnsafeBytes { try writer.write($0) }
                try writer.finish()
            }
        }
    }

    /// Forgets events that the server has.
    func remove(_ ids: Set<String>) throws {
        try lock.run {
            let old = try read()
            try write(old.events.filter { !ids.contains($0.id) })
        }
    }

    /// Forgets everything, this install's id included.
    func erase() throws {
        guard try !files.list(Self.folder).isEmpty else { return }
        try files.remove(Self.folder)
    }

    private func read() throws -> (events: [TelemetryEvent], size: Int, isTorn: Bool) {
        let bytes: [UInt8]
        do {
            bytes = try files.read(Self.name, maximumSize: 4 * limits.bytes) ?? []
        } catch let error as FileError where error.reason == .tooLarge {
            // Nobody of ours wrote that much.
            return ([], 0, true)
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let events = lines.compactMap { try? Self.event($0) }
        let isTorn = events.count != lines.count || bytes.last.map { $0 != 0x0A } ?? false
        return (events, bytes.count, isTorn)
    }

    private func write(_ events: [TelemetryEvent]) throws {
        if events.isEmpty { return try files.remove(Self.name) }
        var lines = events.suffix(limits.events).map(Self.line)
        var size = lines.reduce(0) { $0 + $1.count }
        while size > limits.bytes, !lines.isEmpty { size -= lines.removeFirst().count }
        try files.writeAtomically(Array(lines.joined()), to: Self.name)
    }

    private static func event(_ line: ArraySlice<UInt8>) throws -> TelemetryEvent {
        let limits = DocumentFields.limits(Int.max)
        return try TelemetryEvent(json: JSONValue(parsing: Array(line), limits: limits))
    }

    private static func line(_ event: TelemetryEvent) -> [UInt8] {
        event.bounded.json.encoded() + [0x0A]
    }
}

/// Keeps the processes of an app apart while they change the outbox.
struct OutboxLock: Sendable {
    private static let name = "\(OutboxFile.folder)/lock"
    /// How long another process is waited for, in seconds.
    private static let patience = 0.25

    let files: any FileStore

    /// Runs `body` alone.
    /// - Throws: ``UpdateError`` `state_busy`, or what `body` throws.
    func run<Result>(_ body: () throws -> Result) throws -> Result {
        var waited = 0.0
        while true {
            if let lock = try files.lock(Self.name, wait: false) {
                defer { lock.release() }
                return try body()
            }
            guard waited < Self.patience else { throw UpdateError(.stateBusy) }
            Thread.sleep(forTimeInterval: 0.005)
            waited += 0.005
        }
    }
}

extension TelemetryEvent {
    /// The same event with texts of a length that fits the outbox.
    var bounded: TelemetryEvent {
        var event = self
        event.id = id.cut(to: 64)
        event.release = release?.cut(to: 64)
        event.fingerprint = fingerprint.cut(to: 64)
        event.sdk = sdk.cut(to: 64)
        event.os = os?.cut(to: 64)
        event.appVersion = appVersion?.cut(to: 64)
        event.reason = reason?.cut(to: 64)
        event.detail = detail?.cut(to: 256)
        if !at.isFinite { event.at = 0 }
        return event
    }
}

extension String {
    /// The longest prefix of whole characters in so many UTF-8 bytes.
    fileprivate func cut(to size: Int) -> String {
        if utf8.count <= size { return self }
        var result = ""
        var left = size
        for character in self {
            left -= character.utf8.count
            if left < 0 { break }
            result.append(character)
        }
        return result
    }
}
