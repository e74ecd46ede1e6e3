import TUF

extension OpenAPI {
    private static let app = "/api/v1/apps/{app_key}"
    private static let rollout = "\(app)/rollouts/{channel}/{fingerprint}"
    private static let bundleRollout = "\(app)/bundle-rollouts/{channel}/{bundle}"
    private static let admin = "an app token with the action 'admin', or the server's admin token"
    private static let read = "an app token with the action 'read', or the server's admin token"
    private static let server = "the server's admin token"
    private static let mayRollOut = "an app token with the action 'rollout'"
    private static let mayRelease = "an app token with the action 'release'"
    private static let once = ["Idempotency-Key"]
    private static let match = ["If-Match"]

    private static func number(_ least: Int64, _ most: Int64) -> JSONValue {
        ["type": "integer", "minimum": .integer(least), "maximum": .integer(most)]
    }

    static let operations: [Operation] =
        ofServer + ofApps + ofPeople + ofReleases + ofRollouts + ofDevices + ofBundles + ofWebhooks

    private static let ofServer = [
        Operation(
            method: "GET", path: "/healthz", summary: "Whether the process lives.",
            access: "anybody", answers: [(200, "Status")]),
        Operation(
            method: "GET", path: "/readyz", summary: "Whether requests can be served.",
            access: "anybody", answers: [(200, "Status")]),
        Operation(
            method: "GET", path: "/metrics", summary: "Counts for Prometheus.", access: server,
            answers: [(200, "Text")], answerType: "text/plain"),
        Operation(
            method: "GET", path: "/api/v1/openapi.json", summary: "This document.",
            access: "anybody", answers: [(200, "Object")]),
        Operation(
            method: "GET", path: "/api/v1/whoami", summary: "What the token is good for.",
            access: "any token", answers: [(200, "Identity")]),
    ]

    private static let ofApps = [
        Operation(
            method: "GET", path: "/api/v1/apps", summary: "All apps.", access: server,
            answers: [(200, "Apps")]),
        Operation(
            method: "POST", path: "/api/v1/apps",
            summary: "Makes an app; its first token is shown this once.", access: server,
            request: "NewApp", answers: [(201, "App")]),
        Operation(
            method: "GET", path: app, summary: "The app and the server's public keys for it.",
            access: read, answers: [(200, "App")]),
        Operation(
            method: "PATCH", path: app, summary: "Changes name or quota.", access: server,
            request: "AppChange", answers: [(200, "App")]),
    ]

    private static let ofPeople = [
        Operation(
            method: "GET", path: "/api/v1/organisations", summary: "All organisations.",
            access: server, answers: [(200, "Organisations")]),
        Operation(
            method: "POST", path: "/api/v1/organisations", summary: "Makes an organisation.",
            access: server, request: "Organisation", headers: once,
            answers: [(201, "Organisation")]),
        Operation(
            method: "GET", path: "/api/v1/users", summary: "All users.", access: server,
            answers: [(200, "Users")]),
        Operation(
            method: "POST", path: "/api/v1/users", summary: "Makes a user.", access: server,
            request: "User", headers: once, answers: [(201, "User")]),
        Operation(
            method: "DELETE", path: "/api/v1/users/{login}",
            summary: "Removes a user, with memberships and tokens.", access: server,
            answers: [(204, nil)]),
        Operation(
            method: "GET", path: "\(app)/members", summary: "Users with a role in the app.",
            access: admin, answers: [(200, "Members")]),
        Operation(
            method: "PUT", path: "\(app)/members/{login}", summary: "Gives a user a role.",
            access: admin, request: "NewRole", headers: once, answers: [(200, "Member")]),
        Operation(
            method: "DELETE", path: "\(app)/members/{login}", summary: "Takes the role away.",
            access: admin, answers: [(204, nil)]),
        Operation(
            method: "GET", path: "\(app)/tokens", summary: "The app's tokens, without secrets.",
            access: admin, answers: [(200, "Tokens")]),
        Operation(
            method: "POST", path: "\(app)/tokens",
            summary: "Makes a token; its secret is shown this once.", access: admin,
            request: "NewToken", headers: once, answers: [(201, "Token")]),
        Operation(
            method: "DELETE", path: "\(app)/tokens/{id}", summary: "Revokes a token, at once.",
            access: admin, answers: [(204, nil)]),
        Operation(
            method: "GET", path: "\(app)/audit", summary: "Who changed what, newest first.",
            access: read,
            query: [("before", number(1, .max)), ("limit", number(1, 1_000))],
            answers: [(200, "Audit")]),
    ]

