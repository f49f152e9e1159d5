// cuda::std of libcu++ on the host: the standard library, all of whose headers of values are here at once, and the
// functions of <cuda/functional> and <cuda/cmath>.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <chrono>
#include <complex>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <ratio>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <negzero/cuda/atomic_types.hpp>

// NOLINTNEXTLINE: libcu++ has it at global scope.
namespace cuda {
inline namespace NEGZERO_BUILD {

/// The larger operand; the first one where either is NaN.
template <typename T = void>
struct maximum {
  NEGZERO_INLINE T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <>
struct maximum<void> {
  template <typename T, typename U>
  NEGZERO_INLINE ::std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return a < b ? b : a;
  }
};
/// The smaller operand; the first one where either is NaN.
template <typename T = void>
struct minimum {
  NEGZERO_INLINE T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <>
struct minimum<void> {
  template <typename T, typename U>
  NEGZERO_INLINE ::std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return b < a ? b : a;
  }
};

/// a / b rounded up. Requires: a >= 0 and b > 0.
template <typename T, typename U>
NEGZERO_INLINE constexpr auto ceil_div(T a, U b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace NEGZERO_BUILD
}  // namespace cuda
