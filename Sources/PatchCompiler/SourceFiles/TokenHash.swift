import PatchCrypto
import SwiftSyntax

/// Hashes of code that ignore comments and layout, so that only a change of meaning changes them.
///
/// Tokens are hashed rather than syntax nodes: their texts do not change with the parser's
/// version. Ends of statements and members are hashed as well, because a line break can be one.
enum TokenHash {
    /// The hash of `nodes` without the parts in `omitted`.
    static func hash(
        _ nodes: [Syntax], omitting omitted: Set<SyntaxIdentifier> = []
    ) -> [UInt8] {
        var hash = IncrementalHash(.sha256)
        for node in nodes {
            feed(node, &hash, omitted)
            hash.update(itemEnd)
        }
        return hash.finalize()
    }

    /// The first 8 bytes of a hash, in hex.
    static func hex16(_ nodes: [Syntax], omitting omitted: Set<SyntaxIdentifier> = []) -> String {
        Hex.encode(hash(nodes, omitting: omitted).prefix(8))
    }

    private static let tokenEnd: [UInt8] = [0x00]
    private static let itemEnd: [UInt8] = [0x01]
    private static let gap: [UInt8] = [0x02]

    private static func feed(
        _ node: Syntax, _ hash: inout IncrementalHash, _ omitted: Set<SyntaxIdentifier>
    ) {
        if omitted.contains(node.id) {
            hash.update(gap)
            return
        }
        if let token = node.as(TokenSyntax.self) {
            if token.presence == .present, token.tokenKind != .endOfFile {
                hash.update(Array(token.text.utf8))
                hash.update(tokenEnd)
            }
            return
        }
        let isItem = node.is(CodeBlockItemSyntax.self) || node.is(MemberBlockItemSyntax.self)
        for child in node.children(viewMode: .sourceAccurate) {
            // A semicolon ends an item just as a line break does.
            if isItem, child.as(TokenSyntax.self)?.tokenKind == .semicolon { continue }
            feed(child, &hash, omitted)
        }
        if isItem { hash.update(itemEnd) }
    }
}
