import Foundation

/// What went wrong between here and a server, in words a user can act on.
public struct HTTPError: Error, Equatable, CustomStringConvertible {
    /// The stable codes.
    public enum Code: String, Sendable {
        case unreachable = "server_unreachable"
        case timedOut = "server_timed_out"
        case cutOff = "answer_cut_off"
        case tooLarge = "answer_too_large"
        case badStatus = "server_refused"
        case insecureRedirect = "insecure_redirect"
        case noAnswer = "server_no_answer"
        case cancelled = "cancelled"
    }

    /// What went wrong.
    public let reason: Code
    /// Where it went wrong.
    public let url: URL
    /// The HTTP status, where one was received.
    public let status: Int?
    /// Seconds that the server asked to wait (Retry-After), if it did.
    public let retryAfter: Double?
    /// What the system said, for a log.
    public let detail: String

    /// An error about `url`.
    public init(
        _ reason: Code, url: URL, status: Int? = nil, retryAfter: Double? = nil,
        detail: String = ""
    ) {
        self.reason = reason
        self.url = url
        self.status = status
        self.retryAfter = retryAfter
        self.detail = detail
    }

    /// The stable snake_case code.
    public var code: String { reason.rawValue }

    /// What happened and what to do.
    public var description: String {
        let place = url.absoluteString
        switch reason {
        case .unreachable:
            return "\(place) cannot be reached (\(detail)); check the address and the network."
        case .timedOut: return "\(place) did not answer in time; it is tried again later."
        case .cutOff: return "The answer of \(place) ended early; it is tried again later."
        case .tooLarge: return "\(place) sent more bytes than are allowed; the rest was not read."
        case .badStatus:
            return "\(place) answered with status \(status ?? 0); check the app key and the server."
        case .insecureRedirect:
            return "\(place) redirects to an insecure or unknown place; this is not followed."
        case .noAnswer: return "\(place) closed the connection without an answer."
        case .cancelled: return "The request to \(place) was cancelled."
        }
    }
}

/// Dates as HTTP writes them (RFC 9110 §5.6.7, the preferred form).
public enum HTTPDate {
    /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else.
    public static func seconds(_ text: String) -> Double? {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == ":" || $0 == "," })
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        guard parts.count == 8, parts[7] == "GMT", let day = Int(parts[1]),
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
            let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6]),
            (1...31).contains(day), (1970...9999).contains(year), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        // Days since 1970 of a proleptic Gregorian date, years starting in March.
        let shifted = month < 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * ((month + 10) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Double(days * 86400 + hour * 3600 + minute * 60 + second)
    }
}
