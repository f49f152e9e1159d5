// The accumulators that a contract permits for one sum, each followed from the sum to memory.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/steps.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

/// One accumulator. `real_ends` marks the widest: whatever is at least as exact as F64 lies within its bound, on no
/// particular grid (numerics.md 2d).
struct Route {
  number::FormatId format;
  bool real_ends = false;
  /// With the format that blocks are added in: never a narrower one than theirs.
  std::optional<contract::Promote> promote{};
  std::optional<Stepping> stepping{};  ///< products are summed by a matrix unit

  /// The arithmetic that the route's finished sum is held in, where its terms are summed in `arithmetic`.
  [[nodiscard]] Arithmetic held_in(const Arithmetic& arithmetic) const;
};

/// The declared accumulator first; then, if the contract says `wider`, every format that holds all of its numbers and
/// more, F64 last. F32 has to stand between F16 and F64: fl16(fl32(s)) need not lie in the hull of F16 and F64 results
/// (s just above a midpoint of F16 that F32 rounds to the midpoint). Where the contract promotes, each of them with
/// each format that holds it and the declared promotion's.
[[nodiscard]] std::vector<Route> routes_of(const contract::Contract& contract, number::FormatId accumulate);

/// What becomes of subnormal elements of that format before they are terms of a sum, whichever of the routes it takes.
/// Keep where the arithmetic does all: an addition takes them as operands that are subnormal in its own format.
[[nodiscard]] contract::Subnormals flushing_of_terms(number::FormatId of, const std::vector<Route>& routes,
                                                     contract::Subnormals declared);

/// What an operation says of its sums, besides the contract.
struct SumShape {
  bool are_values = true;  ///< the terms are elements, and no products that an addition could be fused with
  CAt c = CAt::None;       ///< Start: in a chain; Leaf where the contract has no chain
  Lift lift = Lift::None;
  int hull_terms = 4;
};
/// The sum along a route, as the contract has it.
[[nodiscard]] Sum sum_of(const contract::Contract& contract, const Route& route, const SumShape& shape);

/// The mean of `count` terms.
struct Mean {
  contract::MeanForm form = contract::MeanForm::Any;
  std::int64_t count = 1;
};
/// The ways from a sum to memory: what a mean does with the sum in the accumulator that holds it; where that is wider
/// than declared (`declared` is given), also with a store to the declared one behind or before that; then the declared
/// roundings.
[[nodiscard]] std::vector<std::vector<Step>> endings_of(const contract::Contract& contract, const Arithmetic& held,
                                                        const Arithmetic* declared, const std::optional<Mean>& mean,
                                                        Lift lift);

/// One way to a result: a sum and what may become of it.
struct Way {
  Sum sum;
  std::vector<std::vector<Step>> endings;
};
/// The ways of sums whose values go to memory, or of the means that are made of them; the declared accumulator first.
[[nodiscard]] std::vector<Way> ways_of(const contract::Contract& contract, number::FormatId accumulate,
                                       const SumShape& shape, const std::optional<Mean>& mean = std::nullopt);

/// What these ways permit of one element's terms.
[[nodiscard]] Answer answer_sum(const std::vector<Way>& ways, const contract::Contract& contract,
                                const Element& element, const number::Format& output);

/// Whether B >= S/2 > 0: the ends of `set` lie that far from the exact value (numerics.md 2, Vacuous).
[[nodiscard]] bool is_vacuous(const Set& set, const exact::Dyadic& exact_low, const exact::Dyadic& exact_high,
                              const exact::Dyadic& magnitude);

}  // namespace negzero::oracle
