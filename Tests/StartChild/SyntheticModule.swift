/// A valid module of a wanted size: functions with loops, memory and calls, as a compiler makes
/// them, and one export `answer`.
enum SyntheticModule {
    static func bytes(_ size: Int) -> [UInt8] {
        var functions: [[UInt8]] = [[0, 0x41, 42, 0x0B]]
        var code = 0
        // The other sections take about two bytes for each function and fifty in all.
        while code + functions.count < size - 50 {
            let body = body(functions.count)
            code += body.count + 2
            functions.append(body)
        }
        var module: [UInt8] = [0, 0x61, 0x73, 0x6D, 1, 0, 0, 0]
        // () -> i32 and (i32, i32) -> i32.
        module += section(1, [2, 0x60, 0, 1, 0x7F, 0x60, 2, 0x7F, 0x7F, 1, 0x7F])
        let types = [UInt8](repeating: 1, count: functions.count - 1)
        module += section(3, leb(functions.count) + [0] + types)
        module += section(5, [1, 0, 2])
        module += section(7, [1, 6] + Array("answer".utf8) + [0, 0])
        module += section(10, leb(functions.count) + functions.flatMap { leb($0.count) + $0 })
        return module
    }

    /// A loop that reads, mixes, writes and calls an earlier function.
    private static func body(_ index: Int) -> [UInt8] {
        var body: [UInt8] = [1, 2, 0x7F]
        body += [0x02, 0x40, 0x03, 0x40]
        for step in 0..<6 {
            body += [0x20, 0, 0x41] + leb(step * 4 + 1)
            body += [0x6A, 0x28, 2] + leb(step * 8)
            body += [0x20, 1, 0x73, 0x21, 2]
            body += [0x20, 0, 0x20, 2, 0x36, 2] + leb(step * 8 + 4)
            body += [0x20, 2, 0x20, 3, 0x6C, 0x41, 7, 0x76, 0x21, 3]
        }
        if index > 1 { body += [0x20, 2, 0x20, 3, 0x10] + leb(index - 1) + [0x21, 3] }
        body += [0x20, 0, 0x41, 1, 0x6B, 0x22, 0, 0x45, 0x0D, 1, 0x0C, 0, 0x0B, 0x0B]
        body += [0x20, 2, 0x20, 3, 0x6A, 0x0B]
        return body
    }

    private static func section(_ id: UInt8, _ content: [UInt8]) -> [UInt8] {
        [id] + leb(content.count) + content
    }

    /// Unsigned LEB128; the values here stay far below where signed would differ.
    private static func leb(_ value: Int) -> [UInt8] {
        var rest = value
        var bytes: [UInt8] = []
        repeat {
            let low = UInt8(rest & 0x7F)
            rest >>= 7
            bytes.append(rest == 0 ? low : low | 0x80)
        } while rest != 0
        return bytes
    }
}
