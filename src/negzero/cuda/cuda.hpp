// The one header of a kernel file: CUDA's own headers under nvcc, the same vocabulary on the host otherwise.
//
// A kernel file (.cu) is ordinary CUDA with three spellings, because a host compiler cannot parse the originals:
//
// clang-format off
//   __shared__ float tile[16][17];          NEGZERO_SHARED(float, tile, [16][17]);     a scalar: NEGZERO_SHARED(int, x);
//   extern __shared__ float scratch[];      NEGZERO_DYNAMIC_SHARED(float, scratch);    a float*, 1024-byte aligned
//   kernel<<<grid, block, bytes, s>>>(a);   negzero::launch(stream, kernel, grid, block, bytes, a);
// clang-format on
//
// What a launch wrapper does with device memory besides launches is a copy or a fill:
//
//   cudaMemcpyAsync(to, from, bytes, kind, s);  negzero::device_copy(stream, to, from, bytes);
//   cudaMemsetAsync(to, byte, bytes, s);        negzero::device_fill(stream, to, byte, bytes);
//
// `stream` is a negzero::engine::Stream&; launch reports failures there. Everything else is spelled as in CUDA:
// threadIdx, __syncthreads(), __shfl_down_sync(), atomicAdd(), __half, fmaxf(), float4 ... Rules:
//
//  * All but the registration is in an anonymous namespace. What must have linkage (tests do) is in
//    `namespace NEGZERO_EXECUTOR {}`, which is `cuda` under nvcc and `host` otherwise: the two objects of one file
//    would otherwise share functions silently.
//  * On the host these words live in negzero::cuda_on_host::global, opened by a using-directive at global scope: they
//    hide nothing, and everything else of the file means what it says. Names that the C library declares too, with
//    another meaning, cannot be opened like that: fmaxf, fminf, fmax, fmin and the fast functions __expf, __sinf ...
//    are macros here. Write them unqualified (never std::fmaxf), and include standard headers before or after as you
//    like. fmaf, fma, sqrtf, fabsf, isnan, expf ... are the C library's own: correctly rounded where CUDA's are.
//  * No inline PTX, no texture, no dynamic parallelism. Cooperative groups are in group_copies.hpp and group_grid.hpp,
//    8-bit floats in fp8_types.hpp, wmma in matrix.hpp, barriers and pipelines of libcu++ in pipelines.hpp. A loop that
//    waits for another thread contains an atomic, a fence, __nanosleep or a `volatile` access in the kernel's file or
//    in one that it includes by quotes (such files are compiled so that these let other threads run).
//  * (int)x of a NaN or of an out-of-range float is undefined behaviour in C++: write __float2int_rz(x), which
//    saturates in both builds. a * b + c is fused by nvcc unless -fmad=false: write fmaf or __fmul_rn.

#pragma once

#if defined(__CUDACC__) && !defined(NEGZERO_UNMODIFIED)
#include <negzero/cuda/nvcc.cuh>
#else
#include <negzero/cuda/host.hpp>
#endif
