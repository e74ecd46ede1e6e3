import Foundation

/// `JSONDecoder` and `JSONEncoder` for modules (`format.json`): settings, the shape of the type,
/// and bytes or a value. The answer is false and the result, or true and the number under which
/// the app keeps the error.
enum JSONAnswers {
    static func answer(
        _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter,
        keep: (any Error) throws -> UInt64
    ) throws {
        try reader.arrayHeader(exactly: 4)
        let isDecoding = try reader.integer(Int.self) == 0
        let settings = try reader.settings()
        var shapes = JSONShapes()
        let shape = try shapes.read(&reader)
        writer.arrayHeader(2)
        do {
            if isDecoding {
                let decoder = try decoder(settings)
                let data = Data(try reader.binary())
                guard let key = JSONDecoding.contextKey else {
                    throw FoundationAnswers.unknown("key")
                }
                decoder.userInfo[key] = JSONDecoding.Context(shapes, shape)
                let value = try decoder.decode(JSONDecoding.self, from: data)
                writer.bool(false)
                writer.encoded(value.bytes)
            } else {
                let encoder = try encoder(settings)
                let value = try JSONEncoding(shape, shapes, from: &reader)
                let data = try encoder.encode(value)
                writer.bool(false)
                writer.binary(Array(data))
            }
        } catch let error where error is DecodingError || error is EncodingError {
            writer.bool(true)
            writer.uint(try keep(error))
        }
    }

    private static func decoder(_ settings: [(key: Int, value: Setting)]) throws -> JSONDecoder {
        let decoder = JSONDecoder()
        for (key, value) in settings {
            switch (key, value) {
            case (0, .number(0)): decoder.dateDecodingStrategy = .deferredToDate
            case (0, .number(1)): decoder.dateDecodingStrategy = .secondsSince1970
            case (0, .number(2)): decoder.dateDecodingStrategy = .millisecondsSince1970
            case (0, .number(3)): decoder.dateDecodingStrategy = .iso8601
            case (1, .number(0)): decoder.dataDecodingStrategy = .deferredToData
            case (1, .number(1)): decoder.dataDecodingStrategy = .base64
            case (2, .number(0)): decoder.keyDecodingStrategy = .useDefaultKeys
            case (2, .number(1)): decoder.keyDecodingStrategy = .convertFromSnakeCase
            default: throw FoundationAnswers.unknown("property \(key)")
            }
        }
        return decoder
    }

    private static func encoder(_ settings: [(key: Int, value: Setting)]) throws -> JSONEncoder {
        let encoder = JSONEncoder()
        for (key, value) in settings {
            switch (key, value) {
            case (0, .number(0)): encoder.dateEncodingStrategy = .deferredToDate
            case (0, .number(1)): encoder.dateEncodingStrategy = .secondsSince1970
            case (0, .number(2)): encoder.dateEncodingStrategy = .millisecondsSince1970
            case (0, .number(3)): encoder.dateEncodingStrategy = .iso8601
            case (1, .number(0)): encoder.dataEncodingStrategy = .deferredToData
            case (1, .number(1)): encoder.dataEncodingStrategy = .base64
            case (2, .number(0)): encoder.keyEncodingStrategy = .useDefaultKeys
            case (2, .number(1)): encoder.keyEncodingStrategy = .convertToSnakeCase
            case (3, .number(let bits)):
                guard let raw = UInt(exactly: bits) else {
                    throw FoundationAnswers.unknown("property \(key)")
                }
                let known: JSONEncoder.OutputFormatting = [
                    .prettyPrinted, .sortedKeys, .withoutEscapingSlashes,
                ]
                encoder.outputFormatting = .init(rawValue: raw).intersection(known)
            default: throw FoundationAnswers.unknown("property \(key)")
            }
        }
        return encoder
    }
}

extension MessagePackWriter {
    /// Appends a date.
    mutating func date(_ value: Date) { double(value.timeIntervalSinceReferenceDate) }

    /// Appends a whole number.
    mutating func integer(_ value: some FixedWidthInteger) {
        if let signed = Int64(exactly: value) {
            int(signed)
        } else {
            uint(UInt64(truncatingIfNeeded: value))
        }
    }
}
