// Dispatch. Each handler ends in a guaranteed tail call to the next one; where the compiler cannot
// guarantee that, the same handlers are compiled as the cases of one switch
// (-DOPENPATCH_WASM_SWITCH forces it).
#include "CWasmCore.h"
#include "numeric.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#if !defined(OPENPATCH_WASM_SWITCH)
#if defined(__has_attribute)
#if __has_attribute(musttail)
#define WC_THREADED 1
#endif
#endif
#endif

#define ARGS                                                                                      \
    const wc_instr *pc, u64 *fp, u8 *mem, u64 lim, wc_context *ctx, u64 r, double f, float g
#define VALUES pc, fp, mem, lim, ctx, r, f, g

enum {
#define OP(k, name, ...) OP_##name = k,
#include "handlers.inc"
#undef OP
};

// --- Leaving ---

static inline void save(ARGS) {
    (void)mem;
    (void)lim;
    ctx->pc = pc;
    ctx->fp = fp;
    ctx->r = r;
    ctx->f = f;
    ctx->g = g;
}

#define LEAVE(name, code, ...)                                                                    \
    static __attribute__((noinline)) u32 name(ARGS) {                                             \
        __VA_ARGS__;                                                                              \
        save(VALUES);                                                                             \
        return code;                                                                              \
    }
LEAVE(exit_done, WC_EXIT_done, )
LEAVE(exit_call, WC_EXIT_call, )
LEAVE(exit_host, WC_EXIT_host, )
LEAVE(exit_fuel, WC_EXIT_fuel, ctx->detail = 0)
// Calls that cannot go on have moved `fp` already. They are retried, so they move it back; one that
// ran out of fuel pays after the refill.
LEAVE(exit_fuel_call, WC_EXIT_fuel, fp -= pc->d; ctx->fuel++; ctx->detail = 1)
LEAVE(exit_call_direct, WC_EXIT_call, fp -= pc->d; ctx->callee = 0;
      ctx->callee_code = ctx->code + (u32)pc->imm)
LEAVE(exit_call_same, WC_EXIT_call, fp -= pc->d; ctx->callee_code = ctx->callee->code;
      ctx->callee = 0)
#define TRAPS(X)                                                                                  \
    X(unreachable)                                                                                \
    X(divide_by_zero)                                                                             \
    X(integer_overflow)                                                                           \
    X(invalid_conversion)                                                                         \
    X(memory_bounds)                                                                              \
    X(table_bounds)                                                                               \
    X(undefined_element)                                                                          \
    X(uninitialized_element)                                                                      \
    X(type_mismatch)                                                                              \
    X(instance_dead)
#define X(name) LEAVE(trap_##name, WC_EXIT_trap, ctx->detail = WC_TRAP_##name)
TRAPS(X)
#undef X
#define SERVICES(X)                                                                               \
    X(memory_grow)                                                                                \
    X(memory_init)                                                                                \
    X(data_drop)                                                                                  \
    X(table_init)                                                                                 \
    X(elem_drop)                                                                                  \
    X(table_copy)                                                                                 \
    X(table_grow)                                                                                 \
    X(table_fill)                                                                                 \
    X(ref_func)                                                                                   \
    X(probe_enter)                                                                                \
    X(probe_leave)
#define X(name) LEAVE(service_##name, WC_EXIT_service, ctx->detail = WC_SERVICE_##name)
SERVICES(X)
#undef X

// --- Steps that handlers are made of ---

#ifdef WC_THREADED
#define TAIL(h)                                                                                   \
    { __attribute__((musttail)) return (h)(VALUES); }
#define GO TAIL(pc->handler)
#else
#define TAIL(h)                                                                                   \
    { return (h)(VALUES); }
#define GO                                                                                        \
    { goto dispatch; }
#endif

#define NEXT                                                                                      \
    {                                                                                             \
        pc++;                                                                                     \
        GO                                                                                        \
    }
#define NEXT2                                                                                     \
    {                                                                                             \
        pc += 2;                                                                                  \
        GO                                                                                        \
    }
