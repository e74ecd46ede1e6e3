// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// @State, @Binding and what is read from the environment. In a patch, generated `_link` functions
// connect them before a body runs; the host build finds them by reflection, where a property
// keeps its place in a box, because a copy is all that reflection gives.

#if hasFeature(Embedded)
    /// Where a property is connected to; a value, so that making a view allocates nothing.
    struct _Link<Target> { var target: Target? }
#else
    final class _Link<Target> {
        var target: Target?
        init(target: Target?) { self.target = target }
    }
#endif

/// A value that a view owns.
@propertyWrapper public struct State<Value>: DynamicProperty {
    var initial: Value
    var link = _Link<_Location<Value>>(target: nil)

    public init(wrappedValue: Value) { initial = wrappedValue }
    public init(initialValue: Value) { initial = initialValue }

    public var wrappedValue: Value {
        get {
            if let location = link.target { return location.value }
            return initial
        }
        nonmutating set { link.target?.set(newValue) }
    }

    public var projectedValue: Binding<Value> {
        guard let location = link.target else {
            let value = initial
            return Binding(get: { value }, set: { _ in })
        }
        return Binding(get: { location.value }, set: { location.set($0) })
    }

    public mutating func _link(_ linker: _Linker, _ slot: Int) {
        link.target = linker.scope.location(slot, initial)
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

/// A value that another view owns.
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    let get: () -> Value
    let set: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }

    public init(projectedValue: Binding<Value>) { self = projectedValue }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(get: { value }, set: { _ in })
    }

    /// A part of the value; what `$form.name` becomes where key paths cannot be had.
    public func _project<Part>(
        _ read: @escaping (Value) -> Part, _ write: @escaping (inout Value, Part) -> Void
    ) -> Binding<Part> {
        let get = get
        let set = set
        return Binding<Part>(
            get: { read(get()) },
            set: { part in
                var whole = get()
                write(&whole, part)
                set(whole)
            })
    }

    #if hasFeature(Embedded)
        @available(*, unavailable, message: "pass a part of a binding as '$name.part'")
        public subscript(dynamicMember name: StaticString) -> Binding<Value> { self }
    #else
        public subscript<Part>(
            dynamicMember path: WritableKeyPath<Value, Part>
        ) -> Binding<Part> {
            _project({ $0[keyPath: path] }, { $0[keyPath: path] = $1 })
        }
    #endif
}

extension Binding {
    /// A binding to the value inside an optional, when there is one.
    public init?(_ base: Binding<Value?>) {
        guard let first = base.wrappedValue else { return nil }
        self.init(get: { base.wrappedValue ?? first }, set: { base.wrappedValue = $0 })
    }

    public func animation(_ animation: Animation? = nil) -> Binding<Value> { self }
}

func _doubles<V: BinaryFloatingPoint>(_ value: Binding<V>) -> Binding<Double> {
    Binding<Double>(get: { Double(value.wrappedValue) }, set: { value.wrappedValue = V($0) })
}

// MARK: - Environment

/// What surrounds a view.
public struct EnvironmentValues {
    public var colorScheme: ColorScheme = .light
    public var layoutDirection: LayoutDirection = .leftToRight
    public var dynamicTypeSize: DynamicTypeSize = .large
    public var horizontalSizeClass: UserInterfaceSizeClass? = .compact
    public var verticalSizeClass: UserInterfaceSizeClass? = .regular
    public var isEnabled = true
    public var lineLimit: Int?
    public var scenePhase: ScenePhase = .active
    public var accessibilityReduceMotion = false
    public var redactionReasons: RedactionReasons = []
    public var dismiss = DismissAction()
    var size: (width: Double, height: Double) = (390, 844)
    var buttonStyle: ((ButtonStyleConfiguration) -> _Block)?
    /// The model that was put in last, which knows the one before it.
    var objects: _EnvironmentObject?

    public var presentationMode: Binding<PresentationMode> {
        let dismiss = dismiss
        return Binding(
            get: { PresentationMode(isPresented: dismiss.perform != nil) },
            set: { if !$0.isPresented { dismiss() } })
    }
}

/// What surrounds a view; shared by all views that have the same around them, and never changed.
final class _Surroundings {
    let values: EnvironmentValues

    init(_ values: EnvironmentValues) { self.values = values }

    /// The same with a change.
    @inline(never) func changed(_ change: (inout EnvironmentValues) -> Void) -> _Surroundings {
        var values = values
        change(&values)
        return _Surroundings(values)
    }
}

/// What surrounds the view that is being made.
nonisolated(unsafe) var _surroundings = _Surroundings(EnvironmentValues())

public enum LayoutDirection: UInt8, Hashable, Sendable { case leftToRight, rightToLeft }
public enum UserInterfaceSizeClass: UInt8, Hashable, Sendable { case compact, regular }
public enum ScenePhase: UInt8, Hashable, Sendable { case background, inactive, active }
public enum DynamicTypeSize: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    public var isAccessibilitySize: Bool { rawValue >= 7 }
    public static func < (left: DynamicTypeSize, right: DynamicTypeSize) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Ends what the view is presented in.
public struct DismissAction {
    var perform: (() -> Void)?
    public func callAsFunction() { perform?() }
}

public struct PresentationMode {
    public internal(set) var isPresented: Bool
    public mutating func dismiss() { isPresented = false }
}

