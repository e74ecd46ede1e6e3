// What every guest exports besides its own functions, and what stands between Swift and the host.
#include "guest.h"

void __wasm_call_ctors(void);

// Run once by the host before any other export. Calling the constructors here also tells the
// linker that this is a reactor: otherwise it would run them around every single export.
OP_EXPORT("_initialize") void op_initialize(void) {
    static bool done;
    if (done) __builtin_trap();
    done = true;
    __wasm_call_ctors();
}

// A region of `size` bytes for the host to write into; 0 when there is no memory for it. A
// region of no bytes has an address too, because 0 means nil on the boundary.
OP_EXPORT("op_alloc") uint32_t op_alloc(uint32_t size) {
    return (uint32_t)(uintptr_t)op_try_malloc(size);
}

// Gives back a region that `op_alloc` or a packed result named. The length is not needed: chunks
// know their size.
OP_EXPORT("op_free") void op_free(uint32_t pointer, uint32_t length) {
    (void)length;
    free((void *)(uintptr_t)pointer);
}

OP_HOST("log.write") void op_host_log(uint32_t level, uint32_t pointer, uint32_t length);
OP_HOST("random.fill") void op_host_random(uint32_t pointer, uint32_t length);

// `print` arrives byte by byte; the host hears whole lines.
int putchar(int byte) {
    static char line[512];
    static uint32_t length;
    if (byte != '\n') line[length++] = (char)byte;
    if (byte == '\n' || length == sizeof line) {
        op_host_log(1, (uint32_t)(uintptr_t)line, length); // level 1: information
        length = 0;
    }
    return byte;
}

void arc4random_buf(void *to, size_t count) {
    op_host_random((uint32_t)(uintptr_t)to, (uint32_t)count);
}

// Swift is compiled without stack protectors: its stack lies below all data, so overflow leaves
// memory and traps. C that was compiled with them still links.
uintptr_t __stack_chk_guard = (uintptr_t)0x6f70656e70617463ull;
__attribute__((noreturn)) void __stack_chk_fail(void) { __builtin_trap(); }
