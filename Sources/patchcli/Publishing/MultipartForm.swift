import PatchCrypto

/// A release as `multipart/form-data` (RFC 7578).
struct MultipartForm: Sendable {
    private struct Part {
        let name: String
        let filename: String
        let bytes: [UInt8]
    }

    private let boundary = "openpatch-" + SecureRandom.bytes(16).hex
    private var parts: [Part] = []

    init() {}

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Adds a metadata file such as `3.targets.json`.
    mutating func add(metadata name: String, _ bytes: [UInt8]) {
        parts.append(Part(name: "metadata", filename: name, bytes: bytes))
    }

    /// Adds the bytes of a target under its target path.
    mutating func add(target path: String, _ bytes: [UInt8]) {
        parts.append(Part(name: "target", filename: path, bytes: bytes))
    }

    func encoded() -> [UInt8] {
        var body: [UInt8] = []
        for part in parts {
            body += Array(
                ("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"; "
                    + "filename=\"\(part.filename)\"\r\n"
                    + "Content-Type: application/octet-stream\r\n\r\n").utf8)
            body += part.bytes
            body += Array("\r\n".utf8)
        }
        return body + Array("--\(boundary)--\r\n".utf8)
    }
}
