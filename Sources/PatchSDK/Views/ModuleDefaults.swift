import Foundation
import WebAssembly

/// The app's settings as modules read and change them: capability `defaults`, for `@AppStorage`.
///
/// `defaults.get(kind, key, length, place, room)` gives the length of the value, or -1 when there
/// is none; the bytes only when they fit. `defaults.set(kind, key, length, value, count)` keeps
/// one, kind 0 removes it. Kinds are 1 `Bool`, 2 `Int`, 3 `Double`, 4 `String`, 5 `Data`; numbers
/// have eight bytes, little-endian.
struct ModuleDefaults: Sendable {
    /// The suite; nil for the app's own settings.
    var suite: String?

    /// The longest key, and the longest value of a setting.
    static let maximumKey = 1 << 10
    static let maximumValue = 1 << 20

    static let types: [String: FunctionType] = [
        "defaults.get": FunctionType(
            parameters: [.i32, .i32, .i32, .i32, .i32], results: [.i32]),
        "defaults.set": FunctionType(parameters: [.i32, .i32, .i32, .i32, .i32]),
    ]

    private var store: UserDefaults {
        suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard
    }

    /// Answers `defaults.get`.
    func get(_ caller: Caller, _ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        let key = try text(caller, slots[1], slots[2])
        let room = UInt32(truncatingIfNeeded: slots[4])
        guard let value = value(UInt32(truncatingIfNeeded: slots[0]), key),
            value.count <= Self.maximumValue
        else {
            slots[0] = UInt64(UInt32(bitPattern: -1))
            return
        }
        if value.count <= Int(room), let memory = caller.memory {
            try memory.write(value, at: UInt64(UInt32(truncatingIfNeeded: slots[3])))
        }
        slots[0] = UInt64(value.count)
    }

    /// Answers `defaults.set`.
    func set(_ caller: Caller, _ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        let key = try text(caller, slots[1], slots[2])
        let bytes = try read(caller, slots[3], slots[4], most: Self.maximumValue)
        switch UInt32(truncatingIfNeeded: slots[0]) {
        case 0: store.removeObject(forKey: key)
        case 1: store.set(bytes.first == 1, forKey: key)
        case 2: store.set(Int(Int64(bitPattern: number(bytes))), forKey: key)
        case 3: store.set(Double(bitPattern: number(bytes)), forKey: key)
        case 4: store.set(String(decoding: bytes, as: UTF8.self), forKey: key)
        case 5: store.set(Data(bytes), forKey: key)
        default: throw PatchError(.callFailed, "a setting of an unknown kind")
        }
    }

    private func value(_ kind: UInt32, _ key: String) -> [UInt8]? {
        let store = store
        guard store.object(forKey: key) != nil else { return nil }
        switch kind {
        case 1: return [store.bool(forKey: key) ? 1 : 0]
        case 2: return bytes(UInt64(bitPattern: Int64(store.integer(forKey: key))))
        case 3: return bytes(store.double(forKey: key).bitPattern)
        case 4: return store.string(forKey: key).map { Array($0.utf8) }
        case 5: return store.data(forKey: key).map { [UInt8]($0) }
        default: return nil
        }
    }

    private func bytes(_ value: UInt64) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private func number(_ bytes: [UInt8]) -> UInt64 {
        bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func text(_ caller: Caller, _ pointer: UInt64, _ count: UInt64) throws -> String {
        String(
            decoding: try read(caller, pointer, count, most: Self.maximumKey), as: UTF8.self)
    }

    private func read(
        _ caller: Caller, _ pointer: UInt64, _ count: UInt64, most: Int
    ) throws -> [UInt8] {
        let count = UInt32(truncatingIfNeeded: count)
        guard count <= most, let memory = caller.memory else {
            throw PatchError(.guestMemoryFault, "\(count) bytes of a setting")
        }
        return try memory.read(
            at: UInt64(UInt32(truncatingIfNeeded: pointer)), count: Int(count))
    }
}
