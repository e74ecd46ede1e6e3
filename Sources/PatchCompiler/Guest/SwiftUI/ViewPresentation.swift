// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// What is shown over or after a view. The content is made only while it is shown, at a place of its
// own, so that it begins anew each time.

extension _Emitter {
    /// Writes whether something is shown and the token that changes it, then what `fields` writes,
    /// then the content while it is shown.
    func presented(
        _ isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        before: (_Emitter) -> Void = { _ in }, after: (_Emitter) -> Void = { _ in },
        content: (_Emitter) -> Void
    ) {
        before(self)
        let isShown = isPresented.wrappedValue
        bool(isShown)
        func set(_ value: Bool) {
            let was = isPresented.wrappedValue
            isPresented.wrappedValue = value
            if was && !value { onDismiss?() }
        }
        token { set($0.bool()) }
        after(self)
        let outer = enterNext()
        if isShown {
            _ = enter(0)
            let around = _surroundings
            _surroundings = around.changed {
                $0.dismiss = DismissAction(perform: { set(false) })
            }
            content(self)
            _surroundings = around
        }
        leave(outer)
    }
}

private func _presence<Item>(_ item: Binding<Item?>) -> Binding<Bool> {
    Binding(
        get: { item.wrappedValue != nil },
        set: { if !$0 { item.wrappedValue = nil } })
}

extension View {
    public func sheet<C: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> C
    ) -> _Block {
        _sheet(isPresented, onDismiss) { content()._emit($0) }
    }

    public func sheet<Item: Identifiable, C: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> C
    ) -> _Block {
        _sheet(_presence(item), onDismiss) { e in
            if let item = item.wrappedValue { content(item)._emit(e) }
        }
    }

    public func fullScreenCover<C: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> C
    ) -> _Block {
        _sheet(isPresented, onDismiss) { content()._emit($0) }
    }

    func _sheet(
        _ isPresented: Binding<Bool>, _ onDismiss: (() -> Void)?,
        _ content: @escaping (_Emitter) -> Void
    ) -> _Block {
        _Block { e in
            e.modified(self) { e in
                let mark = e.open(_Op.sheetModifier)
                e.presented(isPresented, onDismiss: onDismiss, content: content)
                e.closeModifier(mark)
            }
        }
    }

    func _alert(
        _ title: _TextContent, _ isPresented: Binding<Bool>, _ actions: @escaping () -> _Block,
        _ message: @escaping () -> _Block
    ) -> _Block {
        _Block { e in
            e.modified(self) { e in
                let mark = e.open(_Op.alertModifier)
                e.presented(isPresented, before: { title._write($0) }) { e in
                    actions()._emit(e)
                    e.part(1, message())
                }
                e.closeModifier(mark)
            }
        }
    }

    public func alert<A: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        @ViewBuilder actions: @escaping () -> A
    ) -> _Block {
        _alert(title._content, isPresented, { _Block(actions()) }, { _Block(EmptyView()) })
    }

    public func alert<A: View, M: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        @ViewBuilder actions: @escaping () -> A, @ViewBuilder message: @escaping () -> M
    ) -> _Block {
        _alert(title._content, isPresented, { _Block(actions()) }, { _Block(message()) })
    }

    @_disfavoredOverload public func alert<S: StringProtocol, A: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> A
    ) -> _Block {
        _alert(Text(title)._first, isPresented, { _Block(actions()) }, { _Block(EmptyView()) })
    }

    func _dialog(
        _ title: _TextContent, _ isPresented: Binding<Bool>, _ visibility: Visibility,
        _ actions: @escaping () -> _Block, _ message: @escaping () -> _Block
    ) -> _Block {
        _Block { e in
            e.modified(self) { e in
                let mark = e.open(_Op.confirmationDialogModifier)
                e.presented(
                    isPresented, before: { title._write($0) },
                    after: { $0.u8(visibility.rawValue) }
                ) { e in
                    actions()._emit(e)
                    e.part(1, message())
                }
                e.closeModifier(mark)
            }
        }
    }

    public func confirmationDialog<A: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic, @ViewBuilder actions: @escaping () -> A
    ) -> _Block {
        _dialog(
            title._content, isPresented, titleVisibility, { _Block(actions()) },
            { _Block(EmptyView()) })
    }

    public func confirmationDialog<A: View, M: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic, @ViewBuilder actions: @escaping () -> A,
        @ViewBuilder message: @escaping () -> M
    ) -> _Block {
        _dialog(
            title._content, isPresented, titleVisibility, { _Block(actions()) },
            { _Block(message()) })
    }

    public func navigationDestination<C: View>(
        isPresented: Binding<Bool>, @ViewBuilder destination: @escaping () -> C
    ) -> _Block {
        _Block { e in
            e.modified(self) { e in
                let mark = e.open(_Op.navigationDestinationModifier)
                e.presented(isPresented) { destination()._emit($0) }
                e.closeModifier(mark)
            }
        }
    }

    /// Says what links to values of a type lead to.
    public func navigationDestination<Value: Hashable, C: View>(
        for type: Value.Type, @ViewBuilder destination: @escaping (Value) -> C
    ) -> _Block {
        _surrounded {
            $0.objects = _Destination<Value> { _Block(destination($0)) }.before($0.objects)
        }
    }
}

