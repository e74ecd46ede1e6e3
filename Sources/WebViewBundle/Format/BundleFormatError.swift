/// Why an archive, or one entry of it, was refused.
public struct BundleFormatError: Swift.Error, Equatable, Sendable, CustomStringConvertible {
    /// The stable codes.
    public enum Code: String, Sendable, CaseIterable {
        case notABundle = "bundle_bad_magic"
        case unsupportedVersion = "bundle_unsupported_version"
        case truncated = "bundle_truncated"
        case unreadable = "bundle_unreadable"
        case headerChecksum = "bundle_header_checksum"
        case indexChecksum = "bundle_index_checksum"
        case dataChecksum = "bundle_data_checksum"
        case bundleTooLarge = "bundle_too_large"
        case indexTooLarge = "bundle_index_too_large"
        case entryCount = "bundle_entry_count"
        case badInteger = "bundle_bad_integer"
        case notUTF8 = "bundle_text_not_utf8"
        case textTooLong = "bundle_text_too_long"
        case badPath = "bundle_bad_path"
        case duplicatePath = "bundle_duplicate_path"
        case badContentType = "bundle_bad_content_type"
        case badHeader = "bundle_bad_header"
        case trailingIndexBytes = "bundle_trailing_index_bytes"
        case entryOutOfRange = "bundle_entry_out_of_range"
        case entriesOverlap = "bundle_entries_overlap"
        case unclaimedBytes = "bundle_unclaimed_bytes"
        case entryTooLarge = "bundle_entry_too_large"
        case contentTooLarge = "bundle_content_too_large"
        case impossibleRatio = "bundle_impossible_ratio"
        case sizeMismatch = "bundle_size_mismatch"
        case compressedData = "bundle_compressed_data"
        case noSuchEntry = "bundle_no_such_entry"
    }

    /// What went wrong.
    public let reason: Code
    /// One sentence: what happened and what to do about it.
    public let message: String
    /// The entry that it happened in, where there is one.
    public let path: String?

    init(_ reason: Code, _ message: String, path: String? = nil) {
        self.reason = reason
        self.message = message
        self.path = path
    }

    /// The stable snake_case code.
    public var code: String { reason.rawValue }

    /// The sentence with the entry and the code.
    public var description: String {
        (path.map { "\($0.printable): " } ?? "") + "\(message) [\(code)]"
    }
}

extension String {
    /// This text with control characters escaped and cut to a length fit for a log line.
    var printable: String {
        var text = ""
        for scalar in unicodeScalars.prefix(200) {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || scalar.value == 0x2028 || scalar.value == 0x2029
            {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
