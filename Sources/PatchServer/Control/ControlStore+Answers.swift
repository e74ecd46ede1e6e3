import PatchCrypto

/// What a change led to: the answer, and what is written down of it.
struct ChangeResult {
    let change: ControlStore.Change
    let status: Int
    let body: [UInt8]
    /// What a repetition under the same idempotency key is answered, when it must not be told
    /// secrets a second time.
    let repetition: [UInt8]

    init(
        _ change: ControlStore.Change, status: Int, _ document: some Encodable
    ) {
        self.init(change, status: status, document, repetition: document)
    }

    init(
        _ change: ControlStore.Change, status: Int, _ document: some Encodable,
        repetition: some Encodable
    ) {
        self.change = change
        self.status = status
        body = JSONText.encode(document)
        self.repetition = JSONText.encode(repetition)
    }
}

extension ControlStore {
    /// How long an idempotency key is remembered, in seconds.
    private static let rememberedSeconds = 86_400

    /// Makes a change for a request, once: a repetition under the same `Idempotency-Key` gets the
    /// answer of the first. The change, its line in the audit log and the answer are kept together
    /// or not at all.
    /// - Throws: ``APIError`` 400 `bad_idempotency_key`, 422 `idempotency_key_reused`.
    func answer(
        _ call: Call, _ body: [UInt8], _ work: (SQLiteConnection) throws -> ChangeResult
    ) throws -> HTTPResponse {
        let key = try Self.key(call)
        let digest = SHA256.hash(
            Array("\(call.request.method) \(call.request.path)\n".utf8) + body
        ).hex
        let (response, isNew) = try database.write { connection -> (HTTPResponse, Bool) in
            if let key, let known = try self.known(key, call.actor, connection) {
                guard known.request == digest else {
                    throw APIError.refused(
                        "idempotency_key_reused",
                        "This Idempotency-Key came with another request; make a new key.")
                }
                return (.json(known.status, known.body, [("Idempotency-Replayed", "true")]), false)
            }
            let result = try work(connection)
            try record(result.change, by: call.actor, connection)
            if let key {
                try connection.run(
                    "INSERT OR REPLACE INTO answers (actor, key, request, status, body, at) VALUES (?,?,?,?,?,?)",
                    call.actor, key, digest, result.status, result.repetition, now)
            }
            return (.json(result.status, result.body), true)
        }
        if isNew { try reload() }
        return response
    }

    /// Forgets idempotency keys that are too old.
    func forgetAnswers() throws {
        try database.write {
            try $0.run("DELETE FROM answers WHERE at < ?", now - Self.rememberedSeconds)
        }
    }

    private func known(
        _ key: String, _ actor: String, _ connection: SQLiteConnection
    ) throws -> (request: String, status: Int, body: [UInt8])? {
        try connection.first(
            "SELECT request, status, body FROM answers WHERE actor = ? AND key = ? AND at >= ?",
            actor, key, now - Self.rememberedSeconds
        ) { ($0.text(0), $0.int(1), $0.blob(2)) }
    }

    private static func key(_ call: Call) throws -> String? {
        guard let key = call.request.headers["idempotency-key"] else { return nil }
        guard (1...128).contains(key.utf8.count) else {
            throw APIError.malformed(
                "bad_idempotency_key", "An Idempotency-Key has 1 to 128 characters.")
        }
        return key
    }
}
