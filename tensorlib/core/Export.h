// Attributes that the layout of frames depends on.
#pragma once

// A function that must keep a frame of its own although one caller uses it: the optimiser would fold it into that caller.
#define TENSORLIB_NOINLINE [[gnu::noinline]]

// The namespace of the capability a kernel unit is compiled for; the build defines CPU_CAPABILITY as DEFAULT, AVX2 or AVX512 for those
// units.
#ifndef CPU_CAPABILITY
#define CPU_CAPABILITY DEFAULT
#endif
