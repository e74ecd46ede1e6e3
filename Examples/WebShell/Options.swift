/// What stands on the command line.
struct Options {
    static let usage = """
        usage: webshell --builtin DIR --remote DIR
          --url URL               what to show (app://app.wvb)
          --resources DIR         follow signed releases; DIR has patch-config.json and
                                  patch-root.json
          --state DIR             where the state of releases lies
          --apply-now             show a release as soon as it is on disk
          --check-every N         look for releases every N seconds
          --ready-within N        a new page must say within N seconds that it works (10)
          --endpoint URL          follow a remote (GET /bundles/…) instead
          --update-every N        look at the remote every N seconds
          --scheme NAME           answer this scheme (app); may be repeated
          --local HOST=URL        dev://HOST goes to a local server
          --spa                   unknown paths show /index.html
          --grant-all             pages may remove downloads and see paths
          --shot FILE             a picture of the window at the end, as PNG
          --shot-on-load DIR      a picture a second after each load
          --seconds N             end after N seconds
          --until-title           end once the page has a title, and print it
        """
    var builtin = ""
    var remote = ""
    var resources: String?
    var state: String?
    var appliesNow = false
    var checkEvery: Double?
    var endpoint: String?
    var schemes: [String] = []
    var hosts: [String: String] = [:]
    var url = "app://app.wvb"
    var isSPA = false
    var shot: String?
    var shotsOnLoad: String?
    var seconds: Double?
    var readyWithin: Double?
    var updateEvery: Double?
    var grantsAll = false
    var endsWithTitle = false

    init?(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        func value() -> String? { rest.popFirst() }
        while let word = rest.popFirst() {
            switch word {
            case "--builtin": builtin = value() ?? ""
            case "--remote": remote = value() ?? ""
            case "--resources": resources = value()
            case "--state": state = value()
            case "--apply-now": appliesNow = true
            case "--check-every": checkEvery = value().flatMap(Double.init)
            case "--endpoint": endpoint = value()
            case "--scheme": if let name = value() { schemes.append(name) }
            case "--url": url = value() ?? url
            case "--shot": shot = value()
            case "--shot-on-load": shotsOnLoad = value()
            case "--spa": isSPA = true
            case "--grant-all": grantsAll = true
            case "--until-title": endsWithTitle = true
            case "--seconds": seconds = value().flatMap(Double.init)
            case "--ready-within": readyWithin = value().flatMap(Double.init)
            case "--update-every": updateEvery = value().flatMap(Double.init)
            case "--local":
                let parts = (value() ?? "").split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { return nil }
                hosts[parts[0]] = parts[1]
            default: return nil
            }
        }
        guard !builtin.isEmpty, !remote.isEmpty else { return nil }
        if schemes.isEmpty { schemes = ["app"] }
    }
}
