// Memory functions that compilers call. Bulk-memory instructions do the work: one instruction of
// the interpreter instead of a loop.
#include "guest.h"

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    __builtin_memcpy(to, from, count);
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    __builtin_memmove(to, from, count);
    return to;
}

void *memset(void *to, int value, size_t count) {
    __builtin_memset(to, value, count);
    return to;
}

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *a = left, *b = right;
    // Eight bytes at a time while they are equal; wasm loads need no alignment.
    for (; count >= 8; count -= 8, a += 8, b += 8) {
        uint64_t x, y;
        __builtin_memcpy(&x, a, 8);
        __builtin_memcpy(&y, b, 8);
        if (x != y) break;
    }
    for (; count; count--, a++, b++)
        if (*a != *b) return *a - *b;
    return 0;
}

size_t strlen(const char *text) {
    const char *end = text;
    while (*end) end++;
    return (size_t)(end - text);
}
