// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Values that outlive the app's run. The app's settings stay with the host, which is asked at each
// use: native code may change them as well.

/// A value of the app's settings.
@propertyWrapper public struct AppStorage<Value>: DynamicProperty {
    let key: String
    let initial: Value
    let read: (String) -> Value?
    let write: (String, Value) -> Void

    public var wrappedValue: Value {
        get { read(key) ?? initial }
        nonmutating set {
            write(key, newValue)
            _noteWideChange()
        }
    }

    public var projectedValue: Binding<Value> {
        let this = self
        return Binding(get: { this.wrappedValue }, set: { this.wrappedValue = $0 })
    }

    public mutating func _link(_ linker: _Linker, _ slot: Int) {}
}

extension AppStorage {
    init(_ key: String, _ initial: Value, _ kind: _Setting<Value>) {
        self.key = key
        self.initial = initial
        read = kind.read
        write = kind.write
    }

    public init(wrappedValue: Value, _ key: String) where Value == Bool {
        self.init(key, wrappedValue, .bool)
    }
    public init(wrappedValue: Value, _ key: String) where Value == Int {
        self.init(key, wrappedValue, .int)
    }
    public init(wrappedValue: Value, _ key: String) where Value == Double {
        self.init(key, wrappedValue, .double)
    }
    public init(wrappedValue: Value, _ key: String) where Value == String {
        self.init(key, wrappedValue, .string)
    }
    public init(wrappedValue: Value, _ key: String) where Value == Data {
        self.init(key, wrappedValue, .data)
    }
    public init(wrappedValue: Value, _ key: String)
    where Value: RawRepresentable, Value.RawValue == Int {
        self.init(key, wrappedValue, .raw(.int))
    }
    public init(wrappedValue: Value, _ key: String)
    where Value: RawRepresentable, Value.RawValue == String {
        self.init(key, wrappedValue, .raw(.string))
    }
    public init(_ key: String) where Value == Bool? { self.init(key, nil, .optional(.bool)) }
    public init(_ key: String) where Value == Int? { self.init(key, nil, .optional(.int)) }
    public init(_ key: String) where Value == Double? { self.init(key, nil, .optional(.double)) }
    public init(_ key: String) where Value == String? { self.init(key, nil, .optional(.string)) }
    public init(_ key: String) where Value == Data? { self.init(key, nil, .optional(.data)) }
    public init<R: RawRepresentable>(_ key: String) where Value == R?, R.RawValue == Int {
        self.init(key, nil, .optional(.raw(.int)))
    }
    public init<R: RawRepresentable>(_ key: String) where Value == R?, R.RawValue == String {
        self.init(key, nil, .optional(.raw(.string)))
    }
}

/// How a type of setting is read and written.
struct _Setting<Value> {
    let read: (String) -> Value?
    let write: (String, Value) -> Void

    static func raw<Raw>(_ base: _Setting<Raw>) -> _Setting<Value>
    where Value: RawRepresentable, Value.RawValue == Raw {
        _Setting(
            read: { base.read($0).flatMap { Value(rawValue: $0) } },
            write: { base.write($0, $1.rawValue) })
    }

    static func optional<Wrapped>(_ base: _Setting<Wrapped>) -> _Setting<Value>
    where Value == Wrapped? {
        _Setting(
            read: { key in base.read(key).map { .some($0) } },
            write: { key, value in
                if let value {
                    base.write(key, value)
                } else {
                    _Settings.remove(key)
                }
            })
    }
}

extension _Setting where Value == Bool {
    static var bool: _Setting { .init(read: _Settings.bool, write: _Settings.set) }
}
extension _Setting where Value == Int {
    static var int: _Setting { .init(read: _Settings.int, write: _Settings.set) }
}
extension _Setting where Value == Double {
    static var double: _Setting { .init(read: _Settings.double, write: _Settings.set) }
}
extension _Setting where Value == String {
    static var string: _Setting { .init(read: _Settings.string, write: _Settings.set) }
}
extension _Setting where Value == Data {
    static var data: _Setting { .init(read: _Settings.data, write: _Settings.set) }
}

