/// A file of a published tree, as a request path names it.
///
/// Names are taken from a short list of characters and never decoded, so there is no spelling of
/// a parent folder, a hidden file or a NUL.
struct TreePath: Equatable {
    /// The two folders of a tree.
    enum Area: String {
        case metadata
        case targets
    }

    let appKey: String
    let area: Area
    let names: [String]

    /// How long clients may keep the file.
    enum Lifetime: Equatable {
        /// The name fixes the contents for ever.
        case immutable
        /// To be asked about every time.
        case revalidate
    }

    /// Reads the path parts after `/api/v1/apps/`; nil when they name nothing that is published.
    init?(_ parts: [Substring]) {
        guard parts.count >= 3, parts.count <= 12, let area = Area(rawValue: String(parts[1]))
        else { return nil }
        let names = parts.dropFirst(2).map(String.init)
        guard SafeName.isAppKey(parts[0]), names.allSatisfy(SafeName.isFileName) else {
            return nil
        }
        if area == .metadata, names.count != 1 { return nil }
        self.appKey = String(parts[0])
        self.area = area
        self.names = names
    }

    /// `2.targets.json`, `root.json`; or `modules/x/<sha256>.1.0.wasm`.
    var relative: String { names.joined(separator: "/") }

    /// The digest that a target's file name starts with (consistent snapshots).
    var digest: String? {
        guard area == .targets, let last = names.last, last.utf8.count > 65 else { return nil }
        let prefix = last.utf8.prefix(64)
        guard prefix.allSatisfy(SafeName.isHexDigit), last.utf8.dropFirst(64).first == 0x2E else {
            return nil
        }
        return String(last.prefix(64))
    }

    /// How long clients may keep it: `timestamp.json` is the one file that changes in place.
    var lifetime: Lifetime {
        if area == .targets { return digest == nil ? .revalidate : .immutable }
        return names.first?.utf8.first.map { (0x30...0x39).contains($0) } == true
            ? .immutable : .revalidate
    }
}

/// Which names may become file names.
enum SafeName {
    /// Letters, digits, `.`, `_` and `-`, not starting with a dot, at most 200 bytes.
    static func isFileName(_ name: some StringProtocol) -> Bool {
        guard !name.isEmpty, name.utf8.count <= 200, name.utf8.first != 0x2E else { return false }
        return name.utf8.allSatisfy { byte in
            isHexDigit(byte) || (0x67...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
                || byte == 0x2E || byte == 0x5F || byte == 0x2D
        }
    }

    /// `pak_` and 8 to 64 lower-case letters or digits.
    static func isAppKey(_ name: some StringProtocol) -> Bool {
        guard name.hasPrefix("pak_"), (12...68).contains(name.utf8.count) else { return false }
        return name.utf8.dropFirst(4).allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0)
        }
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
