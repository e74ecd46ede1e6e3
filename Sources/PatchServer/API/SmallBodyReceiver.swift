import PatchPlatform

/// Collects a small body in memory and hands it over whole.
final class SmallBodyReceiver: BodyReceiver {
    let maximumSize: Int
    private let body = Lock<[UInt8]>([])
    private let answer: @Sendable ([UInt8]) async -> HTTPResponse

    init(maximumSize: Int, answer: @escaping @Sendable ([UInt8]) async -> HTTPResponse) {
        self.maximumSize = maximumSize
        self.answer = answer
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPResponse? {
        body.withLock { $0.append(contentsOf: bytes) }
        return nil
    }

    func finish() async -> HTTPResponse { await answer(body.withLock { $0 }) }

    func abandon() {}
}