#define TRAP(name) TAIL(trap_##name)
#define EXIT(name) TAIL(exit_##name)
#define SERVICE(name) TAIL(service_##name)
#define ZERO(y)                                                                                   \
    if (UNLIKELY((y) == 0)) TRAP(divide_by_zero)

// Distances are in bytes. A backward branch pays one unit of fuel; one to itself is backward too.
// The subtraction wraps, which lets one instruction subtract and test.
#define PAY(exit)                                                                                 \
    ctx->fuel = (i64)((u64)ctx->fuel - 1);                                                        \
    if (UNLIKELY(ctx->fuel < 0)) TAIL(exit)
#define JUMP                                                                                      \
    {                                                                                             \
        pc = (const wc_instr *)((const u8 *)pc + pc->imm);                                        \
        GO                                                                                        \
    }
#define REPEAT                                                                                    \
    {                                                                                             \
        pc = (const wc_instr *)((const u8 *)pc + pc->imm);                                        \
        PAY(exit_fuel)                                                                            \
        GO                                                                                        \
    }
#define REPEAT_NEAR                                                                               \
    {                                                                                             \
        pc += (i16)pc->c;                                                                         \
        PAY(exit_fuel)                                                                            \
        GO                                                                                        \
    }
#define EITHER(condition, taken, other)                                                           \
    {                                                                                             \
        if (condition) taken                                                                      \
        other                                                                                     \
    }
#define BRANCH(c) EITHER(c, JUMP, NEXT)
#define BRANCH2(c) EITHER(c, JUMP, NEXT2)
#define LOOP(c) EITHER(c, REPEAT, NEXT)
#define LOOP2(c) EITHER(c, REPEAT, NEXT2)
#define LOOP_NEAR(c) EITHER(c, REPEAT_NEAR, NEXT)
#define LOOP_NEAR2(c) EITHER(c, REPEAT_NEAR, NEXT2)

#define CHECK(ea, n)                                                                              \
    if (UNLIKELY((ea) + (n) > lim)) TRAP(memory_bounds)
// `ea` was a sum with `addend`. A sum just below 2^64 would pass CHECK by wrapping, hence the
// second comparison.
#define CARRY(ea, addend)                                                                         \
    if (UNLIKELY((ea) < (addend) || (ea) > lim)) TRAP(memory_bounds)
#define RANGE(at, n)                                                                              \
    if (UNLIKELY((n) > lim || (at) > lim - (n))) TRAP(memory_bounds)
// Bulk operations pay one unit for each 4 KiB, so that fuel bounds time.
#define BULK(n) ctx->fuel -= (i64)((n) >> 12);
#define LOAD(x) __builtin_memcpy(&x, mem + ea, sizeof x);
#define STORE(x) __builtin_memcpy(mem + ea, &x, sizeof x);

// --- Calls ---
//
// What a function's entry names is read through its address, which orders the two reads on every
// processor; ThreadSanitizer does not know that, and is told with an acquiring load.
#define ENTRY_ORDER __ATOMIC_RELAXED
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef ENTRY_ORDER
#define ENTRY_ORDER __ATOMIC_ACQUIRE
#endif
#endif
//
// Frames overlap: arguments are the callee's first locals. The word after them holds the address
// of the call instruction, whose low operand is the distance to the caller's frame. An
// untranslated function's entry claims a frame that never fits, so that one comparison finds both
// a full stack and a missing translation.

#define FRAME(t)                                                                                  \
    {                                                                                             \
        fp[(t)->d] = (u64)(uptr)pc;                                                               \
        pc = (t);                                                                                 \
        if (pc->a) CLEAR_LOCALS                                                                   \
        NEXT                                                                                      \
    }
