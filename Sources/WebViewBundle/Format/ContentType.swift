import Foundation

/// Media types: told from a file's name when it is packed, given a charset when it is served.
public enum ContentType {
    private static let byExtension: [String: String] = [
        "aac": "audio/aac", "apng": "image/apng", "avif": "image/avif",
        "bin": "application/octet-stream", "bmp": "image/bmp", "cjs": "text/javascript",
        "css": "text/css", "csv": "text/csv", "flac": "audio/flac", "gif": "image/gif",
        "glb": "model/gltf-binary", "gltf": "model/gltf+json", "gz": "application/gzip",
        "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon",
        "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
        "json": "application/json", "jsonld": "application/ld+json", "jxl": "image/jxl",
        "m4a": "audio/mp4", "m4v": "video/mp4", "map": "application/json", "md": "text/markdown",
        "mjs": "text/javascript", "mov": "video/quicktime", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg",
        "opus": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf", "png": "image/png",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tif": "image/tiff",
        "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain", "vtt": "text/vtt",
        "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm",
        "webm": "video/webm", "webmanifest": "application/manifest+json", "webp": "image/webp",
        "woff": "font/woff", "woff2": "font/woff2", "xhtml": "application/xhtml+xml",
        "xml": "application/xml", "zip": "application/zip",
    ]

    /// First bytes of types whose files often have no telling name.
    private static let byStart: [(start: [UInt8], type: String)] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
        ([0xFF, 0xD8, 0xFF], "image/jpeg"), (Array("GIF8".utf8), "image/gif"),
        ([0x00, 0x61, 0x73, 0x6D], "application/wasm"), (Array("wOF2".utf8), "font/woff2"),
        (Array("wOFF".utf8), "font/woff"), (Array("%PDF-".utf8), "application/pdf"),
    ]

    /// The media type of a file: by its extension, else by its first bytes, else
    /// `application/octet-stream`.
    public static func infer(path: String, contents: [UInt8] = []) -> String {
        let name = path.split(separator: "/").last ?? ""
        if let dot = name.lastIndex(of: "."),
            let type = byExtension[name[name.index(after: dot)...].lowercased()]
        {
            return type
        }
        return byStart.first { contents.starts(with: $0.start) }?.type
            ?? "application/octet-stream"
    }

    /// `type` with `charset=utf-8` when it is text and names no charset: archives store none, and
    /// an engine would else guess one from the user's language.
    static func served(_ type: String) -> String {
        guard isText(type), !type.lowercased().contains("charset=") else { return type }
        return type + "; charset=utf-8"
    }

    static func isText(_ type: String) -> Bool {
        let essence = type.split(separator: ";").first.map {
            $0.lowercased().trimmingBlanks
        }
        guard let essence else { return false }
        return essence.hasPrefix("text/") || essence.hasSuffix("+xml")
            || ["application/javascript", "application/xml", "application/json"].contains(essence)
            || essence.hasSuffix("+json")
    }
}

extension StringProtocol {
    /// This text without blanks and tabs at its ends.
    var trimmingBlanks: String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
