/// Reads the fields and operations of a view tree (`Docs/internals/views.md`, "The tree").
///
/// The bytes are untrusted: every fault is a ``TreeError``, and nothing is allocated that the bytes
/// do not pay for.
struct TreeReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0
    /// Where the operation that is being read ends.
    private var end: Int
    private var depth = 0
    private var nodes = 0
    private let limits: TreeLimits

    init(_ bytes: UnsafeRawBufferPointer, limits: TreeLimits) throws(TreeError) {
        guard bytes.count <= limits.bytes else { throw TreeError(.tooLarge, at: limits.bytes) }
        self.bytes = bytes
        self.limits = limits
        end = bytes.count
    }

    // MARK: - Fields

    private mutating func take<T: FixedWidthInteger>(
        _ type: T.Type
    ) throws(TreeError) -> T {
        let size = MemoryLayout<T>.size
        guard end - offset >= size else {
            throw TreeError(end == bytes.count ? .truncated : .badLength, at: offset)
        }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: T.self)
        offset += size
        return T(littleEndian: value)
    }

    mutating func u8() throws(TreeError) -> UInt8 { try take(UInt8.self) }
    mutating func u16() throws(TreeError) -> UInt16 { try take(UInt16.self) }
    mutating func u32() throws(TreeError) -> UInt32 { try take(UInt32.self) }
    mutating func u64() throws(TreeError) -> UInt64 { try take(UInt64.self) }
    mutating func int() throws(TreeError) -> Int { Int(try take(Int64.self)) }
    mutating func double() throws(TreeError) -> Double {
        Double(bitPattern: try take(UInt64.self))
    }
    mutating func token() throws(TreeError) -> EventToken { EventToken(rawValue: try u64()) }

    mutating func bool() throws(TreeError) -> Bool {
        let start = offset
        switch try u8() {
        case 0: return false
        case 1: return true
        default: throw TreeError(.badValue, at: start)
        }
    }

    mutating func enumeration<E: RawRepresentable>(
        _ type: E.Type
    ) throws(TreeError) -> E where E.RawValue == UInt8 {
        let start = offset
        guard let value = E(rawValue: try u8()) else { throw TreeError(.badValue, at: start) }
        return value
    }

    mutating func string() throws(TreeError) -> String {
        let count = Int(try u32())
        guard count <= end - offset else { throw TreeError(.badLength, at: offset) }
        let text = bytes[offset..<offset + count]
        // `String(validating:)` is newer than the deployment floor; a repair shows in the bytes.
        let value = String(decoding: text, as: UTF8.self)
        guard value.utf8.elementsEqual(text) else { throw TreeError(.badText, at: offset) }
        offset += count
        return value
    }

    /// A count of things of which each takes at least `size` bytes.
    mutating func count(ofSize size: Int) throws(TreeError) -> Int {
        let count = Int(try u32())
        guard count <= (end - offset) / size else { throw TreeError(.badLength, at: offset) }
        return count
    }

    // MARK: - Operations

    /// What is inside an operation after its fields.
    private struct Contents {
        var parts: [[ViewNode]] = []
        var modifiers: [ModifierNode] = []
    }

    /// Reads all views up to the end of the bytes.
    mutating func views() throws(TreeError) -> [ViewNode] {
        let contents = try contents(partCount: 1, takesModifiers: false)
        return contents.parts.first ?? []
    }

    private mutating func contents(
        partCount: Int, takesModifiers: Bool
    ) throws(TreeError) -> Contents {
        var contents = Contents()
        while offset < end {
            let start = offset
            let number = try u16()
            let length = Int(try u32())
            guard length <= end - offset else {
                throw TreeError(end == bytes.count ? .truncated : .badLength, at: start)
            }
            nodes += 1
            guard nodes <= limits.nodes else { throw TreeError(.tooManyNodes, at: start) }
            guard depth < limits.depth else { throw TreeError(.tooDeep, at: start) }
            let outer = end
            end = offset + length
            depth += 1
            if number == Tree.partNumber {
                try part(&contents, count: partCount, at: start)
            } else if number >= Tree.firstModifier {
                guard takesModifiers else { throw TreeError(.unknownOperation, at: start) }
                contents.modifiers.append(try modifier(number))
            } else {
                guard partCount > 0 else { throw TreeError(.unknownOperation, at: start) }
                let view = try view(number)
                if contents.parts.isEmpty { contents.parts = [[]] }
                contents.parts[0].append(view)
            }
            depth -= 1
            end = outer
        }
        return contents
    }

    private mutating func view(_ number: UInt16) throws(TreeError) -> ViewNode {
        let view = try Tree.View(number: number, &self)
        let contents = try contents(partCount: view.partNames.count, takesModifiers: true)
        var node = ViewNode(view, modifiers: contents.modifiers)
        node.parts = contents.parts
        return node
    }

    private mutating func modifier(_ number: UInt16) throws(TreeError) -> ModifierNode {
        let modifier = try Tree.Modifier(number: number, &self)
        let contents = try contents(
            partCount: modifier.partNames.count, takesModifiers: false)
        var node = ModifierNode(modifier)
        node.parts = contents.parts
        return node
    }

    /// A part beyond the first: its index, then its views.
    private mutating func part(
        _ contents: inout Contents, count: Int, at start: Int
    ) throws(TreeError) {
        let index = Int(try u8())
        guard index > 0, index < count else { throw TreeError(.badValue, at: start) }
        while contents.parts.count <= index { contents.parts.append([]) }
        guard contents.parts[index].isEmpty else { throw TreeError(.badValue, at: start) }
        let inner = try self.contents(partCount: 1, takesModifiers: false)
        contents.parts[index] = inner.parts.first ?? []
    }
}

extension Tree {
    /// A part of a view beyond its children.
    static let partNumber: UInt16 = 9
    /// Modifiers have this number or a higher one.
    static let firstModifier: UInt16 = 1000

    /// Reads a tree: the views of a screen, one after another.
    /// - Throws: ``TreeError``.
    public static func decode(
        _ bytes: UnsafeRawBufferPointer, limits: TreeLimits = TreeLimits()
    ) throws(TreeError) -> [ViewNode] {
        var reader = try TreeReader(bytes, limits: limits)
        return try reader.views()
    }

    /// Reads a tree: the views of a screen, one after another.
    /// - Throws: ``TreeError``.
    public static func decode(
        _ bytes: [UInt8], limits: TreeLimits = TreeLimits()
    ) throws(TreeError) -> [ViewNode] {
        let result = bytes.withUnsafeBytes { raw -> Result<[ViewNode], TreeError> in
            do throws(TreeError) {
                return .success(try decode(raw, limits: limits))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
