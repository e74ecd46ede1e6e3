import PatchPlatform

/// Stands where there is no state folder: nothing is there, and nothing can be kept.
struct NoFileStore: FileStore {
    private func refuse(_ name: String) -> FileError { FileError(.readOnly, name: name) }

    func read(_ name: String, maximumSize: Int) throws -> [UInt8]? { nil }
    func writeAtomically(_ bytes: [UInt8], to name: String) throws { throw refuse(name) }
    func openForWriting(_ name: String, appending: Bool) throws -> any FileWriter {
        throw refuse(name)
    }
    func move(_ name: String, to target: String) throws { throw refuse(name) }
    func remove(_ name: String) throws {}
    func list(_ folder: String) throws -> [String] { [] }
    func size(of name: String) throws -> Int? { nil }
    func freeBytes() -> UInt64? { 0 }
    func lock(_ name: String, wait: Bool) throws -> FileLock? { throw refuse(name) }
}
