// The interpreter's core: instruction handlers and the records that they read.
//
// Nothing here allocates, throws or knows of Swift objects. The caller owns every record; the core
// runs until something needs the caller and then *leaves* with a wc_exit, its state saved in the
// context. wc_resume continues. Host functions, translation at first call, growth and limits all
// work this way, so guest and host never share native stack frames.
#ifndef C_WASM_CORE_H
#define C_WASM_CORE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wc_context wc_context;
typedef struct wc_instr wc_instr;

typedef uint32_t (*wc_handler)(const wc_instr *pc, uint64_t *fp, uint8_t *mem, uint64_t lim,
                               wc_context *ctx, uint64_t r, double f, float g);

// One instruction of the register code: 16 bytes. `handler` is a function pointer where the
// compiler can guarantee tail calls, else the opcode.
struct wc_instr {
    union {
        wc_handler handler;
        uint64_t opcode;
    };
    union {
        uint64_t w;
        struct {
            uint16_t d, a;
            union {
                int32_t imm;
                struct {
                    uint16_t b, c;
                };
            };
        };
    };
};

// The code of one function of a module, shared by all its instances and threads. `entry` first
// names the shared stub and is replaced once, with a release store. The first instruction is a
// header that is never executed: d = parameters, a = locals to clear, imm = slots of the frame.
typedef struct wc_code {
    const wc_instr *entry;
} wc_code;

typedef struct wc_memory {
    uint8_t *bytes;
    uint64_t length;
} wc_memory;

typedef struct wc_table {
    uint64_t *elements;
    uint64_t count;
} wc_table;

typedef struct wc_instance wc_instance;

// A function as a value: what tables and references hold. `code` is null for a host function.
typedef struct wc_function {
    wc_code *code;
    wc_instance *instance;
    uint32_t type;
    uint16_t parameters, results;
    uint32_t identity;    // of a host function: its number; else its index in the module
    uint32_t references;  // whether references are among its parameters and results
} wc_function;

struct wc_instance {
    wc_code *code;  // by index among the functions that the module defines
    uint64_t *globals;
    uint64_t **imported_globals;
    wc_table **tables;
    const uint32_t *types;  // the store's numbers of the module's function types
    wc_memory *memory;      // never null; a module without memory has an empty one
    wc_function **imports;
    uint32_t identity;
    uint32_t dead;
    uint32_t limited;  // whether calls from the host have limits of the instance's own
};

struct wc_context {
    int64_t fuel;  // backward branches and calls until the caller wants to be asked
    uint64_t *stack_end;
    // Copies of the running instance's fields.
    wc_code *code;
    uint64_t *globals;
    wc_table **tables;
    const uint32_t *types;
    wc_instance *instance;
    // Where execution stands while the core is left.
    const wc_instr *pc;
    uint64_t *fp;
    uint64_t r;
    double f;
    float g;
    uint32_t detail;  // a wc_trap, a wc_service, or the fuel that WC_EXIT_fuel still needs
    const wc_function *callee;   // of WC_EXIT_host; of WC_EXIT_call if in another instance
    const wc_code *callee_code;  // of WC_EXIT_call
};

enum {
    WC_EXIT_done,
    WC_EXIT_trap,     // detail names it
    WC_EXIT_call,     // callee_code is not translated yet, or the stack is full; resume retries
    WC_EXIT_host,     // callee is a host function; arguments at wc_call_base
    WC_EXIT_fuel,     // fuel is below zero; refill and resume
    WC_EXIT_service,  // detail names it; the caller does it and resumes after pc
};

enum {
    WC_TRAP_unreachable,
    WC_TRAP_divide_by_zero,
    WC_TRAP_integer_overflow,
    WC_TRAP_invalid_conversion,
    WC_TRAP_memory_bounds,
    WC_TRAP_table_bounds,
    WC_TRAP_undefined_element,
    WC_TRAP_uninitialized_element,
    WC_TRAP_type_mismatch,
    WC_TRAP_instance_dead,
};

enum {
    WC_SERVICE_memory_grow,
    WC_SERVICE_memory_init,
    WC_SERVICE_data_drop,
    WC_SERVICE_table_init,
    WC_SERVICE_elem_drop,
    WC_SERVICE_table_copy,
    WC_SERVICE_table_grow,
    WC_SERVICE_table_fill,
    WC_SERVICE_ref_func,
    // Only in code that was translated for a store with an observer.
    WC_SERVICE_probe_enter,
    WC_SERVICE_probe_leave,
};

