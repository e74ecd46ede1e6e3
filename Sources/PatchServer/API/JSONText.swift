import Foundation
import RolloutGates

/// JSON as the API writes it: sorted keys, slashes as they are, one line.
enum JSONText {
    static func encode(_ document: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(document) else { return Array("{}".utf8) }
        return [UInt8](data) + [0x0A]
    }
}

extension HTTPResponse {
    /// A JSON document that nobody may keep.
    static func json(
        _ status: Int, _ bytes: [UInt8], _ headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
                + headers, body: .bytes(bytes))
    }

    static func json(
        _ status: Int, _ document: some Encodable, _ headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        json(status, JSONText.encode(document), headers)
    }

    /// Done, and nothing to say of it.
    static let noContent = HTTPResponse(status: 204, headers: [("Cache-Control", "no-store")])
}

/// Bodies of requests.
enum JSONBody {
    /// Bytes of a small document.
    static let usual = 16 << 10

    /// Reads a body.
    /// - Throws: ``APIError`` 400 `malformed_request`, which names the field.
    static func read<Document: Decodable>(
        _ type: Document.Type = Document.self, _ body: [UInt8]
    ) throws -> Document {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch let error as DecodingError {
            throw APIError.malformed("malformed_request", sentence(error))
        } catch let error as GateError {
            throw APIError.malformed(error.code, "\(error)")
        } catch {
            throw APIError.malformed("malformed_request", "The body is no JSON document.")
        }
    }

    private static func sentence(_ error: DecodingError) -> String {
        func name(_ path: [any CodingKey]) -> String {
            String(path.map(\.stringValue).joined(separator: ".").prefix(80))
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "The field '\(name(context.codingPath + [key]))' is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "The field '\(name(context.codingPath))' has another type."
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "The field '\(name(context.codingPath))' has a value that is not known."
        default: return "The body is no JSON document."
        }
    }

    /// A name for people.
    /// - Throws: ``APIError`` 400 `bad_name`.
    static func checkName(_ name: String) throws {
        // Scalars, not characters: one character may hold any number of them.
        let scalars = name.unicodeScalars
        guard (1...100).contains(scalars.count),
            !scalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw APIError.malformed(
                "bad_name", "The name must have 1 to 100 characters and no control characters.")
        }
    }

    /// A name for addresses: of a channel, a person, an organisation.
    /// - Throws: ``APIError`` 400 `bad_identifier`.
    static func checkIdentifier(_ name: String, _ field: String) throws {
        guard SafeName.isFileName(name), name.utf8.count <= 64 else {
            throw APIError.malformed(
                "bad_identifier",
                "'\(field)' must be 1 to 64 letters, digits, dots, hyphens and underscores.")
        }
    }
}
