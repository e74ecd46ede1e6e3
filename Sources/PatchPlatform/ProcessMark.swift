/// Names one process of this device, so that another can tell later whether it still runs.
public struct ProcessMark: Equatable, Sendable {
    /// The kind of process.
    public var kind: ProcessKind
    /// Its process id. Ids are used again, hence `start`.
    public var pid: Int32
    /// Tells processes with the same id apart; nil when the system does not say.
    public var start: String?

    /// Names a process.
    public init(kind: ProcessKind, pid: Int32, start: String?) {
        self.kind = kind
        self.pid = pid
        self.start = start
    }
}

extension ProcessIdentity {
    /// Names this process.
    public var mark: ProcessMark {
        ProcessMark(kind: kind, pid: processIdentifier, start: startIdentifier)
    }

    /// See ``ProcessIdentity/startIdentifier``.
    public var startIdentifier: String? { nil }

    /// See ``ProcessIdentity/isDebuggerAttached``.
    public var isDebuggerAttached: Bool { false }

    /// See ``ProcessIdentity/isRunning(_:)``.
    public func isRunning(_ other: ProcessMark) -> Bool { other == mark }
}
