import CPatchGate

/// Idle instances of the active module that calls take and give back without a lock. They are put
/// here, and all taken away, under the routing table's lock.
final class IdleSlots: @unchecked Sendable {
    // Unchecked: slots are read and written with atomic operations. What lies in one is owned by it
    // and used by the one thread that has set its lowest bit.
    private let slots: UnsafeMutablePointer<patch_slot>

    /// How many instances there is room for.
    static let count = Int(PATCH_SLOT_COUNT)

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: patch_slot(), count: Self.count)
    }

    deinit {
        _ = empty()
        slots.deallocate()
    }

    /// An instance for one call; nil when none is idle. ``give(_:)`` or ``keepOut(_:)`` ends it.
    func take() -> Loan? {
        let loan = patch_slots_take(slots)
        guard let instance = loan.instance else { return nil }
        return Loan(loan: loan, instance: Unmanaged.fromOpaque(instance))
    }

    /// An instance that is in use.
    struct Loan {
        fileprivate let loan: patch_loan
        /// Kept alive by its slot, or by the caller once ``IdleSlots/give(_:)`` was refused.
        let instance: Unmanaged<ModuleInstance>
    }

    /// Gives an instance back.
    /// - Returns: false when its module is not active any more: the caller owns it then, and the
    ///   module counts it as lent.
    func give(_ loan: Loan) -> Bool { patch_slot_give(loan.loan) }

    /// Takes an instance out for good; the caller owns it then.
    /// - Returns: whether its module was active still; if not, the module counts it as lent.
    func keepOut(_ loan: Loan) -> Bool { patch_slot_keep_out(loan.loan) }

    /// Keeps an instance for the calls that come.
    /// - Returns: false when `most` are kept already.
    func put(_ instance: ModuleInstance, most: Int) -> Bool {
        let owned = Unmanaged.passRetained(instance)
        if patch_slots_put(slots, owned.toOpaque(), UInt32(clamping: most)) { return true }
        owned.release()
        return false
    }

    /// Takes all instances away.
    /// - Returns: the idle ones, and how many others are in use; their calls own them from now on.
    func empty() -> (idle: [ModuleInstance], busy: Int) {
        var idle: [ModuleInstance] = []
        var busy = 0
        for index in 0..<Self.count {
            let held = patch_slot_empty(slots + index)
            if held & 1 != 0 {
                busy += 1
            } else if let address = UnsafeRawPointer(bitPattern: held) {
                idle.append(Unmanaged.fromOpaque(address).takeRetainedValue())
            }
        }
        return (idle, busy)
    }

    /// Whether no call is in progress.
    var isIdle: Bool {
        (0..<Self.count).allSatisfy { !patch_slot_is_busy(slots + $0) }
    }
}
