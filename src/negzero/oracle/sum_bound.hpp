// How far any order of a floating-point sum can stray from the exact sum: rules 2a and 2c of numerics.md.

#pragma once

#include <cstdint>

#include <negzero/exact/dyadic.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// What the terms are in one accumulator: how many its format cannot hold, and by how much rounding each can err.
struct Leaves {
  bool inexact = false;            ///< some term is not a number of the format
  std::uint64_t underflowing = 0;  ///< nu: inexact terms below the smallest normal number
  std::uint64_t subnormal = 0;     ///< terms of magnitude below the smallest normal number that may be flushed
  exact::Dyadic ulps;              ///< sum of ulp(p_i) over the inexact terms
  bool below_eta = false;          ///< some nonzero term is not a multiple of eta: a result may underflow to zero
};
[[nodiscard]] Leaves inspect(const Arithmetic& arithmetic, const Terms& terms);

/// Rule a: S <= 2^p g with g >= eta (>= the smallest normal where anything may be flushed). Every partial sum in every
/// order then has at most p bits. Whether it also fits below the largest number is overflow's affair.
[[nodiscard]] bool needs_no_rounding(const Arithmetic& arithmetic, const Facts& facts);

/// B of rule c: |y^ - s| <= B for every tree over the terms while nothing overflows.
///
/// `relative` is kappa with |x^ - x| <= kappa S_X (+ what underflow and flushing add) for every partial sum, used for
/// P'.
struct SumBound {
  exact::Dyadic bound;
  exact::Dyadic relative;
  exact::Dyadic absolute;  ///< what underflow and flushing add to the relative form
};
[[nodiscard]] SumBound sum_bound(const Arithmetic& arithmetic, const Facts& facts, const Leaves& leaves,
                                 bool compensated);

/// An upper bound of (1 + 2u)^k - 1, above it by less than 2^-60 of its value.
[[nodiscard]] exact::Dyadic faithful_growth(int precision, std::uint64_t k);

}  // namespace negzero::oracle
