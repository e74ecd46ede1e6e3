#include "CWasmCore.h"
