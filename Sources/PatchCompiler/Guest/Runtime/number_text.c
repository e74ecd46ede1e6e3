// Text to Double and Float, correctly rounded (to nearest, ties to even), as Swift's
// `Double(_: String)` needs it. Accepts what strtod accepts in the C locale, but no leading space.
//
// Short numbers take an exact fast path. All others are held as decimal digits and shifted by
// powers of two until the significand can be read off: slow for extreme exponents, exact always,
// and a fraction of the code and tables of a quick algorithm.
#include "guest.h"

#define MAX_DIGITS 800 // 767 digits decide any Double; the rest is only "zero or not"

typedef struct {
    int precision; // significand bits with the hidden one
    int bias;
    int bits;
} Format;

static const Format double_format = {53, 1023, 64};
static const Format float_format = {24, 127, 32};

// 0.d1 d2 d3 … x 10^point, without trailing zeros.
typedef struct {
    int count;
    int point;
    bool inexact; // digits beyond MAX_DIGITS that are not all zero
    uint8_t digits[MAX_DIGITS];
} Decimal;

static void drop_zeros(Decimal *d) {
    while (d->count && !d->digits[d->count - 1]) d->count--;
    if (!d->count) d->point = 0;
}

static void shift_right(Decimal *d, int by) {
    uint64_t value = 0;
    int read = 0, write = 0;
    while (value >> by == 0) {
        if (read < d->count) {
            value = value * 10 + d->digits[read++];
        } else {
            if (!value) break;
            value *= 10;
            read++;
        }
    }
    d->point -= read - 1;
    uint64_t mask = ((uint64_t)1 << by) - 1;
    int given = d->count;
    while (read < given || value) {
        uint8_t digit = (uint8_t)(value >> by);
        value &= mask;
        if (write < MAX_DIGITS) d->digits[write++] = digit;
        else if (digit) d->inexact = true;
        value *= 10;
        if (read < given) value += d->digits[read++];
    }
    d->count = write;
    drop_zeros(d);
}

static void shift_left(Decimal *d, int by) {
    // At most 19 more digits for 60 bits. The product is written into the same array from the
    // right, after a first pass has found how long it is.
    uint64_t carry = 0;
    for (int i = d->count - 1; i >= 0; i--) carry = (carry + ((uint64_t)d->digits[i] << by)) / 10;
    int more = 0;
    for (uint64_t rest = carry; rest; rest /= 10) more++;
    carry = 0;
    int write = d->count + more;
    d->point += more;
    int count = write > MAX_DIGITS ? MAX_DIGITS : write;
    for (int i = d->count - 1; i >= 0 || carry; i--) {
        if (i >= 0) carry += (uint64_t)d->digits[i] << by;
        uint8_t digit = (uint8_t)(carry % 10);
        carry /= 10;
        if (--write < MAX_DIGITS) d->digits[write] = digit;
        else if (digit) d->inexact = true;
    }
    d->count = count;
    drop_zeros(d);
}

static void shift(Decimal *d, int by) {
    if (!d->count) return;
    for (; by > 56; by -= 56) shift_left(d, 56);
    if (by > 0) shift_left(d, by);
    for (; by < -56; by += 56) shift_right(d, 56);
    if (by < 0) shift_right(d, -by);
}

// The integer part, rounded to nearest even; below 2^54.
static uint64_t rounded(const Decimal *d) {
    if (d->point < 0) return 0;
    uint64_t value = 0;
    for (int i = 0; i < d->point; i++) value = value * 10 + (i < d->count ? d->digits[i] : 0);
    if (d->point >= d->count) return value;
    int next = d->digits[d->point];
    bool more = d->point + 1 < d->count || d->inexact;
    return value + (next > 5 || (next == 5 && (more || (value & 1))));
}

static uint64_t infinity(Format f) {
    return (((uint64_t)1 << (f.bits - f.precision)) - 1) << (f.precision - 1);
}

static uint64_t convert(Decimal *d, Format f) {
    if (!d->count || d->point < -330) return 0;
    if (d->point > 310) return infinity(f);
    // Bring the value into 0.5 ..< 1, counting powers of two.
    int exponent = 0;
    while (d->point > 0) {
        int by = d->point > 18 ? 56 : d->point * 3;
        shift(d, -by);
        exponent += by;
    }
    while (d->point < 0 || d->digits[0] < 5) {
        int by = d->point < -18 ? 56 : d->point < 0 ? -d->point * 3 : 1;
        shift(d, by);
        exponent -= by;
    }
    exponent--; // now 1 <= value < 2 times 2^exponent
    int lowest = 1 - f.bias;
    if (exponent < lowest) {
        shift(d, exponent - lowest); // subnormal
        exponent = lowest;
    }
    shift(d, f.precision);
    uint64_t significand = rounded(d);
    if (significand >> f.precision) {
        significand >>= 1;
        exponent++;
    }
    if (exponent > f.bias) return infinity(f);
    uint64_t hidden = (uint64_t)1 << (f.precision - 1);
    if (significand < hidden) return significand;
    return ((uint64_t)(exponent + f.bias) << (f.precision - 1)) | (significand & (hidden - 1));
}

