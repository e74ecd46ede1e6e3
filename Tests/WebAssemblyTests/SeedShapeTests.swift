import Testing
import WebAssembly

/// The host code of the first seed, with its calls: the shape of the interface that apps know.
@Suite("The shape of the interface")
struct SeedShapeTests {
    final class GreetingModule {
        private let instance: Instance

        init(wasmBytes: [UInt8]) throws {
            let engine = Engine()
            let store = Store(engine: engine)
            let imports = Imports()
            let module = try parseWasm(bytes: wasmBytes)
            self.instance = try module.instantiate(store: store, imports: imports)
        }

        func greeting() throws -> String {
            guard let lenFn = instance.exports[function: "greeting_len"],
                let byteFn = instance.exports[function: "greeting_byte"]
            else { throw RunnerError.exportMissing }
            guard case .i32(let lenRaw) = try lenFn.invoke([]).first else {
                throw RunnerError.badResult
            }
            let count = Int(Int32(bitPattern: lenRaw))
            var bytes = [UInt8]()
            for i in 0..<count {
                guard case .i32(let b) = try byteFn.invoke([.i32(UInt32(i))]).first else {
                    throw RunnerError.badResult
                }
                bytes.append(UInt8(truncatingIfNeeded: Int32(bitPattern: b)))
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        func echo(_ name: String) throws -> String {
            guard let make = instance.exports[function: "make_greeting"],
                let memory = instance.exports[memory: "memory"]
            else { throw RunnerError.exportMissing }
            let nameBytes = Array(name.utf8)
            memory.withUnsafeMutableBufferPointer(offset: UInt(1_024), count: nameBytes.count) {
                $0.copyBytes(from: nameBytes)
            }
            guard
                case .i64(let packed) =
                    try make.invoke([.i32(1_024), .i32(UInt32(nameBytes.count))]).first
            else { throw RunnerError.badResult }
            let outPtr = UInt(packed >> 32)
            let outLen = Int(packed & 0xFFFF_FFFF)
            var result = [UInt8](repeating: 0, count: outLen)
            memory.withUnsafeMutableBufferPointer(offset: outPtr, count: outLen) { buf in
                result = Array(buf)
            }
            return String(decoding: result, as: UTF8.self)
        }
    }

    enum RunnerError: Error {
        case exportMissing
        case badResult
    }

    private func module(_ message: String) -> [UInt8] {
        var builder = ModuleBuilder()
        builder.memory(1)
        builder.data(at: 16, Array(message.utf8))
        builder.function("greeting_len", [], [.i32], Code.i32(Int32(message.utf8.count)))
        builder.function("greeting_byte", [.i32], [.i32], Code.get(0) + [0x2d, 0, 16])
        // Packs pointer and length of its argument.
        builder.function(
            "make_greeting", [.i32, .i32], [.i64],
            Code.get(0) + [0xad] + Code.i64(32) + [0x86] + Code.get(1) + [0xad] + [0x84])
        return builder.build()
    }

    @Test("a greeting is read byte by byte, then a second module replaces the first")
    func greeting() throws {
        var current = try GreetingModule(wasmBytes: module("Hello from version one"))
        #expect(try current.greeting() == "Hello from version one")
        current = try GreetingModule(wasmBytes: module("Hello from version two"))
        #expect(try current.greeting() == "Hello from version two")
    }

    @Test("a string goes through memory as pointer and length")
    func pointerAndLength() throws {
        let greeter = try GreetingModule(wasmBytes: module("x"))
        #expect(try greeter.echo("Åsa 👋") == "Åsa 👋")
    }
}
