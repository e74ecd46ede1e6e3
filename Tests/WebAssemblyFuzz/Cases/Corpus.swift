/// The cases that `make test` compares with another engine: few enough to be quick, chosen so that
/// every handler of the interpreter makes a difference in some of them (`make mutate`).
public enum Corpus {
    /// How many cases there are.
    public static let count: UInt64 = 400

    private static let seed: UInt64 = 1

    /// A case by its number.
    public static func fuzzCase(_ number: UInt64) -> FuzzCase {
        FuzzCase(seed: seed, number: number)
    }
}
