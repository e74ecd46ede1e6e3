import CPatchGate

/// The native functions that `patchcli prepare` compiled into the app, module by module.
struct NativeTables: Sendable {
    let tables: [PatchNatives]

    /// None.
    init(tables: [PatchNatives] = []) { self.tables = tables }

    /// What the executable has.
    static func compiledIn() -> NativeTables {
        NativeTables(
            tables: (0..<UInt32(PATCH_NATIVE_TABLES)).compactMap { index in
                openpatch_natives_v1(index).map {
                    Unmanaged<PatchNatives>.fromOpaque($0).takeUnretainedValue()
                }
            })
    }

    /// The function with an id, and the table that has it.
    func native(_ id: UInt64) -> (native: PatchNative, table: PatchNatives)? {
        for table in tables {
            if let native = table.native(id) { return (native, table) }
        }
        return nil
    }
}
