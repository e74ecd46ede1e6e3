// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Our own declarations of the small part of SwiftUI that Examples/GreetingApp calls, written from its
// public documentation. Nothing here runs: the bodies only satisfy the compiler.
@_exported import Combine
import Foundation

private func neverRun<T>() -> T { fatalError("declarations for the type checker") }

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("declarations for the type checker") }
}

public protocol PrimitiveView: View where Body == Never {}
extension PrimitiveView {
    public var body: Never { fatalError("declarations for the type checker") }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { neverRun() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { neverRun() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalContent<First, Second> { neverRun() }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalContent<First, Second> { neverRun() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("declarations for the type checker") }
}

public struct TupleView<Content>: PrimitiveView {}
public struct ConditionalContent<First: View, Second: View>: PrimitiveView {}
public struct ModifiedView: PrimitiveView {}
public struct EmptyView: PrimitiveView { public nonisolated init() {} }

public struct Font: Sendable {
    public static var title2: Font { neverRun() }
}

public struct Text: PrimitiveView {
    public nonisolated init<Content: StringProtocol>(_ content: Content) {}
}

public struct Button<Label: View>: PrimitiveView {}
extension Button where Label == Text {
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
}

public struct ProgressView: PrimitiveView {
    public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1.0) {}
}

public struct VStack<Content: View>: PrimitiveView {
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

extension View {
    public func font(_ font: Font?) -> some View { ModifiedView() }
    public func padding(_ length: CGFloat? = nil) -> some View { ModifiedView() }
    public func task(_ action: sending @escaping @isolated(any) () async -> Void) -> some View {
        ModifiedView()
    }
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { ModifiedView() }
}

@propertyWrapper public struct StateObject<Object: ObservableObject> {
    public init(wrappedValue thunk: @autoclosure @escaping () -> Object) {}
    @MainActor public var wrappedValue: Object { neverRun() }
}

@propertyWrapper public struct ObservedObject<Object: ObservableObject> {
    public init(wrappedValue: Object) {}
    @MainActor public var wrappedValue: Object { neverRun() }
}

@MainActor public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("declarations for the type checker") }
}

@MainActor public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

extension App {
    public static func main() { fatalError("declarations for the type checker") }
}
