/// A standard command.
struct BridgeCommand: Sendable {
    let needs: BridgePermissions
    let body: Bridge.Handler

    init(needs: BridgePermissions = [], _ body: @escaping Bridge.Handler) {
        self.needs = needs
        self.body = body
    }
}

/// The commands that pages know, with the names, parameters and results of the contract
/// (Docs/web-bundles.md, "The bridge").
enum BridgeCommands {
    static func all(
        source: BundleSource, remote: Remote?, updater: Updater?, releases: BundleReleases? = nil
    ) -> [String: BridgeCommand] {
        let commands = reading(source).merging(changing(source)) { $1 }
            .merging(asking(remote)) { $1 }
            .merging(updating(source, updater)) { $1 }
        guard let releases else { return commands }
        return commands.merging(ReleaseCommands.all(source, releases, beside: commands)) { $1 }
    }

    // MARK: Source

    private static func reading(_ source: BundleSource) -> [String: BridgeCommand] {
        var commands = [
            "sourceListBundles": BridgeCommand { _ in
                .array(source.listBundles().map(json))
            },
            "sourceLoadVersion": BridgeCommand { parameters in
                guard let loaded = source.loadVersion(try parameters.string("bundleName")) else {
                    return .null
                }
                return .object([
                    "type": .string(loaded.type.rawValue), "version": .string(loaded.version),
                ])
            },
            "sourceRemoteRetainedVersions": BridgeCommand { parameters in
                .array(
                    source.remoteRetainedVersions(try parameters.string("bundleName"))
                        .map(JSONValue.string))
            },
            "sourceUnloadDescriptor": BridgeCommand { parameters in
                .bool(source.unloadDescriptor(try parameters.string("bundleName")))
            },
            "sourceResolveFilepath": BridgeCommand(needs: .filePaths) { parameters in
                .string(try source.resolveFilepath(try parameters.string("bundleName")))
            },
        ]
        for (type, word) in [(BundleOrigin.builtin, "Builtin"), (.remote, "Remote")] {
            commands["sourceGet\(word)BundleFilepath"] = BridgeCommand(needs: .filePaths) {
                .string(
                    try source.filepath(
                        type, try $0.string("bundleName"), try $0.string("version")))
            }
            commands["sourceLoad\(word)Metadata"] = BridgeCommand { parameters in
                source.metadata(
                    type, try parameters.string("bundleName"), try parameters.string("version")
                ).map(json) ?? .null
            }
        }
        return commands
    }

    private static func changing(_ source: BundleSource) -> [String: BridgeCommand] {
        [
            "sourceUpdateVersion": BridgeCommand(needs: .changeSource) { parameters in
                try source.updateVersion(
                    try parameters.string("bundleName"), try parameters.string("version"))
                return .null
            },
            "sourceRemoveRemoteBundle": BridgeCommand(needs: .changeSource) { parameters in
                .bool(
                    try source.removeRemoteBundle(
                        try parameters.string("bundleName"), try parameters.string("version")))
            },
            "sourcePruneRemoteBundles": BridgeCommand(needs: .changeSource) { parameters in
                .array(
                    try source.pruneRemoteBundles(try parameters.string("bundleName"))
                        .map(JSONValue.string))
            },
        ]
    }

    // MARK: Remote

    private static func asking(_ remote: Remote?) -> [String: BridgeCommand] {
        @Sendable func known() throws -> Remote {
            guard let remote else {
                throw BridgeFailure(
                    code: "remote_not_initialized", message: "The app has no remote configured.")
            }
            return remote
        }
        return [
            "remoteListBundles": BridgeCommand { parameters in
                let channel = try parameters.optionalString("channel")
                return .array(try await known().listBundles(channel: channel).map(json))
            },
            "remoteGetInfo": BridgeCommand { parameters in
                let name = try parameters.string("bundleName")
                let channel = try parameters.optionalString("channel")
                return json(try await known().getInfo(bundleName: name, channel: channel))
            },
            "remoteDownload": BridgeCommand { parameters in
                let name = try parameters.string("bundleName")
                let channel = try parameters.optionalString("channel")
                return json(try await known().download(bundleName: name, channel: channel).info)
            },
            "remoteDownloadVersion": BridgeCommand { parameters in
                let name = try parameters.string("bundleName")
                let version = try parameters.string("version")
                return json(
                    try await known().downloadVersion(bundleName: name, version: version).info)
            },
        ]
    }

    // MARK: Updater

    private static func updating(
        _ source: BundleSource, _ updater: Updater?
    ) -> [String: BridgeCommand] {
        @Sendable func known() throws -> Updater {
            guard let updater else {
                throw BridgeFailure(
                    code: "updater_not_initialized", message: "The app has no updater configured.")
            }
            return updater
        }
        return [
            "updaterListRemotes": BridgeCommand { _ in
                .array(try await known().listRemotes().map(json))
            },
            "updaterGetUpdate": BridgeCommand { parameters in
                let name = try parameters.string("bundleName")
                return json(try await known().getUpdate(bundleName: name))
            },
            "updaterDownload": BridgeCommand { parameters in
                let name = try parameters.string("bundleName")
                let version = try parameters.optionalString("version")
                return json(try await known().downloadUpdate(bundleName: name, version: version))
            },
            "updaterInstall": BridgeCommand { parameters in
                let name = try parameters.string("bundleName")
                let version = try parameters.string("version")
                try await known().install(bundleName: name, version: version)
                return .null
            },
            // Ours: the page says that it works. Without a name it means the page's own bundle.
            "updaterConfirm": BridgeCommand { parameters in
                let named = try parameters.optionalString("bundleName")
                return .bool(try source.confirm(named ?? parameters.caller.bundleName ?? ""))
            },
        ]
    }

    // MARK: Results

    private static func json(_ bundle: ListedBundle) -> JSONValue {
        let item: [String: JSONValue] = [
            "name": .string(bundle.name), "version": .string(bundle.version),
            "current": .bool(bundle.current), "metadata": json(bundle.metadata),
        ]
        // Both shapes that pages know: flat, and with the item apart.
        return .object(
            item.merging(["type": .string(bundle.type.rawValue), "item": .object(item)]) { $1 })
    }

    private static func json(_ metadata: BundleMetadata) -> JSONValue {
        .members([
            "etag": metadata.etag.map(JSONValue.string),
            "integrity": metadata.integrity.map(JSONValue.string),
            "signature": metadata.signature.map(JSONValue.string),
            "lastModified": metadata.lastModified.map(JSONValue.string),
        ])
    }

    static func json(_ listing: RemoteBundleListing) -> JSONValue {
        .object(["name": .string(listing.name), "version": .string(listing.version)])
    }

    static func json(_ info: RemoteBundleInfo) -> JSONValue {
        adding(["name": .string(info.name), "version": .string(info.version)], to: info.metadata)
    }

    static func json(_ info: BundleUpdateInfo) -> JSONValue {
        adding(
            [
                "name": .string(info.name), "version": .string(info.version),
                "localVersion": info.localVersion.map(JSONValue.string),
                "isAvailable": .bool(info.isAvailable),
            ], to: info.metadata)
    }

    private static func adding(
        _ members: [String: JSONValue?], to metadata: BundleMetadata
    ) -> JSONValue {
        guard case .object(let extra) = json(metadata) else { return .members(members) }
        return .object(members.compactMapValues { $0 }.merging(extra) { first, _ in first })
    }
}
