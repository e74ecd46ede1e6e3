/// Ends the call: the instance is given up and the app serves the call with its own code.
///
/// Unlike `fatalError` it prints nothing in an optimised build, so that a module which never logs
/// imports no log.
@inline(__always)
public func trap() -> Never { preconditionFailure() }
