import Testing

@testable import WebAssembly

@Suite("Time is spent by running")
struct BudgetTests {
    private let second: UInt64 = 1_000_000_000

    @Test("an hour in which the process was suspended does not use a call's time up")
    func suspended() {
        var budget = Budget(CallLimits(timeoutNanoseconds: second), now: 0)
        #expect(budget.violation(needed: 0, now: 1_000) == nil)
        #expect(budget.violation(needed: 0, now: 3_600 * second) == nil)
        // What was left goes on counting.
        var looks = 0
        var now = 3_600 * second
        while budget.violation(needed: 0, now: now) == nil, looks < 1_000 {
            now += 10_000_000
            looks += 1
        }
        #expect(looks == 95, "950 ms in steps of 10 ms")
    }

    @Test("a clock that stands still or goes back takes nothing and breaks nothing")
    func backwards() {
        var budget = Budget(CallLimits(timeoutNanoseconds: second), now: 5 * second)
        #expect(budget.violation(needed: 0, now: 5 * second) == nil)
        #expect(budget.violation(needed: 0, now: 0) == nil)
        #expect(budget.violation(needed: 0, now: 10_000_000) == nil)
    }

    @Test("the longest time there is can be named, and none at all ends a call at its first look")
    func extremes() {
        var budget = Budget(CallLimits(timeoutNanoseconds: .max), now: 0)
        #expect(budget.violation(needed: 0, now: .max) == nil)
        var none = Budget(CallLimits(timeoutNanoseconds: 0), now: 0)
        #expect(none.nextSlice() == 0)
        #expect(none.violation(needed: 0, now: 0) == .deadlineExceeded)
    }

    @Test("after slow host functions the clock is looked at after each of them")
    func slowHost() {
        func callsToLook(_ budget: inout Budget) -> Int {
            var rest = budget.nextSlice()
            var calls = 0
            while rest > 0 {
                budget.noteHostCall(&rest)
                calls += 1
            }
            return calls
        }
        var budget = Budget(CallLimits(timeoutNanoseconds: second), now: 0)
        #expect(callsToLook(&budget) <= 65)
        #expect(budget.violation(needed: 0, now: 100_000_000) == nil)
        #expect(callsToLook(&budget) == 1)
        #expect(budget.violation(needed: 0, now: 100_500_000) == nil)
        #expect(callsToLook(&budget) > 60)
    }

    @Test("a call that is over within a slice never looks, and one that is not counts from then on")
    func beginsWithoutALook() {
        var budget = Budget()
        #expect(budget.beginTimed(second) > 0)
        #expect(budget.violation(needed: 0, now: 3_600 * second) == nil)
        var looks = 0
        var now = 3_600 * second
        while budget.violation(needed: 0, now: now) == nil, looks < 1_000 {
            now += 10_000_000
            looks += 1
        }
        #expect(looks == 100, "a second in steps of 10 ms")
        budget.endTimed()
        #expect(!budget.isBounded)
        #expect(budget.beginTimed(0) == 0, "no time at all is asked for at once")
        #expect(budget.violation(needed: 0, now: now) == .deadlineExceeded)
    }

    @Test("looking sooner after a host call leaves the count of fuel exact")
    func fuelStaysExact() {
        var budget = Budget(CallLimits(fuel: 100, timeoutNanoseconds: second), now: 0)
        var rest = budget.nextSlice()
        budget.noteHostCall(&rest)
        rest -= 1
        budget.settle(rest)
        #expect(budget.violation(needed: 99, now: 1) == nil)
        #expect(budget.violation(needed: 100, now: 1) == .fuelExhausted)
    }

    @Test("a guest that goes on through a host function that calls it back ends at its deadline")
    func throughTheHost() throws {
        var builder = ModuleBuilder()
        let back = builder.importFunction("env", "back", [])
        builder.function("nothing", [], [], [])
        builder.function("outer", [], [], Code.loop(0x40, Code.call(back) + Code.br(0)))
        final class Count { var calls = 0 }
        struct NeverEnded: Error {}
        let count = Count()
        let instance = try builder.instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "back",
                Function(store: store, parameters: []) { caller, _ in
                    count.calls += 1
                    if count.calls == 5_000_000 { throw NeverEnded() }
                    // The host swallows the error; the outer call must end all the same.
                    _ = try? caller.instance?.exports[function: "nothing"]?.invoke()
                    return []
                })
            return imports
        }
        let trap = #expect(throws: Trap.self) {
            try instance.exports[function: "outer"]?.invoke(
                [], limits: CallLimits(timeoutNanoseconds: 5_000_000))
        }
        #expect(trap?.reason == .deadlineExceeded)
        #expect(count.calls > 1)
        #expect(instance.isDead)
    }
}