// Classes of wasm operators, for the translator.
enum {
    WC_NONE,
    WC_COMMUTATIVE,
    WC_BINARY,
    WC_DIVISION,
    WC_COMPARE,
    WC_FLOAT_COMMUTATIVE,
    WC_FLOAT_BINARY,
    WC_FLOAT_COMPARE,
    WC_UNARY,
    WC_LOAD,
    WC_STORE,
};

// What the translator must know of one wasm operator.
typedef struct wc_operator {
    uint8_t kind;      // one of the classes above
    uint8_t input;     // value types as in the binary format
    uint8_t output;
    uint8_t aux;       // loads and stores: log2 of the width in bytes
    uint16_t base;     // first IR opcode of the family
    uint16_t extra;    // comparisons: first branch; loads and stores: first with 64-bit addresses
    uint16_t swapped;  // comparisons: operator with exchanged operands
    uint16_t inverse;  // integer comparisons: operator with the opposite result
} wc_operator;

// Flags of IR opcodes.
enum {
    WC_READS_R = 1,
    WC_READS_F = 2,
    WC_READS_G = 4,
    WC_WRITES_R = 8,
    WC_WRITES_F = 16,
    WC_WRITES_G = 32,
    WC_WIDE = 64,      // a constant follows in the next instruction's operand word
    WC_BRANCHES = 128, // imm is a distance
    WC_ENDS = 256,     // control does not fall through
    WC_HOLE = 512,     // never executed, and has no handler
};

// Rows by wasm opcode; 0xFC xx is at 0x100 + xx.
const wc_operator *wc_operators(void);
// Flags by IR opcode.
const uint16_t *wc_opcode_flags(void);
// What to put into wc_instr.opcode, by IR opcode.
uint64_t wc_encoded_opcode(uint32_t opcode);
// Names by IR opcode, for listings.
const char *wc_opcode_name(uint32_t opcode);
uint32_t wc_opcode_count(void);
// Whether handlers are threaded with tail calls (else one switch).
bool wc_is_threaded(void);
// Puts one handler in the place of another, before anything is translated. There in threaded debug
// builds and with OPENPATCH_MUTATION only: it shows whether some test needs each handler.
void wc_replace_handler(uint32_t opcode, uint32_t by);

// What an untranslated function's entry names.
const wc_instr *wc_stub(void);
static inline void wc_publish(wc_code *code, const wc_instr *entry) {
    __atomic_store_n(&code->entry, entry, __ATOMIC_RELEASE);
}
static inline const wc_instr *wc_entry(const wc_code *code) {
    return __atomic_load_n(&code->entry, __ATOMIC_ACQUIRE);
}

// Calls `function` (not a host function) with its arguments at `fp`; results are left there.
uint32_t wc_call(wc_context *ctx, const wc_function *function, uint64_t *fp);
// Continues where the core was left: at the saved pc, or after it.
uint32_t wc_resume(wc_context *ctx);
uint32_t wc_resume_after(wc_context *ctx);
// Makes `instance` the running one.
static inline void wc_enter_instance(wc_context *ctx, wc_instance *instance) {
    ctx->instance = instance;
    ctx->code = instance->code;
    ctx->globals = instance->globals;
    ctx->tables = instance->tables;
    ctx->types = instance->types;
}
// Where the arguments of the call that the core was left at begin.
static inline uint64_t *wc_call_base(const wc_context *ctx) {
    return ctx->fp + (uint16_t)ctx->pc->w;
}

// Walking frames. `pc` is a call instruction; these say whether it is one of the two artificial
// ones, which stand below the outermost frame and between frames of different instances.
bool wc_is_outermost(const wc_instr *pc);
bool wc_is_crossing(const wc_instr *pc);
// Words that a call into another instance puts before the arguments.
enum { WC_CROSSING_WORDS = 3 };

// Whether the frame of the call that the core was left at fits the stack. The callee is translated.
static inline bool wc_call_fits(const wc_context *ctx) {
    const wc_instr *entry = wc_entry(ctx->callee_code);
    const uint64_t *frame = wc_call_base(ctx) + (ctx->callee ? WC_CROSSING_WORDS : 0);
    return (uint64_t)(uintptr_t)frame + ((uint64_t)(uint32_t)entry->imm << 3)
           <= (uint64_t)(uintptr_t)ctx->stack_end;
}

// A flag that one thread sets and another reads.
typedef struct wc_flag {
    uint32_t value;
} wc_flag;
static inline void wc_flag_set(wc_flag *flag) {
    __atomic_store_n(&flag->value, 1, __ATOMIC_RELEASE);
}
static inline bool wc_flag_is_set(const wc_flag *flag) {
    return __atomic_load_n(&flag->value, __ATOMIC_ACQUIRE) != 0;
}

#endif
