#include "CPatchGate.h"

#include <stddef.h>

uint8_t patch_gate[PATCH_GATE_COUNT];

__attribute__((weak)) const char *openpatch_surface_v1(void) { return NULL; }

#define TABLE(number)                                                                              \
    __attribute__((weak)) const void *openpatch_natives_v1_##number(void) { return NULL; }
TABLE(0)
TABLE(1)
TABLE(2)
TABLE(3)
TABLE(4)
TABLE(5)
TABLE(6)
TABLE(7)
TABLE(8)
TABLE(9)
TABLE(10)
TABLE(11)
TABLE(12)
TABLE(13)
TABLE(14)
TABLE(15)
TABLE(16)
TABLE(17)
TABLE(18)
TABLE(19)
TABLE(20)
TABLE(21)
TABLE(22)
TABLE(23)
TABLE(24)
TABLE(25)
TABLE(26)
TABLE(27)
TABLE(28)
TABLE(29)
TABLE(30)
TABLE(31)

const void *openpatch_natives_v1(unsigned index) {
    switch (index) {
    case 0: return openpatch_natives_v1_0();
    case 1: return openpatch_natives_v1_1();
    case 2: return openpatch_natives_v1_2();
    case 3: return openpatch_natives_v1_3();
    case 4: return openpatch_natives_v1_4();
    case 5: return openpatch_natives_v1_5();
    case 6: return openpatch_natives_v1_6();
    case 7: return openpatch_natives_v1_7();
    case 8: return openpatch_natives_v1_8();
    case 9: return openpatch_natives_v1_9();
    case 10: return openpatch_natives_v1_10();
    case 11: return openpatch_natives_v1_11();
    case 12: return openpatch_natives_v1_12();
    case 13: return openpatch_natives_v1_13();
    case 14: return openpatch_natives_v1_14();
    case 15: return openpatch_natives_v1_15();
    case 16: return openpatch_natives_v1_16();
    case 17: return openpatch_natives_v1_17();
    case 18: return openpatch_natives_v1_18();
    case 19: return openpatch_natives_v1_19();
    case 20: return openpatch_natives_v1_20();
    case 21: return openpatch_natives_v1_21();
    case 22: return openpatch_natives_v1_22();
    case 23: return openpatch_natives_v1_23();
    case 24: return openpatch_natives_v1_24();
    case 25: return openpatch_natives_v1_25();
    case 26: return openpatch_natives_v1_26();
    case 27: return openpatch_natives_v1_27();
    case 28: return openpatch_natives_v1_28();
    case 29: return openpatch_natives_v1_29();
    case 30: return openpatch_natives_v1_30();
    case 31: return openpatch_natives_v1_31();
    default: return NULL;
    }
}
