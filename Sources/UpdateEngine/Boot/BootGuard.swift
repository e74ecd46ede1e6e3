import PatchPlatform

/// Keeps the mark of this start on disk. The first thing noted makes the file; each further one is
/// a single small write.
///
/// Only the app's own process leaves marks: what happens to an extension says nothing about the
/// app.
final class BootGuard: Sendable {
    private struct Current {
        var mark: StartMark?
        var writer: (any FileWriter)?
        var isInForeground = true
        var hasEnded = false
    }

    private let files: any FileStore
    private let random: any RandomSource
    private let process: any ProcessIdentity
    private let fingerprint: String
    private let current = Lock(Current())

    init(
        files: any FileStore, random: any RandomSource, process: any ProcessIdentity,
        fingerprint: String
    ) {
        self.files = files
        self.random = random
        self.process = process
        self.fingerprint = fingerprint
    }

    private func name(_ nonce: String) -> String { "\(StartMark.folder)/\(nonce)" }

    // MARK: This start

    /// The start of this process, when it has activated something.
    var mark: StartMark? { current.withLock { $0.mark } }

    /// Notes that a payload is about to run.
    /// - Throws: ``FileError`` when the mark cannot be written.
    func willActivate(_ digest: String, readyRuns: Int, isShipped: Bool) throws {
        guard process.kind == .app else { return }
        try current.withLock { current in
            if current.mark == nil { try begin(&current) }
            try note(
                .willActivate(digest, readyRuns: readyRuns, isShipped: isShipped), &current)
        }
    }

    private func begin(_ current: inout Current) throws {
        let mark = StartMark(
            nonce: "\(process.processIdentifier)-\(random.uuid())",
            header: StartMark.Header(
                fingerprint: fingerprint, process: process.mark,
                deviceBoot: process.bootIdentifier, isDebugged: process.isDebuggerAttached,
                isInForeground: current.isInForeground))
        let writer = try files.openForWriting(name(mark.nonce), appending: false)
        do {
            try mark.head().withUnsafeBytes { try writer.write($0) }
        } catch {
            try? files.remove(name(mark.nonce))
            throw error
        }
        current.mark = mark
        current.writer = writer
    }

    private func note(_ event: StartMark.Event, _ current: inout Current) throws {
        var line = event.line
        try line.withUTF8 { try current.writer?.write(UnsafeRawBufferPointer($0)) }
        current.mark?.note(event)
    }

    /// Notes something about the newest activation of this start.
    /// - Parameter isNews: whether there is anything to note.
    /// - Throws: ``FileError``.
    func note(
        _ event: StartMark.Event, when isNews: (StartMark.Activation) -> Bool
    ) throws {
        try current.withLock { current in
            guard let newest = current.mark?.activations.last, isNews(newest) else { return }
            try note(event, &current)
        }
    }

    /// Notes whether the app can be seen.
    /// - Throws: ``FileError``.
    func isInForeground(_ isInForeground: Bool) throws {
        try current.withLock { current in
            guard current.isInForeground != isInForeground else { return }
            current.isInForeground = isInForeground
            if current.mark != nil {
                try note(isInForeground ? .foreground : .background, &current)
            }
        }
    }

    /// Notes that the process ends as it wants to.
    /// - Throws: ``FileError``.
    func didEnd() throws {
        try current.withLock { current in
            guard !current.hasEnded, case .some = current.mark else { return }
            current.hasEnded = true
            try note(.ended, &current)
        }
    }

    // MARK: Earlier starts

    /// The marks of earlier starts whose processes are gone, this build's first; marks that cannot
    /// be read or belong to another build are only to be removed.
    func ended() throws -> (marks: [StartMark], names: [String]) {
        var marks: [StartMark] = []
        var names: [String] = []
        let own = current.withLock { $0.mark?.nonce }
        for nonce in try files.list(StartMark.folder) where nonce != own {
            // One that cannot be read now may be read by the next launch.
            guard
                let bytes = try? files.read(name(nonce), maximumSize: StartMark.maximumSize)
            else { continue }
            guard let mark = StartMark(nonce: nonce, bytes: bytes) else {
                // It may be one that is being made at this moment.
                let pid = nonce.split(separator: "-").first.flatMap { Int32($0) } ?? 0
                let maker = ProcessMark(kind: .app, pid: pid, start: nil)
                if !process.isRunning(maker) { names.append(nonce) }
                continue
            }
            if process.isRunning(mark.header.process) { continue }
            names.append(nonce)
            if mark.header.fingerprint == fingerprint { marks.append(mark) }
        }
        return (marks, names)
    }

    /// Removes marks that have been judged. A failure costs a little disk space.
    func remove(_ nonces: [String]) {
        for nonce in nonces { try? files.remove(name(nonce)) }
    }
}
