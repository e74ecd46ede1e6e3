import Testing

@testable import PatchCrypto

@Suite("Hashes")
struct HashTests {
    @Test("the standard's example digests come out (FIPS 180-4: \"abc\" and the empty message)")
    func knownDigests() {
        #expect(
            SHA256.hash("abc").hex
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            SHA256.hash("").hex
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            HashAlgorithm.sha384.hash(Array("abc".utf8)).hex.hasPrefix("cb00753f45a35e8bb5a03d"))
        #expect(HashAlgorithm.sha512.hash(Array("abc".utf8)).hex.hasPrefix("ddaf35a193617abacc417"))
    }

    @Test("a digest does not depend on how the data is cut", arguments: HashAlgorithm.allCases)
    func pieces(algorithm: HashAlgorithm) {
        let data = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let whole = algorithm.hash(data)
        #expect(whole.count == algorithm.digestSize)
        for cut in [0, 1, 63, 64, 65, 127, 128, 500, 999, 1000] {
            var stream = IncrementalHash(algorithm)
            stream.update(data[..<cut])
            stream.update([])
            stream.update(data[cut...])
            #expect(stream.finalize() == whole, "cut at \(cut)")
        }
    }

    @Test("a copy of a running hash goes on by itself")
    func copies() {
        var first = SHA256.incremental()
        first.update(Array("ab".utf8))
        var second = first
        second.update(Array("X".utf8))
        first.update(Array("c".utf8))
        #expect(first.finalize() == SHA256.hash("abc"))
        #expect(second.finalize() == SHA256.hash("abX"))
    }

    @Test("asking for the digest does not end the hash")
    func digestInBetween() {
        var stream = SHA256.incremental()
        stream.update(Array("a".utf8))
        #expect(stream.finalize() == SHA256.hash("a"))
        stream.update(Array("bc".utf8))
        #expect(stream.finalize() == SHA256.hash("abc"))
    }

    @Test("a sequence that is not one block of memory hashes like an array")
    func lazySequences() {
        let lazy = (0..<100).lazy.map { UInt8($0) }
        #expect(SHA256.hash(lazy) == SHA256.hash(Array(lazy)))
    }
}

@Suite("Hexadecimal")
struct HexTests {
    @Test("every byte survives the way to text and back, in either case")
    func roundTrip() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        #expect(Hex.decode(Hex.encode(bytes).uppercased()) == bytes)
        #expect(Hex.decode("") == [])
    }

    @Test(
        "text that is not hexadecimal is refused",
        arguments: ["a", "0x12", "zz", " 1", "1 ", "+1", "１２", "12\n"])
    func refused(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}

@Suite("Randomness")
struct RandomTests {
    @Test("random bytes have the length asked for and do not repeat")
    func lengths() {
        for count in [0, 1, 7, 8, 9, 16, 33] { #expect(SecureRandom.bytes(count).count == count) }
        #expect(SecureRandom.bytes(-1).isEmpty)
        #expect(Set((0..<64).map { _ in SecureRandom.bytes(16) }).count == 64)
    }

    @Test("comparison in constant time agrees with equality")
    func comparison() {
        #expect(equalInConstantTime([1, 2, 3], [1, 2, 3]))
        #expect(!equalInConstantTime([1, 2, 3], [1, 2, 4]))
        #expect(!equalInConstantTime([1, 2, 3], [1, 2]))
        #expect(equalInConstantTime([], []))
    }
}
