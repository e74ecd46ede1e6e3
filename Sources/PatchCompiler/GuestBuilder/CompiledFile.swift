import Foundation

/// A source under the name that the compiler sees.
///
/// The name is the last part of the user's, so that neither the bytes of a module nor its debug
/// information depend on the folder; two files of one name would be refused by the compiler.
struct CompiledFile {
    var name: String
    var source: GuestSource

    /// `sources` in an order that does not depend on the folders they lie in.
    static func naming(_ sources: [GuestSource]) -> [CompiledFile] {
        var taken = Set<String>()
        return
            sources
            .map { CompiledFile(name: plain($0.name), source: $0) }
            .sorted { ($0.name, $0.source.text) < ($1.name, $1.source.text) }
            .map { file in
                var file = file
                var number = 2
                let stem = file.name.dropLast(6)
                while !taken.insert(file.name.lowercased()).inserted {
                    file.name = "\(stem)-\(number).swift"
                    number += 1
                }
                return file
            }
    }

    private static func plain(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "guest"
        var stem = last.hasSuffix(".swift") ? String(last.dropLast(6)) : String(last)
        stem = String(
            stem.map { character in
                character.isASCII
                    && (character.isLetter || character.isNumber || "_+.".contains(character))
                    ? character : "_"
            })
        // Hidden files and options start with a dot or dash.
        if stem.isEmpty || stem.hasPrefix(".") { stem = "_" + stem }
        return stem + ".swift"
    }
}

/// Files of a build, with errors that name them.
enum GuestFiles {
    static func read(_ url: URL) throws -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: url))
        } catch {
            throw GuestBuildError.system("\(url.path) cannot be read: \(error).")
        }
    }

    static func write(_ bytes: [UInt8], to url: URL) throws {
        do {
            try Data(bytes).write(to: url)
        } catch {
            throw GuestBuildError.system("\(url.path) cannot be written: \(error).")
        }
    }
}
