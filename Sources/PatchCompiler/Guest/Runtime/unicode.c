// What the standard library looks up to compare and hash texts beyond ASCII, answered by the host:
// the tables would be half of a small module. Linked in place of the toolchain's own tables when a
// build asks for it (GuestBuildOptions.unicode).
#include "guest.h"

// Bit 0: it has a canonical decomposition; bits 1 and 2: it may change in composed form; above: its
// combining class.
OP_HOST("unicode.normalization") uint32_t op_host_normalization(uint32_t scalar);
// The scalar that two compose to, or the largest number.
OP_HOST("unicode.composition") uint32_t op_host_composition(uint32_t first, uint32_t second);
// Writes the canonical decomposition in UTF-8 and answers its length; 0 for none.
OP_HOST("unicode.decomposition")
uint32_t op_host_decomposition(uint32_t scalar, uint32_t pointer, uint32_t capacity);

uint16_t _swift_stdlib_getNormData(uint32_t scalar) {
    return (uint16_t)op_host_normalization(scalar);
}

uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) {
    return op_host_composition(first, second);
}

// The library reads an entry from here right after it asked for it: the length, then the text.
static uint8_t decomposition[64];
const uint8_t *const _swift_stdlib_nfd_decompositions = decomposition;

// Low 18 bits: the scalar that the entry is for; above: where it is. Another scalar means none.
uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) {
    uint32_t length = op_host_decomposition(
        scalar, (uint32_t)(uintptr_t)(decomposition + 1), sizeof decomposition - 1);
    if (length == 0 || length >= sizeof decomposition) return (scalar ^ 1) & 0x3ffff;
    decomposition[0] = (uint8_t)length;
    return scalar & 0x3ffff;
}
