// The values that a declared accumulator may hold at the end of a sum: rules 2a to 2d and sections 3 and 4 of
// numerics.md.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/prefix.hpp>
#include <negzero/oracle/range.hpp>
#include <negzero/oracle/sum_bound.hpp>
#include <negzero/oracle/terms.hpp>
#include <negzero/oracle/unit.hpp>
#include <negzero/verdict/rule.hpp>

namespace negzero::oracle {

/// What a sum is asked for.
struct SumQuery {
  const contract::Contract* contract = nullptr;
  std::string_view exact_method{};  ///< see exact::choose
  int hull_terms = 4;               ///< largest m that rule b is used for
  bool fusable = true;              ///< false where terms are values: nothing can be contracted
  bool real_ends = false;           ///< do not round the ends to the accumulator's grid: rule d's `wider`
  bool last_is_c = false;           ///< the last term is beta * c: outside the blocks of `promote`
  /// The contract's `promote`, its format the one that this route adds blocks in (see Route). Sums that end in F64
  /// anyway (`real_ends`) need none: F64's bound covers blocks too.
  std::optional<contract::Promote> promote{};
  /// Keep the exponent unbounded: the sum inside a mean, which may not overflow.
  bool unbounded = false;
  /// Ascending chains only: begin at beta * c, the last term, instead of adding it anywhere.
  bool starts_at_c = false;
  /// The products are summed in the steps of a matrix unit (stepped.hpp) instead of in a tree of additions.
  std::optional<Stepping> stepping{};
};

struct SumResult {
  Range range;
  verdict::Rule rule;  ///< the id of the rule that decided
  Facts facts;
  exact::Dyadic bound;  ///< B where rule c decided
  bool exact = false;   ///< rule a: no order rounds anything
};

/// Requires an accumulator that is not an integer. Only prefixes of all their terms may have `query.stepping`,
/// `unbounded`, `last_is_c` or `starts_at_c`.
[[nodiscard]] SumResult evaluate_sum(const Arithmetic& arithmetic, Prefix& terms, const SumQuery& query);
/// Of all the terms.
[[nodiscard]] SumResult evaluate_sum(const Arithmetic& arithmetic, const Terms& terms, const SumQuery& query);

/// Of two rules for one result, the one that says less: it stands for both.
[[nodiscard]] verdict::Rule weaker(verdict::Rule a, verdict::Rule b);

/// Rounds the real interval [low, high] inward to the accumulator's grid, within its largest numbers. Not finite where
/// no number of the format lies inside.
[[nodiscard]] Range inward(const Arithmetic& arithmetic, const exact::Dyadic& low, const exact::Dyadic& high,
                           int granularity);

}  // namespace negzero::oracle
