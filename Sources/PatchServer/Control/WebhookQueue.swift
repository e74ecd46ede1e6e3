import PatchCrypto

/// What is to be told to webhooks, kept with the change that it tells of.
enum WebhookQueue {
    /// The document that a webhook gets.
    struct Notice: Encodable {
        let id: String
        let event: String
        let app_key: String
        let at: Int
        let actor: String
        let subject: String
        let detail: [String: String]
    }

    /// Lays a change into the queue of each webhook that asked for it.
    static func add(
        _ change: ControlStore.Change, by actor: String, auditID: Int64, app: String, at now: Int,
        _ connection: SQLiteConnection
    ) throws {
        let hooks = try connection.rows(
            "SELECT id, events FROM webhooks WHERE app_key = ?", app
        ) { (id: $0.text(0), events: $0.text(1).split(separator: " ").map(String.init)) }
        for hook in hooks where hook.events.contains("*") || hook.events.contains(change.action) {
            let notice = Notice(
                id: "evt_\(auditID)", event: change.action, app_key: app, at: now, actor: actor,
                subject: change.subject, detail: change.detail)
            try connection.run(
                "INSERT INTO deliveries (id, webhook, event, body, created, due) VALUES (?,?,?,?,?,?)",
                "dlv_" + SecureRandom.bytes(8).hex, hook.id, change.action,
                String(decoding: JSONText.encode(notice).dropLast(), as: UTF8.self), now, now)
        }
    }
}
