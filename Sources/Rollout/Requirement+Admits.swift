extension Requirement {
    /// Whether a device keeps within all bounds. An unknown version keeps within none.
    public func admits(_ device: Device) -> Bool {
        if !isWithin(device.systemVersion, minimumSystem, maximumSystem) { return false }
        if !isWithin(device.appVersion, minimumApp, maximumApp) { return false }
        if let tags, !tags.isEmpty, device.tags.isDisjoint(with: tags) { return false }
        if let cohorts, !cohorts.isEmpty {
            guard let cohort = device.cohort, cohorts.contains(cohort) else { return false }
        }
        return true
    }

    private func isWithin(_ version: String?, _ minimum: String?, _ maximum: String?) -> Bool {
        if minimum == nil && maximum == nil { return true }
        guard let version else { return false }
        if let minimum, VersionOrder.isLess(version, minimum) { return false }
        if let maximum, VersionOrder.isLess(maximum, version) { return false }
        return true
    }
}

/// The order of dotted version numbers: number by number, absent ones are 0, and what is not a
/// number (a suffix such as `-beta`) does not count.
enum VersionOrder {
    static func isLess(_ left: String, _ right: String) -> Bool {
        let left = numbers(left)
        let right = numbers(right)
        for index in 0..<max(left.count, right.count) {
            let one = index < left.count ? left[index] : 0
            let other = index < right.count ? right[index] : 0
            if one != other { return one < other }
        }
        return false
    }

    private static func numbers(_ version: String) -> [UInt64] {
        version.split(separator: ".", omittingEmptySubsequences: false).prefix(8).map { part in
            UInt64(part.prefix { $0.isASCII && $0.isNumber }) ?? 0
        }
    }
}
