// c10::Half and c10::BFloat16: types of their own, as in PyTorch, which compute in float and round each result once
// (c10/util/Half.h as https://docs.pytorch.org/cppdocs describes it). An author overloads functions for both them and
// CUDA's types, so that one cannot be the other's name.

#pragma once

#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

#include <negzero/cuda/torch_headers.cuh>

namespace c10 {

/// A 16-bit float over CUDA's own type, with its size and alignment.
template <typename Cuda>
struct alignas(2) Float16 {
  struct from_bits_t {};
  static constexpr __host__ __device__ from_bits_t from_bits() { return {}; }
  unsigned short x;

  Float16() = default;
  constexpr __host__ __device__ Float16(unsigned short bits, from_bits_t) : x(bits) {}
  __host__ __device__ Float16(const Cuda& value) : x(reinterpret_cast<const unsigned short&>(value)) {}
  __host__ __device__ Float16(float value) : Float16(Cuda(value)) {}
  template <typename Number>
  requires std::is_arithmetic_v<Number> __host__ __device__ Float16(Number value)
      : Float16(static_cast<float>(value)) {}
  __host__ __device__ operator float() const { return static_cast<float>(operator Cuda()); }
  __host__ __device__ operator Cuda() const { return reinterpret_cast<const Cuda&>(x); }
};

using Half = Float16<__half>;
using BFloat16 = Float16<__nv_bfloat16>;

template <typename T>
__host__ __device__ Float16<T> operator-(Float16<T> a) {
  return Float16<T>(static_cast<unsigned short>(a.x ^ 0x8000), typename Float16<T>::from_bits_t{});
}
// With a float or a double the result is one; with an integer, which is rounded first, a 16-bit float.
#define NEGZERO_HALF_OPERATOR(sign)                                                                           \
  template <typename T>                                                                                       \
  __host__ __device__ Float16<T> operator sign(Float16<T> a, Float16<T> b) {                                  \
    return static_cast<float>(a) sign static_cast<float>(b);                                                  \
  }                                                                                                           \
  template <typename T, typename Number>                                                                      \
  requires std::is_arithmetic_v<Number> __host__ __device__ auto operator sign(Float16<T> a, Number b) {      \
    if constexpr (std::is_floating_point_v<Number>) return static_cast<Number>(static_cast<float>(a)) sign b; \
    if constexpr (std::is_integral_v<Number>) return a sign Float16<T>(b);                                    \
  }                                                                                                           \
  template <typename T, typename Number>                                                                      \
  requires std::is_arithmetic_v<Number> __host__ __device__ auto operator sign(Number a, Float16<T> b) {      \
    if constexpr (std::is_floating_point_v<Number>) return a sign static_cast<Number>(static_cast<float>(b)); \
    if constexpr (std::is_integral_v<Number>) return Float16<T>(a) sign b;                                    \
  }                                                                                                           \
  template <typename T, typename Other>                                                                       \
  __host__ __device__ Float16<T>& operator sign##=(Float16<T>& a, const Other& b) {                           \
    return a = Float16<T>(static_cast<float>(a) sign static_cast<float>(b));                                  \
  }
NEGZERO_HALF_OPERATOR(+)
NEGZERO_HALF_OPERATOR(-)
NEGZERO_HALF_OPERATOR(*)
NEGZERO_HALF_OPERATOR(/)
#undef NEGZERO_HALF_OPERATOR

#define NEGZERO_HALF_COMPARISON(sign)                                                                    \
  template <typename T>                                                                                  \
  __host__ __device__ bool operator sign(Float16<T> a, Float16<T> b) {                                   \
    return static_cast<float>(a) sign static_cast<float>(b);                                             \
  }                                                                                                      \
  template <typename T, typename Number>                                                                 \
  requires std::is_arithmetic_v<Number> __host__ __device__ bool operator sign(Float16<T> a, Number b) { \
    return static_cast<float>(a) sign b;                                                                 \
  }                                                                                                      \
  template <typename T, typename Number>                                                                 \
  requires std::is_arithmetic_v<Number> __host__ __device__ bool operator sign(Number a, Float16<T> b) { \
    return a sign static_cast<float>(b);                                                                 \
  }                                                                                                      \
  template <typename T>                                                                                  \
  __host__ __device__ bool operator sign(Float16<T> a, T b) {                                            \
    return static_cast<float>(a) sign static_cast<float>(b);                                             \
  }                                                                                                      \
  template <typename T>                                                                                  \
  __host__ __device__ bool operator sign(T a, Float16<T> b) {                                            \
    return static_cast<float>(a) sign static_cast<float>(b);                                             \
  }
NEGZERO_HALF_COMPARISON(<)
NEGZERO_HALF_COMPARISON(>)
NEGZERO_HALF_COMPARISON(<=)
NEGZERO_HALF_COMPARISON(>=)
NEGZERO_HALF_COMPARISON(==)
NEGZERO_HALF_COMPARISON(!=)
#undef NEGZERO_HALF_COMPARISON

template <typename T>
std::ostream& operator<<(std::ostream& out, Float16<T> value) {
  return out << static_cast<float>(value);
}

}  // namespace c10

namespace std {

#define NEGZERO_HALF_LIMITS(type, digit_count, least, lowest_bits, most, step, tiny)                             \
  template <>                                                                                                    \
  class numeric_limits<type> : public numeric_limits<float> {                                                    \
   public:                                                                                                       \
    static constexpr int digits = digit_count;                                                                   \
    static constexpr __host__ __device__ type min() { return type(least, type::from_bits()); }                   \
    static constexpr __host__ __device__ type lowest() { return type(lowest_bits, type::from_bits()); }          \
    static constexpr __host__ __device__ type max() { return type(most, type::from_bits()); }                    \
    static constexpr __host__ __device__ type epsilon() { return type(step, type::from_bits()); }                \
    static constexpr __host__ __device__ type infinity() { return type(most + 1, type::from_bits()); }           \
    static constexpr __host__ __device__ type quiet_NaN() { return type((most + 1) | tiny, type::from_bits()); } \
    static constexpr __host__ __device__ type denorm_min() { return type(1, type::from_bits()); }                \
  };
NEGZERO_HALF_LIMITS(c10::Half, 11, 0x0400, 0xfbff, 0x7bff, 0x1400, 0x0200)
NEGZERO_HALF_LIMITS(c10::BFloat16, 8, 0x0080, 0xff7f, 0x7f7f, 0x3c00, 0x0040)
#undef NEGZERO_HALF_LIMITS

}  // namespace std
