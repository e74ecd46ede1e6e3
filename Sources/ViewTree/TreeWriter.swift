/// Writes view trees as guests do: for hosts that make trees themselves, and for tests.
struct TreeWriter {
    private(set) var bytes: [UInt8] = []
    /// What is written for a token.
    var translate: (EventToken) -> EventToken = { $0 }

    private mutating func put<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func u8(_ value: UInt8) { bytes.append(value) }
    mutating func u32(_ value: UInt32) { put(value) }
    mutating func u64(_ value: UInt64) { put(value) }
    mutating func int(_ value: Int) { put(Int64(value)) }
    mutating func double(_ value: Double) { put(value.bitPattern) }
    mutating func bool(_ value: Bool) { bytes.append(value ? 1 : 0) }
    mutating func token(_ value: EventToken) { put(translate(value).rawValue) }

    mutating func string(_ value: String) {
        let text = Array(value.utf8)
        put(UInt32(text.count))
        bytes.append(contentsOf: text)
    }

    mutating func bound(_ value: Bound<Bool>) {
        bool(value.value)
        token(value.token)
    }
    mutating func bound(_ value: Bound<String>) {
        string(value.value)
        token(value.token)
    }
    mutating func bound(_ value: Bound<Double>) {
        double(value.value)
        token(value.token)
    }
    mutating func bound(_ value: Bound<UInt64>) {
        u64(value.value)
        token(value.token)
    }

    private mutating func operation(
        _ number: UInt16, _ body: (inout TreeWriter) -> Void
    ) {
        put(number)
        let length = bytes.count
        put(0 as UInt32)
        body(&self)
        let size = UInt32(bytes.count - length - 4)
        withUnsafeBytes(of: size.littleEndian) {
            bytes.replaceSubrange(length..<length + 4, with: $0)
        }
    }

    mutating func node(_ node: ViewNode) {
        operation(node.view.number) { w in
            node.view.write(&w)
            w.parts(node.parts)
            for modifier in node.modifiers {
                w.operation(modifier.modifier.number) { w in
                    modifier.modifier.write(&w)
                    w.parts(modifier.parts)
                }
            }
        }
    }

    private mutating func parts(_ parts: [[ViewNode]]) {
        for (index, views) in parts.enumerated() where !views.isEmpty {
            guard index > 0 else {
                for view in views { node(view) }
                continue
            }
            operation(Tree.partNumber) { w in
                w.u8(UInt8(truncatingIfNeeded: index))
                for view in views { w.node(view) }
            }
        }
    }
}

extension Tree {
    /// Writes a tree as a guest would.
    /// - Parameter translate: gives another token in the place of each.
    public static func encode(
        _ views: [ViewNode], tokens translate: @escaping (EventToken) -> EventToken = { $0 }
    ) -> [UInt8] {
        var writer = TreeWriter()
        writer.translate = translate
        for view in views { writer.node(view) }
        return writer.bytes
    }
}
