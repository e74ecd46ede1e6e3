// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Our own declarations of the part of CryptoKit that this project calls, written from its public
// documentation. Nothing here runs: the bodies only satisfy the compiler.
import Foundation

private func neverRun<T>() -> T { fatalError("declarations for the type checker") }

public protocol HashFunction: Sendable {
    associatedtype Digest: Sequence<UInt8>
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { neverRun() }
}

public struct SHA384Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { neverRun() }
}

public struct SHA512Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { neverRun() }
}

public struct SHA256: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> SHA256Digest { neverRun() }
}

public struct SHA384: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> SHA384Digest { neverRun() }
}

public struct SHA512: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> SHA512Digest { neverRun() }
}

public enum Curve25519 {
    public enum Signing {
        public struct PrivateKey: Sendable {
            public init() {}
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws {}
            public var rawRepresentation: Data { neverRun() }
            public var publicKey: PublicKey { neverRun() }
            public func signature<D: DataProtocol>(for data: D) throws -> Data { neverRun() }
        }

        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public var rawRepresentation: Data { neverRun() }
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(
                _ signature: S, for data: D
            ) -> Bool { neverRun() }
        }
    }
}

public enum P256 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public init<D: DataProtocol>(derRepresentation: D) throws {}
            public var derRepresentation: Data { neverRun() }
        }

        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {}
            public var rawRepresentation: Data { neverRun() }
            public var publicKey: PublicKey { neverRun() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature {
                neverRun()
            }
        }

        public struct PublicKey: Sendable {
            public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws {}
            public var x963Representation: Data { neverRun() }
            public func isValidSignature<D: DataProtocol>(
                _ signature: ECDSASignature, for data: D
            ) -> Bool { neverRun() }
        }
    }
}

public enum P384 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public init<D: DataProtocol>(derRepresentation: D) throws {}
            public var derRepresentation: Data { neverRun() }
        }

        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {}
            public var rawRepresentation: Data { neverRun() }
            public var publicKey: PublicKey { neverRun() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature {
                neverRun()
            }
        }

        public struct PublicKey: Sendable {
            public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws {}
            public var x963Representation: Data { neverRun() }
            public func isValidSignature<D: DataProtocol>(
                _ signature: ECDSASignature, for data: D
            ) -> Bool { neverRun() }
        }
    }
}
