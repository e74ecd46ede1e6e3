import Foundation
import PatchCrypto

/// What the numbers in a module stand for: enough to give the same things the same numbers in
/// another module, so that a delta between both has nothing to say about them.
///
/// Kept beside a build's `base.wasm` as `numbers.json`, since the module itself has no names.
struct ModuleNumbers: Codable, Equatable, Sendable {
    /// A stretch of memory that a name stands for.
    struct Datum: Codable, Equatable, Sendable {
        /// What ``Keys`` made of its names and its size.
        var key: String
        var address: Int
    }

    static let fileName = "numbers.json"

    /// Version of this form: 1.
    var v = 1
    /// SHA-256 of the module, 64 hex digits.
    var module: String
    /// The functions that the module defines, in order.
    var functions: [String]
    /// The globals, in order; empty where nothing names one.
    var globals: [String]
    /// Data, by address.
    var data: [Datum]
    /// Where data ends and the heap begins.
    var end: Int

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(self)
        data.append(0x0a)
        return data
    }

    /// Short keys of names. Names of local things may repeat; the first, the second and so on are
    /// told apart, in order.
    struct Keys {
        private var seen: [String: Int] = [:]

        mutating func key(_ names: [String]) -> String {
            guard !names.isEmpty else { return "" }
            let text = names.sorted().joined(separator: "\n")
            let count = seen[text, default: 0]
            seen[text] = count + 1
            return Hex.encode(SHA256.hash(Array("\(text)\n\(count)".utf8)).prefix(8))
        }
    }
}

/// Data that moves as one: what a name stands for, or several names whose data overlaps.
struct DataChunk {
    var segment: Int
    /// From the start of the segment.
    var range: Range<Int>
    var key: String
}

extension LinkedModule {
    /// The names of each defined function.
    var functionNames: [[String]] {
        var names = [[String]](repeating: [], count: bodies.count)
        for symbol in symbols where symbol.kind == 0 && !symbol.isUndefined {
            let number = symbol.index - imports.count
            if names.indices.contains(number) { names[number].append(symbol.name) }
        }
        return names
    }

    /// The names of each global: its own, or that of whatever it holds the address of.
    var globalNames: [[String]] {
        var names = [Set<String>](repeating: [], count: globals.count)
        for symbol in symbols where symbol.kind == 2 && globals.indices.contains(symbol.index) {
            names[symbol.index].insert(symbol.name)
        }
        for relocation in codeRelocations where relocation.kind == 7 {
            guard symbols.indices.contains(relocation.symbol) else { continue }
            let symbol = symbols[relocation.symbol]
            guard symbol.kind != 2 else { continue }
            var part = WasmCursor(bytes, codeStart + relocation.offset..<bytes.count)
            guard let number = try? part.number(), globals.indices.contains(number) else {
                continue
            }
            names[number].insert("\(symbol.kind) \(symbol.name)")
        }
        return names.map { Array($0) }
    }

    /// All data that something names, by segment and place. What nothing names nothing can reach.
    func chunks() -> [DataChunk] {
        var chunks: [DataChunk] = []
        var keys = ModuleNumbers.Keys()
        for segment in segments.indices {
            let here = symbols.filter {
                $0.kind == 1 && !$0.isUndefined && !$0.isAbsolute && $0.segment == segment
                    && $0.offset < segments[segment].range.count
            }.sorted { ($0.offset, $0.size, $0.name) < ($1.offset, $1.size, $1.name) }
            var index = 0
            while index < here.count {
                let start = here[index].offset
                var end = start
                var names: [String] = []
                // Names of one place, and of places inside another's, stay together.
                while index < here.count, here[index].offset == start || here[index].offset < end {
                    let symbol = here[index]
                    names.append("\(symbol.offset - start) \(symbol.size) \(symbol.name)")
                    end = max(end, symbol.offset + symbol.size)
                    index += 1
                }
                end = min(end, segments[segment].range.count)
                chunks.append(
                    DataChunk(segment: segment, range: start..<end, key: keys.key(names)))
            }
        }
        return chunks
    }
}
