#ifndef C_PATCH_GATE_H
#define C_PATCH_GATE_H

#include <stdbool.h>
#include <stdint.h>

/// Number of gates an app may have; `patchcli prepare` refuses to allot more.
#define PATCH_GATE_COUNT 65536

/// One byte per routed function: zero runs the native body, anything else asks PatchSDK.
extern uint8_t patch_gate[PATCH_GATE_COUNT];

/// Whether the gate is open. One load and one branch; relaxed, because a call that races with
/// a swap may go either way.
static inline bool patch_gate_is_open(uint16_t index) {
    return __atomic_load_n(&patch_gate[index], __ATOMIC_RELAXED) != 0;
}

/// Opens or closes a gate; visible to later calls on every thread.
static inline void patch_gate_set(uint16_t index, bool open) {
    __atomic_store_n(&patch_gate[index], (uint8_t)open, __ATOMIC_RELEASE);
}

/// The surface compiled into the app: UTF-8 JSON written by `patchcli prepare`, or null when
/// the app was never prepared. Weak here; the generated file defines the strong one.
const char *openpatch_surface_v1(void);

#endif
