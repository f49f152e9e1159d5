// Follows a chain step by step.

#include <algorithm>

#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/hull.hpp>

namespace negzero::oracle {

using contract::Contraction;
using exact::Dyadic;

Set leaf_set(const Arithmetic& arithmetic, const Terms& terms, std::size_t i) {
  const bool negative = (terms.flags(i) & kNegative) != 0;
  if ((terms.flags(i) & kInfinite) != 0) return Set::infinity(negative);
  if (terms.is_zero(i)) return Set::value(Dyadic(), !negative, negative);
  const Dyadic value = terms.value(i);
  const bool loaded = (terms.flags(i) & kLoaded) != 0, optional = (terms.flags(i) & kOptional) != 0;
  Set set = loaded ? arithmetic.load(value, negative) : arithmetic.round(value, value, true, false, value.lowest_bit());
  if (optional) {
    Set dropped = Set::value(Dyadic(), !negative, negative);
    set.join(dropped);
  }
  return set;
}

Chain::Chain(const Arithmetic& arithmetic, Contraction contraction, ChainStarts starts, const std::optional<Set>& start,
             const std::optional<contract::Promote>& promote)
    : arithmetic_(arithmetic),
      outer_arithmetic_(promote ? arithmetic.promoted(promote->format) : arithmetic),
      contraction_(contraction),
      starts_(starts),
      block_(promote ? promote->every : 0),
      outer_(promote ? start : std::nullopt),
      state_(promote ? std::nullopt : start) {}

Set Chain::step(const Set& state, const Terms& terms, std::size_t i) const {
  const bool fused = contraction_ != Contraction::Separate, separate = contraction_ != Contraction::Fused;
  Set next;
  const bool loaded = (terms.flags(i) & (kLoaded | kInfinite)) != 0;
  if (separate || loaded) next.join(oracle::add(arithmetic_, state, leaf_set(arithmetic_, terms, i)));
  if (fused && !loaded) {
    const bool negative = (terms.flags(i) & kNegative) != 0;
    next.join(add_product(arithmetic_, state, terms.value(i), negative));
    if ((terms.flags(i) & kOptional) != 0) next.join(add_product(arithmetic_, state, Dyadic(), negative));
  }
  return next;
}

void Chain::add(const Terms& terms, std::size_t i) {
  if (state_) {
    state_ = step(*state_, terms, i);
  } else {
    Set first;
    if (starts_.plus_zero) first.join(step(Set::value(Dyadic()), terms, i));
    if (starts_.first_term) first.join(leaf_set(arithmetic_, terms, i));
    state_ = first;
  }
  if (block_ == 0 || ++in_block_ < block_) return;
  outer_ = emptied();
  state_.reset();
  in_block_ = 0;
}

Set Chain::emptied() const {
  const Set moved = arithmetic_.moved_to(outer_arithmetic_.format(), *state_);
  if (outer_) return oracle::add(outer_arithmetic_, *outer_, moved);
  Set begun;
  if (starts_.plus_zero) begun.join(oracle::add(outer_arithmetic_, Set::value(Dyadic()), moved));
  if (starts_.first_term) begun.join(moved);
  return begun;
}

Set Chain::value() const {
  if (block_ != 0 && state_) return emptied();
  const std::optional<Set>& end = block_ != 0 ? outer_ : state_;
  return end ? *end : Set::value(Dyadic());
}

}  // namespace negzero::oracle
