// Follows a chain step by step.

#include <algorithm>

#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/hull.hpp>

namespace negzero::oracle {

using contract::Contraction;
using exact::Dyadic;

Range leaf_range(const Arithmetic& arithmetic, const Terms& terms, std::size_t i) {
  const bool negative = (terms.flags(i) & kNegative) != 0;
  if ((terms.flags(i) & kInfinite) != 0) return Range::infinity(negative);
  if (terms.is_zero(i)) return Range::value(Dyadic(), !negative, negative);
  const Dyadic value = terms.value(i);
  const bool loaded = (terms.flags(i) & kLoaded) != 0, optional = (terms.flags(i) & kOptional) != 0;
  Range range =
      loaded ? arithmetic.load(value, negative) : arithmetic.round(value, value, true, false, value.lowest_bit());
  if (optional) {
    Range dropped = Range::value(Dyadic(), !negative, negative);
    range.join(dropped);
  }
  return range;
}

Range chain_of(const Arithmetic& arithmetic, const Terms& terms, Contraction contraction, ChainStarts starts,
               const std::optional<Range>& start, const std::optional<contract::Promote>& promote) {
  const bool fused = contraction != Contraction::Separate, separate = contraction != Contraction::Fused;
  const std::size_t every = promote ? static_cast<std::size_t>(promote->every) : terms.size();
  const Arithmetic outer_arithmetic = promote ? arithmetic.promoted(promote->format) : arithmetic;

  const auto step = [&](const Range& state, std::size_t i) {
    Range next;
    const bool loaded = (terms.flags(i) & (kLoaded | kInfinite)) != 0;
    if (separate || loaded) next.join(add(arithmetic, state, leaf_range(arithmetic, terms, i)));
    if (fused && !loaded) {
      const bool negative = (terms.flags(i) & kNegative) != 0;
      next.join(add_product(arithmetic, state, terms.value(i), negative));
      if ((terms.flags(i) & kOptional) != 0) next.join(add_product(arithmetic, state, Dyadic(), negative));
    }
    return next;
  };

  std::optional<Range> outer = promote ? start : std::nullopt;
  std::optional<Range> state = promote ? std::nullopt : start;
  for (std::size_t begin = 0; begin < terms.size(); begin += every) {
    const std::size_t end = std::min(begin + every, terms.size());
    if (promote) state.reset();
    for (std::size_t i = begin; i < end; ++i) {
      if (state) {
        state = step(*state, i);
        continue;
      }
      Range first;
      if (starts.plus_zero) first.join(step(Range::value(Dyadic()), i));
      if (starts.first_term) first.join(leaf_range(arithmetic, terms, i));
      state = first;
    }
    if (!promote) continue;
    if (outer) {
      outer = add(outer_arithmetic, *outer, *state);
    } else {
      Range begun;
      if (starts.plus_zero) begun.join(add(outer_arithmetic, Range::value(Dyadic()), *state));
      if (starts.first_term) begun.join(*state);
      outer = begun;
    }
  }
  if (promote) return outer ? *outer : Range::value(Dyadic());
  return state ? *state : Range::value(Dyadic());
}

}  // namespace negzero::oracle
