// Where the factors of an output element of a GEMM stand.

#pragma once

#include <cstddef>
#include <cstdint>

namespace negzero::oracle {

struct GemmShape {
  std::int64_t m, n, k;

  /// Row-major index of the first factor of `element` in a, and in b. Its k factors follow 1 apart in a, n apart in b.
  [[nodiscard]] std::size_t a_begin(std::int64_t element) const { return static_cast<std::size_t>(element / n * k); }
  [[nodiscard]] std::size_t b_begin(std::int64_t element) const {
    return static_cast<std::size_t>(element / n / m * k * n + element % n);
  }
};

}  // namespace negzero::oracle
