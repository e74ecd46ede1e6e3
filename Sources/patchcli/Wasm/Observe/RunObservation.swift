import CommandLineKit
import Foundation
import WebAssembly

/// How a run is looked at: not at all, call by call, or by the time that functions take.
struct RunObservation {
    /// The most functions in a printed table.
    private static let rows = 30

    enum Kind {
        case none
        case trace(limit: Int)
        case profile(folded: String?)
    }

    let console: Console
    private let names: FunctionNames
    private let trace: CallTrace?
    private let profile: CallProfile?
    private let folded: String?
    /// The store of the run, for names of host functions.
    private let store: Box

    private final class Box { var store: Store? }

    init(_ kind: Kind, names: FunctionNames, console: Console) {
        self.console = console
        self.names = names
        store = Box()
        var trace: CallTrace?
        var profile: CallProfile?
        var folded: String?
        switch kind {
        case .none: break
        case .trace(let limit):
            trace = CallTrace(
                limit: limit, name: { Self.name(of: $0, names, $1) }, print: console.note)
        case .profile(let file):
            profile = CallProfile(clock: { ProcessClock.elapsed })
            folded = file
        }
        (self.trace, self.profile, self.folded) = (trace, profile, folded)
    }

    /// What the store is made with.
    var observer: (any CallObserver)? { trace ?? profile }

    /// Remembers the store of the run.
    func began(in store: Store) { self.store.store = store }

    /// One function of a profile, as `--json` has it.
    struct Line: Encodable {
        let function: String
        let index: Int?
        let calls: Int
        let selfNanoseconds: UInt64
        let totalNanoseconds: UInt64

        enum CodingKeys: String, CodingKey {
            case function, index, calls
            case selfNanoseconds = "self_ns"
            case totalNanoseconds = "total_ns"
        }
    }

    /// The profile, most expensive functions first; nil without one.
    var lines: [Line]? {
        profile.map { profile in
            profile.rows.sorted { ($0.own, $0.calls) > ($1.own, $1.calls) }.map {
                Line(
                    function: name(of: $0.function), index: $0.function.functionIndex,
                    calls: $0.calls, selfNanoseconds: $0.own, totalNanoseconds: $0.total)
            }
        }
    }

    /// Prints what was seen, also after a run that trapped, and writes the folded stacks.
    /// - Throws: ``CommandFailure`` when the file cannot be written.
    func finish() throws {
        trace?.finish()
        guard let profile else { return }
        if let folded { try write(profile, to: folded) }
        if console.mode == .human { show(profile) }
    }

    private func write(_ profile: CallProfile, to path: String) throws {
        let text = profile.folded { name(of: $0) }.joined(separator: "\n") + "\n"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure(
                "cannot_write", "'\(path)' cannot be written", why: error.localizedDescription,
                exit: .cannotCreate)
        }
        if profile.isTruncated {
            console.warn("too many different stacks; the deepest are counted with their callers")
        }
    }

    private func show(_ profile: CallProfile) {
        let lines = lines ?? []
        let calls = lines.reduce(0) { $0 + $1.calls }
        console.note(
            "\(Self.milliseconds(profile.total)) ms in \(Quantity.count(calls, "call")) of "
                + Quantity.count(lines.count, "function"))
        var table = Table([
            .init("self ms", .right), .init("%", .right), .init("total ms", .right),
            .init("calls", .right), .init("function"),
        ])
        let room = max(20, console.width - 42)
        for line in lines.prefix(Self.rows) {
            table.add([
                Self.milliseconds(line.selfNanoseconds),
                WasmText.percent(line.selfNanoseconds, of: profile.total),
                Self.milliseconds(line.totalNanoseconds), "\(line.calls)",
                WasmText.shortened(line.function, to: room),
            ])
        }
        for line in table.lines(style: console.errorStyle) { console.note(line) }
        if lines.count > Self.rows {
            console.note(
                "… and \(Quantity.count(lines.count - Self.rows, "more function")) (all with --json)"
            )
        }
    }

    private func name(of function: ObservedFunction) -> String {
        Self.name(of: function, names, store.store)
    }

    private static func name(
        of function: ObservedFunction, _ names: FunctionNames, _ store: Store?
    ) -> String {
        if let index = function.functionIndex { return names[index] }
        return store?.name(of: function) ?? "host function"
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        String(format: "%.3f", Double(nanoseconds) / 1e6)
    }
}
