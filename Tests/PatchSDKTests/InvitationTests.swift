import PatchPlatform
import Testing

@testable import PatchSDK

@Suite("Invitations to a test")
struct InvitationTests {
    private func reason(_ text: String) -> Reason? {
        do {
            _ = try PatchInvitation(text)
            return nil
        } catch {
            return (error as? PatchError)?.reason
        }
    }

    @Test("are a tag, or a link of any scheme with a tag and perhaps a digest")
    func read() throws {
        let plain = try PatchInvitation("qa-17")
        #expect(plain.tag == "qa-17" && plain.digest == nil)
        let link = try PatchInvitation("myapp://join?tag=qa-17&digest=3FA9c0de")
        #expect(link.tag == "qa-17" && link.digest == "3fa9c0de")
        let web = try PatchInvitation("https://example.com/join?digest=00112233&tag=a.b_c&x=1")
        #expect(web.tag == "a.b_c" && web.digest == "00112233")
    }

    @Test(
        "are refused when they could mean more than one thing, or nothing",
        arguments: [
            "", " ", "qa 17", "../x", ".hidden", "qa/17", "qä", "a\u{0}b",
            String(repeating: "a", count: 65), String(repeating: "?", count: 3000),
            "myapp://join", "myapp://join?", "myapp://join?tag", "myapp://join?tag=",
            "myapp://join?tag=a&tag=b", "myapp://join?tag=a&digest=1&digest=2",
            "myapp://join?tag=a&digest=xyz", "myapp://join?tag=a&digest=1234567",
            "myapp://join?tag=a%2Fb", "myapp://join?digest=3fa9c0de",
            "myapp://join?tag=a&digest=" + String(repeating: "0", count: 65),
        ])
    func refused(_ text: String) {
        #expect(reason(text) == .invitationMalformed)
    }

    @Test("any text is read or refused, and what is read is sound")
    func anyText() {
        var random = SeededRandomText(seed: 0x0b5e)
        let alphabet = Array("aZ09.-_:/?&=%#tagdiest \u{0}é\n")
        for _ in 0..<5000 {
            let text = random.text(alphabet, upTo: 40)
            guard let invitation = try? PatchInvitation(text) else { continue }
            #expect(PlainName.isSound(invitation.tag), "seed 0x0b5e: \(text.debugDescription)")
        }
    }
}

struct SeededRandomText {
    private var random: SeededRandom
    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func text(_ alphabet: [Character], upTo count: Int) -> String {
        let length = Int(random.next() % UInt64(count + 1))
        return String(
            (0..<length).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
    }
}
