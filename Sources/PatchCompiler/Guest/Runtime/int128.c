// 128-bit arithmetic that the compiler calls by name. Only 64-bit operations are used here, so
// that no function calls itself.
#include "guest.h"

typedef __int128 Int128;
typedef unsigned __int128 UInt128;

static uint64_t high(UInt128 value) { return (uint64_t)(value >> 64); }
static uint64_t low(UInt128 value) { return (uint64_t)value; }
static UInt128 join(uint64_t upper, uint64_t lower) { return (UInt128)upper << 64 | lower; }

// 64 x 64 -> 128 from 32-bit halves.
static UInt128 multiply_wide(uint64_t a, uint64_t b) {
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
    return join(p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32),
                middle << 32 | (uint32_t)p00);
}

Int128 __multi3(Int128 a, Int128 b) {
    UInt128 x = (UInt128)a, y = (UInt128)b;
    UInt128 product = multiply_wide(low(x), low(y));
    return (Int128)join(high(product) + low(x) * high(y) + high(x) * low(y), low(product));
}

Int128 __ashlti3(Int128 value, int count) {
    uint64_t h = high((UInt128)value), l = low((UInt128)value);
    if (count == 0) return value;
    if (count >= 64) return (Int128)join(l << (count - 64), 0);
    return (Int128)join(h << count | l >> (64 - count), l << count);
}

Int128 __lshrti3(Int128 value, int count) {
    uint64_t h = high((UInt128)value), l = low((UInt128)value);
    if (count == 0) return value;
    if (count >= 64) return (Int128)join(0, h >> (count - 64));
    return (Int128)join(h >> count, h << (64 - count) | l >> count);
}

Int128 __ashrti3(Int128 value, int count) {
    int64_t h = (int64_t)high((UInt128)value);
    uint64_t l = low((UInt128)value);
    if (count == 0) return value;
    if (count >= 64) return (Int128)join((uint64_t)(h >> 63), (uint64_t)(h >> (count - 64)));
    return (Int128)join((uint64_t)(h >> count), (uint64_t)h << (64 - count) | l >> count);
}

// (upper:lower) / divisor for upper < divisor: schoolbook division with two 32-bit digits.
static uint64_t divide_narrow(uint64_t upper, uint64_t lower, uint64_t divisor,
                              uint64_t *remainder) {
    int shift = __builtin_clzll(divisor);
    divisor <<= shift;
    if (shift) {
        upper = upper << shift | lower >> (64 - shift);
        lower <<= shift;
    }
    uint64_t d1 = divisor >> 32, d0 = (uint32_t)divisor;
    uint64_t digits[2] = {lower >> 32, (uint32_t)lower};
    uint64_t quotient = 0, rest = upper;
    for (int i = 0; i < 2; i++) {
        uint64_t q = rest / d1, r = rest % d1;
        while (q >> 32 || q * d0 > (r << 32 | digits[i])) {
            q--;
            r += d1;
            if (r >> 32) break;
        }
        rest = (rest << 32 | digits[i]) - q * divisor;
        quotient = quotient << 32 | q;
    }
    *remainder = rest >> shift;
    return quotient;
}

static UInt128 divide(UInt128 a, UInt128 b, UInt128 *remainder) {
    uint64_t bh = high(b), bl = low(b), ah = high(a), al = low(a);
    if (!bh) {
        if (!bl) __builtin_trap();
        uint64_t rest;
        uint64_t upper = ah / bl;
        uint64_t lower;
        if (!ah) {
            lower = al / bl;
            rest = al % bl;
        } else {
            lower = divide_narrow(ah % bl, al, bl, &rest);
        }
        *remainder = rest;
        return join(upper, lower);
    }
    if (a < b) {
        *remainder = a;
        return 0;
    }
    // The divisor has more than 64 bits, so the quotient has fewer than 64: estimate it from the
    // normalised upper half, at most one too large.
    int shift = __builtin_clzll(bh);
    uint64_t top = shift ? bh << shift | bl >> (64 - shift) : bh;
    uint64_t ignored;
    uint64_t estimate = divide_narrow(ah >> 1, ah << 63 | al >> 1, top, &ignored);
    estimate = estimate >> (63 - shift);
    if (estimate) estimate--;
    UInt128 rest = a - (UInt128)__multi3((Int128)b, (Int128)(UInt128)estimate);
    if (rest >= b) {
        estimate++;
        rest -= b;
    }
    *remainder = rest;
    return estimate;
}

