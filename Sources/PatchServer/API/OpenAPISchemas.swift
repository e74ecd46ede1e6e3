import TUF

/// The shapes of what the API takes and answers.
///
/// Written in short: `name` is a text, `name:type` another type, a trailing `?` says that the member
/// may be absent.
enum OpenAPISchemas {
    static let all: JSONValue = .object(
        objects.mapValues(object).merging(special) { $1 })

    private static func object(_ members: String) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        var required: [JSONValue] = []
        for member in members.split(separator: " ") {
            let isOptional = member.hasSuffix("?")
            let parts = member.drop { $0 == "?" }.split(separator: ":", maxSplits: 1)
            var name = String(parts[0])
            var type = parts.count > 1 ? String(parts[1]) : "text"
            if isOptional {
                if parts.count > 1 { type.removeLast() } else { name.removeLast() }
            } else {
                required.append(.string(name))
            }
            properties[name] = schema(type)
        }
        var schema: [String: JSONValue] = [
            "type": "object", "properties": .object(properties),
        ]
        if !required.isEmpty { schema["required"] = .array(required) }
        return .object(schema)
    }

    private static func schema(_ type: String) -> JSONValue {
        if type.hasSuffix("[]") {
            return ["type": "array", "items": schema(String(type.dropLast(2)))]
        }
        switch type {
        case "text": return ["type": "string"]
        case "int": return ["type": "integer"]
        case "count": return ["type": "integer", "minimum": 0, "maximum": 1_000_000_000_000]
        case "bps": return ["type": "integer", "minimum": 0, "maximum": 10_000]
        case "number": return ["type": "number"]
        case "bool": return ["type": "boolean"]
        case "uuid": return ["type": "string", "format": "uuid"]
        case "map": return ["type": "object", "additionalProperties": ["type": "string"]]
        case "caps":
            return [
                "type": "object", "propertyNames": ["pattern": "^[0-9a-f]{64}$"],
                "additionalProperties": ["type": "integer", "minimum": 0, "maximum": 10_000],
            ]
        case "digest": return ["type": "string", "pattern": "^[0-9a-f]{64}$"]
        case "identifier": return ["type": "string", "pattern": "^[0-9A-Za-z_-]{1,64}$"]
        case "name": return ["type": "string", "pattern": "^[ -~]{1,100}$"]
        case "short": return ["type": "string", "maxLength": 64]
        case "action": return ["enum": ["read", "release", "rollout", "admin"]]
        case "role": return ["enum": ["viewer", "releaser", "admin"]]
        case "kind": return ["enum": ["run", "embedded"]]
        case "event":
            return .object([
                "enum": .array(EventName.allCases.map { .string($0.rawValue) })
            ])
        case "object": return ["type": "object"]
        default: return ["$ref": .string("#/components/schemas/\(type)")]
        }
    }

    private static let special: [String: JSONValue] = [
        "Text": ["type": "string"],
        "Object": ["type": "object"],
        "Bytes": ["type": "string", "format": "binary"],
        "BundleList": [
            "type": "array", "items": ["$ref": "#/components/schemas/ListedBundle"],
        ],
        "ReleaseForm": [
            "type": "object",
            "properties": [
                "metadata": ["type": "array", "items": ["type": "string", "format": "binary"]],
                "target": ["type": "array", "items": ["type": "string", "format": "binary"]],
                "uploaded": ["type": "array", "items": ["type": "string"]],
            ],
        ],
    ]

    private static let objects: [String: String] = [
        "Error": "error:Problem",
        "Problem": "code message",
        "Status": "status",
        "Identity":
            "actor name is_server:bool app_key? channel? actions:action[] login? expires:int?",
        "NewApp": "name:name app_id:uuid? organisation:identifier?",
        "AppChange": "name:name? quota_bytes:int?",
        "App":
            "app_key app_id name organisation quota_bytes:int freshness_keys:object[] "
            + "ops_keys:object[] token?",
        "Apps": "apps:ListedApp[]",
        "ListedApp": "app_key app_id name organisation created quota_bytes:int",
        "Organisation": "id:identifier name:name",
        "Organisations": "organisations:Organisation[]",
        "User": "login:identifier name:name organisation:identifier?",
        "Users": "users:User[]",
        "NewRole": "role:role",
        "Member": "login role:role",
        "Members": "members:Member[]",
        "NewToken":
            "name:name actions:action[] channel:identifier? expires_in:int? login:identifier?",
        "Token":
            "id name actions:action[] channel? login? created:int created_by expires:int? "
            + "revoked:int? token?",
        "Tokens": "tokens:Token[]",
        "Audit": "audit:AuditLine[]",
        "AuditLine": "id:int at:int actor action subject detail:map",
        "Releases": "snapshot:int releases:Release[]",
        "Release":
            "version sequence:int digest:digest size:int fingerprint bundle? platform path "
            + "mandatory:bool notes? commit?",
        "Publication": "created:bool versions:object release:PublishedRelease?",
        "PublishedRelease": "version sequence:int digest fp",
        "StoreBuilds": "builds:StoreBuild[]",
        "StoreBuild": "version build fingerprint registered:int",
        "NewStoreBuild": "fingerprint:digest replace:bool?",
        "Pruning": "dry_run:bool?",
        "Pruned": "dry_run:bool count:int bytes:int files:text[]",
        "NewUpload": "path size:count",
        "Upload": "id path size:int offset:int expires:int",
        "Rollouts": "rollouts:Rollout[]",
        "Rollout":
            "channel fingerprint bundle? stable? release? grant_bps:bps reach_bps:bps halted:bool "
            + "paused:bool plan:Stage[]? plan_from? rules:object stage_since:int head_seq:int "
            + "brake_seq:int revision:int last_decision:object?",
        "Stage": "grant_bps:bps seconds:count",
        "RolloutChange": "plan:Stage[]? rules:object? paused:bool?",
        "Because": "reason:name?",
        "Decisions": "decisions:KeptDecision[]",
        "KeptDecision": "id:int record:object",
        "Brake":
            "v:int app_id platform channel brake_seq:int caps:caps halted:bool recalled:digest[] "
            + "return_to:digest? kind:kind",
        "BrakeChange":
            "channel:identifier bundle:identifier? halted:bool? caps:caps? recalled:digest[]? return_to:digest? "
            + "kind:kind?",
        "EventBatch": "install_id:uuid events:Event[]",
        "Event":
            "id:uuid name:event at:number fingerprint:identifier bundle:identifier? sdk:short "
            + "release:identifier? "
            + "os:short? app_version:short? duration_ms:count? bytes:count? is_delta:bool? "
            + "resumed:bool? reason:identifier? detail:short?",
        "Taken": "accepted:int known:int",
        "Device":
            "install_id fingerprint bundle? release last_event reason? at:number sdk os? app_version? "
            + "first_seen:int last_seen:int events:DeviceEvent[]",
        "DeviceEvent":
            "id name at:number received:int release fingerprint bundle? reason? detail? bytes:int? "
            + "duration_ms:int?",
        "Insights":
            "installs:int installs_day:int silent_hours_p50:number silent_hours_p95:number "
            + "alerts:text[] releases:ReleaseNumbers[] days:DayNumbers[] definition",
        "ReleaseNumbers":
            "release fingerprint bundle? installs:int current:int activated:int ready:int failed:int "
            + "failure_rate:number failure_rate_low:number failure_rate_high:number "
            + "reasons:ReasonNumbers[]",
        "ReasonNumbers": "reason installs:int",
        "DayNumbers": "day release event reason count:int bytes:int deltas:int",
        "ListedBundle": "name version",
        "NewWebhook": "url events:text[]",
        "Webhook": "id url events:text[] created:int secret?",
        "Webhooks": "webhooks:Webhook[]",
        "Deliveries": "deliveries:Delivery[]",
        "Delivery":
            "id event created:int attempts:int due:int? delivered:int? status:int? problem?",
    ]
}
