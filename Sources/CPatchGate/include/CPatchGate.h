#ifndef C_PATCH_GATE_H
#define C_PATCH_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "patch_calls.h"

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

/// App modules that may have a table of native functions.
#define PATCH_NATIVE_TABLES 32

/// The table of the app module at `index` in `openpatch.json`: an object of PatchSDK that
/// `patchcli prepare` makes, or null. Weak here like the surface, one symbol for each module.
const void *openpatch_natives_v1(unsigned index);
const void *openpatch_natives_v1_0(void);
const void *openpatch_natives_v1_1(void);
const void *openpatch_natives_v1_2(void);
const void *openpatch_natives_v1_3(void);
const void *openpatch_natives_v1_4(void);
const void *openpatch_natives_v1_5(void);
const void *openpatch_natives_v1_6(void);
const void *openpatch_natives_v1_7(void);
const void *openpatch_natives_v1_8(void);
const void *openpatch_natives_v1_9(void);
const void *openpatch_natives_v1_10(void);
const void *openpatch_natives_v1_11(void);
const void *openpatch_natives_v1_12(void);
const void *openpatch_natives_v1_13(void);
const void *openpatch_natives_v1_14(void);
const void *openpatch_natives_v1_15(void);
const void *openpatch_natives_v1_16(void);
const void *openpatch_natives_v1_17(void);
const void *openpatch_natives_v1_18(void);
const void *openpatch_natives_v1_19(void);
const void *openpatch_natives_v1_20(void);
const void *openpatch_natives_v1_21(void);
const void *openpatch_natives_v1_22(void);
const void *openpatch_natives_v1_23(void);
const void *openpatch_natives_v1_24(void);
const void *openpatch_natives_v1_25(void);
const void *openpatch_natives_v1_26(void);
const void *openpatch_natives_v1_27(void);
const void *openpatch_natives_v1_28(void);
const void *openpatch_natives_v1_29(void);
const void *openpatch_natives_v1_30(void);
const void *openpatch_natives_v1_31(void);

#endif
