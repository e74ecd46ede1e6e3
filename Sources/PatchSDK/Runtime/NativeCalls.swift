import Foundation
import WebAssembly

/// The native functions that one instance of a module calls.
///
/// A module calls a function by id and gets the length of the answer, then makes room and takes
/// it, so that nothing is called back while it waits. It may call what it declared as a need, which
/// was compared with the surface before it was loaded; anything else traps.
final class NativeCalls {
    /// Bytes of arguments, and errors that one call may leave behind.
    private static let maximumBytes = 16 << 20
    private static let maximumErrors = 1000

    private let tables: NativeTables
    private let declared: Set<UInt64>
    private var found: [UInt64: (native: PatchNative, table: PatchNatives)] = [:]
    private var answer: [UInt8]?
    private var errors: [any Error] = []
    /// The app's objects that this call has numbers for.
    private var objects = PatchObjects()

    /// Whether a native function that may have changed something was called since ``begin()``.
    private(set) var hasEffect = false
    /// Whether there is anything to forget.
    private var wasUsed = false
    /// What the suspended call waits for.
    private var waiting: (@Sendable () async -> Answer)?

    /// What a native function gave: an answer, or an error and the table that may know it.
    private enum Answer: Sendable {
        case bytes([UInt8])
        case error(any Error, PatchNatives)
    }

    init(_ tables: NativeTables, declared: Set<UInt64>) {
        self.tables = tables
        self.declared = declared
    }

    /// An outermost call begins: what earlier ones left is forgotten.
    func begin() {
        guard wasUsed else { return }
        wasUsed = false
        answer = nil
        waiting = nil
        hasEffect = false
        if !errors.isEmpty { errors = [] }
    }

    /// An outermost call ended: it keeps no object of the app alive.
    func end() { objects.removeAll() }

    /// The number of an object in this call.
    func number(of object: AnyObject) -> UInt64 {
        takeArguments()
        return objects.number(of: object)
    }

    /// The object that has a number in this call.
    func object(_ number: UInt64) -> AnyObject? {
        takeArguments()
        return objects.object(number)
    }

    /// What the arguments name was numbered before the call began.
    private func takeArguments() {
        if objects.isEmpty, let pending = PatchObjects.takePending() { objects = pending }
    }

    /// Keeps an error of this call for the app.
    /// - Returns: the number that the module is given.
    /// - Throws: ``PatchError`` `native_denied` for too many.
    func keep(_ error: any Error) throws -> UInt64 {
        guard errors.count < Self.maximumErrors else {
            throw PatchError(.nativeDenied, "more than \(Self.maximumErrors) errors")
        }
        wasUsed = true
        errors.append(error)
        return UInt64(errors.count - 1)
    }

    /// An error by the number that the module was given.
    func error(_ number: UInt64) -> (any Error)? {
        guard number < UInt64(errors.count) else { return nil }
        return errors[Int(number)]
    }

    /// Calls a native function, or notes that it has to be waited for.
    /// - Returns: the length of the answer.
    /// - Throws: ``HostCallPending``; ``PatchError`` `native_denied`.
    func call(_ id: UInt64, _ arguments: [UInt8]) throws -> Int {
        guard arguments.count <= Self.maximumBytes else {
            throw PatchError(.nativeDenied, "\(arguments.count) bytes of arguments")
        }
        wasUsed = true
        if id == 0 { return try callFunction(arguments) }
        let (native, table) = try native(id)
        var reader = MessagePackReader(arguments)
        var writer = MessagePackWriter()
        do {
            switch native {
            case .read(let body): try body(&reader, &writer)
            case .call(let body):
                hasEffect = true
                try body(&reader, &writer)
            case .main(let body):
                hasEffect = true
                guard MainQueue.isCurrent else {
                    wait(table) { try await Self.onMain(arguments, body) }
                    throw HostCallPending()
                }
                answer = try MainActor.assumeIsolated { try Self.onMain(arguments, body) }
                return answer?.count ?? 0
            case .task(let body):
                hasEffect = true
                wait(table) { try await body(arguments) }
                throw HostCallPending()
            }
            answer = writer.bytes
        } catch let pending as HostCallPending {
            throw pending
        } catch {
            try settle(error, [table])
        }
        return answer?.count ?? 0
    }

    /// Calls a function that is among the arguments of the call; its number comes first.
    private func callFunction(_ arguments: [UInt8]) throws -> Int {
        var reader = MessagePackReader(arguments)
        guard let count = try? reader.arrayHeader(), count > 0,
            let number = try? reader.integer(UInt64.self),
            let function = object(number) as? PatchFunction
        else { throw PatchError(.nativeDenied, "no such function") }
        // The others as an array of their own, which is what the function expects.
        var own = MessagePackWriter()
        own.arrayHeader(count - 1)
        var rest = MessagePackReader(own.bytes + arguments[reader.offset...])
        var writer = MessagePackWriter()
        hasEffect = true
        do {
            try function.call(&rest, &writer)
            answer = writer.bytes
        } catch let error as PatchError {
            throw error
        } catch {
            try settle(error, tables.tables)
        }
        return answer?.count ?? 0
    }

    /// Copies the answer of the last call to the module, once.
    func take(_ memory: Memory, at pointer: UInt64) throws {
        guard let bytes = answer else { throw PatchError(.nativeDenied, "there is no answer") }
        answer = nil
        try memory.write(bytes, at: pointer)
    }

    /// Waits for what the suspended call waits for.
    /// - Returns: the length of the answer.
    func finishWaiting(isolation: isolated (any Actor)? = #isolation) async throws -> Int {
        guard let waiting else { throw PatchError(.callFailed, "nothing is waited for") }
        self.waiting = nil
        switch await waiting() {
        case .bytes(let bytes): answer = bytes
        case .error(let error, let table): try settle(error, [table])
        }
        return answer?.count ?? 0
    }

    private func wait(_ table: PatchNatives, _ body: @escaping @Sendable () async throws -> [UInt8])
    {
        waiting = {
            do {
                return .bytes(try await body())
            } catch {
                return .error(error, table)
            }
        }
    }

    private func native(_ id: UInt64) throws -> (native: PatchNative, table: PatchNatives) {
        if let known = found[id] { return known }
        guard declared.contains(id), let native = tables.native(id) else {
            throw PatchError(.nativeDenied, "function \(DeclarationID.hex16(id))")
        }
        found[id] = native
        return native
    }

    /// The answer `[true, [number, key, value]]`; the key is 0 when the module cannot know the
    /// error and has nothing but its number.
    private func settle(_ error: any Error, _ tables: [PatchNatives]) throws {
        // The arguments did not have the shape that the app expects.
        if error is MessagePackError { throw PatchError(.argumentMismatch, "\(error)") }
        let number = try keep(error)
        var known = MessagePackWriter()
        let isKnown = tables.contains { $0.write(error, to: &known) }
        var writer = MessagePackWriter()
        writer.arrayHeader(2)
        writer.bool(true)
        writer.arrayHeader(isKnown ? 3 : 2)
        writer.uint(number)
        if !isKnown { writer.uint(0) }
        answer = isKnown ? writer.bytes + known.bytes : writer.bytes
    }

    @MainActor
    private static func onMain(_ arguments: [UInt8], _ body: MainBody) throws -> [UInt8] {
        var reader = MessagePackReader(arguments)
        var writer = MessagePackWriter()
        try body(&reader, &writer)
        return writer.bytes
    }

    private typealias MainBody =
        @MainActor @Sendable (inout MessagePackReader, inout MessagePackWriter) throws -> Void
}
