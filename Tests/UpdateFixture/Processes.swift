import PatchPlatform

/// The process of an extension.
package struct ExtensionProcess: ProcessIdentity {
    package init() {}
    package var processIdentifier: Int32 { 1 }
    package var kind: ProcessKind { .appExtension }
    package var bootIdentifier: String? { nil }
}

/// A process that has ended, in this boot of the device; it takes all others for ended too.
package struct GoneProcess: ProcessIdentity {
    package let start: Int
    package init(_ start: Int = .random(in: 0 ..< .max)) { self.start = start }
    package var processIdentifier: Int32 { 1 << 30 }
    package var kind: ProcessKind { .app }
    package var bootIdentifier: String? { LiveProcess().bootIdentifier }
    package var startIdentifier: String? { "\(start)" }
    package func isRunning(_ other: ProcessMark) -> Bool { false }
}
