// Calls of a watched kernel file that are led to other functions than those that the compiler names.

#pragma once

// A kernel's own calls, those that a compiler makes of loops and struct copies after it has placed the reports, and
// those that clang's instrumentation makes of its intrinsics: all of them name the C library's functions, and only the
// assembler sees them all. A macro or a declaration under these names would miss the second and the third kind. The
// references may be weak: the definitions are beside __tsan_init, which every watched object needs.
__asm__(
    ".weakref memcpy, negzero_watched_memcpy\n"
    ".weakref memmove, negzero_watched_memmove\n"
    ".weakref memset, negzero_watched_memset\n");

// Loads of which the source may read a part only (folded.cpp).
#ifndef __clang__
__asm__(
    ".weakref __tsan_read2, negzero_watched_read2\n"
    ".weakref __tsan_read4, negzero_watched_read4\n"
    ".weakref __tsan_read8, negzero_watched_read8\n");
#endif
