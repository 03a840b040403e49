// Lanes: the registers of a capability, and one lane for the scalar form, behind the same operations.
//
// pow's arithmetic (pow_float.h, pow_double.h) is written once over them. Every operation is exact or rounds once, to nearest, so the
// same sequence gives the same bits everywhere. A type of lanes L has L::scalar, L::Mask, L::Bits (integers of the lanes' width), L::size,
//   + - * / (not of one lane) < <= ==, load, store (with a count: the first lanes; others are loaded as 1), and as functions:
//   fma, fms, fnma     a * b + c, a * b - c, c - a * b, rounded once
//   short_fma, _fms   the same where the exact result needs 53 bits at most
//   bits_of, from_bits the pattern of a value and back
//   exponent_units     the integer of an isolated exponent field as a number, in units of 1 / L::exponent_unit
//   lookup             table[index & (size - 1)]
//   not_ordinary       not positive, normal and finite
//   not_below          not a < b, so true for nan
//   lanes_of           bit i: lane i
// CPU_CAPABILITY names the namespace; the registers follow what the compiler may use.
// Everything has internal linkage: a function of an AVX-512 object must never stand in for the baseline's.
#pragma once

/// For what is to be one straight piece of code in a loop. Without optimisation every function keeps its frame.
#if defined(__OPTIMIZE__)
#define TENSORLIB_POW_INLINE [[gnu::always_inline]] inline
#else
#define TENSORLIB_POW_INLINE inline
#endif

#include "powmath/lanes_one.h"

#if defined(__AVX512F__)
#include "powmath/lanes_avx512.h"
#elif defined(__AVX2__)
#include "powmath/lanes_avx2.h"
#else
#include "powmath/lanes_sse2.h"
#endif
