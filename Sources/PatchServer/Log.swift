import Foundation
import PatchPlatform

/// One line per event on standard error: `time=… level=… event=… key=value …`.
public final class ServerLog: Sendable {
    private let writesRequests: Bool
    private let write: @Sendable (String) -> Void

    /// - Parameter writesRequests: whether reads get a line too; changes and failures always do.
    public init(
        writesRequests: Bool = false,
        write: @escaping @Sendable (String) -> Void = {
            try? FileHandle.standardError.write(contentsOf: Data($0.utf8))
        }
    ) {
        self.writesRequests = writesRequests
        self.write = write
    }

    /// Something that an operator may want to know.
    public func info(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        line("info", event, fields.map { ($0.key, $0.value) })
    }

    /// Something that an operator should look at.
    public func error(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        line("error", event, fields.map { ($0.key, $0.value) })
    }

    func request(_ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64) {
        let isRead = request.method == "GET" || request.method == "HEAD"
        guard writesRequests || !isRead || status >= 500 else { return }
        line(
            status >= 500 ? "error" : "info", "request",
            [
                ("method", request.method), ("path", request.path), ("status", String(status)),
                ("bytes", String(bytes)), ("us", String(nanoseconds / 1_000)),
                ("client", request.address),
            ])
    }

    private func line(_ level: String, _ event: String, _ fields: [(String, String)]) {
        var text = "time=\(AppStore.timestamp(Date())) level=\(level) event=\(event)"
        for (name, value) in fields { text += " \(name)=\(Self.quoted(value))" }
        write(text + "\n")
    }

    /// Quotes what would break the line apart; control characters cannot forge another line.
    static func quoted(_ value: String) -> String {
        let plain = value.unicodeScalars.allSatisfy {
            $0.value > 0x20 && $0.value != 0x7F && $0 != "\"" && $0 != "=" && $0 != "\\"
        }
        if plain, !value.isEmpty { return value }
        var text = "\""
        for scalar in value.unicodeScalars.prefix(1_000) {
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
