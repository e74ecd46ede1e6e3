import Rollout

/// The time between showing a released page and finding that it works (or not). Pure, so that every
/// order of events can be looked at.
struct PageTrial: Sendable, Equatable {
    /// What is known of what the page shows.
    enum Sight: Sendable, Equatable {
        /// Nobody looked yet.
        case unknown
        /// Nothing is to be seen.
        case blank
        /// Something is to be seen.
        case visible
        /// The web view cannot tell.
        case untold
    }

    enum Outcome: Sendable, Equatable {
        /// Nothing is decided yet.
        case waiting
        case works
        case failed(Reason)
    }

    let readiness: BundleReadiness
    /// When the page was served, in seconds of a clock that does not go back; nil before.
    private(set) var begun: Double?
    /// Whether the page said that it works.
    private(set) var hasSaid = false
    var sight = Sight.unknown

    init(_ readiness: BundleReadiness) { self.readiness = readiness }

    /// The page was served. A page that is loaded again does not get more time, or one that
    /// reloads itself for ever would never fail.
    mutating func begin(at now: Double) { begun = begun ?? now }

    /// The app could not be seen for so long, and neither could the page.
    mutating func pause(for seconds: Double) { begun = begun.map { $0 + seconds } }

    /// The page says that it works.
    /// - Returns: false when it comes from a page that was served before this version.
    mutating func say() -> Bool {
        guard begun != nil else { return false }
        hasSaid = true
        return true
    }

    /// Whether it is worth looking at the page.
    var wantsSight: Bool {
        guard begun != nil, sight != .visible, sight != .untold else { return false }
        if case .page = readiness { return hasSaid }
        return true
    }

    func outcome(at now: Double) -> Outcome {
        guard let begun else { return .waiting }
        let isOver = now >= begun + readiness.seconds
        switch readiness {
        case .page:
            if hasSaid, sight == .visible || sight == .untold { return .works }
            return isOver ? .failed(hasSaid ? .pageBlank : .pageNotReady) : .waiting
        case .visible:
            if sight == .visible { return .works }
            guard isOver else { return .waiting }
            return sight == .blank ? .failed(.pageBlank) : .works
        }
    }
}
