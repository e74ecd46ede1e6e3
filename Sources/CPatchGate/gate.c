#include "CPatchGate.h"

#include <stddef.h>

uint8_t patch_gate[PATCH_GATE_COUNT];

__attribute__((weak)) const char *openpatch_surface_v1(void) { return NULL; }
