// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Our own declarations of the part of Combine that this project calls, written from its public
// documentation. Nothing here runs: the bodies only satisfy the compiler.

private func neverRun<T>() -> T { fatalError("declarations for the type checker") }

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
}

public final class ObservableObjectPublisher: Publisher {
    public typealias Output = Void
    public typealias Failure = Never
    public init() {}
    public func send() {}
}

public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    public var objectWillChange: ObservableObjectPublisher { neverRun() }
}
