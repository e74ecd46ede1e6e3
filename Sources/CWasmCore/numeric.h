// Numeric semantics that C does not give by itself (core specification 2.0, section 4.3).
#ifndef WC_NUMERIC_H
#define WC_NUMERIC_H

// Only headers that a compiler brings itself, so that the core compiles without any SDK.
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uintptr_t uptr;

static inline double f64_of(u64 v) {
    double x;
    __builtin_memcpy(&x, &v, 8);
    return x;
}
static inline u64 f64_bits(double x) {
    u64 v;
    __builtin_memcpy(&v, &x, 8);
    return v;
}
static inline float f32_of(u64 v) {
    float x;
    u32 w = (u32)v;
    __builtin_memcpy(&x, &w, 4);
    return x;
}
static inline u64 f32_bits(float x) {
    u32 v;
    __builtin_memcpy(&v, &x, 4);
    return v;
}

// Square root without errno, where the compiler offers it.
#if defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_sqrt)
#define WC_SQRT(x) __builtin_elementwise_sqrt(x)
#endif
#endif

// Sign operations work on bits, so that a NaN keeps its payload. Rounding quiets a NaN, which the
// library functions need not do. Where it is no instruction but a call into the C library, that
// stays out of the handlers.
#if defined(__aarch64__)
#define ROUNDING static inline
#else
#define ROUNDING static __attribute__((noinline))
#endif
#define WC_FLOAT(T, C, U, BITS, OF, SIGN, SUFFIX)                                                 \
    static inline C T##_abs(C x) { return OF(BITS(x) & ~(U)(SIGN)); }                             \
    static inline C T##_neg(C x) { return OF(BITS(x) ^ (U)(SIGN)); }                              \
    static inline C T##_copysign(C x, C y) {                                                      \
        return OF((BITS(x) & ~(U)(SIGN)) | (BITS(y) & (U)(SIGN)));                                \
    }                                                                                             \
    ROUNDING C T##_ceil(C x) {                                                                    \
        return x != x ? x + x : __builtin_ceil##SUFFIX(x);                                        \
    }                                                                                             \
    ROUNDING C T##_floor(C x) {                                                                   \
        return x != x ? x + x : __builtin_floor##SUFFIX(x);                                       \
    }                                                                                             \
    ROUNDING C T##_trunc(C x) {                                                                   \
        return x != x ? x + x : __builtin_trunc##SUFFIX(x);                                       \
    }                                                                                             \
    ROUNDING C T##_nearest(C x) {                                                                 \
        return x != x ? x + x : __builtin_rint##SUFFIX(x);                                        \
    }                                                                                             \
    static inline C T##_min(C x, C y) {                                                           \
        if (x < y) return x;                                                                      \
        if (y < x) return y;                                                                      \
        if (x == y) return OF(BITS(x) | BITS(y));                                                 \
        return x + y;                                                                             \
    }                                                                                             \
    static inline C T##_max(C x, C y) {                                                           \
        if (x > y) return x;                                                                      \
        if (y > x) return y;                                                                      \
        if (x == y) return OF(BITS(x) & BITS(y));                                                 \
        return x + y;                                                                             \
    }

WC_FLOAT(f32, float, u64, f32_bits, f32_of, 0x80000000u, f)
WC_FLOAT(f64, double, u64, f64_bits, f64_of, 0x8000000000000000u, )

#ifdef WC_SQRT
static inline float f32_sqrt(float x) { return WC_SQRT(x); }
static inline double f64_sqrt(double x) { return WC_SQRT(x); }
#else
static inline float f32_sqrt(float x) { return __builtin_sqrtf(x); }
static inline double f64_sqrt(double x) { return __builtin_sqrt(x); }
#endif

#endif
