/// The state behind one guest's system calls.
final class WASISystem {
    let arguments: [String]
    let variables: [String]
    let grants: WASIGrants
    let host: WASIHost
    var files: FileTable

    /// What the guest slept beyond the time it really waited; its clocks run ahead by this.
    private var skippedSleep: UInt64 = 0
    private let origin: UInt64

    init(
        arguments: [String], variables: [String], grants: WASIGrants, host: WASIHost,
        fileSystem: WASIFileSystem?
    ) {
        self.arguments = arguments
        self.variables = variables
        self.grants = grants
        self.host = host
        files = FileTable(fileSystem: fileSystem)
        origin = host.monotonicClock()
    }

    /// The guest's time in nanoseconds.
    func time(_ clock: UInt32) throws -> UInt64 {
        switch clock {
        case 0:
            guard grants.contains(.wallClock) else { throw WASIErrno.notPermitted }
            return host.wallClock() &+ skippedSleep
        case 1:
            guard grants.contains(.monotonicClock) else { throw WASIErrno.notPermitted }
            return host.monotonicClock() &- origin &+ skippedSleep
        // Process and thread CPU time tell of the host and no Swift module needs them.
        case 2, 3: throw WASIErrno.notSupported
        default: throw WASIErrno.invalid
        }
    }

    /// Waits as long as the host allows and lets the rest pass on the guest's clocks.
    func sleep(_ nanoseconds: UInt64) {
        let real = min(nanoseconds, host.maximumSleep)
        if real > 0 { host.sleep(real) }
        skippedSleep &+= nanoseconds - real
    }

    /// The time that files are stamped with: the guest's own, so nothing is told without a grant.
    var stamp: UInt64 { (try? time(0)) ?? 0 }
}
