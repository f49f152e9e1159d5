// Fragments of nvcuda::wmma on the host: tiles of matrices that lie in pieces with the 32 lanes of a warp.
//
// CUDA leaves open which lane has which element. Here a lane has successive ones, of a row of A or of an accumulator
// and of a column of B, so that the pieces of all lanes one behind the other are the tile. What code does to each x[i]
// alike is right with any arrangement; code that knows the one of a GPU is not portable, and is wrong here.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <negzero/cuda/half.hpp>
#include <negzero/cuda/sync.hpp>

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace nvcuda::wmma {
inline namespace NEGZERO_BUILD {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

namespace details {

using negzero::cuda_on_host::global::__half;
using negzero::cuda_on_host::global::__nv_bfloat16;
using negzero::engine::CallSite;
namespace threads = negzero::cuda_on_host::threads;

template <typename T>
using Element = std::conditional_t<std::is_same_v<T, precision::tf32>, float, T>;

/// Shapes and types of the programming guide's table (CUDA C++ Programming Guide 13, 10.24.6).
template <typename Use, int M, int N, int K, typename T>
constexpr bool has_fragment() {
  constexpr bool kIsSum = std::is_same_v<Use, accumulator>;
  constexpr bool kIsWide = (M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32);
  if (std::is_same_v<T, double>) return M == 8 && N == 8 && K == 4;
  if (M == 16 && N == 16 && K == 8) return std::is_same_v<T, std::conditional_t<kIsSum, float, precision::tf32>>;
  if (!kIsWide || K != 16) return false;
  if (std::is_same_v<T, __half>) return true;
  if (kIsSum) return std::is_same_v<T, float> || std::is_same_v<T, int>;
  return std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char>;
}

/// A tile as lines of elements: rows of A and of an accumulator, columns of B.
template <typename Use, int M, int N, int K>
struct Tile {
  static constexpr int kLines = std::is_same_v<Use, matrix_b> ? N : M;
  static constexpr int kLength = std::is_same_v<Use, accumulator> ? N : K;
  static constexpr int kPerLane = kLines * kLength / 32;
};

/// x of a fragment. Factors of __half take 16 places in CUDA whatever their shape: there each element comes again after
/// kPerLane places.
template <typename Use, int M, int N, int K, typename T>
inline constexpr int kPlaces =
    std::is_same_v<T, __half> && !std::is_same_v<Use, accumulator> ? 16 : Tile<Use, M, N, K>::kPerLane;

/// Waits until all lanes of the warp have come, and hands each the `size_bytes` bytes at `piece` of all. Orders no
/// memory: CUDA promises as little.
NEGZERO_INLINE void gather(const void* piece, void* all, std::size_t size_bytes, CallSite site) {
  const negzero::engine::Gathering gathering{piece, all, size_bytes};
  negzero::engine::WarpRequest request;
  request.value = reinterpret_cast<std::uintptr_t>(&gathering);
  request.mask = 0xffffffffu;
  request.operand = static_cast<std::uint32_t>(size_bytes);
  request.kind = negzero::engine::WarpKind::Gather;
  threads::exchange(request, site);
}
NEGZERO_INLINE void wait_for_warp(CallSite site) { gather(nullptr, nullptr, 0, site); }

/// Calls visit(i, offset) for each element of this lane: its place in the fragment, and in memory.
template <typename Tile, typename Visit>
NEGZERO_INLINE void for_each_element(bool lines_are_contiguous, std::size_t ldm, Visit visit) {
  const int lane = static_cast<int>(negzero::engine::current.linear_thread % 32);
  for (int i = 0; i < Tile::kPerLane; ++i) {
    const int element = lane * Tile::kPerLane + i;
    const auto line = static_cast<std::size_t>(element / Tile::kLength);
    const auto at = static_cast<std::size_t>(element % Tile::kLength);
    visit(i, lines_are_contiguous ? line * ldm + at : at * ldm + line);
  }
}

}  // namespace details

/// A lane's part of a tile.
template <typename Use, int M, int N, int K, typename T, typename Layout = void>
class fragment {
  static_assert(details::has_fragment<Use, M, N, K, T>(),
                "negzero: CUDA has no fragment of this shape and type, or one of 4-bit or 1-bit numbers, which the "
                "host has not");
  static_assert(std::is_same_v<Use, accumulator> == std::is_void_v<Layout>,
                "a layout is given for matrix_a and matrix_b, and for no accumulator");

 public:
  using element_type = details::Element<T>;
  using storage_element_type = element_type;
  enum { num_elements = details::kPlaces<Use, M, N, K, T>, num_storage_elements = num_elements };
  element_type x[num_elements];
};

template <typename Use, int M, int N, int K, typename T, typename Layout>
NEGZERO_INLINE void fill_fragment(fragment<Use, M, N, K, T, Layout>& f,
                                  const std::type_identity_t<details::Element<T>>& value) {
  for (auto& x : f.x) x = value;
}

/// Waits for all lanes, and reads the lane's elements. `ldm` counts elements. That the tile begins at a multiple of 32
/// bytes, as CUDA requires, is not checked: no GPU is known to.
template <typename Use, int M, int N, int K, typename T, typename Layout>
requires(!std::is_same_v<Use, accumulator>) NEGZERO_INLINE
    void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const std::type_identity_t<details::Element<T>>* from,
                          unsigned ldm, NEGZERO_CALL_SITE) {
  using Tile = details::Tile<Use, M, N, K>;
  constexpr bool kRows = std::is_same_v<Layout, row_major>, kIsA = std::is_same_v<Use, matrix_a>;
  details::wait_for_warp({file, line, column});
  details::for_each_element<Tile>(kRows == kIsA, ldm, [&](int i, std::size_t at) { f.x[i] = from[at]; });
  for (int i = Tile::kPerLane; i < f.num_elements; ++i) f.x[i] = f.x[i - Tile::kPerLane];
}
template <int M, int N, int K, typename T>
NEGZERO_INLINE void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const std::type_identity_t<T>* from,
                                     unsigned ldm, layout_t layout, NEGZERO_CALL_SITE) {
  details::wait_for_warp({file, line, column});
  details::for_each_element<details::Tile<accumulator, M, N, K>>(layout == mem_row_major, ldm,
                                                                 [&](int i, std::size_t at) { f.x[i] = from[at]; });
}

/// Waits for all lanes, and writes the lane's elements.
template <int M, int N, int K, typename T>
NEGZERO_INLINE void store_matrix_sync(std::type_identity_t<T>* to, const fragment<accumulator, M, N, K, T>& f,
                                      unsigned ldm, layout_t layout, NEGZERO_CALL_SITE) {
  details::wait_for_warp({file, line, column});
  details::for_each_element<details::Tile<accumulator, M, N, K>>(layout == mem_row_major, ldm,
                                                                 [&](int i, std::size_t at) { to[at] = f.x[i]; });
}

/// Rounds to TF32: to nearest, ties away from zero (PTX cvt.rna.tf32.f32). A NaN loses its low 13 bits, and may be Inf
/// then, as on an H100.
NEGZERO_INLINE float __float_to_tf32(float x) {
  const auto word = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((x != x ? word : word + 0x1000u) & ~0x1fffu);
}

}  // namespace NEGZERO_BUILD
}  // namespace nvcuda::wmma
