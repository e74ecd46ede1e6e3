import CPatchGate

/// Yes or no, written under somebody's lock and read without it.
final class SharedFlag: @unchecked Sendable {
    // Unchecked: the number is read and written with atomic operations only.
    private let number: UnsafeMutablePointer<patch_number>

    /// A flag that is not set.
    init() {
        number = .allocate(capacity: 1)
        number.initialize(to: patch_number())
    }

    deinit { number.deallocate() }

    var isSet: Bool {
        get { patch_number_load(number) != 0 }
        set { patch_number_store(number, newValue ? 1 : 0) }
    }
}
