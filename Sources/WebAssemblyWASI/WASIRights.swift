/// What a descriptor may be used for (preview 1, `rights`): the rights that a folder hands on limit
/// what is opened below it, and a guest can only ever give rights up.
struct WASIRights: OptionSet, Sendable {
    let rawValue: UInt64

    private static func bit(_ number: UInt64) -> WASIRights { WASIRights(rawValue: 1 << number) }

    static let read = bit(1)
    static let seek = bit(2)
    static let setFlags = bit(3)
    static let tell = bit(5)
    static let write = bit(6)
    static let allocate = bit(8)
    static let createFolder = bit(9)
    static let createFile = bit(10)
    static let linkSource = bit(11)
    static let linkTarget = bit(12)
    static let open = bit(13)
    static let list = bit(14)
    static let readLink = bit(15)
    static let renameSource = bit(16)
    static let renameTarget = bit(17)
    static let pathStatus = bit(18)
    static let pathSize = bit(19)
    static let pathTimes = bit(20)
    static let status = bit(21)
    static let size = bit(22)
    static let times = bit(23)
    static let createLink = bit(24)
    static let removeFolder = bit(25)
    static let removeFile = bit(26)

    /// All that makes sense for a file: reading to allocating, its status, and waiting for it.
    static let file = WASIRights(rawValue: 0x1ff).union([status, size, times, bit(27)])
    /// All that makes sense for a folder.
    static let folder = WASIRights(rawValue: 0x7ff_fe00).subtracting(size)
    /// What the root hands on.
    static let all = file.union(folder)
}
