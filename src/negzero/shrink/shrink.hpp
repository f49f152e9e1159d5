// Smaller cases that fail the same way.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::shrink {

/// Runs and judges cases; one verdict each, in order. Comes from above: this module runs nothing.
using EvaluateBatch = std::function<std::vector<verdict::Verdict>(std::span<const operation::Case>)>;

struct Options {
  operation::Limits limits{};            ///< of the kernel: candidates stay inside, so that it may not refuse them
  std::int64_t max_evaluations = 20000;  ///< stop after about so many; rounds are not cut short
  std::size_t most_together = 24;        ///< candidates of a round: more keep more workers busy, and waste more
  /// Makes a step's case one that may be asked for, as values have relations that limits cannot say; false: it is none.
  std::function<bool(operation::Case&)> prepare{};
  std::function<bool()> stop{};                         ///< polled between rounds; the smallest case so far is kept
  std::function<bool(const operation::Case&)> wants{};  ///< cases to which a step may go; absent: any
};

struct Minimised {
  operation::Case value;
  verdict::Verdict verdict;      ///< of `value`
  std::int64_t evaluations = 0;  ///< cases evaluated
  std::int64_t steps = 0;        ///< candidates accepted
};

/// Cases simpler than `value` by one step, most drastic first, in the order of numerics.md section 9: leave optional
/// inputs out, drop batches, M and N to the failing element, K by halves and single columns, scalars to 1 and 0,
/// options to their defaults or earlier values, layouts packed, schedule forward, poison NaN, values towards 0, 1,
/// powers of two, fewest significand bits, smallest exponent span. All are valid, inside the limits, and less() than
/// `value`. The failure's element steers which row and column are kept.
[[nodiscard]] std::vector<operation::Case> candidates(const operation::Case& value, const verdict::Failure& failure,
                                                      const operation::Limits& limits);

/// A total order of complexity: elements, then extents, then scalars, options, layouts, schedule, then values (number
/// of nonzero elements, significand bits, exponent magnitudes, signs). Strictly smaller means a step of minimise() may
/// take it. Of an option's values the limits say which is the simpler; one that they do not have is as simple as the
/// default.
[[nodiscard]] bool less(const operation::Case& a, const operation::Case& b, const operation::Limits& limits = {});

/// Takes steps while some candidate fails in the same way (Failure::same_way). Requires `verdict` to be a Fail of
/// `value`. Evaluates the candidates of a round in batches, because they are independent: small ones first, as bold
/// cuts often succeed. The case reached does not depend on `most_together` while neither time nor evaluations run out.
[[nodiscard]] Minimised minimise(operation::Case value, verdict::Verdict verdict, const EvaluateBatch& evaluate,
                                 const Options& options);

}  // namespace negzero::shrink
