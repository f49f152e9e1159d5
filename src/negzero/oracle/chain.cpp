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
  if (optional) set.unite(Set::value(Dyadic(), !negative, negative));
  return set;
}

Chain::Chain(const Arithmetic& arithmetic, Contraction contraction, ChainStarts starts, const std::optional<Set>& start,
             const std::optional<contract::Promote>& promote)
    : arithmetic_(arithmetic),
      outer_arithmetic_(promote ? arithmetic.promoted(promote->format) : arithmetic),
      contraction_(contraction),
      starts_(starts),
      block_(promote ? promote->every : 0),
      is_plain_(rounds_plainly(arithmetic)),
      outer_(promote ? start : std::nullopt),
      state_(promote ? std::nullopt : start) {}

void Chain::offer(Set& into, const Set& choice) const {
  if (nonzero_ <= kFewTerms) {
    into.unite(choice, kFewPieces);
  } else {
    into.join(choice);
  }
}

Set Chain::step(const Set& state, const Terms& terms, std::size_t i) const {
  const bool fused = contraction_ != Contraction::Separate, separate = contraction_ != Contraction::Fused;
  Set next;
  const bool loaded = (terms.flags(i) & (kLoaded | kInfinite)) != 0;
  if (separate || loaded) offer(next, oracle::add(arithmetic_, state, leaf_set(arithmetic_, terms, i)));
  if (fused && !loaded) {
    const bool negative = (terms.flags(i) & kNegative) != 0;
    offer(next, add_product(arithmetic_, state, terms.value(i), negative));
    if ((terms.flags(i) & kOptional) != 0) offer(next, add_product(arithmetic_, state, Dyadic(), negative));
  }
  return next;
}

namespace {

/// The product that term `i` is; nothing where it is special, optional or too long.
std::optional<OneNumber> plain_product(const Terms& terms, std::size_t i) {
  constexpr std::uint8_t kSpecial = kInfinite | kNan | kOptional | kMaybeNan | kCertainNan;
  if ((terms.flags(i) & kSpecial) != 0) return std::nullopt;
  const exact::Factors a = terms.a(), b = terms.b();
  return OneNumber::product(a.significand[i], a.exponent[i], b.significand[i], b.exponent[i]);
}

}  // namespace

std::optional<OneNumber> Chain::plain_step(const OneNumber& state, const Terms& terms, std::size_t i) const {
  const auto term = plain_product(terms, i);
  if (!term) return std::nullopt;
  const number::Format& format = arithmetic_.format();
  const bool is_loaded = (terms.flags(i) & kLoaded) != 0;
  std::optional<OneNumber> fused, separate;
  if (contraction_ != Contraction::Separate && !is_loaded) {
    fused = rounded_sum(format, state, *term);
    if (!fused || contraction_ == Contraction::Fused) return fused;
  }
  if (term->significand == 0) {
    separate = rounded_sum(format, state, *term);
  } else if (const auto leaf = rounded_sum(format, *term, {})) {
    separate = rounded_sum(format, state, *leaf);
  }
  if (!fused || !separate) return separate;
  // Two choices that differ are a set.
  const bool agree = fused->significand == separate->significand && fused->exponent == separate->exponent;
  separate->grid = std::min(fused->grid, separate->grid);
  return agree ? separate : std::nullopt;
}

std::optional<OneNumber> Chain::plainly_begun(const Terms& terms, std::size_t i) const {
  if (!is_plain_ || (!starts_.plus_zero && !starts_.first_term) || (terms.flags(i) & kLoaded) != 0) return std::nullopt;
  // fl(0 + fl(p)), fl(0 + p) and fl(p) are one number.
  const auto term = plain_product(terms, i);
  return term && term->significand != 0 ? rounded_sum(arithmetic_.format(), *term, {}) : std::nullopt;
}

Set Chain::one_as_set() const {
  Set set = one_->set();
  set.plus_zero = one_plus_zero_;
  return set;
}

Set Chain::begun(const Terms& terms, std::size_t i) const {
  Set first;
  if (starts_.plus_zero) offer(first, step(Set::value(Dyadic()), terms, i));
  if (starts_.first_term) offer(first, leaf_set(arithmetic_, terms, i));
  return first;
}

void Chain::add(const Terms& terms, std::size_t i) {
  nonzero_ += terms.is_zero(i) ? 0 : 1;
  // A sign of zero has no meaning in a set without zero; the flag is as offer() leaves it, of one choice or of several.
  const bool is_either = contraction_ == Contraction::Either && (terms.flags(i) & kLoaded) == 0;
  if (one_) {
    auto next = plain_step(*one_, terms, i);
    if (!next) state_ = one_as_set();
    one_ = next;
    one_plus_zero_ = nonzero_ > kFewTerms || is_either;
  } else if (!state_) {
    one_ = plainly_begun(terms, i);
    one_plus_zero_ = nonzero_ > kFewTerms || (starts_.plus_zero && (starts_.first_term || is_either));
    if (one_) state_.emplace();
  }
  if (!one_) {
    state_ = state_ ? step(*state_, terms, i) : begun(terms, i);
    if (is_plain_ && !state_->minus_zero) one_ = OneNumber::of(*state_);
    one_plus_zero_ = state_->plus_zero;
  }
  if (block_ == 0 || ++in_block_ < block_) return;
  outer_ = emptied();
  state_.reset();
  one_.reset();
  in_block_ = 0;
}

Set Chain::emptied() const {
  const Set moved = arithmetic_.moved_to(outer_arithmetic_.format(), one_ ? one_as_set() : *state_);
  if (outer_) return oracle::add(outer_arithmetic_, *outer_, moved);
  Set first;
  if (starts_.plus_zero) offer(first, oracle::add(outer_arithmetic_, Set::value(Dyadic()), moved));
  if (starts_.first_term) offer(first, moved);
  return first;
}

Set Chain::value() const {
  if (block_ != 0 && state_) return emptied();
  if (block_ == 0 && one_) return one_as_set();
  const std::optional<Set>& end = block_ != 0 ? outer_ : state_;
  return end ? *end : Set::value(Dyadic());
}

}  // namespace negzero::oracle