static double quick(uint64_t mantissa, int exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return exponent < 0 ? (double)mantissa / powers[-exponent]
                        : (double)mantissa * powers[exponent];
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *word(const char *text, const char *wanted) {
    for (; *wanted; text++, wanted++)
        if (lower(*text) != *wanted) return NULL;
    return text;
}

// [+-]digits after an exponent mark; leaves `text` alone when there are none.
static const char *exponent_of(const char *text, int *exponent) {
    const char *p = text + 1;
    bool negative = *p == '-';
    if (*p == '+' || *p == '-') p++;
    if (!is_digit(*p)) return text;
    int value = 0;
    for (; is_digit(*p); p++)
        if (value < 100000) value = value * 10 + (*p - '0');
    *exponent += negative ? -value : value;
    return p;
}

static const char *hexadecimal(const char *p, Format f, uint64_t *bits) {
    uint64_t mantissa = 0;
    bool sticky = false, any = false, fraction = false;
    int exponent = 0;
    for (;; p++) {
        if (*p == '.' && !fraction) {
            fraction = true;
            continue;
        }
        int digit = hex_digit(*p);
        if (digit < 0) break;
        any = true;
        if (mantissa >> 58) {
            sticky |= digit != 0;
            exponent += fraction ? 0 : 4;
        } else {
            mantissa = mantissa * 16 + (uint64_t)digit;
            exponent -= fraction ? 4 : 0;
        }
    }
    if (!any) return NULL;
    if (lower(*p) == 'p') p = exponent_of(p, &exponent);
    *bits = 0;
    if (!mantissa) return p;
    int length = 64 - __builtin_clzll(mantissa);
    int top = exponent + length - 1; // of the leading bit
    if (top > f.bias) {
        *bits = infinity(f);
        return p;
    }
    int lowest = 1 - f.bias;
    int drop = length - f.precision;
    if (top < lowest) drop += lowest - top;
    uint64_t kept;
    if (drop <= 0) {
        kept = mantissa << -drop;
    } else if (drop > 63) {
        kept = 0; // far below half of the smallest subnormal, or length <= 62 decides
    } else {
        kept = mantissa >> drop;
        uint64_t lost = mantissa & (((uint64_t)1 << drop) - 1);
        uint64_t half = (uint64_t)1 << (drop - 1);
        if (lost > half || (lost == half && (sticky || (kept & 1)))) kept++;
    }
    // Adding lets a carry run into the exponent, and infinity come out of the largest.
    uint64_t base = top < lowest ? 0 : (uint64_t)(top + f.bias - 1) << (f.precision - 1);
    *bits = base + kept;
    return p;
}

static const char *parse(const char *text, Format f, uint64_t *bits) {
    const char *p = text;
    uint64_t sign = *p == '-' ? (uint64_t)1 << (f.bits - 1) : 0;
    if (*p == '+' || *p == '-') p++;
    const char *end;
    if ((end = word(p, "inf"))) {
        const char *longer = word(end, "inity");
        *bits = infinity(f) | sign;
        return longer ? longer : end;
    }
    if ((end = word(p, "nan"))) {
        uint64_t quiet = (uint64_t)1 << (f.precision - 2);
        uint64_t payload = 0;
        if (*end == '(') {
            const char *q = end + 1;
            bool hex = *q == '0' && lower(q[1]) == 'x';
            if (hex) q += 2;
            for (; hex ? hex_digit(*q) >= 0 : is_digit(*q); q++)
                payload = payload * (hex ? 16 : 10) + (uint64_t)hex_digit(*q);
            if (*q == ')') end = q + 1;
        }
        *bits = infinity(f) | quiet | (payload & (quiet - 1)) | sign;
        return end;
    }
    if (*p == '0' && lower(p[1]) == 'x') {
        end = hexadecimal(p + 2, f, bits);
        if (end) {
            *bits |= sign;
            return end;
        }
    }
    Decimal decimal = {.count = 0};
    uint64_t mantissa = 0;
    int digits = 0, scale = 0;
    bool any = false, fraction = false;
    for (;; p++) {
        if (*p == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!is_digit(*p)) break;
        any = true;
        int digit = *p - '0';
        if (fraction) scale--;
        if (!digits && !digit) continue; // leading zero
        if (digits < 19) mantissa = mantissa * 10 + (uint64_t)digit;
        if (digits < MAX_DIGITS) decimal.digits[digits] = (uint8_t)digit;
        else decimal.inexact |= digit != 0;
        if (digits < 0x3fffffff) digits++;
    }
    if (!any) return NULL;
    int exponent = 0;
    if (lower(*p) == 'e') p = exponent_of(p, &exponent);
    scale += exponent;
    if (!digits) {
        *bits = sign;
        return p;
    }
    if (f.precision == 53 && digits <= 19 && mantissa >> 53 == 0 && scale >= -22 && scale <= 22) {
        double value = quick(mantissa, scale);
        __builtin_memcpy(bits, &value, 8);
    } else {
        decimal.count = digits < MAX_DIGITS ? digits : MAX_DIGITS;
        decimal.point = digits + scale;
        drop_zeros(&decimal);
        *bits = convert(&decimal, f);
    }
    *bits |= sign;
    return p;
}

const char *_swift_stdlib_strtod_clocale(const char *text, double *out) {
    uint64_t bits;
    const char *end = parse(text, double_format, &bits);
    if (end) __builtin_memcpy(out, &bits, 8);
    return end;
}

const char *_swift_stdlib_strtof_clocale(const char *text, float *out) {
    uint64_t bits;
    const char *end = parse(text, float_format, &bits);
    uint32_t narrow = (uint32_t)bits;
    if (end) __builtin_memcpy(out, &narrow, 4);
    return end;
}