// In 64 bits whatever the size of a pointer, so that the sum cannot wrap.
#define FITS(nf, n) ((u64)(uptr)(nf) + ((u64)(u32)(n) << 3) <= (u64)(uptr)ctx->stack_end)
#define CALL_CODE(c, slow)                                                                        \
    {                                                                                             \
        const wc_instr *t = __atomic_load_n(&(c)->entry, ENTRY_ORDER);                              \
        fp += pc->d;                                                                              \
        if (UNLIKELY(!FITS(fp, t->imm))) slow                                                     \
        PAY(exit_fuel_call)                                                                       \
        FRAME(t)                                                                                  \
    }
#define CALL_FUNCTION(F)                                                                          \
    {                                                                                             \
        if (UNLIKELY((F)->instance != ctx->instance)) {                                           \
            ctx->callee = (F);                                                                    \
            FOREIGN                                                                               \
        }                                                                                         \
        CALL_CODE((F)->code, {                                                                    \
            ctx->callee = (F);                                                                    \
            TAIL(exit_call_same)                                                                  \
        })                                                                                        \
    }
#define CALL_INDIRECT(T, i)                                                                       \
    {                                                                                             \
        if (UNLIKELY((i) >= (T)->count)) TRAP(undefined_element)                                  \
        const wc_function *F = (const wc_function *)(uptr)(T)->elements[i];                       \
        if (UNLIKELY(!F)) TRAP(uninitialized_element)                                             \
        if (UNLIKELY(F->type != ctx->types[(u32)pc->imm])) TRAP(type_mismatch)                                \
        CALL_FUNCTION(F)                                                                          \
    }
#define RETURN(...)                                                                               \
    {                                                                                             \
        const wc_instr *back = (const wc_instr *)(uptr)fp[pc->d];                                 \
        __VA_ARGS__                                                                               \
        fp -= back->d;                                                                            \
        pc = back;                                                                                \
        NEXT                                                                                      \
    }
#define CROSS_RETURN                                                                              \
    {                                                                                             \
        const wc_function *F = (const wc_function *)(uptr)fp[-3];                                 \
        wc_enter_instance(ctx, (wc_instance *)(uptr)fp[-2]);                                      \
        pc = (const wc_instr *)(uptr)fp[-1];                                                      \
        for (u32 k = 0; k < F->results; k++) fp[(i32)k - 3] = fp[k];                              \
        fp -= 3 + pc->d;                                                                          \
        mem = ctx->instance->memory->bytes;                                                       \
        lim = ctx->instance->memory->length;                                                      \
        NEXT                                                                                      \
    }

// Whether handlers can be exchanged, to see whether a test notices (Docs/internals/fuzzing.md).
#if defined(WC_THREADED) && (defined(DEBUG) || defined(OPENPATCH_MUTATION))
#define WC_MUTABLE
#else
#define WC_MUTABLE const
#endif

// Rows of artificial code; in the threaded build they hold handlers, which are defined below.
static const wc_instr stub[1];
static WC_MUTABLE wc_instr outermost[2];
static WC_MUTABLE wc_instr crossing[2];

// Puts [callee, caller's instance, call instruction] before the arguments and enters the callee's
// instance. Answers the callee's header, or null when it cannot be called yet.
static const wc_instr *cross(const wc_instr *pc, u64 *base, wc_context *ctx) {
    const wc_function *F = ctx->callee;
    const wc_instr *t = __atomic_load_n(&F->code->entry, ENTRY_ORDER);
    ctx->callee_code = F->code;
    if (!FITS(base + WC_CROSSING_WORDS, t->imm)) return 0;
    if (--ctx->fuel < 0) return 0;
    __builtin_memmove(base + WC_CROSSING_WORDS, base, F->parameters * sizeof(u64));
    base[0] = (u64)(uptr)F;
    base[1] = (u64)(uptr)ctx->instance;
    base[2] = (u64)(uptr)pc;
    wc_enter_instance(ctx, F->instance);
    return t;
}

// Clears the locals of a new frame that may be read before they are assigned. The barrier keeps the
// compiler from calling memset for a few words.
static inline void clear(const wc_instr *pc, u64 *fp) {
    u64 *at = fp + pc->d;
    for (u32 n = pc->a; n; n--) {
        *++at = 0;
        __asm__ volatile("" ::: "memory");
    }
}

