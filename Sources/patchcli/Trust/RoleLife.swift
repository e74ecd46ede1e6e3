import TUF
import TUFRepository

/// How long the metadata of a role still counts.
struct RoleLife {
    enum State { case fresh, ageing, expired }

    let name: String
    let version: Int
    let expires: MetadataTime
    let keyIDs: [String]
    /// How long it counted when it was signed, in days, as far as the plan knows.
    let plannedDays: Int
    let now: MetadataTime

    private var secondsLeft: Int64 { expires.secondsSince1970 - now.secondsSince1970 }
    var daysLeft: Int { max(0, Int(secondsLeft / 86_400)) }

    /// A quarter of its life before the end is the time to say so.
    var state: State {
        if secondsLeft <= 0 { return .expired }
        return secondsLeft < Int64(plannedDays) * 86_400 / 4 ? .ageing : .fresh
    }

    /// All roles of a repository, in the order of trust.
    static func all(of editor: RepositoryEditor, at now: MetadataTime = .now) -> [RoleLife] {
        let plan = editor.expiryPlan
        let root = editor.root.signed
        var all: [RoleLife] = []
        func add(_ name: String, _ header: MetadataHeader, _ keys: [String], _ days: Int) {
            all.append(
                RoleLife(
                    name: name, version: header.version, expires: header.expires, keyIDs: keys,
                    plannedDays: days, now: now))
        }
        add("root", root.header, root[.root].keyIDs, plan.rootDays)
        if let targets = editor.targets {
            add("targets", targets.signed.header, root[.targets].keyIDs, plan.targetsDays)
        }
        for (name, document) in editor.delegated.sorted(by: { $0.key < $1.key }) {
            let keys = editor.targets?.signed.delegations?.role(name)?.keys.keyIDs ?? []
            let days = name == BrakesRole.name ? plan.brakesDays : plan.targetsDays
            add(name, document.signed.header, keys, days)
        }
        if let snapshot = editor.snapshot {
            add("snapshot", snapshot.signed.header, root[.snapshot].keyIDs, plan.freshnessDays)
        }
        if let timestamp = editor.timestamp {
            add("timestamp", timestamp.signed.header, root[.timestamp].keyIDs, plan.freshnessDays)
        }
        return all
    }
}
