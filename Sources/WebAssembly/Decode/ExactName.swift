/// A name as WebAssembly compares it: byte by byte. Swift's strings are equal when they are
/// canonically equivalent, which would confuse names that the specification tells apart.
struct ExactName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: ExactName, b: ExactName) -> Bool {
        a.text.utf8.elementsEqual(b.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
