import TUF

/// A metadata file to publish.
public struct MetadataFile: Sendable, Hashable {
    /// Its name in the folder `metadata/`, such as `3.snapshot.json`.
    public let name: String
    /// Its contents.
    public let bytes: [UInt8]
    /// The role.
    public let role: String
    /// The version; nil for the timestamp, whose name has none.
    public let version: Int?

    init<Role>(_ role: String, _ document: SignedMetadata<Role>) {
        self.role = role
        version = role == "timestamp" ? nil : document.signed.version
        name = MetadataFileName.of(role: role, version: version)
        bytes = document.encoded()
    }

    /// The place in the order in which files are published: what is referred to comes before what
    /// refers to it and the timestamp last, so that a crash in between leaves the old state served.
    var publishingOrder: Int {
        switch role {
        case "root": 0
        case "targets": 2
        case "snapshot": 3
        case "timestamp": 4
        default: 1
        }
    }
}
