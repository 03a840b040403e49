// Vectorized<T>: one register of T, the same operations for every CPU capability.
//
// Everything is in a namespace of its capability: an inline function of an AVX-512 source must never stand in for the
// baseline's. Arithmetic rounds once per operation at every capability; fmadd is the only fused one.
#pragma once

#include "core/Export.h"

#if defined(CPU_CAPABILITY_AVX512)
#include "vec/vec512.h"
#elif defined(CPU_CAPABILITY_AVX2)
#include "vec/vec256.h"
#else
#include "vec/vec128.h"
#endif