/// A value of the environment, as it was where the view stands.
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    let read: (EnvironmentValues) -> Value
    var link = _Link<Value>(target: nil)

    #if hasFeature(Embedded)
        public init(_ read: @escaping (EnvironmentValues) -> Value) { self.read = read }
    #else
        public init(_ path: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: path] } }
    #endif

    init(reading read: @escaping (EnvironmentValues) -> Value) { self.read = read }

    public var wrappedValue: Value {
        if let value = link.target { return value }
        return read(_surroundings.values)
    }

    public mutating func _link(_ linker: _Linker, _ slot: Int) {
        link.target = read(_surroundings.values)
    }
}

extension View {
    public func _environment<T>(
        _ write: @escaping (inout EnvironmentValues, T) -> Void, _ value: T
    ) -> _Block {
        _surrounded { write(&$0, value) }
    }

    #if !hasFeature(Embedded)
        public func environment<T>(
            _ path: WritableKeyPath<EnvironmentValues, T>, _ value: T
        ) -> _Block {
            _environment({ $0[keyPath: path] = $1 }, value)
        }
    #endif

    func _surrounded(_ change: @escaping (inout EnvironmentValues) -> Void) -> _Block {
        _Block { e in
            let outer = _surroundings
            _surroundings = outer.changed(change)
            _emit(e)
            _surroundings = outer
        }
    }
}

// MARK: - Observable models that the guest owns

/// A model whose changes show.
public protocol ObservableObject: AnyObject {}

/// A property of a model whose change shows.
@propertyWrapper public struct Published<Value> {
    var value: Value
    /// How often it was set.
    var changes: UInt32 = 0

    public init(wrappedValue: Value) { value = wrappedValue }
    public init(initialValue: Value) { value = initialValue }
    public var wrappedValue: Value {
        get { value }
        set {
            value = newValue
            changes &+= 1
            _noteWideChange()
        }
    }

    /// What `onReceive` listens to.
    public struct Publisher {
        let value: Value
        let changes: UInt32
    }

    public var projectedValue: Publisher { Publisher(value: value, changes: changes) }
}

/// A model that the view owns.
@propertyWrapper public struct StateObject<Model: ObservableObject>: DynamicProperty {
    let make: () -> Model
    var link = _Link<Model>(target: nil)

    public init(wrappedValue make: @autoclosure @escaping () -> Model) { self.make = make }

    public var wrappedValue: Model {
        if let model = link.target { return model }
        return make()
    }

    public var projectedValue: _ModelBindings<Model> { .init(model: wrappedValue) }

    public mutating func _link(_ linker: _Linker, _ slot: Int) {
        let location: _Location<Model?> = linker.scope.location(slot, nil)
        if location.value == nil { location.value = make() }
        link.target = location.value
    }
}

/// A model that somebody else owns.
@propertyWrapper public struct ObservedObject<Model: ObservableObject>: DynamicProperty {
    public var wrappedValue: Model
    public init(wrappedValue: Model) { self.wrappedValue = wrappedValue }
    public var projectedValue: _ModelBindings<Model> { .init(model: wrappedValue) }
    public mutating func _link(_ linker: _Linker, _ slot: Int) {}
}

/// Bindings to the properties of a model.
@dynamicMemberLookup public struct _ModelBindings<Model: AnyObject> {
    let model: Model

    public func _project<Part>(
        _ read: @escaping (Model) -> Part, _ write: @escaping (inout Model, Part) -> Void
    ) -> Binding<Part> {
        let model = model
        return Binding(
            get: { read(model) },
            set: {
                var same = model
                write(&same, $0)
                _noteWideChange()
            })
    }

    #if hasFeature(Embedded)
        @available(*, unavailable, message: "pass a part of a model as '$name.part'")
        public subscript(dynamicMember name: StaticString) -> Binding<Int> { .constant(0) }
    #else
        public subscript<Part>(
            dynamicMember path: ReferenceWritableKeyPath<Model, Part>
        ) -> Binding<Part> {
            _project({ $0[keyPath: path] }, { $0[keyPath: path] = $1 })
        }
    #endif
}

/// A model in the environment.
class _EnvironmentObject {
    private(set) var outer: _EnvironmentObject?

    /// Puts it before others.
    func before(_ outer: _EnvironmentObject?) -> _EnvironmentObject {
        self.outer = outer
        return self
    }
}
final class _EnvironmentObjectBox<Model: AnyObject>: _EnvironmentObject {
    let model: Model
    init(_ model: Model) { self.model = model }
}

/// A model that a view above put into the environment.
@propertyWrapper public struct EnvironmentObject<Model: ObservableObject>: DynamicProperty {
    var link = _Link<Model>(target: nil)
    public init() {}

    public var wrappedValue: Model {
        guard let model = link.target ?? Self.find() else {
            preconditionFailure("no model of this type in the environment")
        }
        return model
    }

    public var projectedValue: _ModelBindings<Model> { .init(model: wrappedValue) }

    public mutating func _link(_ linker: _Linker, _ slot: Int) { link.target = Self.find() }

    private static func find() -> Model? {
        var next = _surroundings.values.objects
        while let object = next {
            if let box = object as? _EnvironmentObjectBox<Model> { return box.model }
            next = object.outer
        }
        return nil
    }
}

extension View {
    public func environmentObject<Model: ObservableObject>(_ model: Model) -> _Block {
        _surrounded { $0.objects = _EnvironmentObjectBox(model).before($0.objects) }
    }
}

// MARK: - Others

/// A number that grows with the text size.
@propertyWrapper public struct ScaledMetric<Value: BinaryFloatingPoint> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(wrappedValue: Value, relativeTo style: Font.TextStyle) {
        self.wrappedValue = wrappedValue
    }
}
