#ifndef C_WASM_CORE_H
#define C_WASM_CORE_H
#endif
