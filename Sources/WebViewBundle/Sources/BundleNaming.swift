/// What may be the name or version of a bundle, for tools and servers.
public enum BundleName {
    /// Whether a text can be a name or version: letters, digits, `.`, `_` and `-`, no dot at
    /// either end, no name that means a device.
    public static func isValid(_ text: String) -> Bool { BundleNaming.problem(with: text) == nil }
}

/// What may be the name or version of a bundle: both become parts of file names and URLs.
enum BundleNaming {
    private static let mostBytes = 128
    private static let reserved: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] })

    /// - Throws: ``Error/Core(message:)`` `bundle_name_refused`.
    static func check(name: String) throws {
        if let problem = problem(with: name) {
            throw FailureCode.badName.core(
                "'\(name.printable)' is no name for a bundle: it \(problem).")
        }
    }

    /// - Throws: ``Error/Core(message:)`` `bundle_version_refused`.
    static func check(version: String) throws {
        if let problem = problem(with: version) {
            throw FailureCode.badVersion.core(
                "'\(version.printable)' is no version of a bundle: it \(problem).")
        }
    }

    static func problem(with text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if text.utf8.count > mostBytes { return "is longer than \(mostBytes) characters" }
        if text.hasPrefix(".") || text.hasSuffix(".") { return "starts or ends with a dot" }
        if !text.utf8.allSatisfy(isAllowed) {
            return "has characters other than letters, digits, '.', '_' and '-'"
        }
        // Names that mean a device on Windows, whatever their extension.
        let stem = text.split(separator: ".").first.map { $0.lowercased() } ?? ""
        return reserved.contains(stem) ? "is a reserved file name" : nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            return true
        default: return false
        }
    }
}

/// The order of versions: that of Semantic Versioning 2.0.0 §11, for any number of parts.
struct BundleVersion: Comparable {
    private let numbers: [UInt64]
    private let prerelease: [Substring]

    /// Nil for a text whose main part is no row of numbers; such versions have no order.
    init?(_ text: String) {
        let core = text.split(separator: "+", maxSplits: 1)[...].first ?? ""
        let halves = core.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var main = halves.first ?? ""
        if main.first == "v" || main.first == "V" { main = main.dropFirst() }
        var numbers: [UInt64] = []
        for part in main.split(separator: ".", omittingEmptySubsequences: false) {
            guard let number = Self.number(part) else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0, numbers.count > 1 { numbers.removeLast() }
        self.numbers = numbers
        prerelease = halves.count > 1 ? halves[1].split(separator: ".") : []
    }

    static func < (left: BundleVersion, right: BundleVersion) -> Bool {
        if left.numbers != right.numbers {
            return left.numbers.lexicographicallyPrecedes(right.numbers)
        }
        // A release comes after its own pre-releases.
        if left.prerelease.isEmpty || right.prerelease.isEmpty {
            return !left.prerelease.isEmpty && right.prerelease.isEmpty
        }
        for (a, b) in zip(left.prerelease, right.prerelease) where a != b {
            switch (number(a), number(b)) {
            case (let a?, let b?): return a < b
            case (_?, nil): return true
            case (nil, _?): return false
            case (nil, nil): return a.utf8.lexicographicallyPrecedes(b.utf8)
            }
        }
        return left.prerelease.count < right.prerelease.count
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return UInt64(text)
    }

    /// Whether `new` comes after `old`; versions without an order differ only.
    static func isNewer(_ new: String, than old: String) -> Bool {
        guard let newer = BundleVersion(new), let older = BundleVersion(old) else {
            return new != old
        }
        return newer > older
    }

    /// Whether `new` comes before `old`, as far as both have an order.
    static func isOlder(_ new: String, than old: String) -> Bool {
        guard let newer = BundleVersion(new), let older = BundleVersion(old) else { return false }
        return newer < older
    }
}
