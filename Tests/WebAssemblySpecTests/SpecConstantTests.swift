import Testing
import WebAssembly

@testable import WebAssemblySpec

@Suite("Constants of scripts")
struct SpecConstantTests {
    private func constant(_ type: String, _ value: String?) -> SpecConstant {
        SpecConstant(type: type, value: value)
    }

    @Test("numbers are unsigned decimals of their bit patterns")
    func numbers() {
        #expect(constant("i32", "4294967295").argument == .i32(.max))
        #expect(constant("i64", "18446744073709551615").argument == .i64(.max))
        #expect(constant("f32", "1065353216").argument == .f32(Float(1).bitPattern))
        #expect(constant("f64", "4607182418800017408").argument == .f64(Double(1).bitPattern))
    }

    @Test("what is no number of its type is no argument", arguments: ["-1", "4294967296", "x", ""])
    func notANumber(text: String) {
        #expect(constant("i32", text).argument == nil)
    }

    @Test("references are null or a number of the host's")
    func references() {
        #expect(constant("externref", "null").argument == .ref(.nullExtern))
        #expect(constant("externref", "7").argument == .ref(.extern(7)))
        #expect(constant("funcref", "null").argument == .ref(.nullFunction))
        #expect(!constant("externref", "7").matches(.ref(.extern(8))))
        #expect(!constant("externref", "null").matches(.ref(.nullFunction)))
        #expect(constant("externref", nil).matches(.ref(.extern(3))))
        #expect(!constant("externref", nil).matches(.ref(.nullExtern)))
    }

    @Test("a canonical NaN has its top fraction bit alone, either sign")
    func canonicalNaN() {
        for bits: UInt32 in [0x7fc0_0000, 0xffc0_0000] {
            #expect(constant("f32", "nan:canonical").matches(.f32(bits)))
        }
        for bits: UInt32 in [0x7fc0_0001, 0x7fa0_0000, 0x7f80_0000, 0x7f80_0001, 0] {
            #expect(!constant("f32", "nan:canonical").matches(.f32(bits)))
        }
        for bits: UInt64 in [0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000] {
            #expect(constant("f64", "nan:canonical").matches(.f64(bits)))
        }
        #expect(!constant("f64", "nan:canonical").matches(.f64(0x7ff8_0000_0000_0001)))
        #expect(!constant("f64", "nan:canonical").matches(.f64(0x7ff0_0000_0000_0000)))
    }

    @Test("an arithmetic NaN has its top fraction bit and any others")
    func arithmeticNaN() {
        for bits: UInt32 in [0x7fc0_0000, 0xffff_ffff, 0x7fc0_0001] {
            #expect(constant("f32", "nan:arithmetic").matches(.f32(bits)))
        }
        for bits: UInt32 in [0x7fa0_0000, 0x7f80_0000, 0x3f80_0000] {
            #expect(!constant("f32", "nan:arithmetic").matches(.f32(bits)))
        }
        #expect(constant("f64", "nan:arithmetic").matches(.f64(0xffff_ffff_ffff_ffff)))
        #expect(!constant("f64", "nan:arithmetic").matches(.f64(0x7ff4_0000_0000_0000)))
    }

    @Test("a value of another type does not match, equal bits or not")
    func typesMatter() {
        #expect(!constant("i32", "1").matches(.i64(1)))
        #expect(!constant("f32", "1").matches(.i32(1)))
        #expect(!constant("f64", "nan:canonical").matches(.i64(0x7ff8_0000_0000_0000)))
    }

    @Test("zeros of different sign differ")
    func signedZeros() {
        #expect(!constant("f32", "0").matches(.f32(0x8000_0000)))
        #expect(constant("f32", "2147483648").matches(.f32(0x8000_0000)))
    }
}
