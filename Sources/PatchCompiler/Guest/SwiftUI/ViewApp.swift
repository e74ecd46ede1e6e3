// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Apps and previews, as far as their content can be shown.

public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}

public protocol Scene {
    var _content: _Block { get }
}

public struct WindowGroup: Scene {
    public let _content: _Block
    public init<C: View>(@ViewBuilder content: () -> C) { _content = _Block(content()) }
    public init<C: View>(_ title: LocalizedStringKey, @ViewBuilder content: () -> C) {
        _content = _Block(content())
    }
}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<S: Scene>(_ scene: S) -> S { scene }
}

public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
    mutating func _link(_ linker: _Linker)
}

extension App {
    public mutating func _link(_ linker: _Linker) { _linkByReflection(self, linker) }
}

/// An app as the view in its window.
public struct _AppView<A: App>: _Primitive {
    let app: A
    public init(_ app: A) { self.app = app }
    public func _emit(_ e: _Emitter) {
        let outer = e.enterNext()
        var app = app
        app._link(_Linker(scope: e.scope))
        app.body._content._emit(e)
        e.leave(outer)
    }
}

// MARK: - Observable models

/// Bindings to the properties of a model that somebody else owns.
@propertyWrapper public struct Bindable<Model: AnyObject> {
    public var wrappedValue: Model
    public init(wrappedValue: Model) { self.wrappedValue = wrappedValue }
    public init(_ wrappedValue: Model) { self.wrappedValue = wrappedValue }
    public var projectedValue: _ModelBindings<Model> { _ModelBindings(model: wrappedValue) }
}

extension Environment where Value: AnyObject {
    /// A model that a view above put into the environment.
    public init(_ type: Value.Type) {
        self.init(reading: { values in
            var next = values.objects
            while let object = next {
                if let box = object as? _EnvironmentObjectBox<Value> { return box.model }
                next = object.outer
            }
            preconditionFailure("no model of this type in the environment")
        })
    }
}

extension View {
    public func environment<Model: AnyObject>(_ model: Model) -> _Block {
        _surrounded { $0.objects = _EnvironmentObjectBox(model).before($0.objects) }
    }
}
