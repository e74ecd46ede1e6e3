/// The head of one part of a multipart body.
struct MultipartHead: Equatable {
    var name = ""
    var filename: String?
}

/// What a multipart body turned out to hold, in order.
enum MultipartEvent: Equatable {
    case began(MultipartHead)
    case data([UInt8])
    case ended
}

/// Reads `multipart/form-data` (RFC 7578) as it arrives; holds no more than a head or a delimiter.
struct MultipartParser {
    static let maximumHeadSize = 4 << 10

    private enum State { case preamble, afterDelimiter, head, body, finished }

    private let delimiter: [UInt8]
    private let maximumParts: Int
    private var state = State.preamble
    private var pending: [UInt8] = []
    private var parts = 0

    /// - Throws: ``APIError`` when the content type is not a multipart form with a usable boundary.
    init(contentType: String?, maximumParts: Int) throws {
        guard let contentType, contentType.lowercased().hasPrefix("multipart/form-data"),
            let boundary = HeaderParameters.value("boundary", in: contentType),
            (1...70).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw APIError(
                status: 415, code: "not_multipart",
                message: "Send the release as multipart/form-data with a boundary.")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.maximumParts = maximumParts
        // The first delimiter may stand at the very start, without its line break.
        pending = [0x0D, 0x0A]
    }

    /// Whether the closing delimiter has come.
    var isComplete: Bool { state == .finished }

    /// Takes the next bytes.
    mutating func feed(
        _ bytes: UnsafeRawBufferPointer, _ handle: (MultipartEvent) throws -> Void
    ) throws {
        if state == .finished { return }  // An epilogue is allowed and means nothing.
        pending.append(contentsOf: bytes)
        while try step(handle) {}
    }

    private mutating func step(_ handle: (MultipartEvent) throws -> Void) throws -> Bool {
        switch state {
        case .preamble:
            guard let start = find(delimiter) else {
                keepTail()
                return false
            }
            pending.removeFirst(start + delimiter.count)
            state = .afterDelimiter
            return true
        case .afterDelimiter: return try stepAfterDelimiter()
        case .head: return try stepHead(handle)
        case .body: return try stepBody(handle)
        case .finished:
            pending = []
            return false
        }
    }

    private mutating func stepAfterDelimiter() throws -> Bool {
        guard pending.count >= 2 else { return false }
        let two = pending[0..<2]
        if two.elementsEqual([0x2D, 0x2D]) {
            state = .finished
            return true
        }
        // Blanks may stand between the delimiter and its line break; nothing else may.
        guard two.elementsEqual([0x0D, 0x0A]) else {
            guard pending[0] == 0x20 || pending[0] == 0x09 else { throw Self.malformed }
            pending.removeFirst()
            return true
        }
        pending.removeFirst(2)
        state = .head
        parts += 1
        guard parts <= maximumParts else {
            throw APIError(
                status: 413, code: "too_many_parts",
                message: "The form has more than \(maximumParts) parts.")
        }
        return true
    }

    private mutating func stepHead(_ handle: (MultipartEvent) throws -> Void) throws -> Bool {
        // A part without any header cannot say what it is.
        if pending.starts(with: [0x0D, 0x0A]) { throw Self.malformed }
        guard let end = find([0x0D, 0x0A, 0x0D, 0x0A]) else {
            guard pending.count <= Self.maximumHeadSize else { throw Self.malformed }
            return false
        }
        guard end <= Self.maximumHeadSize else { throw Self.malformed }
        let head = try Self.readHead(String(decoding: pending[..<end], as: UTF8.self))
        pending.removeFirst(end + 4)
        state = .body
        try handle(.began(head))
        return true
    }

    private mutating func stepBody(_ handle: (MultipartEvent) throws -> Void) throws -> Bool {
        if let end = find(delimiter) {
            if end > 0 { try handle(.data(Array(pending[..<end]))) }
            pending.removeFirst(end + delimiter.count)
            state = .afterDelimiter
            try handle(.ended)
            return true
        }
        let safe = pending.count - (delimiter.count - 1)
        if safe > 0 {
            try handle(.data(Array(pending[..<safe])))
            pending.removeFirst(safe)
        }
        return false
    }

    private mutating func keepTail() {
        let surplus = pending.count - (delimiter.count - 1)
        if surplus > 0 { pending.removeFirst(surplus) }
    }

    private func find(_ needle: [UInt8]) -> Int? {
        guard pending.count >= needle.count, let first = needle.first else { return nil }
        var index = 0
        let last = pending.count - needle.count
        while index <= last {
            guard let next = pending[index...last].firstIndex(of: first) else { return nil }
            if pending[next..<next + needle.count].elementsEqual(needle) { return next }
            index = next + 1
        }
        return nil
    }

    private static func readHead(_ text: String) throws -> MultipartHead {
        var head = MultipartHead()
        for line in text.components(separatedBy: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { throw malformed }
            guard line[..<colon].lowercased() == "content-disposition" else { continue }
            let value = String(line[line.index(after: colon)...])
            guard let name = HeaderParameters.value("name", in: value) else { throw malformed }
            head.name = name
            head.filename = HeaderParameters.value("filename", in: value)
        }
        guard !head.name.isEmpty else { throw malformed }
        return head
    }

    static let malformed = APIError.malformed(
        "malformed_multipart", "The multipart body does not follow RFC 7578.")
}
