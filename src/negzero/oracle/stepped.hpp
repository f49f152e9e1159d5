// Sums in the steps of a matrix unit whose order is not declared: rule 2e of numerics.md.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/exact/dyadic.hpp>
#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/sliced.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/unit.hpp>
#include <negzero/verdict/rule.hpp>

namespace negzero::oracle {

/// The rule's id, for what is neither exact nor special.
inline constexpr verdict::Rule kStepped("sum.tensor_core");

/// How often something is lost on the way through a sum in steps.
struct StepCounts {
  std::uint64_t products = 0;   ///< m: those that are not zero, each of which is truncated once
  std::uint64_t steps = 0;      ///< T: those that can lose something: each truncates its accumulator and rounds once
  std::uint64_t additions = 0;  ///< J: of the slices' sums, and of C to them
};
/// The most that a sum of `products` nonzero products among `depth` can have. `format` is the accumulator's, `slices`
/// the number of parts of k, 0 where it is not declared.
///
/// A step whose products are all zero loses nothing, but of a C that enters there and that the unit's accumulator does
/// not hold: so T <= m, or m + 1. A slice of K_s products takes at most ceil(K_s / L) steps; at most m slices hold a
/// product that is not zero.
[[nodiscard]] StepCounts counts_of(const Unit& unit, const number::Format& format, std::uint64_t products,
                                   std::uint64_t depth, std::int64_t slices, bool with_c) noexcept;

/// The share of X that rule 2e says may be lost: (m + T) 2^-F + T d + J max(0, u - 2^-F), where d is the unit's
/// rounding, 2^-(bits - 1) or 2^-bits to nearest, and u = 2^-p of the accumulator's format. (J max(0, ...): a slice
/// more is an addition more, and an accumulator of zero that is not truncated.)
[[nodiscard]] exact::Dyadic lost_share(const Unit& unit, const number::Format& format, const StepCounts& counts);

/// What rule 2e knows of the terms.
struct SteppedTerms {
  std::uint64_t products = 0, depth = 0;
  exact::Dyadic positive, negative;  ///< P, N, with C
  exact::Dyadic largest;             ///< the largest |a|' |b|' of a product that is not zero (see stepped.cpp)
  exact::Dyadic c_error;             ///< by how much fl(beta * c) may differ from beta * c
  bool with_c = false;

  /// The larger of each; `products` stays, as those of the other may be others.
  void join(const SteppedTerms& other);
};
/// Requires finite terms and a sum in UnitSteps.
[[nodiscard]] SteppedTerms inspect_stepped(const Sum& sum, const Terms& terms, const Facts& facts);

/// B of rule 2e; with `stores` that of rule 2f.
[[nodiscard]] exact::Dyadic stepped_bound(const Arithmetic& arithmetic, const SteppedTerms& terms,
                                          const Stepping& stepping, const std::optional<SliceStores>& stores);

/// evaluate() of finite terms in UnitSteps. `facts` are theirs.
[[nodiscard]] SumResult evaluate_stepped(const Sum& sum, const Terms& terms, const Facts& facts);

/// What partial sums of such terms, and the stores of slices' sums, may overflow to.
[[nodiscard]] Overflows stepped_overflows(const Arithmetic& arithmetic, const SteppedTerms& terms,
                                          const Stepping& stepping, const std::optional<SliceStores>& stores);

}  // namespace negzero::oracle
