import PatchPlatform
import TUF

/// What one start of the app left behind: who started, which payloads it activated, and how far
/// each came.
///
/// On disk it is a line of JSON followed by one letter or line for each thing that happened, so
/// that noting something is one `write`. A mark only has to outlive its process, not the power:
/// an end by power cut never counts. That is why it is not part of the durable state.
struct StartMark: Equatable, Sendable {
    /// The first line.
    struct Header: Equatable, Sendable {
        /// Version of the form.
        var v = 1
        /// The build that ran.
        var fingerprint: String
        /// The process that started.
        var process: ProcessMark
        /// Which boot of the device it was, if known.
        var deviceBoot: String?
        /// Whether a debugger was attached.
        var isDebugged: Bool
        /// Whether the app was in the foreground when it began.
        var isInForeground: Bool
    }

    /// One payload of the start.
    struct Activation: Equatable, Sendable {
        var digest: String
        /// How many starts with it had become ready before.
        var readyRuns: Int
        /// Whether it is what the app shipped with, which has no slot.
        var isShipped = false
        /// Whether activating it came to an end.
        var isActivated = false
        /// Whether a call into it began.
        var wasCalled = false
        /// Whether it was said to work.
        var isReady = false
    }

    /// Something that happened in a start.
    enum Event: Equatable, Sendable {
        case willActivate(String, readyRuns: Int, isShipped: Bool = false)
        /// The newest activation failed; the one before it serves again.
        case abandoned
        case activated, called, ready
        case background, foreground
        case ended

        var line: String {
            switch self {
            case .willActivate(let digest, let readyRuns, let isShipped):
                return "\(isShipped ? "s" : "a") \(digest) \(readyRuns)\n"
            case .abandoned: return "x\n"
            case .activated: return "d\n"
            case .called: return "c\n"
            case .ready: return "r\n"
            case .background: return "b\n"
            case .foreground: return "f\n"
            case .ended: return "e\n"
            }
        }
    }

    /// Nobody else's start has it; also the file's name. It begins with the process id.
    var nonce: String
    var header: Header
    /// Payloads in the order in which they were activated.
    var activations: [Activation] = []
    var isInForeground: Bool
    var hasEnded = false

    init(nonce: String, header: Header) {
        self.nonce = nonce
        self.header = header
        isInForeground = header.isInForeground
    }

    mutating func note(_ event: Event) {
        switch event {
        case .willActivate(let digest, let readyRuns, let isShipped):
            activations.append(
                Activation(digest: digest, readyRuns: readyRuns, isShipped: isShipped))
        case .abandoned: _ = activations.popLast()
        case .activated: changeNewest { $0.isActivated = true }
        case .called: changeNewest { $0.wasCalled = true }
        case .ready: changeNewest { $0.isReady = true }
        case .background: isInForeground = false
        case .foreground: isInForeground = true
        case .ended: hasEnded = true
        }
    }

    private mutating func changeNewest(_ change: (inout Activation) -> Void) {
        if !activations.isEmpty { change(&activations[activations.count - 1]) }
    }

    // MARK: On disk

    static let folder = "boot"
    /// The largest mark, in bytes: a process that swaps modules all day stays far below.
    static let maximumSize = 1 << 16

    /// The first line.
    func head() -> [UInt8] { header.json.encoded() + [0x0A] }

    /// Reads a mark; nil when its first line is not whole (the process ended while writing it, and
    /// no payload ran).
    init?(nonce: String, bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count > 1,
            let header = try? Header(parsing: Array(lines[0])),
            header.v == 1
        else { return nil }
        self.init(nonce: nonce, header: header)
        // What follows the last line feed is half a line.
        for line in lines.dropFirst().dropLast() {
            if let event = Event(line) { note(event) }
        }
    }
}

extension StartMark.Event {
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        switch (words.first, words.count) {
        case ("a", 3), ("s", 3):
            guard let runs = Int(words[2]) else { return nil }
            self = .willActivate(words[1], readyRuns: runs, isShipped: words[0] == "s")
        case ("x", 1): self = .abandoned
        case ("d", 1): self = .activated
        case ("c", 1): self = .called
        case ("r", 1): self = .ready
        case ("b", 1): self = .background
        case ("f", 1): self = .foreground
        case ("e", 1): self = .ended
        default: return nil
        }
    }
}

extension StartMark.Header {
    fileprivate init(parsing bytes: [UInt8]) throws {
        let json = try JSONValue(
            parsing: bytes, limits: DocumentFields.limits(StartMark.maximumSize))
        let fields = try DocumentFields(json, "mark")
        v = try fields.integer("v")
        fingerprint = try fields.string("fingerprint")
        let process = try DocumentFields(fields["process"], "process")
        guard let kind = ProcessKind(rawValue: try process.string("kind")) else {
            throw DocumentFields.Fault("'kind' is unknown")
        }
        self.process = ProcessMark(
            kind: kind, pid: Int32(clamping: try process.integer("pid")),
            start: process["start"]?.string)
        deviceBoot = fields["device_boot"]?.string
        isDebugged = try fields.bool("debugged")
        isInForeground = try fields.bool("foreground")
    }

    // Member by member, because a start writes it and makes no array of pairs besides.
    fileprivate var json: JSONValue {
        var maker: [String: JSONValue] = [:]
        maker["kind"] = .string(process.kind.rawValue)
        maker["pid"] = .integer(Int64(process.pid))
        maker["start"] = process.start.map { .string($0) }
        var members: [String: JSONValue] = [:]
        members["v"] = .integer(Int64(v))
        members["fingerprint"] = .string(fingerprint)
        members["process"] = .object(maker)
        members["device_boot"] = deviceBoot.map { .string($0) }
        members["debugged"] = .bool(isDebugged)
        members["foreground"] = .bool(isInForeground)
        return .object(members)
    }
}