UInt128 __udivti3(UInt128 a, UInt128 b) {
    UInt128 rest;
    return divide(a, b, &rest);
}

UInt128 __umodti3(UInt128 a, UInt128 b) {
    UInt128 rest;
    divide(a, b, &rest);
    return rest;
}

static UInt128 magnitude(Int128 value) { return value < 0 ? -(UInt128)value : (UInt128)value; }

Int128 __divti3(Int128 a, Int128 b) {
    UInt128 rest;
    UInt128 quotient = divide(magnitude(a), magnitude(b), &rest);
    return (Int128)((a < 0) != (b < 0) ? -quotient : quotient);
}

Int128 __modti3(Int128 a, Int128 b) {
    UInt128 rest;
    divide(magnitude(a), magnitude(b), &rest);
    return (Int128)(a < 0 ? -rest : rest);
}

Int128 __muloti4(Int128 a, Int128 b, int *overflow) {
    UInt128 x = magnitude(a), y = magnitude(b);
    bool negative = (a < 0) != (b < 0);
    UInt128 product = (UInt128)__multi3((Int128)x, (Int128)y);
    bool wide = high(x) && high(y);
    if (!wide && (high(x) || high(y))) {
        UInt128 crossed = high(x) ? multiply_wide(high(x), low(y)) : multiply_wide(high(y), low(x));
        UInt128 lower = multiply_wide(low(x), low(y));
        wide = high(crossed) || low(crossed) + high(lower) < low(crossed);
    }
    UInt128 limit = (UInt128)1 << 127;
    *overflow = wide || product > (negative ? limit : limit - 1);
    return (Int128)(negative ? -product : product);
}

// MARK: Conversions, rounding to nearest, ties to even

// The bits of `value` as a float with `precision` significand bits; `bias` of the exponent.
static uint64_t to_float(UInt128 value, int precision, int bias) {
    if (!value) return 0;
    int length = high(value) ? 128 - __builtin_clzll(high(value))
                             : 64 - __builtin_clzll(low(value));
    int excess = length - precision;
    uint64_t significand;
    if (excess <= 0) {
        significand = low(value) << -excess;
    } else {
        UInt128 kept = (UInt128)__lshrti3((Int128)value, excess);
        UInt128 lost = value - (UInt128)__ashlti3((Int128)kept, excess);
        UInt128 half = (UInt128)__ashlti3(1, excess - 1);
        significand = low(kept);
        if (lost > half || (lost == half && (significand & 1))) significand++;
    }
    // A carry out of the significand runs into the exponent, as it must.
    return ((uint64_t)(length - 1 + bias - 1) << (precision - 1)) + significand;
}

static double double_of(uint64_t bits) {
    double value;
    __builtin_memcpy(&value, &bits, 8);
    return value;
}

static float float_of(uint64_t bits) {
    // UInt128.max rounds to 2^128, which is beyond Float: infinity, and the carry gives it.
    uint32_t narrow = (uint32_t)bits;
    float value;
    __builtin_memcpy(&value, &narrow, 4);
    return value;
}

double __floatuntidf(UInt128 value) { return double_of(to_float(value, 53, 1023)); }
float __floatuntisf(UInt128 value) { return float_of(to_float(value, 24, 127)); }

double __floattidf(Int128 value) {
    double result = __floatuntidf(magnitude(value));
    return value < 0 ? -result : result;
}

float __floattisf(Int128 value) {
    float result = __floatuntisf(magnitude(value));
    return value < 0 ? -result : result;
}

// Swift checks ranges before it converts; out of range saturates here.
UInt128 __fixunsdfti(double value) {
    if (!(value >= 1)) return 0;
    uint64_t bits;
    __builtin_memcpy(&bits, &value, 8);
    int exponent = (int)(bits >> 52) - 1023;
    if (exponent >= 128) return ~(UInt128)0;
    uint64_t significand = (bits & 0xfffffffffffffull) | 1ull << 52;
    if (exponent <= 52) return significand >> (52 - exponent);
    return (UInt128)__ashlti3((Int128)(UInt128)significand, exponent - 52);
}

Int128 __fixdfti(double value) {
    double size = __builtin_fabs(value);
    UInt128 limit = (UInt128)1 << 127;
    UInt128 result = __fixunsdfti(size);
    if (result >= limit) return (Int128)(value < 0 ? limit : limit - 1);
    return (Int128)(value < 0 ? -result : result);
}

UInt128 __fixunssfti(float value) { return __fixunsdfti(value); }
Int128 __fixsfti(float value) { return __fixdfti(value); }
