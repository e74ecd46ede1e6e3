import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import WebViewBundle

@Suite("Reference archives", .enabled(if: Reference.isAvailable, "wvb reference data is absent"))
struct ReferenceArchiveTests {
    @Test(
        "a valid archive is read with the content that it was made from",
        arguments: ["empty-bundle", "empty-file", "minimal", "site", "sizes", "two-entries"])
    func valid(name: String) throws {
        let reader = try BundleReader(path: Reference.path("valid/\(name).wvb"))
        let specified = try Reference.specification(name)
        #expect(reader.count == specified.count)
        for wanted in specified {
            let entry = try #require(reader.entry(at: wanted.path))
            #expect(entry.contentType == wanted.contentType)
            #expect(entry.contentLength == wanted.contents.count)
            #expect(try reader.contents(of: entry) == wanted.contents)
            let headers = wanted.headers.map { HeaderField($0.name.lowercased(), $0.value) }
            #expect(entry.headers == headers)
        }
        try reader.verify()
    }

    @Test(
        "packing the same sources again gives an archive with the same content",
        arguments: ["empty-bundle", "empty-file", "minimal", "site", "sizes", "two-entries"])
    func repacked(name: String) throws {
        let ours = try Reference.archive(Reference.specification(name))
        let theirs = try Reference.bytes("valid/\(name).wvb")
        #expect(
            try Listing(BundleReader(bytes: ours)) == Listing(BundleReader(bytes: theirs)))
        // Where LZ4 leaves no choice, the bytes are equal too.
        if name.hasPrefix("empty") { #expect(ours == theirs) }
    }

    @Test(
        "long paths, many entries and repeated headers survive packing",
        arguments: ["long-path", "many-entries", "multi-value-headers", "site-headers"])
    func specificationOnly(name: String) throws {
        let specified = try Reference.specification(name)
        let reader = try BundleReader(bytes: Reference.archive(specified))
        #expect(reader.count == specified.count)
        for wanted in specified {
            let entry = try #require(reader.entry(at: wanted.path))
            #expect(try reader.contents(of: entry) == wanted.contents)
            let named = Dictionary(grouping: wanted.headers) { $0.name.lowercased() }
                .mapValues { $0.map(\.value) }
            #expect(
                Dictionary(grouping: entry.headers, by: \.name).mapValues { $0.map(\.value) }
                    == named)
            #expect(entry.headers.map(\.name) == entry.headers.map(\.name).sorted())
        }
    }

    @Test(
        "an archive with one fault is refused with the code of that fault",
        arguments: [
            ("bad-data-checksum", .dataChecksum),
            ("bad-header-checksum", .headerChecksum),
            ("bad-index-checksum", .indexChecksum),
            ("bad-magic", .notABundle),
            ("content-length-lies", .sizeMismatch),
            ("duplicate-path", .duplicatePath),
            ("entry-count-huge", .entryCount),
            ("entry-offset-out-of-range", .entryOutOfRange),
            ("header-value-crlf", .badHeader),
            ("index-trailing-bytes", .trailingIndexBytes),
            ("lz4-match-offset-zero", .compressedData),
            ("lz4-size-prefix-bomb", .sizeMismatch),
            ("path-no-leading-slash", .badPath),
            ("path-not-utf8", .notUTF8),
            ("path-traversal", .badPath),
            ("truncated-data", .truncated),
            ("truncated-index", .truncated),
            ("varint-tag-255", .badInteger),
        ] as [(String, BundleFormatError.Code)])
    func invalid(name: String, code: BundleFormatError.Code) throws {
        let bytes = try Reference.bytes("invalid/\(name).wvb")
        #expect(BundleFormatError.Code.thrown { try readWhole(bytes) } == code)
        let path = try Reference.path("invalid/\(name).wvb")
        #expect(
            BundleFormatError.Code.thrown { try BundleReader(path: path).verify() } == code)
    }

    @Test("no invalid archive is left out of the table above")
    func invalidAreAllNamed() throws {
        let folder = try SharedData.require("wvb/invalid").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 18)
    }

    struct Vectors: Decodable {
        struct Signature: Decodable {
            let key: String
            let algorithm: String
            let file: String
            let integrity: String
            let signature: String
            let valid: Bool
            let why: String?
        }
        struct Key: Decodable {
            let algorithm: String
            let spkiDer: String?
            let spkiPem: String?
            let raw: String?
            let sec1: String?
        }
        struct File: Decodable {
            let size: Int
            let sha256: String
            let sha384: String
            let sha512: String
        }
        let files: [String: File]
        let keys: [String: Key]
        let signatures: [Signature]
    }

    private func vectors() throws -> Vectors {
        try JSONDecoder().decode(Vectors.self, from: Data(Reference.bytes("vectors.json")))
    }

    @Test("integrity strings of the reference archives are those of the reference")
    func integrityVectors() throws {
        let vectors = try vectors()
        #expect(vectors.files.count == 6)
        for (name, file) in vectors.files {
            let bytes = try Reference.bytes("valid/\(name)")
            #expect(bytes.count == file.size)
            for (algorithm, text) in [
                (HashAlgorithm.sha256, file.sha256), (.sha384, file.sha384), (.sha512, file.sha512),
            ] {
                #expect(Integrity(of: bytes, algorithm).description == text)
                #expect(try Integrity(text) == Integrity(of: bytes, algorithm))
            }
        }
    }

    @Test("the reference signatures are judged as the reference judges them, in every key format")
    func signatureVectors() throws {
        let vectors = try vectors()
        var judged = 0
        for vector in vectors.signatures {
            let key = try #require(vectors.keys[vector.key])
            let algorithm = try #require(SignatureAlgorithm(rawValue: vector.algorithm))
            for written in formats(of: key) {
                let verifier = try SignatureVerifier(
                    SignatureVerifierOptions(algorithm: algorithm, key: written))
                let isValid =
                    (try? verifier.verify(vector.signature, overIntegrity: vector.integrity)) != nil
                #expect(isValid == vector.valid, "\(vector.key) \(vector.why ?? "")")
                judged += 1
            }
        }
        #expect(judged == 18)
    }

    private func formats(of key: Vectors.Key) -> [SignatureVerifyingKey] {
        func binary(_ format: SignatureKeyFormat, _ text: String?) -> SignatureVerifyingKey? {
            text.map { SignatureVerifyingKey(format: format, der: Data(base64Encoded: $0)) }
        }
        return [
            binary(.spkiDer, key.spkiDer), binary(.raw, key.raw), binary(.sec1, key.sec1),
            key.spkiPem.map { SignatureVerifyingKey(format: .spkiPem, pem: $0) },
        ].compactMap { $0 }
    }
}
