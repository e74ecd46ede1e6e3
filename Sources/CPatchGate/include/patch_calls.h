#ifndef C_PATCH_CALLS_H
#define C_PATCH_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a call of a routed function touches: no lock, nothing to allocate, nothing shared between
// threads but one cache line each. PatchSDK alone uses this.

// The innermost call in progress on this thread; its frame lies on the stack.
void *patch_frame(void);
// Makes another one the innermost. Answers what was.
void *patch_frame_exchange(void *frame);

// A number that one thread changes and others read.
typedef struct patch_number {
    uint64_t value;
} patch_number;
static inline uint64_t patch_number_load(const patch_number *number) {
    return __atomic_load_n(&number->value, __ATOMIC_ACQUIRE);
}
static inline void patch_number_store(patch_number *number, uint64_t value) {
    __atomic_store_n(&number->value, value, __ATOMIC_RELEASE);
}

// --- Idle instances ---

// Keeps one idle instance for the next call. While a call has it, the lowest bit is set, so that
// whoever empties the slot learns of the call. Only the active module's instances lie in slots.
typedef struct patch_slot {
    uintptr_t held;
    uintptr_t padding[7];  // a cache line each
} patch_slot;

#define PATCH_SLOT_COUNT 8

typedef struct patch_loan {
    void *instance;  // null when every slot is empty or in use
    patch_slot *slot;
} patch_loan;

// Which slot a thread tries first.
unsigned patch_slot_of_thread(void);

// Takes an idle instance for a call.
static inline patch_loan patch_slots_take(patch_slot *slots) {
    unsigned first = patch_slot_of_thread();
    for (unsigned k = 0; k < PATCH_SLOT_COUNT; k++) {
        patch_slot *slot = &slots[(first + k) % PATCH_SLOT_COUNT];
        uintptr_t held = __atomic_load_n(&slot->held, __ATOMIC_RELAXED);
        if (held == 0 || (held & 1)) continue;
        if (__atomic_compare_exchange_n(&slot->held, &held, held | 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            return (patch_loan){(void *)held, slot};
        }
    }
    return (patch_loan){NULL, NULL};
}
// Gives it back. False when the slot was emptied meanwhile: the caller owns the instance then.
static inline bool patch_slot_give(patch_loan loan) {
    uintptr_t held = (uintptr_t)loan.instance | 1;
    return __atomic_compare_exchange_n(&loan.slot->held, &held, (uintptr_t)loan.instance, false,
                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
// Takes it out for good: the caller owns it. False when somebody else has emptied the slot, which
// makes the caller the owner all the same.
static inline bool patch_slot_keep_out(patch_loan loan) {
    uintptr_t held = (uintptr_t)loan.instance | 1;
    return __atomic_compare_exchange_n(&loan.slot->held, &held, 0, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}
// Puts an instance into an empty slot, unless `most` are in use. False when there is no room.
static inline bool patch_slots_put(patch_slot *slots, void *instance, unsigned most) {
    unsigned used = 0;
    for (unsigned k = 0; k < PATCH_SLOT_COUNT; k++)
        used += __atomic_load_n(&slots[k].held, __ATOMIC_RELAXED) != 0;
    if (used >= most) return false;
    unsigned first = patch_slot_of_thread();
    for (unsigned k = 0; k < PATCH_SLOT_COUNT; k++) {
        uintptr_t empty = 0;
        if (__atomic_compare_exchange_n(&slots[(first + k) % PATCH_SLOT_COUNT].held, &empty,
                                        (uintptr_t)instance, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}
// Empties a slot. Answers what lay there; the lowest bit says that a call has it.
static inline uintptr_t patch_slot_empty(patch_slot *slot) {
    return __atomic_exchange_n(&slot->held, 0, __ATOMIC_ACQ_REL);
}
// Whether a call has the slot's instance.
static inline bool patch_slot_is_busy(const patch_slot *slot) {
    return __atomic_load_n(&slot->held, __ATOMIC_ACQUIRE) & 1;
}

// --- The functions that a module serves ---

typedef struct patch_function {
    uint64_t id;
    uint32_t index;    // among the instance's functions
    uint32_t types;    // of the parameters, two bits each: i32, i64, f32, f64
    uint8_t count;     // of the parameters
    uint8_t result;    // its type in the same form; PATCH_NO_RESULT for none
    uint8_t is_there;  // whether this place of the table is taken
} patch_function;

#define PATCH_NO_RESULT 4

// A hash table with open addressing: `mask` + 1 places, a power of two, at most half of them taken.
// Answers where the function with an id is, or belongs.
static inline patch_function *patch_function_place(patch_function *all, uint64_t mask,
                                                   uint64_t id) {
    uint64_t at = (id * 0x9E3779B97F4A7C15u) >> 32;
    while (all[at & mask].is_there && all[at & mask].id != id) at++;
    return &all[at & mask];
}
// Whether native code serves a function until the next release. Apart from what else is known of
// it, which is copied while this changes.
typedef struct patch_demotion {
    uint8_t value;
} patch_demotion;
static inline bool patch_demotion_load(const patch_demotion *demotion) {
    return __atomic_load_n(&demotion->value, __ATOMIC_RELAXED);
}
static inline void patch_demotion_store(patch_demotion *demotion, bool value) {
    __atomic_store_n(&demotion->value, value, __ATOMIC_RELAXED);
}

#endif
