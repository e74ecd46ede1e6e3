// Floating-point operations that Swift's standard library calls by their C names because wasm
// has no instruction for them. All of them are exact; they use no approximation.
#include "guest.h"

static uint64_t bits_of(double value) {
    uint64_t bits;
    __builtin_memcpy(&bits, &value, 8);
    return bits;
}

static double from_bits(uint64_t bits) {
    double value;
    __builtin_memcpy(&value, &bits, 8);
    return value;
}

// Half away from zero. The difference to the truncated value is exact.
double round(double value) {
    double whole = __builtin_trunc(value);
    if (__builtin_fabs(value - whole) >= 0.5) whole += __builtin_copysign(1.0, value);
    return whole;
}

float roundf(float value) {
    float whole = __builtin_truncf(value);
    if (__builtin_fabsf(value - whole) >= 0.5f) whole += __builtin_copysignf(1.0f, value);
    return whole;
}

// Significand and exponent of a finite number other than 0: value = significand * 2^exponent.
static uint64_t split(double value, int *exponent) {
    uint64_t bits = bits_of(value) & 0x7fffffffffffffffull;
    int field = (int)(bits >> 52);
    uint64_t fraction = bits & 0xfffffffffffffull;
    *exponent = (field ? field : 1) - 1075;
    return field ? fraction | 1ull << 52 : fraction;
}

// significand * 2^exponent for a result that is exact; significand < 2^53.
static double scale(uint64_t significand, int exponent) {
    if (!significand) return 0;
    while (!(significand >> 52) && exponent > -1074) {
        significand <<= 1;
        exponent--;
    }
    if (!(significand >> 52)) return from_bits(significand);
    return from_bits((uint64_t)(exponent + 1075) << 52 | (significand & 0xfffffffffffffull));
}

// |x| mod |y| with the lowest bit of the quotient; both finite, y not 0.
static double modulo(double x, double y, bool *odd) {
    int ex, ey;
    uint64_t mx = split(x, &ex), my = split(y, &ey);
    *odd = false;
    if (__builtin_fabs(x) < __builtin_fabs(y)) return __builtin_fabs(x);
    // Align to the smaller exponent; the divisor's trailing zeros make ex >= ey sure to help.
    while (ey > ex) {
        my <<= 1;
        ey--;
    }
    uint64_t rest = mx % my;
    *odd = mx / my & 1;
    // Eleven bits at a time: rest < 2^53.
    for (int left = ex - ey; left > 0;) {
        int by = left < 11 ? left : 11;
        rest <<= by;
        *odd = rest / my & 1;
        rest %= my;
        left -= by;
    }
    return scale(rest, ey);
}

double fmod(double x, double y) {
    if (x - x != 0 || y != y || y == 0) return __builtin_nan("");
    if (x == 0 || y - y != 0) return x;
    bool odd;
    return __builtin_copysign(modulo(x, y, &odd), x);
}

float fmodf(float x, float y) { return (float)fmod(x, y); }

double remainder(double x, double y) {
    if (x - x != 0 || y != y || y == 0) return __builtin_nan("");
    if (x == 0 || y - y != 0) return x;
    bool odd;
    double rest = modulo(x, y, &odd), size = __builtin_fabs(y);
    // Compare rest with size - rest: twice the rest could overflow, the difference is exact
    // where it decides.
    double other = size - rest;
    if (rest > other || (rest == other && odd)) rest = -other;
    return __builtin_signbit(x) ? (rest == 0 ? -0.0 : -rest) : rest;
}

float remainderf(float x, float y) { return (float)remainder(x, y); }

// x * y + z with one rounding, in integers.
double fma(double x, double y, double z) {
    if (x - x != 0 || y - y != 0 || x == 0 || y == 0) return x * y + z;
    if (z - z != 0) return z; // x * y may overflow to the opposite infinity
    int ex, ey, ez;
    uint64_t mx = split(x, &ex), my = split(y, &ey);
    bool negative = __builtin_signbit(x) != __builtin_signbit(y);
    unsigned __int128 product = (unsigned __int128)mx * my; // below 2^106
    int exponent = ex + ey;
    bool sticky = false;
    if (z != 0) {
        uint64_t mz = split(z, &ez);
        bool subtract = negative != (bool)__builtin_signbit(z);
        unsigned __int128 addend = mz;
        // Both to one exponent, the larger number shifted up as far as it goes and the smaller
        // one down, its lost bits remembered.
        int room_product = __builtin_clzll((uint64_t)(product >> 64)) - 2;
        if (!(product >> 64)) room_product = 62 + __builtin_clzll((uint64_t)product);
        int room_addend = 62 + __builtin_clzll(mz);
        int gap = exponent - ez;
        if (gap > 0) {
            int up = gap < room_product ? gap : room_product;
            product <<= up;
            exponent -= up;
            gap -= up;
            if (gap > 127) gap = 127;
            sticky = gap && (addend & (((unsigned __int128)1 << gap) - 1)) != 0;
            addend >>= gap;
        } else {
            gap = -gap;
            int up = gap < room_addend ? gap : room_addend;
            addend <<= up;
            ez -= up;
            gap -= up;
            if (gap > 127) gap = 127;
            bool lost = gap && (product & (((unsigned __int128)1 << gap) - 1)) != 0;
            product >>= gap;
            exponent = ez;
            // The product is now the smaller one; when it is subtracted its lost bits count
            // against the addend.
            if (subtract) {
                if (addend >= product + lost) {
                    product = addend - product - lost;
                    negative = !negative;
                } else {
                    product = product - addend;
                }
            } else {
                product += addend;
            }
            sticky = lost;
            addend = 0;
            subtract = false;
        }
        if (subtract) {
            if (product >= addend + sticky) {
                product = product - addend - sticky;
            } else {
                product = addend - product;
                negative = !negative;
            }
        } else {
            product += addend;
        }
    }
    if (!product && !sticky) {
        // An exact zero is positive unless both parts were negative.
        double sum = x * y + z;
        return sum == 0 ? sum : 0.0;
    }
    uint64_t upper = (uint64_t)(product >> 64);
    int length = upper ? 128 - __builtin_clzll(upper)
                       : product ? 64 - __builtin_clzll((uint64_t)product) : 0;
    int drop = length - 53;
    if (exponent + drop < -1074) drop = -1074 - exponent;
    uint64_t kept;
    if (drop <= 0) {
        kept = (uint64_t)product << -drop;
    } else if (drop > 127) {
        kept = 0;
    } else {
        kept = (uint64_t)(product >> drop);
        unsigned __int128 lost = product & (((unsigned __int128)1 << drop) - 1);
        unsigned __int128 half = (unsigned __int128)1 << (drop - 1);
        if (lost > half || (lost == half && (sticky || (kept & 1)))) kept++;
    }
    exponent += drop;
    if (kept >> 53) {
        kept >>= 1;
        exponent++;
    }
    double result = exponent > 971 && kept ? __builtin_inf() : scale(kept, exponent);
    return negative ? -result : result;
}

// A Float product is exact in Double. The sum is rounded to odd, so that the second rounding,
// to Float, sees which side of a tie the exact value lies on.
float fmaf(float x, float y, float z) {
    double product = (double)x * y, sum = product + z;
    uint64_t bits = bits_of(sum);
    if (sum - sum != 0 || (bits & 1)) return (float)sum;
    double part = sum - product;
    double error = (product - (sum - part)) + (z - part);
    if (error == 0) return (float)sum;
    if (sum == 0) return (float)error;
    return (float)from_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
