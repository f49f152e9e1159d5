// nvcuda::wmma on the host: products of fragments, with the arithmetic of a Hopper GPU (matrix_unit/step.hpp).

#pragma once

#include <cfloat>

#include <negzero/cuda/matrix_fragments.hpp>
#include <negzero/matrix_unit/row.hpp>

// NOLINTNEXTLINE: CUDA has it at global scope.
namespace nvcuda::wmma {
inline namespace NEGZERO_BUILD {

namespace details {

using negzero::number::FormatId;

template <typename T>
constexpr FormatId format_of() {
  if (std::is_same_v<T, __half>) return FormatId::F16;
  if (std::is_same_v<T, __nv_bfloat16>) return FormatId::BF16;
  return std::is_same_v<T, float> ? FormatId::F32 : FormatId::TF32;
}

/// Which accumulators go with factors of the type T.
template <typename T, typename C, typename D>
constexpr bool can_multiply() {
  constexpr bool kToFloat = std::is_same_v<C, float> && std::is_same_v<D, float>;
  constexpr bool kMayBeHalf = std::is_same_v<C, __half> || std::is_same_v<C, float>;
  if (std::is_same_v<T, double>) return std::is_same_v<C, double> && std::is_same_v<D, double>;
  if (std::is_same_v<T, __half>) return kMayBeHalf && (std::is_same_v<D, __half> || std::is_same_v<D, float>);
  if (std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, precision::tf32>) return kToFloat;
  return std::is_same_v<C, int> && std::is_same_v<D, int>;
}

/// What `satf` makes of a float: the largest number of an Inf, +0 of a NaN.
template <typename T>
NEGZERO_INLINE T saturated(T x) {
  const float largest = std::is_same_v<T, __half> ? 65504.0f : FLT_MAX;
  const auto value = static_cast<float>(x);
  if (value != value) return T(0.0f);
  return value > largest ? T(largest) : value < -largest ? T(-largest) : x;
}

}  // namespace details

/// D = A * B + C. Waits until all lanes have come; `d` may be `c`. With `satf` integers are clamped to their range, an
/// Inf becomes the largest number of its sign and a NaN +0.
template <int M, int N, int K, typename T, typename LayoutA, typename LayoutB, typename C, typename D>
NEGZERO_INLINE void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LayoutA>& a,
                             const fragment<matrix_b, M, N, K, T, LayoutB>& b,
                             const fragment<accumulator, M, N, K, C>& c, bool satf = false, NEGZERO_CALL_SITE) {
  static_assert(details::can_multiply<T, C, D>(), "CUDA has no product of such fragments into such an accumulator");
  namespace unit = negzero::matrix_unit;
  using Element = details::Element<T>;
  constexpr std::size_t kInA = details::Tile<matrix_a, M, N, K>::kPerLane;
  constexpr std::size_t kInB = details::Tile<matrix_b, M, N, K>::kPerLane;
  constexpr std::size_t kInC = details::Tile<accumulator, M, N, K>::kPerLane;
  Element rows[32 * kInA], columns[32 * kInB];
  details::gather(a.x, rows, sizeof(Element) * kInA, {file, line, column});
  details::gather(b.x, columns, sizeof(Element) * kInB, {file, line, column});
  const std::size_t first = negzero::engine::current.linear_thread % 32 * kInC;
  const Element* const my_row = rows + first / N * K;
  const Element* const my_columns = columns + first % N * K;
  if constexpr (std::is_same_v<T, double>) {
    unit::multiply_row(my_row, my_columns, K, kInC, c.x, d.x);
  } else if constexpr (std::is_integral_v<T>) {
    unit::multiply_row(my_row, my_columns, K, kInC, c.x, d.x, satf);
  } else {
    constexpr details::FormatId kFactors = details::format_of<T>();
    unit::multiply_row({kFactors, my_row}, {kFactors, my_columns}, K, kInC, {details::format_of<C>(), c.x},
                       details::format_of<D>(), d.x);
    if (satf) {
      for (D& x : d.x) x = details::saturated(x);
    }
  }
}

}  // namespace NEGZERO_BUILD
}  // namespace nvcuda::wmma
