// Launch wrappers of the kernels of these tests. Each exists once an executor: host:: here, cuda:: in nvcc's objects.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/engine/stream.hpp>

namespace negzero_tests {

using negzero::engine::Stream;

/// Unary and binary functions of floats that kernels call.
enum class FloatFunction : int {
  Fmaxf,
  Fminf,
  Max,
  AddDown,
  AddUp,
  AddZero,
  MulDown,
  MulUp,
  MulZero,
  FmaZero,
  DivideFast,
  Rint,
  Lrint,
  Count
};
/// Conversions of floats and doubles to integers; the result is stored in 64 bits.
enum class IntegerConversion : int {
  FloatToIntRz,
  FloatToIntRn,
  FloatToUintRz,
  FloatToLlRz,
  FloatToUllRz,
  DoubleToIntRn,
  DoubleToUintRd,
  DoubleToLlRu,
  Count
};
/// Functions of 16-bit floats.
enum class HalfFunction : int { Add, Sub, Mul, Div, Fma, Max, Min, MaxNan, Count };

/// Functions of one 16-bit float.
enum class UnaryHalf : int {
  exp,
  exp2,
  exp10,
  log,
  log2,
  log10,
  sin,
  cos,
  tanh,
  sqrt,
  rsqrt,
  rcp,
  ceil,
  floor,
  trunc,
  rint,
  Count
};
/// Results of functions of two 16-bit floats, two or three of them.
inline constexpr unsigned kPairResults = 22;
/// Results of conversions to 8-bit floats.
inline constexpr unsigned kFp8Results = 14;
/// Numbers that a thread leaves about its cooperative groups.
inline constexpr unsigned kGroupRow = 15;

/// Types of the factors of wmma, and of the accumulator.
enum class MatrixKind : int { HalfToFloat, HalfToHalf, Bfloat16, Signed, Unsigned, Tf32, Double };
/// D = 2 (A B + C) by one warp. `m` chooses among the shapes with k = 16.
struct MatrixProduct {
  const void *a, *b, *c;
  void* d;
  unsigned lda, ldb, ldc;
  bool a_rows, b_rows, c_rows;  ///< row major, else column major
  int m;
};

#define NEGZERO_TESTS_WRAPPERS(executor)                                                                           \
  namespace executor {                                                                                             \
  void add_atomically(Stream&, int n, bool in_shared, const float* values, float* total);                          \
  void add_atomically_all(Stream&, int n, double* f64, std::uint16_t* f16, std::uint16_t* bf16, int* i32,          \
                          unsigned long long* u64);                                                                \
  void integer_atomics(Stream&, int threads, int* results);                                                        \
  void float_function(Stream&, FloatFunction function, int n, const float* a, const float* b, float* out);         \
  void to_integer(Stream&, IntegerConversion conversion, int n, const double* in, std::int64_t* out);              \
  void half_function(Stream&, HalfFunction function, bool bfloat16, int n, const std::uint16_t* a,                 \
                     const std::uint16_t* b, const std::uint16_t* c, std::uint16_t* out);                          \
  void half_to_float(Stream&, bool bfloat16, int n, const std::uint16_t* in, float* out);                          \
  void float_to_half(Stream&, int direction, bool bfloat16, int n, const float* in, std::uint16_t* out);           \
  void integer_functions(Stream&, int n, const std::uint32_t* in, std::uint32_t* out);                             \
  void largest(Stream&, unsigned* out);                                                                            \
  void half_unary(Stream&, UnaryHalf function, bool bfloat16, int n, const std::uint16_t* in, std::uint16_t* out); \
  void half_to_integer(Stream&, int type, int direction, bool bfloat16, int n, const std::uint16_t* in,            \
                       unsigned long long* out);                                                                   \
  void half_from_integer(Stream&, int type, int direction, bool bfloat16, int n, const unsigned long long* in,     \
                         std::uint16_t* out);                                                                      \
  void half_pairs(Stream&, bool bfloat16, int n, const std::uint32_t* in, std::uint32_t* out);                     \
  void to_fp8(Stream&, bool e4m3, int n, const double* in, unsigned char* out);                                    \
  void from_fp8(Stream&, bool e4m3, unsigned* out);                                                                \
  void simd_functions(Stream&, int n, const std::uint32_t* in, std::uint32_t* out);                                \
  void mixed_functions(Stream&, int n, const std::uint32_t* in, std::uint32_t* out);                               \
  void directed_functions(Stream&, int n, const double* in, unsigned long long* out);                              \
  void special_functions(Stream&, int n, const double* in, double* out);                                           \
  void group_tiles(Stream&, int size, int threads, unsigned* out);                                                 \
  void group_partitions(Stream&, int threads, unsigned* out);                                                      \
  void group_folds(Stream&, const float* in, float* out);                                                          \
  void group_copies(Stream&, int n, int threads, const unsigned* in, unsigned* out);                               \
  void group_grid(Stream&, int blocks, int threads, int steps, unsigned* values);                                  \
  void group_deserted(Stream&, int kind, unsigned* out);                                                           \
  void barrier_phases(Stream&, int threads, int phases, unsigned* out);                                            \
  void barrier_dropping(Stream&, int threads, unsigned* out);                                                      \
  void barrier_deserted(Stream&, unsigned* out);                                                                   \
  void late_copies(Stream&, int kind, const unsigned* in, unsigned* out);                                          \
  void pipeline_stages(Stream&, int kind, int steps, const unsigned* in, unsigned* out);                           \
  void matrix_product(Stream&, MatrixKind kind, const MatrixProduct& product);                                     \
  void matrix_deserted(Stream&, int kind, float* out);                                                             \
  void matrix_elements(Stream&, const float* in, float* out);                                                      \
  }
NEGZERO_TESTS_WRAPPERS(host)
NEGZERO_TESTS_WRAPPERS(cuda)
#undef NEGZERO_TESTS_WRAPPERS

}  // namespace negzero_tests
