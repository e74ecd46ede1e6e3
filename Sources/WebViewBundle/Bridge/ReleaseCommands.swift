/// The updater's commands for bundles that releases deliver: the same names, parameters and results,
/// so that a page need not know which way its bundle comes. Other bundles go on as before.
enum ReleaseCommands {
    static func all(
        _ source: BundleSource, _ releases: BundleReleases,
        beside others: [String: BridgeCommand]
    ) -> [String: BridgeCommand] {
        /// For released bundles `body`, for others what was there.
        func command(
            _ name: String, nameIsOptional: Bool = false,
            _ body: @escaping @Sendable (String, BridgeParameters) async throws -> JSONValue
        ) -> (String, BridgeCommand) {
            let other = others[name]
            let command = BridgeCommand(needs: other?.needs ?? []) { parameters in
                let named =
                    nameIsOptional
                    ? try parameters.optionalString("bundleName") ?? parameters.caller.bundleName
                    : try parameters.string("bundleName")
                if let named, releases.manages(named) { return try await body(named, parameters) }
                guard let other else { throw BridgeFailure.handlerNotFound(name) }
                return try await other.body(parameters)
            }
            return (name, command)
        }
        let refuse: @Sendable (String, BridgeParameters) throws -> JSONValue = { name, _ in
            throw FailureCode.isReleased.core(
                "'\(name)' is delivered by releases, which decide what is stored and served.")
        }
        return Dictionary(
            uniqueKeysWithValues: [
                command("updaterGetUpdate") { name, _ in
                    let update = try await releases.check(name)
                    return answer(name, update, source)
                },
                command("updaterDownload") { name, parameters in
                    try same(
                        try parameters.optionalString("version"),
                        try await updateOf(name, releases))
                    guard let update = try await releases.fetch(name) else { throw none(name) }
                    return BridgeCommands.json(info(name, update, source))
                },
                command("updaterInstall") { name, parameters in
                    try same(
                        try parameters.string("version"), try await updateOf(name, releases))
                    try await releases.apply(name)
                    return .null
                },
                command("updaterConfirm", nameIsOptional: true) { name, _ in
                    .bool(try await releases.markReady(name))
                },
                command("sourceUpdateVersion", refuse),
                command("sourceRemoveRemoteBundle", refuse),
                command("sourcePruneRemoteBundles", refuse),
            ])
    }

    private static func updateOf(
        _ name: String, _ releases: BundleReleases
    ) async throws -> BundleReleaseUpdate {
        if let known = releases.knownUpdate(name) { return known }
        guard let update = try await releases.check(name) else { throw none(name) }
        return update
    }

    /// Pages ask for a version by name; the head decides which one there is.
    private static func same(_ version: String?, _ update: BundleReleaseUpdate) throws {
        guard let version, version != update.version else { return }
        throw FailureCode.versionNotFound.core(
            "Version '\(version.printable)' of '\(update.bundle)' is not what is published for this "
                + "device; that is \(update.version ?? "what the app ships").")
    }

    private static func none(_ name: String) -> Error {
        FailureCode.versionNotFound.core("There is no update of '\(name)'.")
    }

    private static func info(
        _ name: String, _ update: BundleReleaseUpdate, _ source: BundleSource
    ) -> RemoteBundleInfo {
        RemoteBundleInfo(
            name: name, version: update.version ?? source.builtinVersion(name) ?? "",
            metadata: BundleMetadata())
    }

    private static func answer(
        _ name: String, _ update: BundleReleaseUpdate?, _ source: BundleSource
    ) -> JSONValue {
        let local = source.loadVersion(name)?.version
        let info = BundleUpdateInfo(
            name: name,
            version: update.map { $0.version ?? source.builtinVersion(name) ?? "" } ?? local ?? "",
            localVersion: local, isAvailable: update != nil, metadata: BundleMetadata())
        guard case .object(var members) = BridgeCommands.json(info), let update else {
            return BridgeCommands.json(info)
        }
        members["isMandatory"] = .bool(update.isMandatory)
        members["size"] = .number(Double(update.size))
        members["reason"] = .string(update.reason)
        if let notes = update.notes { members["releaseNotes"] = .string(notes) }
        return .object(members)
    }
}
