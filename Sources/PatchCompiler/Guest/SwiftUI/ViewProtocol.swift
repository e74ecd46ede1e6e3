// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

@_exported import Foundation
@_exported import PatchGuest

#if !hasFeature(Embedded)
    @_exported import Observation
#endif

// Views, what erases them and what changes them.

/// A part of a screen.
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
    /// Writes the view.
    func _emit(_ e: _Emitter)
    /// The view without its type.
    var _erased: _Block { get }
    /// Connects the properties of this view; generated in patches.
    mutating func _link(_ linker: _Linker)
}

extension View {
    public var _erased: _Block { _Block { self._emit($0) } }

    /// An app's own view: a place of its own for state, its properties connected, then its body.
    public func _emit(_ e: _Emitter) {
        let outer = e.enterNext()
        var view = self
        view._link(_Linker(scope: e.scope))
        e.scoped { [view] e in view.body._emit(e) }
        e.leave(outer)
    }

    public mutating func _link(_ linker: _Linker) { _linkByReflection(self, linker) }
}

#if hasFeature(Embedded)
    @inline(__always) func _linkByReflection<T>(_ value: T, _ linker: _Linker) {}
#else
    func _linkByReflection<T>(_ value: T, _ linker: _Linker) {
        for (slot, child) in Mirror(reflecting: value).children.enumerated() {
            if var property = child.value as? any DynamicProperty {
                property._link(linker, slot)
            }
        }
    }
#endif

extension Never: View {
    public var body: Never { _noBody() }
}

func _noBody() -> Never { preconditionFailure("a view of the vocabulary has no body") }

/// A view that the vocabulary has, or that writes itself.
public protocol _Primitive: View where Body == Never {}

extension _Primitive {
    public var body: Never { _noBody() }
}

/// Views, erased. Containers hold their content so, because types that nest without end are more
/// than Embedded Swift's specialiser takes.
public struct _Block: _Primitive {
    let emit: (_Emitter) -> Void

    @inline(__always) public init(_ emit: @escaping (_Emitter) -> Void) { self.emit = emit }
    public init<V: View>(_ view: V) { self = view._erased }
    public func _emit(_ e: _Emitter) { emit(e) }
    public var _erased: _Block { self }
}

/// A view of any type.
public struct AnyView: _Primitive {
    let content: _Block
    public init<V: View>(_ view: V) { content = _Block(view) }
    public init<V: View>(erasing view: V) { content = _Block(view) }
    public func _emit(_ e: _Emitter) {
        let outer = e.enterNext()
        content._emit(e)
        e.leave(outer)
    }
}

/// Nothing.
public struct EmptyView: _Primitive {
    public init() {}
    public func _emit(_ e: _Emitter) {}
    public var _erased: _Block { _Block { _ in } }
}

/// Several views that are modified together.
public struct Group: _Primitive {
    let content: _Block
    public init<V: View>(@ViewBuilder content: () -> V) { self.content = _Block(content()) }
    public func _emit(_ e: _Emitter) { content._emit(e) }
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
    public var body: Never { _noBody() }
    public func _emit(_ e: _Emitter) {
        let outer = e.enterNext()
        if let view = self {
            _ = e.enter(0)
            view._emit(e)
        }
        e.leave(outer)
    }
}

/// What a modifier of the vocabulary writes at the end of its view.
public protocol _Modifier {
    func _write(_ e: _Emitter)
}

/// A view with a modifier.
public struct _Modified<Base: View, Change: _Modifier>: _Primitive {
    let base: Base
    let change: Change

    @inline(__always) init(_ base: Base, _ change: Change) {
        self.base = base
        self.change = change
    }

    public func _emit(_ e: _Emitter) {
        let mark = e.beginModified()
        base._emit(e)
        e.groupModified(mark)
        change._write(e)
        e.endModified(mark)
    }
}

/// A modifier of the app.
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _Block
    @ViewBuilder func body(content: Content) -> Body
    mutating func _link(_ linker: _Linker)
}

extension ViewModifier {
    public mutating func _link(_ linker: _Linker) { _linkByReflection(self, linker) }
}

extension View {
    public func modifier<M: ViewModifier>(_ modifier: M) -> _Block {
        _Block { e in
            let outer = e.enterNext()
            var modifier = modifier
            modifier._link(_Linker(scope: e.scope))
            e.scoped { [modifier] e in modifier.body(content: _Block(self))._emit(e) }
            e.leave(outer)
        }
    }

    /// A new identity: other than before, and what is inside begins anew.
    public func id<ID: Hashable>(_ id: ID) -> _Block {
        _Block { e in
            let outer = e.enterNext()
            _ = e.enter(_hash(id))
            let mark = e.open(_Op.scopeView)
            e.u32(e.scope.id)
            _emit(e)
            e.close(mark)
            e.leave(outer)
        }
    }

    public func onChange<V: Equatable>(of value: V, perform: @escaping (V) -> Void) -> _Block {
        onChange(of: value) { _, new in perform(new) }
    }

    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ perform: @escaping () -> Void
    ) -> _Block {
        onChange(of: value, initial: initial) { _, _ in perform() }
    }

    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ perform: @escaping (V, V) -> Void
    ) -> _Block {
        _Block { e in
            let outer = e.enterNext()
            let isNew = e.scope.first == nil
            let known = e.scope.location(0, value)
            if isNew && initial || known.value != value {
                let old = known.value
                known.value = value
                e.after.append(_Work { perform(old, value) })
            }
            _emit(e)
            e.leave(outer)
        }
    }

    public func equatable() -> Self { self }
}

/// The hash of an identifier: the same in every run, because the seeds are fixed in a guest.
@inline(never) func _hash<T: Hashable>(_ value: T) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(value)
    return UInt64(bitPattern: Int64(hasher.finalize()))
}

@inline(__always) func _d(_ value: CGFloat) -> Double { Double(value) }
@inline(__always) func _optional(_ value: CGFloat?) -> Double? { value.map { Double($0) } }
#if !hasFeature(Embedded)
    @inline(__always) func _d(_ value: Double) -> Double { value }
    @inline(__always) func _optional(_ value: Double?) -> Double? { value }
#endif
