/// Names for releases that got none.
enum VersionName {
    /// The last number of `previous` plus one, as in 1.0.9 → 1.0.10; `1.0.<sequence>` when there
    /// is no such number.
    static func next(after previous: String?, sequence: Int) -> String {
        guard let previous else { return "1.0.\(sequence)" }
        let digits = previous.reversed().prefix { $0.isASCII && $0.isNumber }.count
        guard digits > 0, digits < 10, let number = Int(previous.suffix(digits)) else {
            return "1.0.\(sequence)"
        }
        return previous.dropLast(digits) + String(number + 1)
    }
}