    private static let ofReleases = [
        Operation(
            method: "GET", path: "\(app)/releases", summary: "Published releases.",
            access: read, answers: [(200, "Releases")]),
        Operation(
            method: "POST", path: "\(app)/releases",
            summary: "Publishes signed metadata and targets; see Docs/http-api.md for the parts.",
            access: mayRelease, request: "ReleaseForm", requestType: "multipart/form-data",
            headers: match, answers: [(200, "Publication"), (201, "Publication")]),
        Operation(
            method: "GET", path: "\(app)/builds",
            summary: "Store builds whose version and number are known, newest first.",
            access: read, answers: [(200, "StoreBuilds")]),
        Operation(
            method: "PUT", path: "\(app)/builds/{version}/{build}",
            summary: "Says which fingerprint a store build has; a number belongs to one.",
            access: mayRelease, request: "NewStoreBuild",
            answers: [(200, "StoreBuild"), (201, "StoreBuild")]),
        Operation(
            method: "POST", path: "\(app)/prune",
            summary: "Removes published files that no metadata leads to any more.",
            access: mayRelease, request: "Pruning", answers: [(200, "Pruned")]),
        Operation(
            method: "POST", path: "\(app)/uploads", summary: "Begins a target in pieces.",
            access: mayRelease, request: "NewUpload", headers: once,
            answers: [(201, "Upload")]),
        Operation(
            method: "GET", path: "\(app)/uploads/{id}", summary: "How far an upload is.",
            access: mayRelease, answers: [(200, "Upload")]),
        Operation(
            method: "PATCH", path: "\(app)/uploads/{id}",
            summary: "The next piece, which is on disk when it is answered.", access: mayRelease,
            request: "Bytes", requestType: "application/octet-stream",
            headers: ["Upload-Offset"], answers: [(204, nil)]),
        Operation(
            method: "DELETE", path: "\(app)/uploads/{id}", summary: "Forgets an upload.",
            access: mayRelease, answers: [(204, nil)]),
    ]

    private static let ofRollouts =
        [
            Operation(
                method: "GET", path: "\(app)/rollouts",
                summary: "One for each channel and build, and for each channel and web bundle.",
                access: read, answers: [(200, "Rollouts")]),
            Operation(
                method: "GET", path: "\(app)/brakes/{channel}",
                summary: "The brake of a channel on modules, or on a web bundle.",
                access: read, query: [("bundle", ["type": "string"])], answers: [(200, "Brake")]),
            Operation(
                method: "POST", path: "\(app)/brakes",
                summary: "Signs another brake with the ops key; absent members stay as they are.",
                access: mayRollOut, request: "BrakeChange", headers: match,
                answers: [(200, "Brake"), (201, "Brake")]),
        ]
        + operations(
            on: rollout,
            "A rollout of modules; the build by its fingerprint or the first 16 digits.")
        + operations(on: bundleRollout, "A rollout of a web bundle.")

    private static func operations(on rollout: String, _ summary: String) -> [Operation] {
        [
            Operation(
                method: "GET", path: rollout, summary: summary, access: read,
                answers: [(200, "Rollout")]),
            Operation(
                method: "PUT", path: rollout,
                summary: "How it is watched; what is absent goes back to its default.",
                access: mayRollOut, request: "RolloutChange", headers: match,
                answers: [(200, "Rollout")]),
            Operation(
                method: "POST", path: "\(rollout)/halt",
                summary: "Keeps further devices from the candidate, from their next check on.",
                access: mayRollOut, request: "Because", headers: match,
                answers: [(200, "Rollout")]),
            Operation(
                method: "POST", path: "\(rollout)/resume", summary: "Goes on where it was halted.",
                access: mayRollOut, request: "Object", headers: match,
                answers: [(200, "Rollout")]),
            Operation(
                method: "GET", path: "\(rollout)/decisions",
                summary: "What the gates decided, with all inputs, newest first.", access: read,
                query: [("before", number(1, .max)), ("limit", number(1, 500))],
                answers: [(200, "Decisions")]),
        ]
    }

    private static let ofBundles = [
        Operation(
            method: "GET", path: "\(app)/bundles",
            summary: "Stable web bundles, by the remote contract (Docs/web-bundles.md).",
            access: "anybody", query: [("channel", ["type": "string"])],
            answers: [(200, "BundleList")]),
        Operation(
            method: "GET", path: "\(app)/bundles/{bundle}",
            summary: "The archive of a web bundle's stable release, by the remote contract.",
            access: "anybody", query: [("channel", ["type": "string"])],
            answers: [(200, "Bytes")], answerType: BundleEndpoints.mediaType),
        Operation(
            method: "GET", path: "\(app)/bundles/{bundle}/{version}",
            summary: "The archive of a published version, by the remote contract.",
            access: "anybody", answers: [(200, "Bytes")], answerType: BundleEndpoints.mediaType),
    ]

    private static let ofDevices = [
        Operation(
            method: "POST", path: "\(app)/events",
            summary: "What a device tells; each event counts once.", access: "anybody",
            request: "EventBatch", answers: [(200, "Taken")]),
        Operation(
            method: "GET", path: "\(app)/devices/{install_id}",
            summary: "The last state of an install.", access: read, answers: [(200, "Device")]),
        Operation(
            method: "DELETE", path: "\(app)/devices/{install_id}",
            summary: "Erases an install and all that it told.", access: admin,
            answers: [(204, nil)]),
        Operation(
            method: "GET", path: "\(app)/insights", summary: "Numbers of releases.", access: read,
            query: [
                ("release", ["type": "string"]), ("fingerprint", ["type": "string"]),
                ("bundle", ["type": "string"]),
                ("days", number(1, 90)),
            ], answers: [(200, "Insights")]),
    ]

    private static let ofWebhooks = [
        Operation(
            method: "GET", path: "\(app)/webhooks", summary: "Whom the app tells of changes.",
            access: admin, answers: [(200, "Webhooks")]),
        Operation(
            method: "POST", path: "\(app)/webhooks",
            summary: "Adds one; its secret is shown this once.", access: admin,
            request: "NewWebhook", headers: once, answers: [(201, "Webhook")]),
        Operation(
            method: "DELETE", path: "\(app)/webhooks/{id}", summary: "Removes one.",
            access: admin, answers: [(204, nil)]),
        Operation(
            method: "GET", path: "\(app)/webhooks/{id}/deliveries",
            summary: "What it was told, newest first.", access: admin,
            answers: [(200, "Deliveries")]),
    ]
}