final class _Destination<Value>: _EnvironmentObject {
    let make: (Value) -> _Block
    init(_ make: @escaping (Value) -> _Block) { self.make = make }
}

/// A row or button that leads to another screen.
public struct NavigationLink: _Primitive {
    let label: _Block
    let destination: () -> _Block
    let isActive: Binding<Bool>?

    public init<D: View, L: View>(
        @ViewBuilder destination: @escaping () -> D, @ViewBuilder label: () -> L
    ) {
        self.destination = { _Block(destination()) }
        self.label = _Block(label())
        isActive = nil
    }
    public init<D: View, L: View>(destination: D, @ViewBuilder label: () -> L) {
        self.init(destination: { destination }, label: label)
    }
    public init<D: View>(
        _ title: LocalizedStringKey, @ViewBuilder destination: @escaping () -> D
    ) { self.init(destination: destination) { Text(title) } }
    public init<D: View>(_ title: LocalizedStringKey, destination: D) {
        self.init(destination: { destination }) { Text(title) }
    }
    @_disfavoredOverload public init<S: StringProtocol, D: View>(
        _ title: S, @ViewBuilder destination: @escaping () -> D
    ) { self.init(destination: destination) { Text(title) } }
    @_disfavoredOverload public init<S: StringProtocol, D: View>(_ title: S, destination: D) {
        self.init(destination: { destination }) { Text(title) }
    }
    public init<D: View, L: View>(
        destination: D, isActive: Binding<Bool>, @ViewBuilder label: () -> L
    ) {
        self.destination = { _Block(destination) }
        self.label = _Block(label())
        self.isActive = isActive
    }
    public init<V: Hashable, L: View>(value: V, @ViewBuilder label: () -> L) {
        destination = {
            var next = _surroundings.values.objects
            while let object = next {
                if let known = object as? _Destination<V> { return known.make(value) }
                next = object.outer
            }
            return _Block(EmptyView())
        }
        self.label = _Block(label())
        isActive = nil
    }
    public init<V: Hashable>(_ title: LocalizedStringKey, value: V) {
        self.init(value: value) { Text(title) }
    }
    @_disfavoredOverload public init<S: StringProtocol, V: Hashable>(_ title: S, value: V) {
        self.init(value: value) { Text(title) }
    }

    public func _emit(_ e: _Emitter) {
        let outer = e.enterNext()
        let place = e.scope.location(0, false)
        let active = isActive ?? Binding(get: { place.value }, set: { place.set($0) })
        let mark = e.open(_Op.navigationLinkView)
        let destination = destination
        let label = label
        e.presented(active, after: { label._emit($0) }) { e in
            e.part(1, _Block { destination()._emit($0) })
        }
        e.close(mark)
        e.leave(outer)
    }
}
