// How far any order of a floating-point sum can stray from the exact sum: rules 2a and 2c of numerics.md.

#pragma once

#include <cstdint>
#include <span>

#include <negzero/exact/dyadic.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// What some terms are in one accumulator: how many its format cannot hold, and by how much rounding each can err.
struct LeafCount {
  std::uint64_t nonzero = 0;       ///< m
  std::uint64_t inexact = 0;       ///< terms that are not numbers of the format
  std::uint64_t underflowing = 0;  ///< nu: inexact terms below the smallest normal number
  std::uint64_t below_eta = 0;     ///< terms that are no multiples of eta
  std::uint64_t subnormal = 0;     ///< terms of magnitude below the smallest normal number that may be flushed
  exact::Dyadic ulps;              ///< sum of ulp(p_i) over the inexact terms

  /// Adds the counts of more terms; not their ulps.
  void count(const LeafCount& more) noexcept;
};
/// The terms of each sign. (A sum over both is what rules a and c need, one sign alone what overflow needs.)
struct Leaves {
  LeafCount positive, negative;

  [[nodiscard]] LeafCount all() const;
};

/// Sums powers of two exactly: in one word while they lie within a window, which moves with what comes.
class PowerSum {
 public:
  void add(int exponent);
  [[nodiscard]] exact::Dyadic value() const;

 private:
  exact::Dyadic rest_;
  unsigned __int128 sum_ = 0;
  int base_ = 0;
};

/// Counts the leaves of one accumulator.
class LeafCounter {
 public:
  explicit LeafCounter(const Arithmetic& arithmetic);
  /// Terms [begin, end) more.
  void add(const Terms& terms, std::size_t begin, std::size_t end);
  [[nodiscard]] Leaves leaves() const;

 private:
  int precision_, eta_, min_normal_;
  bool inputs_flush_, results_flush_, flushes_loads_;
  Leaves counts_;  ///< without the sums of ulps
  PowerSum positive_ulps_, negative_ulps_;
};
/// Counts those of all terms.
[[nodiscard]] Leaves inspect(const Arithmetic& arithmetic, const Terms& terms);

/// Rule a: S <= 2^p g with g >= eta (>= the smallest normal where anything may be flushed). Every partial sum in every
/// order then has at most p bits. Whether it also fits below the largest number is overflow's affair.
[[nodiscard]] bool needs_no_rounding(const Arithmetic& arithmetic, const Facts& facts);

/// P and N: the sums of the terms' magnitudes, sign by sign.
struct Signed {
  exact::Dyadic positive, negative;

  [[nodiscard]] exact::Dyadic magnitude() const { return positive + negative; }
};

/// Which trees a bound is about.
struct Trees {
  bool joins_flush = false;  ///< additions may give subnormal results, which may be flushed
  /// The most additions of two numbers other than zero that a term meets.
  std::uint64_t additions = ~std::uint64_t{0};
};

/// B of rule c: |y^ - s| <= B for each of those trees over the terms while nothing overflows.
[[nodiscard]] exact::Dyadic sum_bound(const Arithmetic& arithmetic, const Signed& terms, const LeafCount& leaves,
                                      const Trees& trees);

/// The same where each addition is in one of several arithmetics, and what it gives may be stored to the narrower ones
/// of them: each errs by no more than one rounding of each. `leaves`: those of each arithmetic, the narrowest first.
[[nodiscard]] exact::Dyadic mixed_bound(std::span<const Arithmetic> widths, const Signed& terms,
                                        std::span<const LeafCount> leaves, const Trees& trees);

/// The bound of compensated sums (Kahan, Neumaier, Dot2): m u S, products rounded apart. One u S more than of plain
/// sums, as the last compensation is added, by a zero term or as Kahan's s - c: it is wrong where the step's sum was
/// the smaller operand (F8_E4M3: {1.875, 2.75} and a zero give 5; F32: 0.5589 + 1.6698 gives the number above the
/// nearest). A second one adds an exact compensation.
///
/// Dot2 (Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26, 2005) adds the products' own errors, fma(a, b, -fl(a b)), which
/// are exact but where a product is no multiple of eta: then they, too, are rounded, by eta/2 at most (their section 5;
/// 5 eta is for products split without an fma). So it sums terms that are off by that much each: with S' = S + nu'
/// eta/2 it errs by k u S' + nu' eta/2, nu' the number of such products. Products that underflow inexactly are among
/// them.
///
/// `terms` counts zeros too. Flushing loses one smallest normal number for each product, and two for each of the four
/// operations of a step: two operands, or an operand and the result, for what is left of two flushed operands is zero.
/// What the compensation loses enters the sum at the next step, once. (Neumaier: two more at the end.)
[[nodiscard]] exact::Dyadic compensated_bound(const Arithmetic& arithmetic, const exact::Dyadic& magnitude,
                                              const LeafCount& leaves, std::size_t terms, bool joins_flush);

/// P': no computed partial sum, in any order, exceeds it; with the terms of the other sign, N'.
///
/// Replacing every term of the other sign by zero cannot lower a partial sum (roundings are monotone in each leaf), so
/// the terms of one sign alone decide: P' = P + the bound of rule c for them, which the statement P' = P + B contains.
/// Truncation and sums that need no rounding give P' = P. `additions` as in Trees.
[[nodiscard]] exact::Dyadic reach(const Arithmetic& arithmetic, const exact::Dyadic& one_sign, const LeafCount& leaves,
                                  bool no_rounding, std::uint64_t additions = ~std::uint64_t{0});

/// An upper bound of (1 + 2^exponent)^k - 1, above it by less than k 2^-62 of the power: what k roundings of relative
/// error 2^exponent each can add up to. Requires -63 <= exponent <= 0.
[[nodiscard]] exact::Dyadic compound_growth(int exponent, std::uint64_t k);

}  // namespace negzero::oracle
