/// A function of the app that a module may call, as generated code describes it. Modules know it by
/// the number of this object, during the call that it is given to.
public final class PatchFunction {
    /// Decodes the arguments, calls the function and encodes what it gives.
    public typealias Body = (inout MessagePackReader, inout MessagePackWriter) throws -> Void

    private var body: Body?

    /// Lends a function.
    public init(_ body: @escaping Body) { self.body = body }

    /// Takes it back: from now on calls fail.
    public func end() { body = nil }

    func call(
        _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter
    ) throws {
        guard let body else { throw PatchError(.nativeDenied, "a function that was taken back") }
        try body(&reader, &writer)
    }
}

extension PatchCall {
    /// Lends a function for the call in progress.
    public static func function<Function>(
        _ function: Function, _ body: (Function) -> PatchFunction.Body
    ) -> PatchFunction {
        PatchFunction(body(function))
    }
}

extension MessagePackReader {
    /// Refuses a function, which modules take and never give.
    /// - Throws: ``MessagePackError`` `invalid_value`, always.
    public mutating func function<Function>(_ type: Function.Type) throws -> Function {
        try refuse()
    }
}
