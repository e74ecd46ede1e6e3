/// Who sent a request, where a proxy stands between.
enum ClientAddress {
    /// The address that limits count by: the peer's, unless it is a trusted proxy; then the last one
    /// that such a proxy has seen and that is no trusted proxy itself. What clients write further to
    /// the left is not believed.
    static func of(peer: String, _ headers: HTTPHeaders, trusting proxies: Set<String>) -> String {
        guard proxies.contains(peer) else { return peer }
        let hops = headers.all("x-forwarded-for").joined(separator: ",").split(separator: ",")
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        guard let client = hops.last(where: { !proxies.contains($0) }), client.utf8.count <= 64
        else { return peer }
        return client
    }
}
