// Operand sets that make sums round, tie, cancel, overflow and underflow: the input of the comparison.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/number/format.hpp>

#include "softfloat.hpp"

namespace negzero::oracle_cross {

enum class Style : std::uint8_t {
  Anything,  ///< uniform bits, finite
  Near,      ///< exponents within about p of each other, any significand
  Sparse,    ///< the same, significands of few bits: ties and exact sums
  Cancel,    ///< values and their negatives, some a step or two off
  Large,     ///< the top binades
  Small,     ///< subnormals and the lowest normal binades
  Integers,  ///< small integers and zeros
};

struct Draw {
  Style style = Style::Near;
  int exponent = 0;         ///< centre of Near, Sparse and Cancel
  bool one_sign = false;    ///< now and then: P' or N' alone matters
  unsigned specials = 0;    ///< one value in `specials` is an Inf or NaN; 0: none
  unsigned subnormals = 0;  ///< one value in `subnormals` is subnormal; 0: as the style has it
};

[[nodiscard]] Draw draw_style(base::Random& random);
/// For the other factor of products: the same style around an exponent that keeps products in range, most times.
[[nodiscard]] Draw draw_partner(base::Random& random, const Draw& draw);
[[nodiscard]] std::vector<Code> draw_values(base::Random& random, number::FormatId id, std::size_t count,
                                            const Draw& draw);
/// A handful of values around which small formats break: zeros, ends, ones, powers of two and their neighbours.
[[nodiscard]] std::vector<Code> corner_values(number::FormatId id);

}  // namespace negzero::oracle_cross
