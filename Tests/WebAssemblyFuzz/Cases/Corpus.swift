/// The cases that `make test` compares with another engine: few enough to be quick, chosen so that
/// every handler of the interpreter makes a difference in some of them (`make mutate`).
public enum Corpus {
    /// How many cases there are.
    public static var count: UInt64 { forms + drawn }

    /// How many of them go through operand forms one by one; the others are drawn.
    public static var forms: UInt64 { UInt64(formCases.count) }

    private static let seed: UInt64 = 1
    private static let drawn: UInt64 = 200
    private static let formCases: [FuzzCase] =
        NumericForms.cases() + BranchForms.cases() + LoopForms.cases() + MemoryForms.cases()

    /// A case by its number: first operand forms, then drawn ones.
    public static func fuzzCase(_ number: UInt64) -> FuzzCase {
        number < forms
            ? formCases[Int(number)] : FuzzCase(seed: seed, number: number - forms)
    }
}
