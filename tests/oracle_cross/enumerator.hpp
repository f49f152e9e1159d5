// Every result that any evaluation of a sum of products can reach, by enumeration of all of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "softfloat.hpp"

namespace negzero::oracle_cross {

/// One leaf of a sum. Where inputs may or may not be flushed there are several exact values, each use choosing one.
struct Term {
  std::vector<Number> exact{};
  bool product = true;  ///< rounded when it is a leaf, exact when an fma joins it; otherwise a value as it stands
  std::vector<Number> alone{};  ///< of a value: what more a sum may be that is nothing else, where nothing is added
  bool is_c = false;            ///< C, or what a location holds at first: its additions are not of the declared depth
};

/// As many additions as there may be.
inline constexpr int kAnyNumber = 1 << 20;

/// What a chain may start from: at least one of them.
struct Starts {
  bool plus_zero = true;
  bool first_term = true;
};

/// How a mean divides by its count: at least one of them.
struct MeanBy {
  bool division = true;
  bool reciprocal = true;
};

/// The accumulator: how each addition, product and scaling rounds, and what becomes of subnormal operands, by a policy
/// that its format has a part in (flush_in of flushing.hpp).
struct Machine {
  Rounder rounder{};
  Flush inputs = Flush::Keep;  ///< subnormal operands of additions, fmas and scalings
  bool fused = true;           ///< a product may join an addition unrounded
  bool separate = true;        ///< a product may be rounded before it is added
  SmallFormat outer{};         ///< where the contract promotes: the format that blocks are added in
  SmallFormat last{};          ///< the format that alpha and beta, or a mean's division, act in after the sum
  bool stored = false;         ///< the sum, held in a wider format than declared, is stored to that one first
  int additions = kAnyNumber;  ///< in trees: the most of two parts with terms other than zero that a term meets
  bool ordinary = false;       ///< what follows the sum rounds to nearest, whatever its additions do

  [[nodiscard]] const SmallFormat& format() const { return rounder.format; }
};

/// Results of all summation trees over `terms`: reach(X) is the union over splits X = A + B of fl(u + v), u in
/// reach(A), v in reach(B). A leaf is the rounded product (or its addition to +0); with `fused` a single product also
/// joins unrounded. Trees hold every order, every split-K and every chain; where products may only be fused, a slice of
/// one product still starts a chain of its own, so rounded leaves stay possible. No terms: +0.
[[nodiscard]] Codes any_order(const Machine& machine, std::span<const Term> terms, Starts starts);

/// Results of all trees in which every path from a leaf to the root is scaled by alpha exactly once, at any node:
/// slices of a split K scaled before they meet, each its own way. `c`, where given, is one more leaf, which is not
/// scaled.
[[nodiscard]] Codes scaled_anywhere(const Machine& machine, std::span<const Term> terms, Starts starts,
                                    const Number& alpha, const std::optional<Term>& c);

/// Results of one chain in the order given. With `start` it begins at that value (its rounding, where a product).
/// `fused` and `separate` both set: each step chooses. No terms: the start, else +0.
[[nodiscard]] Codes ascending(const Machine& machine, std::span<const Term> terms, Starts starts,
                              const std::optional<Term>& start);

/// Kahan's and Neumaier's compensated sums over every permutation of the terms, products rounded first; and Dot2, which
/// adds the products' own errors too, where nothing is flushed.
[[nodiscard]] Codes compensated(const Machine& machine, std::span<const Term> terms, Starts starts = {});

/// beta * C, exact, of a C that was loaded into the machine's format first, and may be any of `c` there; a product
/// unless beta is one.
[[nodiscard]] Term loaded_addend(const Machine& machine, const Number& beta, const std::vector<Number>& c);

/// fl(alpha * v) for each v, fl(beta * c), and their sum, separately or by either of the two fmas, as the machine
/// allows. Scaling by one is exact; without alpha (it was folded) or c nothing is multiplied or added. C may be any of
/// `c`, and is loaded into the machine's format first.
[[nodiscard]] Codes epilogue(const Machine& machine, const Codes& sums, const std::optional<Number>& alpha,
                             const Number& beta, const std::vector<Number>& c);

/// v / count for a finite v, exact or jammed; else v.
[[nodiscard]] Number quotient(const Number& v, std::int64_t count);
/// fl(1 / count), to nearest.
[[nodiscard]] Number reciprocal(const SmallFormat& format, std::int64_t count);
/// v / count and v * fl(1 / count) for each v of `sums`, of format `from`, as the form allows: means of finished sums.
[[nodiscard]] Codes means(const Machine& machine, const Codes& sums, const SmallFormat& from, std::int64_t count,
                          MeanBy by);

/// Values of one machine as leaves for the next: sums of sums.
[[nodiscard]] Term leaf_of(const Codes& codes, const SmallFormat& format);

}  // namespace negzero::oracle_cross
