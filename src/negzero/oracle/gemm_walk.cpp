// Unions over the places that a contract names for alpha and for C.

#include <algorithm>
#include <string_view>
#include <utility>

#include <negzero/oracle/between.hpp>
#include <negzero/oracle/gemm_walk.hpp>
#include <negzero/oracle/output.hpp>

namespace negzero::oracle {

using contract::AlphaPlace;
using exact::Dyadic;

GemmWalk::GemmWalk(const GemmContext& gemm, const Terms& terms, const Real& c, std::int64_t element, std::size_t index,
                   Answer& answer)
    : gemm_(gemm),
      places_(gemm.places),
      contract_(gemm.contract),
      alpha_(gemm.epilogue.alpha()),
      c_(c),
      element_(element),
      index_(index),
      route_(gemm.routes[index]),
      arithmetic_(route_.format, contract_),
      held_(route_.held_in(arithmetic_)),
      declared_(gemm.routes[0].held_in(Arithmetic(gemm.routes[0].format, contract_))),
      wide_(held_.format() != declared_.format()),
      lasts_(gemm.epilogue.arithmetics(held_)),
      stores_(wide_ || (contract_.wider && lasts_.back().format() != declared_.format())),
      answer_(answer),
      first_(index == 0),
      terms_(&terms) {
  // alpha = +-1 folded into an operand: an exact change of signs, and no operation in the epilogue.
  only_folded_ = !gemm.epilogue.scales() && contract_.alpha == AlphaPlace::Operand;
  turned_ = only_folded_ && alpha_.negative;
  if (turned_) {
    turned_terms_ = terms;
    turned_terms_.negate();
    terms_ = &turned_terms_;
  }
  last_narrows_ =
      alpha_.negative && !only_folded_ && std::any_of(lasts_.begin(), lasts_.end(), [&](const Arithmetic& last) {
        return last.format().max_exponent() < held_.format().max_exponent() ||
               last.eta_exponent() > held_.eta_exponent();
      });
  // The sum with C as a leaf is also what adds C last, where one arithmetic does both and nothing stands between;
  // and the epilogue adds it as the chain's last step does.
  // (Of a matrix unit, which is no such addition, each place is looked at by itself.)
  one_arithmetic_ = !route_.promote && !route_.stepping && !gemm.rounds_sum && lasts_.size() == 1 &&
                    lasts_[0].format() == arithmetic_.format();
  // But a leaf may be fl(beta * c) of C as it stands in memory, and the epilogue loads C first; and a leaf alone is -0
  // where a sum of nothing, +0, takes it to +0.
  leaf_covers_ = one_arithmetic_ && places_.leaf && !places_.chain && terms.size() > 0 &&
                 gemm.epilogue.loads_exactly(arithmetic_, c);
  epilogue_covers_ = one_arithmetic_ && places_.epilogue && gemm.epilogue.loaded_leaves(held_, c).empty();
}

bool GemmWalk::settles() {
  if (!gemm_.epilogue.scales()) return unscaled();
  if (contract_.alpha != AlphaPlace::Operand && scale_last()) return true;
  if (contract_.alpha != AlphaPlace::Epilogue) {
    scale_operands();
    if (contract_.alpha == AlphaPlace::Partial && !places_.chain) scale_partial_sums();
  }
  return false;
}

void GemmWalk::join_leaf() {
  first_ = places_.epilogue = places_.chain_end = false;
  if (!gemm_.epilogue.scales()) {
    (void)unscaled();
  } else if (contract_.alpha != AlphaPlace::Epilogue) {
    scale_operands();
    if (contract_.alpha != AlphaPlace::Partial || places_.chain) return;
    plain_ = sum_alone(*terms_);
    scale_partial_sums();
  }
}

bool GemmWalk::infinite_terms() const { return terms_->nan() || terms_->infinity(false) || terms_->infinity(true); }

Set GemmWalk::rounded(const Set& sum, const Arithmetic& held) const {
  if (!gemm_.rounds_sum) return sum;
  const Set set = finish(gemm_.intermediate, sum);
  Set back = convert(set, held.format(), number::Rounding::NearestEven, contract::OverflowPolicy::Ieee);
  if (alpha_.is_one() && !reads_c()) back.join(set);
  return back;
}

Set GemmWalk::narrowed(const Set& sum) const {
  Set set = stored(rounded(sum), declared_);
  if (gemm_.rounds_sum) set.join(rounded(stored(sum, declared_), declared_));
  return set;
}

void GemmWalk::narrow_last(const Set& sum, bool alpha, verdict::Rule rule) {
  if (!wide_) return;
  const Set narrow = narrowed(sum);
  for (const Arithmetic& last : gemm_.epilogue.arithmetics(declared_)) {
    offer(gemm_.epilogue.finish(last, narrow, alpha, c_), rule);
  }
}

void GemmWalk::offer_sum(const Set& sum, verdict::Rule rule) {
  offer(rounded(sum), rule);
  if (wide_ && gemm_.rounds_sum) offer(narrowed(sum), rule);
}

void GemmWalk::offer(const Set& set, verdict::Rule sum_rule) {
  const bool overflows =
      sum_rule != "sum.special" && (set.any_infinity() || set.nan) && finite_c() && alpha_.is_finite();
  const verdict::Rule rule = overflows ? "sum.overflow" : sum_rule;
  gemm_.permit(set, rule, answer_, first_);
  first_ = false;
  if (stores_) gemm_.permit(stored(set, declared_), rule, answer_, false);
  if (index_ != 0) return;
  answer_.permitted.rule = weaker(answer_.permitted.rule, rule);
}

void GemmWalk::note(const SumResult& sum, const Set& set, const Dyadic& alpha, const Dyadic& addend) {
  answer_.facts = sum.facts;
  answer_.bound = sum.bound;
  if (infinite_terms() || !finite_c()) return;
  Dyadic low = sum.facts.sum_low * alpha + addend, high = sum.facts.sum_high * alpha + addend;
  answer_.exact = low;
  if (high < low) std::swap(low, high);
  answer_.permitted.vacuous = is_vacuous(set, low, high, alpha.abs() * sum.facts.magnitude() + addend.abs());
}

SumResult GemmWalk::sum_alone(const Terms& terms) const {
  return evaluate(gemm_.sums[index_].alone, terms, gemm_.exact_method);
}

SumResult GemmWalk::with_leaf(TermIntervals intervals) const {
  const Real& beta = gemm_.epilogue.beta();
  const bool optional = Epilogue::optional(c_);
  intervals.low.push_product(beta, c_, optional);
  if (!intervals.same) intervals.high.push_product(beta, c_, optional);
  return evaluate_between(gemm_.sums[index_].with_c, intervals, gemm_.exact_method);
}

bool GemmWalk::scale_last() {
  plain_ = sum_alone(*terms_);
  for (const Arithmetic& last : lasts_) {
    const bool note_it = first_ && alpha_.is_finite();
    const Set set = gemm_.epilogue.finish(last, rounded(plain_->set), !only_folded_, c_);
    offer(set, plain_->rule);
    if (note_it) note(*plain_, set, turned_ ? Dyadic(1) : alpha_.value, addend());
    if (!gemm_.epilogue.scales() && !reads_c()) break;
  }
  narrow_last(plain_->set, !only_folded_, plain_->rule);
  return index_ == 0 && plain_->exact && !gemm_.rounds_sum && !gemm_.epilogue.scales() && !reads_c() && !last_narrows_;
}

void GemmWalk::end_chain(const SumResult& sum, bool alpha) {
  const Set set = gemm_.epilogue.finish_chain(held_, sum.set, alpha, c_);
  const bool noted = answer_.facts.has_value();
  offer_sum(set, sum.rule);
  if (index_ == 0 && !noted && alpha_.is_finite()) note(sum, set, alpha ? alpha_.value : Dyadic(1), addend());
}

bool GemmWalk::folds_sign() const {
  if (!alpha_.negative || only_folded_ || contract_.alpha == AlphaPlace::Epilogue) return false;
  return contract_.zero_sign == contract::ZeroSign::Ieee || arithmetic_.may_flush() || gemm_.rounds_sum ||
         last_narrows_;
}

SumResult GemmWalk::turned_sum() const {
  Terms terms = *terms_;
  terms.negate();
  return sum_alone(terms);
}

bool GemmWalk::unscaled() {
  // -1 times a sum of +0 is -0, which no leaf can turn around.
  const bool covered = leaf_covers_ && !alpha_.negative;
  bool settled = false;
  if (places_.epilogue && !covered) {
    settled = scale_last();
    if (folds_sign()) {
      const SumResult sum = turned_sum();
      for (const Arithmetic& last : lasts_) offer(gemm_.epilogue.finish(last, rounded(sum.set), false, c_), sum.rule);
      narrow_last(sum.set, false, sum.rule);
    }
  }
  if (settled) return true;
  if (wide_ && places_.epilogue && covered) {
    plain_ = sum_alone(*terms_);
    narrow_last(plain_->set, !only_folded_, plain_->rule);
  }
  if (places_.chain_end && !epilogue_covers_) {
    if (!plain_) plain_ = sum_alone(*terms_);
    end_chain(*plain_, !only_folded_);
    if (folds_sign()) end_chain(turned_sum(), false);
  }
  if (!places_.leaf) return false;
  TermIntervals intervals{*terms_, {}};
  if (alpha_.negative && !turned_) intervals.low.negate();
  const SumResult sum = with_leaf(std::move(intervals));
  const bool noted = answer_.facts.has_value();
  offer_sum(sum.set, sum.rule);
  // The facts hold C already.
  if (index_ == 0 && !noted) note(sum, sum.set, Dyadic(1), Dyadic());
  return index_ == 0 && sum.exact && covered;
}

void GemmWalk::scale_operands() {
  const GemmContext::FoldedPair& folded = gemm_.folded[index_];
  for (const bool into_b : {false, true}) {
    const TermIntervals terms =
        into_b ? folded_terms(folded.b, gemm_.factored_for(index_).a, gemm_.factors_of(element_), true)
               : folded_terms(folded.a, gemm_.factored_for(index_).b, gemm_.factors_of(element_), false);
    if (places_.leaf) {
      const SumResult sum = with_leaf(terms);
      const bool noted = answer_.facts.has_value();
      offer_sum(sum.set, sum.rule);
      if (index_ == 0 && !noted && alpha_.is_finite()) note(sum, sum.set, Dyadic(1), Dyadic());
    }
    if (!(places_.epilogue || places_.chain_end) || (leaf_covers_ && !wide_)) continue;
    const SumResult sum = evaluate_between(gemm_.sums[index_].alone, terms, gemm_.exact_method);
    if (places_.epilogue) narrow_last(sum.set, false, sum.rule);
    if (leaf_covers_) continue;
    if (places_.chain_end && !epilogue_covers_) end_chain(sum, false);
    if (!places_.epilogue) continue;
    for (const Arithmetic& last : lasts_) {
      const bool noted = answer_.facts.has_value();
      const Set set = gemm_.epilogue.finish(last, rounded(sum.set), false, c_);
      offer(set, sum.rule);
      if (index_ == 0 && !noted && alpha_.is_finite()) note(sum, set, Dyadic(1), addend());
    }
  }
}

void GemmWalk::scale_partial_sums() {
  if (!alpha_.is_finite() || alpha_.is_zero() || infinite_terms() || !finite_c()) return;
  const Facts& facts = plain_->facts;
  const bool exact = facts.nonzero == 0 || scales_exactly(arithmetic_, facts, alpha_.value);
  // One product is one slice. (Where something is flushed, a zero may be another.)
  const bool uncut = terms_->size() == 1 && !arithmetic_.may_flush() && !route_.promote;
  ScaledSum scaled{arithmetic_, held_, facts};
  scaled.inexact = inspect(arithmetic_, *terms_).all().inexact != 0;
  scaled.terms = terms_->size();
  scaled.compensated = contract_.compensated;
  scaled.real_ends = route_.real_ends;
  scaled.alpha = alpha_.value;
  if (places_.leaf && facts.nonzero != 0 && !(uncut && one_arithmetic_)) {
    if (exact && facts.lowest_bit >= arithmetic_.floor_exponent()) {
      // Trees over the scaled terms are the trees over the terms, scaled anywhere.
      TermIntervals terms{terms_->scaled(alpha_.value.floor_log2()), {}};
      if (alpha_.negative) terms.low.negate();
      const SumResult sum = with_leaf(std::move(terms));
      offer_sum(sum.set, sum.rule);
    } else {
      const Dyadic c = addend();
      scaled.c = &c;
      offer_sum(scaled_anywhere(scaled), "sum.any_order");
      scaled.c = nullptr;
    }
  }
  if (!places_.epilogue || (leaf_covers_ && !wide_)) return;
  if (!exact && !uncut) return add_c(scaled_anywhere(scaled), "sum.any_order");
  // What scaling the whole sum gives, and scale_last() gave, unless something stands between the sum and C.
  const Set sum = multiply(held_, plain_->set, alpha_);
  const bool covered = one_arithmetic_ || (exact && !gemm_.rounds_sum);
  covered ? narrow_last(sum, false, plain_->rule) : add_c(sum, plain_->rule);
}

void GemmWalk::add_c(const Set& sum, verdict::Rule rule) {
  narrow_last(sum, false, rule);
  if (leaf_covers_) return;
  for (const Arithmetic& last : lasts_) offer(gemm_.epilogue.finish(last, rounded(sum), false, c_), rule);
}

}  // namespace negzero::oracle
