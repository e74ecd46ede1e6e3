// Only where handlers can be exchanged: debug builds, and release builds made for it.
#if DEBUG || OPENPATCH_MUTATION
    import CWasmCore
    @testable import WebAssembly

    /// The interpreter's table of handlers.
    public enum Handlers {
        /// All names, by opcode of the register code.
        public static let names: [String] = (0..<wc_opcode_count()).map {
            wc_opcode_name($0).map { String(cString: $0) } ?? "?"
        }

        /// Opcodes that have a handler; the others are never executed.
        public static let real: [Int] = {
            guard let flags = wc_opcode_flags() else { return [] }
            return names.indices.filter { flags[$0] & UInt16(WC_HOLE) == 0 }
        }()

        /// The opcode of a name.
        public static func opcode(_ name: String) -> Int? { names.firstIndex(of: name) }

        /// Puts one handler in the place of another; call before any module is made.
        public static func replace(_ opcode: Int, by other: Int) {
            wc_replace_handler(UInt32(opcode), UInt32(other))
        }

        /// What the last call into a store without limits has spent.
        static func fuelSpent(in store: Store) -> Int64 { .max / 2 - store.context.pointee.fuel }

        /// The opcodes that the translation of a module uses.
        public static func used(by bytes: [UInt8]) -> Set<Int> {
            guard let module = try? parseWasm(bytes: bytes), let flags = wc_opcode_flags() else {
                return []
            }
            var used: Set<Int> = []
            let code = module.code
            var compiler = FunctionCompiler(code.shape)
            defer { compiler.free() }
            for (index, span) in code.spans.enumerated() {
                guard
                    (try? compiler.run(code.shape.importedFunctions + index, span, bytes)) != nil
                else { continue }
                var at = 1  // the header is not executed
                while at < compiler.count {
                    let opcode = Int(truncatingIfNeeded: compiler.code[2 * at])
                    used.insert(opcode)
                    at += flags[opcode] & UInt16(WC_WIDE) != 0 ? 2 : 1
                }
            }
            return used
        }
    }

    /// One handler in the place of another.
    public struct Mutant: Hashable, Sendable, CustomStringConvertible {
        /// The handler that is taken away.
        public let opcode: Int
        /// The one that stands there instead.
        public let by: Int

        /// Names the two.
        public init(opcode: Int, by: Int) {
            self.opcode = opcode
            self.by = by
        }

        /// The names of both.
        public var description: String {
            "\(Handlers.names[opcode]) \(Handlers.names[by])"
        }

        /// Each handler removed (it traps), and replaced by those that are most like it: same types
        /// and operand form, one operator further or back, or the other width of addresses.
        public static let all: [Mutant] = {
            let names = Handlers.names
            guard let nothing = Handlers.opcode("unreachable"),
                let harmless = Handlers.opcode("memory_size")
            else { return [] }
            var groups: [String: [Int]] = [:]
            for opcode in Handlers.real {
                groups[shape(of: names[opcode]), default: []].append(opcode)
            }
            var list: [Mutant] = []
            for opcode in Handlers.real {
                let name = names[opcode]
                var others: [Int] = [opcode == nothing ? harmless : nothing]
                if let group = groups[shape(of: name)], let at = group.firstIndex(of: opcode) {
                    if at + 1 < group.count { others.append(group[at + 1]) }
                    if at > 0 { others.append(group[at - 1]) }
                }
                if let other = Handlers.opcode(otherWay(name)) { others.append(other) }
                if let twin = twin(of: name), let other = Handlers.opcode(twin) {
                    others.append(other)
                }
                for other in others where !areEqual(name, names[other]) {
                    list.append(Mutant(opcode: opcode, by: other))
                }
            }
            return list
        }()

        /// `br_…` for `loop_…` and the reverse: the same branch, which pays fuel or does not.
        private static func otherWay(_ name: String) -> String {
            name.hasPrefix("loop")
                ? "br" + name.dropFirst(4) : name.hasPrefix("br") ? "loop" + name.dropFirst(2) : ""
        }

        /// Whether the second does what the first must: slots hold 32-bit integers with zeros above,
        /// so that what reads 64 bits of them gets the same number.
        private static func areEqual(_ name: String, _ other: String) -> Bool {
            if name.contains("_convert_i32_u_") { return other.contains("_convert_i64_s_") }
            return name.hasPrefix("call_indirect_") && other.hasPrefix("call_indirect64_")
        }

        /// The access of the other width of addresses, where the two differ: a constant address is
        /// the same in both, and without a wrapping sum (forms w and x) a 32-bit address gives the
        /// same sum in 64 bits.
        private static func twin(of name: String) -> String? {
            guard let form = name.split(separator: "_").last, let place = address(name, form)
            else { return nil }
            if name.hasPrefix("m64_") { return place == "k" ? nil : String(name.dropFirst(4)) }
            return place == "w" || place == "x" ? "m64_" + name : nil
        }

        /// The letter of the address in a form: last of a load's, first of a store's.
        private static func address(_ name: String, _ form: Substring) -> Character? {
            name.contains("_load") ? form.last : name.contains("_store") ? form.first : nil
        }

        /// `br_i32_lt_s_si` → `br_i32 si`: what two handlers must share to be taken for each other.
        private static func shape(of name: String) -> String {
            let words = name.split(separator: "_")
            guard
                let type = words.firstIndex(where: { ["i32", "i64", "f32", "f64"].contains($0) }),
                let form = words.last, words.count >= type + 3
            else { return "named " + (words.last.map(String.init) ?? "") }
            return words[...type].joined(separator: "_") + " " + form
        }
    }
#endif
