// The two ways in which a host compiler compiles a kernel file, and how headers keep their functions apart.

#pragma once

// Kernel files are compiled for the host twice: plainly, and with every load and store reported. A function that a
// header defines for them is in an inline namespace of the build, so that the linker never takes one build's function
// for the other's.
#ifdef NEGZERO_WATCHED
#define NEGZERO_BUILD watched_build
#else
#define NEGZERO_BUILD host_build
#endif

#define NEGZERO_INLINE inline __attribute__((always_inline))

// Keeps clang from making two calls of one under different conditions, and one of two: threads meet where one
// instruction calls. g++ has no such attributes, and does neither at -O1, by which files of CUDA are compiled.
#ifdef __clang__
#define NEGZERO_CONVERGENT __attribute__((convergent, nomerge))
#else
#define NEGZERO_CONVERGENT
#endif
