// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// What a view does beside drawing. Nothing in a guest waits: `await` is refused before the compiler.

extension View {
    /// What happens when the view appears.
    public func task(_ action: @escaping () -> Void) -> some View { onAppear(perform: action) }

    /// The same, and again whenever `value` is another one.
    public func task<T: Equatable>(id value: T, _ action: @escaping () -> Void) -> some View {
        onAppear(perform: action).onChange(of: value) { action() }
    }

    /// Runs with the value that the property has, then after each pass in which it was set; several
    /// values between two passes are one, the last.
    public func onReceive<Value>(
        _ publisher: Published<Value>.Publisher, perform action: @escaping (Value) -> Void
    ) -> _Block {
        onChange(of: publisher.changes, initial: true) { action(publisher.value) }
    }

    /// The view as an effect changes it; the space is that of the screen (``GeometryReader``).
    public func visualEffect<V: View>(_ effect: (_Block, GeometryProxy) -> V) -> V {
        effect(_Block(self), .ofScreen)
    }
}
