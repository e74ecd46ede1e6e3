import Testing

@testable import PatchCompiler

@Suite("Exports found in sources")
struct GuestBuilderExportTests {
    private func scan(_ text: String) -> ExportScanner.Found {
        ExportScanner.scan([GuestSource(name: "a.swift", text: text)])
    }

    @Test("every way to give a function a C name is found")
    func forms() {
        let found = scan(
            """
            @_cdecl("one") public func a() {}
            @c(two) public func b() {}
            @c public func three() {}
            @_expose(wasm, "four") func d() {}
            @_expose(wasm) func five() {}
            @_expose(Cxx, "no") func e() {}
            enum Names {
                @inline(never) @_cdecl("six")
                static func f() {}
            }
            """)
        #expect(found.certain == ["one", "two", "three", "four", "five", "six"])
        #expect(found.conditional == [])
    }

    @Test("comments, strings and other attributes are no exports")
    func lookalikes() {
        let found = scan(
            #"""
            // @_cdecl("comment") func a() {}
            /* @_cdecl("block") /* @_cdecl("nested") */ */
            let text = "@_cdecl(\"string\")"
            let long = """
                @_cdecl("long") func b() {}
                """
            @available(*, deprecated, message: "@_cdecl(\"argument\")") func c() {}
            let raw = ##"@_cdecl("raw")"##
            """#)
        #expect(found == ExportScanner.Found())
    }

    @Test("names under #if are exported only when they are compiled")
    func conditional() throws {
        let source = GuestSource(
            name: "a.swift",
            text: """
                @_cdecl("always") public func a() -> Int32 { 1 }
                #if os(Linux)
                @_cdecl("never") public func b() -> Int32 { 2 }
                #else
                @_cdecl("here") public func b() -> Int32 { 3 }
                #endif
                """)
        let found = ExportScanner.scan([source])
        #expect(found.certain == ["always"])
        #expect(found.conditional == ["never", "here"])
        let module = try guestBuilder().build(sources: [source])
        #expect(module.exports.contains("always") && module.exports.contains("here"))
        #expect(!module.exports.contains("never"))
    }
}
