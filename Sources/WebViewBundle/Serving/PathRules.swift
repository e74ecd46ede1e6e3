import Foundation

/// How the path of a request becomes the path of an entry.
public enum PathStyle: String, Sendable, CaseIterable {
    /// The path itself.
    case exact
    /// `/`, `/a/` and `/a` mean `index.html` in that folder; then a file without an extension.
    case directoryIndex
    /// `/a` means `/a.html`; `/` and `/a/` mean `index.html` in that folder.
    case htmlExtension
}

/// The rules of finding an entry (Docs/web-bundles.md, "Serving").
enum PathRules {
    /// The paths to look up, the first that exists wins.
    static func candidates(_ encoded: String, style: PathStyle) -> [String] {
        let path = decode(encoded)
        let rooted = path.hasPrefix("/") ? path : "/" + path
        switch style {
        case .exact: return [rooted]
        case .directoryIndex:
            if rooted.hasSuffix("/") { return [rooted + "index.html"] }
            if hasExtension(rooted) { return [rooted] }
            // The plain name comes second: `/LICENSE` is reachable, `/about` is the folder.
            return [rooted + "/index.html", rooted]
        case .htmlExtension:
            if rooted.hasSuffix("/") { return [rooted + "index.html"] }
            if hasExtension(rooted) { return [rooted] }
            return [rooted + ".html", rooted + "/index.html", rooted]
        }
    }

    /// Whether a request is the navigation of a person rather than the fetch of a part, so that a
    /// page may stand in for a path that does not exist.
    static func isNavigation(_ request: BundleRequest) -> Bool {
        if let destination = request.headers.first("Sec-Fetch-Dest") {
            return destination == "document" || destination == "iframe"
        }
        guard !hasExtension(decode(request.path)) else { return false }
        // A custom scheme's requests often carry no Accept at all; then the name decides.
        guard let accept = request.headers.first("Accept") else { return true }
        return accept.contains("text/html")
    }

    static func hasExtension(_ path: String) -> Bool {
        (path.split(separator: "/").last ?? "").contains(".")
    }

    /// Percent-decodes; what is no valid escape stays as it is, what is no UTF-8 is replaced.
    static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                let high = digit(bytes[position + 1]), let low = digit(bytes[position + 2])
            {
                result.append(high << 4 | low)
                position += 3
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