#ifdef WC_THREADED

// A handler that calls nothing needs no stack frame, but SwiftPM asks for frame pointers in every
// function on Linux. Compilers set a frame up on those paths only that need it, when some path
// does: so there is one, never taken, to which no instruction leads. Other platforms ask for frame
// pointers only in functions that call others.
#if defined(__linux__) && defined(__OPTIMIZE__) && defined(__clang__)
#define FRAMELESS                                                                                 \
    __asm__ goto("" : : : : framed);                                                              \
    if (0) {                                                                                      \
    framed:                                                                                       \
        __asm__ volatile("" ::: "memory");                                                        \
        __builtin_unreachable();                                                                  \
    }
#else
#define FRAMELESS
#endif

// Apart from the calls themselves, which then need no registers of their own for it.
static __attribute__((noinline)) u32 clear_locals(ARGS) {
    clear(pc, fp);
    NEXT
}
#define CLEAR_LOCALS TAIL(clear_locals)
#define FOREIGN TAIL(call_foreign)

static u32 call_foreign(ARGS) {
    const wc_function *F = ctx->callee;
    if (!F->code) TAIL(exit_host)
    if (F->instance->dead) TAIL(trap_instance_dead)
    const wc_instr *t = cross(pc, fp + pc->d, ctx);
    if (!t && ctx->fuel >= 0) TAIL(exit_call)
    fp += pc->d;
    if (!t) TAIL(exit_fuel_call)
    mem = F->instance->memory->bytes;
    lim = F->instance->memory->length;
    fp += WC_CROSSING_WORDS;
    pc = crossing;
    FRAME(t)
}

// In ELF the table of handlers holds their distances from it: addresses would be three times as
// large in the file, and set anew at each start of each app.
#if defined(__ELF__) && !defined(DEBUG) && !defined(OPENPATCH_MUTATION)
#define WC_DISTANCES 1
#define HANDLER static __attribute__((used)) u32
#else
#define HANDLER static u32
#endif

#define OP(k, name, ...)                                                                          \
    HANDLER h_##name(ARGS) { FRAMELESS __VA_ARGS__ }
#include "handlers.inc"
#undef OP

#ifdef WC_DISTANCES
extern const int32_t wc_handler_distances[] __attribute__((visibility("hidden")));
#define DISTANCE(name) ".long h_" #name " - wc_handler_distances\n"
__asm__(".pushsection .rodata.wc_handler_distances, \"a\", %progbits\n"
        ".balign 4\n"
        "wc_handler_distances:\n"
#define OP(k, name, ...) DISTANCE(name)
#define HOLE(k, name) DISTANCE(unreachable)
#include "handlers.inc"
#undef OP
        ".popsection\n");
static wc_handler handler(u32 opcode) {
    const char *base = (const char *)wc_handler_distances;
    return (wc_handler)(uptr)(base + wc_handler_distances[opcode]);
}
#else
static WC_MUTABLE wc_handler handlers[] = {
#define OP(k, name, ...) h_##name,
#define HOLE(k, name) h_unreachable,
#include "handlers.inc"
#undef OP
};
static wc_handler handler(u32 opcode) { return handlers[opcode]; }
#endif

static const wc_instr stub[1] = {{.handler = h_unreachable, .imm = -1}};
static WC_MUTABLE wc_instr outermost[2] = {{.handler = h_start}, {.handler = h_halt}};
static WC_MUTABLE wc_instr crossing[2] = {{.handler = h_unreachable}, {.handler = h_cross_return}};

static u32 run(ARGS) { return pc->handler(VALUES); }
uint64_t wc_encoded_opcode(uint32_t opcode) {
    wc_instr i = {.opcode = 0};
    i.handler = handler(opcode);
    return i.opcode;
}
bool wc_is_threaded(void) { return true; }
#if defined(DEBUG) || defined(OPENPATCH_MUTATION)
void wc_replace_handler(uint32_t opcode, uint32_t by) {
    handlers[opcode] = handlers[by];
    if (opcode == OP_start) outermost[0].handler = handlers[by];
    if (opcode == OP_halt) outermost[1].handler = handlers[by];
    if (opcode == OP_cross_return) crossing[1].handler = handlers[by];
}
#endif

