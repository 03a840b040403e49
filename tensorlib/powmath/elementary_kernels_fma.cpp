// The baseline's registers with a fused multiply-add: what DEFAULT uses on a CPU that has one. Nothing for the other capabilities.
#if defined(CPU_CAPABILITY_DEFAULT)

#undef CPU_CAPABILITY_DEFAULT
#undef CPU_CAPABILITY
#define CPU_CAPABILITY DEFAULT_FMA
#define TENSORLIB_POW_FMA
#pragma GCC target("fma")

#include "powmath/elementary_kernels.cpp"

#endif
