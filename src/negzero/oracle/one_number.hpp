// The state of a chain that is one number, in words of 64 bits: what most chains are from their first term to the last.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

/// significand * 2^exponent, and the grid of the set that holds it alone. |significand| < 2^62.
struct OneNumber {
  std::int64_t significand = 0;
  int exponent = 0;
  int grid = kNoGrid;

  /// What `set` holds, where that is one number other than zero and short enough.
  [[nodiscard]] static std::optional<OneNumber> of(const Set& set);
  /// a 2^a_exponent * b 2^b_exponent, where that is short enough.
  [[nodiscard]] static std::optional<OneNumber> product(std::int64_t a, int a_exponent, std::int64_t b, int b_exponent);
  [[nodiscard]] Set set() const;
  friend bool operator==(const OneNumber&, const OneNumber&) = default;
};

/// Whether fl() below rounds as this arithmetic does: to nearest, and nothing is flushed.
[[nodiscard]] bool rounds_plainly(const Arithmetic& arithmetic) noexcept;

/// fl(x + y), as Arithmetic::round() has it. Nothing where it is zero, or so large that it may overflow.
[[nodiscard]] std::optional<OneNumber> rounded_sum(const number::Format& format, const OneNumber& x,
                                                   const OneNumber& y) noexcept;

}  // namespace negzero::oracle