#else

static const wc_instr stub[1] = {{.opcode = OP_unreachable, .imm = -1}};
static const wc_instr outermost[2] = {{.opcode = OP_start}, {.opcode = OP_halt}};
static const wc_instr crossing[2] = {{.opcode = OP_unreachable}, {.opcode = OP_cross_return}};

#define CLEAR_LOCALS clear(pc, fp);
#define FOREIGN goto foreign;

static u32 run(ARGS) {
dispatch:
    switch (pc->opcode) {
#define OP(k, name, ...)                                                                          \
    case k: {                                                                                     \
        __VA_ARGS__                                                                               \
    }
#include "handlers.inc"
#undef OP
    default:
        return trap_unreachable(VALUES);
    }
foreign: {
    const wc_function *F = ctx->callee;
    if (!F->code) TAIL(exit_host)
    if (F->instance->dead) TAIL(trap_instance_dead)
    const wc_instr *t = cross(pc, fp + pc->d, ctx);
    if (!t && ctx->fuel >= 0) TAIL(exit_call)
    fp += pc->d;
    if (!t) TAIL(exit_fuel_call)
    mem = F->instance->memory->bytes;
    lim = F->instance->memory->length;
    fp += WC_CROSSING_WORDS;
    pc = crossing;
    FRAME(t)
}
}
uint64_t wc_encoded_opcode(uint32_t opcode) { return opcode; }
bool wc_is_threaded(void) { return false; }

#endif

// --- Entry ---

static u32 enter(wc_context *ctx, const wc_instr *pc) {
    const wc_memory *m = ctx->instance->memory;
    return run(pc, ctx->fp, m->bytes, m->length, ctx, ctx->r, ctx->f, ctx->g);
}

uint32_t wc_call(wc_context *ctx, const wc_function *function, uint64_t *fp) {
    wc_enter_instance(ctx, function->instance);
    ctx->fp = fp;
    ctx->r = (u64)(uptr)function;
    return enter(ctx, outermost);
}

uint32_t wc_resume(wc_context *ctx) { return enter(ctx, ctx->pc); }
uint32_t wc_resume_after(wc_context *ctx) { return enter(ctx, ctx->pc + 1); }

const wc_instr *wc_stub(void) { return stub; }
bool wc_is_outermost(const wc_instr *pc) { return pc == outermost; }
bool wc_is_crossing(const wc_instr *pc) { return pc == crossing; }

// --- Tables for the translator ---

static const wc_operator operators[0x110] = {
#define ROW(code, kind, in, out, aux, base, extra, swapped, inverse)                              \
    [code] = {kind, in, out, aux, base, extra, swapped, inverse},
#include "optable.inc"
#undef ROW
};
static const uint16_t flags[] = {
#define FLAGS(x) x,
#include "optable.inc"
#undef FLAGS
};
// One after the other, because a table of pointers is three times as large and has to be relocated.
static const char names[] =
#define OP(k, name, ...) #name "\0"
#define HOLE(k, name) #name "\0"
#include "handlers.inc"
#undef OP
    ;
enum {
    OPCODES =
#define OP(k, name, ...) +1
#define HOLE(k, name) +1
#include "handlers.inc"
#undef OP
};
const wc_operator *wc_operators(void) { return operators; }
const uint16_t *wc_opcode_flags(void) { return flags; }
uint32_t wc_opcode_count(void) { return OPCODES; }
const char *wc_opcode_name(uint32_t opcode) {
    const char *name = opcode < OPCODES ? names : "?";
    for (u32 i = opcode < OPCODES ? opcode : 0; i; i--)
        while (*name++) {}
    return name;
}
