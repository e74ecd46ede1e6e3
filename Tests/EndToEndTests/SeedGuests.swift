import Foundation
import PatchCompiler
import TestSupport

/// The first seed's guests, built once for all tests.
enum SeedGuests {
    /// Greets byte by byte with a fixed message.
    static func greeting(_ message: String) throws -> [UInt8] {
        try build(
            "greeting.swift",
            """
            @_cdecl("greeting_len")
            public func greeting_len() -> Int32 {
                Int32(Array(message.utf8).count)
            }

            @_cdecl("greeting_byte")
            public func greeting_byte(_ i: Int32) -> Int32 {
                Int32(Array(message.utf8)[Int(i)])
            }

            private let message = "\(message)"
            """)
    }

    static let versionOne = Result { try greeting("Hello from version one") }
    static let versionTwo = Result {
        try greeting("Hello from version two, shipped without review")
    }

    /// Greets by pointer and length.
    static let makeGreeting = Result {
        try build(
            "greeting_mem.swift",
            """
            import Foundation

            @_cdecl("guest_alloc")
            public func guest_alloc(_ size: Int32) -> Int32 {
                let pointer = UnsafeMutableRawPointer.allocate(
                    byteCount: Int(size), alignment: 1)
                return Int32(Int(bitPattern: pointer))
            }

            @_cdecl("guest_free")
            public func guest_free(_ pointer: Int32, _ size: Int32) {
                UnsafeMutableRawPointer(bitPattern: Int(pointer))?.deallocate()
            }

            @_cdecl("make_greeting")
            public func make_greeting(_ namePointer: Int32, _ nameLength: Int32) -> Int64 {
                let bytes = UnsafeBufferPointer(
                    start: UnsafePointer<UInt8>(bitPattern: Int(namePointer)),
                    count: Int(nameLength))
                let name = String(decoding: bytes, as: UTF8.self)
                let text = Array("Hello, \\(name)".utf8)
                let output = UnsafeMutableRawPointer.allocate(
                    byteCount: text.count, alignment: 1)
                output.copyMemory(from: text, byteCount: text.count)
                return (Int64(Int(bitPattern: output)) << 32) | Int64(text.count)
            }
            """)
    }

    static func build(_ name: String, _ text: String) throws -> [UInt8] {
        let builder = GuestBuilder(toolchain: try Toolchain.discover())
        return try builder.build(sources: [GuestSource(name: name, text: text)]).wasm
    }
}
