// What a CUDA file finds that is compiled for the host as its author wrote it, after the source step (negzero/source).
//
// The step leaves every line where it is and respells five things that no host compiler reads: launches, declarations
// of shared memory, threadIdx and its kind, PTX that reads %laneid or converts to a byte, and host code that does not
// compile; and it takes away the cast of a kernel that a function of the runtime launches. This header has what
// it spells them with. It comes first, before any header of the file; those of the CUDA toolkit are found in
// negzero/cuda/toolkit.

#pragma once

// For headers of negzero: nvcc does not compile this, whatever __CUDACC__ says below.
#define NEGZERO_UNMODIFIED 1

// C++20 has lerp() at global scope, and C++17, which nvcc compiles by default, has not: it may be the author's.
#define lerp negzero_lerp_of_std
#include <cmath>

#include <math.h>
#undef lerp
// A call of clock() is one of negzero_device_clock(), below: on a device it counts cycles.
#pragma redefine_extname clock negzero_device_clock
#include <cassert>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <negzero/cuda/cuda.hpp>
#include <negzero/cuda/runtime.hpp>

#define __CUDACC__ 1
// What nvcc 13 compiles for where no architecture is named.
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 750
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 48
#endif
// Of CUDA 13.0, as cuda_runtime_api.h has it, which nvcc includes by itself.
#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif
#undef __shared__
#define __shared__ negzero_did_not_respell_this_shared_declaration
#define __managed__
#define __maxnreg__(...)
#define __restrict __restrict__
#define __builtin_assume(condition) static_cast<void>(0)
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
// nvcc gives it to structs and to declarations alike, before and behind their names.
#undef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))

// The step respells them in device code; host code may give these names to variables of its own.
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

namespace negzero {

NEGZERO_INLINE const uint3& thread_index() { return engine::current.thread_index; }
NEGZERO_INLINE const uint3& block_index() { return engine::current.block_index; }
NEGZERO_INLINE const dim3& block_dim() { return engine::current.block_dim; }
NEGZERO_INLINE const dim3& grid_dim() { return engine::current.grid_dim; }

extern "C" __attribute__((used)) inline clock_t negzero_device_clock() { return cuda_on_host::threads::clock_count(); }

// What PTX's special registers say of the running thread's lane.
NEGZERO_INLINE unsigned special_register_laneid() { return engine::current.linear_thread % 32; }
NEGZERO_INLINE unsigned special_register_lanemask_eq() { return 1u << special_register_laneid(); }
NEGZERO_INLINE unsigned special_register_lanemask_lt() { return special_register_lanemask_eq() - 1; }
NEGZERO_INLINE unsigned special_register_lanemask_ge() { return ~special_register_lanemask_lt(); }
NEGZERO_INLINE unsigned special_register_lanemask_le() {
  return special_register_lanemask_lt() | special_register_lanemask_eq();
}
NEGZERO_INLINE unsigned special_register_lanemask_gt() { return ~special_register_lanemask_le(); }

/// PTX's conversion to a signed byte, extended to the register that takes it: to nearest even, saturating, 0 for NaN
/// (PTX ISA, cvt).
NEGZERO_INLINE int cvt_rni_sat_s8_f32(float x) {
  const float rounded = std::rint(x);
  return x != x ? 0 : rounded < -128 ? -128 : rounded > 127 ? 127 : static_cast<int>(rounded);
}

inline namespace NEGZERO_BUILD {

/// Shared memory of the type T. Constructors of its elements never run: CUDA permits empty ones alone.
template <typename T>
NEGZERO_INLINE T& shared_memory(const engine::SharedTag& tag, std::size_t alignment) {
  static_assert(std::is_trivially_destructible_v<std::remove_all_extents_t<T>>,
                "shared memory is never constructed and never destroyed");
  return *reinterpret_cast<T*>(cuda_on_host::threads::shared_address(tag, sizeof(T), alignment));
}

/// A launch that waits for its arguments: launch_of(kernel, grid, block, bytes, stream)(arguments).
template <typename Function>
struct Launch {
  Function function;
  dim3 grid, block;
  std::size_t dynamic_shared_bytes;

  /// Runs it in the stream that the launch wrapper was given, whatever stream the file names: the host has one.
  template <typename... Arguments>
  void operator()(Arguments&&... arguments) const {
    engine::Stream* const stream = engine::Stream::of_wrapper();
    if (stream == nullptr) return;
    run_grid(*stream, function, std::tuple<std::decay_t<Arguments>...>(std::forward<Arguments>(arguments)...), grid,
             block, dynamic_shared_bytes);
  }
};

template <typename Function>
Launch<Function> launch_of(Function function, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                           cudaStream_t = nullptr) {
  return {std::move(function), grid, block, dynamic_shared_bytes};
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero

// `typedef T negzero_type_NAME[N];` lies before each of these: a type takes the alignment that the author gives it,
// which a template's argument would lose.
#define NEGZERO_SHARED_TAG(name)                                            \
  static constinit ::negzero::engine::SharedTag negzero_shared_tag_##name = \
      ::negzero::cuda_on_host::global::shared_tag<negzero_type_##name>(#name)
#define NEGZERO_SHARED_OF(name) \
  (::negzero::shared_memory<negzero_type_##name>(negzero_shared_tag_##name, alignof(negzero_type_##name)))
#define NEGZERO_SHARED_NAME(name) \
  NEGZERO_SHARED_TAG(name);       \
  negzero_type_##name& name = NEGZERO_SHARED_OF(name)

#define NEGZERO_DYNAMIC_SHARED_OF(name) \
  (*reinterpret_cast<negzero_type_##name*>(::negzero::cuda_on_host::threads::dynamic_shared()))
#define NEGZERO_DYNAMIC_SHARED_NAME(name) negzero_type_##name& name = NEGZERO_DYNAMIC_SHARED_OF(name)

#include <negzero/cuda/runtime_launches.hpp>
