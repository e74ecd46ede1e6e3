// Strings that another runtime stores in UTF-16 do not exist in a module, and neither do positions
// that come from them. The library asks for them everywhere, so what would serve them is linked
// into nearly every module; these stand in its place. The parameters are those that Swift's calling
// convention gives the functions, with its two registers at the end. Where another version of the
// library calls them otherwise, nothing refers to these and they are left out; so are all of them for wasm32, whose words are
// shorter.

#if defined(__wasm64__)

#define TRAPS(result, name, ...) \
    result name(__VA_ARGS__) __asm__(symbol_##name); \
    result name(__VA_ARGS__) { __builtin_trap(); }

typedef long long word;

#define symbol_slow_index "$es11_StringGutsV27_slowEnsureMatchingEncodingySS5IndexVAEF"
TRAPS(word, slow_index, word index, word guts, word object, word self, word error)

#define symbol_foreign_count "$eSS8UTF8ViewV13_foreignCountSiyF"
TRAPS(word, foreign_count, word guts, word object, word self, word error)

#define symbol_foreign_append \
    "$es11_StringGutsV21_foreignAppendInPlace33_408A76AB043BD3EFBAB6FAAAAA9B4914LLyys01_aB5SliceVF"
TRAPS(void, foreign_append, word a, word b, word c, word d, word self, word error)

#define symbol_foreign_grow \
    "$es11_StringGutsV12_foreignGrow33_408A76AB043BD3EFBAB6FAAAAA9B4914LLyySiF"
TRAPS(void, foreign_grow, word count, word self, word error)

#define symbol_foreign_distance "$eSS8UTF8ViewV16_foreignDistance4from2toSiSS5IndexV_AGtF"
TRAPS(word, foreign_distance, word from, word to, word guts, word object, word self, word error)

#define symbol_foreign_offset "$eSS8UTF8ViewV13_foreignIndex_8offsetBySS0D0VAF_SitF"
TRAPS(word, foreign_offset, word index, word by, word guts, word object, word self, word error)

#define symbol_foreign_align "$es11_StringGutsV18foreignScalarAlignySS5IndexVAEF"
TRAPS(word, foreign_align, word index, word guts, word object, word self, word error)

#endif