#if hasFeature(Embedded)
    @_extern(wasm, module: "openpatch", name: "defaults.get") @_extern(c)
    func op_host_defaults_get(
        _ kind: Int32, _ key: Int32, _ length: Int32, _ place: Int32, _ room: Int32
    ) -> Int32

    @_extern(wasm, module: "openpatch", name: "defaults.set") @_extern(c)
    func op_host_defaults_set(
        _ kind: Int32, _ key: Int32, _ length: Int32, _ value: Int32, _ count: Int32)

    /// The app's settings, which the host keeps. Values are their bytes, little-endian.
    enum _Settings {
        private enum Kind: Int32 { case none, bool, int, double, string, data }

        static func bool(_ key: String) -> Bool? { get(.bool, key).map { $0.first == 1 } }
        static func int(_ key: String) -> Int? {
            get(.int, key).map { Int(truncatingIfNeeded: number($0)) }
        }
        static func double(_ key: String) -> Double? {
            get(.double, key).map { Double(bitPattern: number($0)) }
        }
        static func string(_ key: String) -> String? {
            get(.string, key).map { String(decoding: $0, as: UTF8.self) }
        }
        static func data(_ key: String) -> Data? { get(.data, key).map { Data($0) } }

        static func set(_ key: String, _ value: Bool) { set(.bool, key, [value ? 1 : 0]) }
        static func set(_ key: String, _ value: Int) {
            set(.int, key, bytes(UInt64(bitPattern: Int64(value))))
        }
        static func set(_ key: String, _ value: Double) {
            set(.double, key, bytes(value.bitPattern))
        }
        static func set(_ key: String, _ value: String) { set(.string, key, Array(value.utf8)) }
        static func set(_ key: String, _ value: Data) { set(.data, key, [UInt8](value)) }
        static func remove(_ key: String) { set(.none, key, []) }

        private static func number(_ bytes: [UInt8]) -> UInt64 {
            var value: UInt64 = 0
            for byte in bytes.reversed() { value = value << 8 | UInt64(byte) }
            return value
        }

        private static func bytes(_ value: UInt64) -> [UInt8] {
            var rest = value
            var all: [UInt8] = []
            while all.count < 8 {
                all.append(UInt8(truncatingIfNeeded: rest))
                rest >>= 8
            }
            return all
        }

        private static func address(_ pointer: UnsafeRawPointer?) -> Int32 {
            Int32(truncatingIfNeeded: UInt(bitPattern: pointer))
        }

        private static func get(_ kind: Kind, _ key: String) -> [UInt8]? {
            // Others change settings and tell nobody here: whoever shows one draws all of it.
            _readsSettings = true
            var key = key
            return key.withUTF8 { key -> [UInt8]? in
                var room = 64
                while true {
                    let place = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
                    defer { place.deallocate() }
                    let length = Int(
                        op_host_defaults_get(
                            kind.rawValue, address(key.baseAddress), Int32(key.count),
                            address(place), Int32(room)))
                    if length < 0 { return nil }
                    if length <= room {
                        return [UInt8](UnsafeRawBufferPointer(start: place, count: length))
                    }
                    room = length
                }
            }
        }

        private static func set(_ kind: Kind, _ key: String, _ value: [UInt8]) {
            var key = key
            key.withUTF8 { key in
                value.withUnsafeBytes { value in
                    op_host_defaults_set(
                        kind.rawValue, address(key.baseAddress), Int32(key.count),
                        address(value.baseAddress), Int32(value.count))
                }
            }
        }
    }
#else
    /// The settings of the program itself, with the conversions of its getters.
    enum _Settings {
        private static func present(_ key: String) -> UserDefaults? {
            let all = UserDefaults.standard
            return all.object(forKey: key) == nil ? nil : all
        }

        static func bool(_ key: String) -> Bool? { present(key)?.bool(forKey: key) }
        static func int(_ key: String) -> Int? { present(key)?.integer(forKey: key) }
        static func double(_ key: String) -> Double? { present(key)?.double(forKey: key) }
        static func string(_ key: String) -> String? { present(key)?.string(forKey: key) }
        static func data(_ key: String) -> Data? { present(key)?.data(forKey: key) }

        static func set(_ key: String, _ value: Bool) {
            UserDefaults.standard.set(value, forKey: key)
        }
        static func set(_ key: String, _ value: Int) {
            UserDefaults.standard.set(value, forKey: key)
        }
        static func set(_ key: String, _ value: Double) {
            UserDefaults.standard.set(value, forKey: key)
        }
        static func set(_ key: String, _ value: String) {
            UserDefaults.standard.set(value, forKey: key)
        }
        static func set(_ key: String, _ value: Data) {
            UserDefaults.standard.set(value, forKey: key)
        }
        static func remove(_ key: String) { UserDefaults.standard.removeObject(forKey: key) }
    }
#endif

// MARK: - Of one scene

/// A value that the system keeps for one window. That of a mounted view is native code's own, which
/// lends it as it lends state; a view inside of it keeps its own as long as it lives.
@propertyWrapper public struct SceneStorage<Value>: DynamicProperty {
    var state: State<Value>

    public init(wrappedValue: Value, _ key: String) { state = State(wrappedValue: wrappedValue) }

    public var wrappedValue: Value {
        get { state.wrappedValue }
        nonmutating set { state.wrappedValue = newValue }
    }

    public var projectedValue: Binding<Value> { state.projectedValue }

    public mutating func _link(_ linker: _Linker, _ slot: Int) { state._link(linker, slot) }
}

extension SceneStorage where Value: ExpressibleByNilLiteral {
    public init(_ key: String) { self.init(wrappedValue: nil, key) }
}

extension _Linker {
    /// What is kept for one window, which other versions of the module take over as state.
    public func link<Value>(
        _ property: inout SceneStorage<Value>, _ slot: Int, _ name: UInt64, _ type: UInt64,
        _ write: @escaping (inout GuestWriter, Value) -> Void,
        _ read: (inout GuestReader) -> Value
    ) { link(&property.state, slot, name, type, write, read) }
}
