// The functions on parts of words that are tested: name, signedness, and the value of a part from those of x and y.

#pragma once

#define NEGZERO_TESTS_SIMD_OF_TWO(X)       \
  X(vadd, U, (x + y))                      \
  X(vaddss, S, (clamp(x + y)))             \
  X(vaddus, U, (clamp(x + y)))             \
  X(vsub, U, (x - y))                      \
  X(vsubss, S, (clamp(x - y)))             \
  X(vsubus, U, (clamp(x - y)))             \
  X(vabsdiffs, S, (x > y ? x - y : y - x)) \
  X(vabsdiffu, U, (x > y ? x - y : y - x)) \
  X(vavgs, S, (average(x + y)))            \
  X(vavgu, U, (average(x + y)))            \
  X(vhaddu, U, ((x + y) / 2))              \
  X(vmaxs, S, (x > y ? x : y))             \
  X(vmaxu, U, (x > y ? x : y))             \
  X(vmins, S, (x > y ? y : x))             \
  X(vminu, U, (x > y ? y : x))             \
  X(vcmpeq, U, (x == y ? -1 : 0))          \
  X(vseteq, U, (x == y ? 1 : 0))           \
  X(vcmpne, U, (x != y ? -1 : 0))          \
  X(vsetne, U, (x != y ? 1 : 0))           \
  X(vcmpges, S, (x >= y ? -1 : 0))         \
  X(vsetges, S, (x >= y ? 1 : 0))          \
  X(vcmpgeu, U, (x >= y ? -1 : 0))         \
  X(vsetgeu, U, (x >= y ? 1 : 0))          \
  X(vcmpgts, S, (x > y ? -1 : 0))          \
  X(vsetgts, S, (x > y ? 1 : 0))           \
  X(vcmpgtu, U, (x > y ? -1 : 0))          \
  X(vsetgtu, U, (x > y ? 1 : 0))           \
  X(vcmples, S, (x <= y ? -1 : 0))         \
  X(vsetles, S, (x <= y ? 1 : 0))          \
  X(vcmpleu, U, (x <= y ? -1 : 0))         \
  X(vsetleu, U, (x <= y ? 1 : 0))          \
  X(vcmplts, S, (x < y ? -1 : 0))          \
  X(vsetlts, S, (x < y ? 1 : 0))           \
  X(vcmpltu, U, (x < y ? -1 : 0))          \
  X(vsetltu, U, (x < y ? 1 : 0))
#define NEGZERO_TESTS_SIMD_OF_ONE(X)    \
  X(vabs, S, (x < 0 ? -x : x))          \
  X(vabsss, S, (clamp(x < 0 ? -x : x))) \
  X(vneg, S, (-x))                      \
  X(vnegss, S, (clamp(-x)))

namespace negzero_tests {

#define NEGZERO_TESTS_COUNT(name, sign, value) +2
inline constexpr unsigned kSimdResults =
    0 NEGZERO_TESTS_SIMD_OF_TWO(NEGZERO_TESTS_COUNT) NEGZERO_TESTS_SIMD_OF_ONE(NEGZERO_TESTS_COUNT);
#undef NEGZERO_TESTS_COUNT
/// Results of other integer functions, and of directed roundings.
inline constexpr unsigned kMixedResults = 29;
inline constexpr unsigned kDirectedResults = 30;
inline constexpr unsigned kSpecialResults = 20;

}  // namespace negzero_tests
