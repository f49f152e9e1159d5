// The host half of cuda.hpp: CUDA's keywords, variables and functions for g++ and clang.

#pragma once

#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <math.h>
#include <stdlib.h>

#include <negzero/cuda/atomic.hpp>
#include <negzero/cuda/atomic_scopes.hpp>
#include <negzero/cuda/float.hpp>
#include <negzero/cuda/float_directed.hpp>
#include <negzero/cuda/half.hpp>
#include <negzero/cuda/half_math.hpp>
#include <negzero/cuda/integer.hpp>
#include <negzero/cuda/integer_mixed.hpp>
#include <negzero/cuda/memory.hpp>
#include <negzero/cuda/simd.hpp>
#include <negzero/cuda/simd_three.hpp>
#include <negzero/cuda/special.hpp>
#include <negzero/cuda/sync.hpp>
#include <negzero/cuda/threads.hpp>
#include <negzero/cuda/to_even.hpp>
#include <negzero/cuda/types.hpp>
#include <negzero/engine/host_code.hpp>

#ifdef NEGZERO_WATCHED
#include <negzero/watch/watched_calls.hpp>
#define NEGZERO_EXECUTOR watched
#else
#define NEGZERO_EXECUTOR host
#endif

// CUDA's own headers make a thread's local variable of __shared__ when a host compiler reads them, and declare half of
// what is above once more. Included later they find themselves included.
#if defined(__CUDA_RUNTIME_H__) || defined(__HOST_DEFINES_H__) || defined(__CUDA_FP16_H__) || defined(__CUDA_BF16_H__)
#error "negzero: include <negzero/cuda/cuda.hpp> before any header of CUDA, or instead of it: it has what kernels use"
#endif
#define __CUDA_RUNTIME_H__
#define __CUDA_FP16_H__
#define __CUDA_BF16_H__
#define __shared__ _Pragma("GCC error \"write NEGZERO_SHARED(T, name, [n]) for __shared__ T name[n]\"")

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)

// const, as in CUDA: writing one does not compile.
#define threadIdx (static_cast<const ::uint3&>(::negzero::engine::current.thread_index))
#define blockIdx (static_cast<const ::uint3&>(::negzero::engine::current.block_index))
#define blockDim (static_cast<const ::dim3&>(::negzero::engine::current.block_dim))
#define gridDim (static_cast<const ::dim3&>(::negzero::engine::current.grid_dim))

// The static tag gives all threads of a block one address, and each instantiation of a template its own.
#define NEGZERO_SHARED(type, name, ...)                                               \
  using negzero_shared_type_##name = type __VA_ARGS__;                                \
  static constinit ::negzero::engine::SharedTag negzero_shared_tag_##name =           \
      ::negzero::cuda_on_host::global::shared_tag<negzero_shared_type_##name>(#name); \
  negzero_shared_type_##name& name =                                                  \
      ::negzero::cuda_on_host::global::shared_reference<negzero_shared_type_##name>(negzero_shared_tag_##name)

#define NEGZERO_DYNAMIC_SHARED(type, name) \
  type* const name = reinterpret_cast<type*>(::negzero::cuda_on_host::threads::dynamic_shared())

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

inline constexpr int warpSize = 32;

template <typename T>
consteval SharedTag shared_tag(const char* name) {
  constexpr std::size_t kRank = std::rank_v<T>;
  using Element = std::remove_cv_t<std::remove_all_extents_t<T>>;
  SharedTag tag{name, sizeof(Element), {}, nullptr};
  if constexpr (std::is_same_v<Element, float>) tag.format = "F32";
  if constexpr (std::is_same_v<Element, double>) tag.format = "F64";
  if constexpr (kRank > 0) tag.extents[0] = std::extent_v<T, kRank - 1>;
  if constexpr (kRank > 1) tag.extents[1] = std::extent_v<T, kRank - 2>;
  if constexpr (kRank > 2) tag.extents[2] = std::extent_v<T, kRank - 3>;
  return tag;
}

template <typename T>
NEGZERO_INLINE T& shared_reference(const SharedTag& tag) {
  using Element = std::remove_all_extents_t<T>;
  static_assert(std::is_trivially_default_constructible_v<Element> && std::is_trivially_destructible_v<Element>,
                "shared memory is never constructed: its elements must be trivial");
  return *reinterpret_cast<T*>(threads::shared_address(tag, sizeof(T), alignof(T)));
}

#ifdef __FMA__
inline constexpr bool kUsesFma = true;
#else
inline constexpr bool kUsesFma = false;
#endif

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global

namespace negzero {
// An inline namespace keeps this template apart from the other builds', which take the same arguments.
inline namespace NEGZERO_BUILD {

/// Runs `function` over the grid on the host and returns when all threads have ended: each calls it with a copy of
/// `arguments`. `stream` says how and keeps what became of it: engine::LaunchReport.
template <typename Function, typename... Values>
void run_grid(engine::Stream& stream, const Function& function, std::tuple<Values...> arguments, dim3 grid, dim3 block,
              std::size_t dynamic_shared_bytes) {
  struct Call {
    Function function;
    std::tuple<Values...> arguments;
  };
  const Call call{function, std::move(arguments)};
  const auto body = [](const void* data) {
    const Call& self = *static_cast<const Call*>(data);
    for (;;) {
#ifdef NEGZERO_WATCHED
      watch::start_thread();
      std::apply(self.function, self.arguments);
      watch::end_thread();
#else
      std::apply(self.function, self.arguments);
      if (!engine::advance()) engine::end_thread();
#endif
    }
  };
  engine::run_grid(stream,
                   {grid, block, dynamic_shared_bytes, cuda_on_host::global::kUsesFma, body, &call, sizeof call});
}

/// Runs `kernel` over the grid. Arguments are converted to the kernel's parameters.
template <typename... Parameters, typename... Arguments>
void launch(engine::Stream& stream, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            std::size_t dynamic_shared_bytes, Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "launch: one argument for each parameter of the kernel");
  run_grid(stream, kernel, std::tuple<std::remove_cv_t<Parameters>...>(static_cast<Parameters>(arguments)...), grid,
           block, dynamic_shared_bytes);
}

/// Copies bytes between host and device, either way or within one, after all launches before it. Host memory is
/// ordinary (not page-locked) memory: it may be used at once. Device memory cannot be touched by host code otherwise.
inline void device_copy(engine::Stream& stream, void* to, const void* from, std::size_t size_bytes) {
  engine::copy_on_host(stream, to, from, size_bytes);
}

/// Sets bytes of device memory, after all launches before it.
inline void device_fill(engine::Stream& stream, void* to, int byte, std::size_t size_bytes) {
  engine::fill_on_host(stream, to, byte, size_bytes);
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero

// NOLINTNEXTLINE: kernel files are CUDA, where all of this is global.
using namespace negzero::cuda_on_host::global;
