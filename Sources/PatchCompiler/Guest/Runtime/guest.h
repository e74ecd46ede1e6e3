// Shared declarations of the guest runtime. It stands on the compiler alone: no libc headers.
#ifndef OPENPATCH_GUEST_H
#define OPENPATCH_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A function of the host: wasm module `openpatch`, field `<capability>.<function>`.
#define OP_HOST(name) __attribute__((import_module("openpatch"), import_name(name)))

// A function that the module exports, whoever links it.
#define OP_EXPORT(name) __attribute__((export_name(name), used))

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *pointer, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);
void free(void *pointer);

// Like malloc, but answers NULL instead of trapping when memory is exhausted.
void *op_try_malloc(size_t size);

#endif
