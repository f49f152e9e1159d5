// Chooses the rule that decides a sum.

#include <algorithm>
#include <optional>
#include <utility>

#include <negzero/oracle/between.hpp>
#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/hull.hpp>
#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/sliced.hpp>
#include <negzero/oracle/special_sum.hpp>
#include <negzero/oracle/stepped.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/zero_sign.hpp>

namespace negzero::oracle {

using contract::Contraction;
using contract::Start;
using exact::Dyadic;

namespace {

ChainStarts chain_starts(Start start) {
  // A slice that does not hold C starts as it likes.
  return {start != Start::FirstTerm, start != Start::PlusZero};
}

/// Follows the chain; a chain that may begin at either end of the choices gives the hull.
Set follow(const Sum& sum, Prefix& terms) {
  const std::optional<contract::Promote> promote =
      sum.blocks() != nullptr ? std::optional(sum.blocks()->promote) : std::nullopt;
  if (sum.c != CAt::Start) return terms.chain(sum.arithmetic, sum.contraction, chain_starts(sum.start), promote);
  const std::size_t products = terms.size() - 1;
  const Arithmetic first = promote ? sum.arithmetic.promoted(promote->format) : sum.arithmetic;
  Chain chain(sum.arithmetic, sum.contraction, {}, leaf_set(first, terms.terms(), products), promote);
  for (std::size_t i = 0; i < products; ++i) chain.add(terms.terms(), i);
  return chain.value();
}

SumResult evaluate_plain(const Sum& sum, const Element& element);

/// A sum of finite terms by trees of additions, or by one chain of them.
class TreeSum {
 public:
  TreeSum(const Sum& sum, const Element& element, const Facts& facts)
      : sum_(sum),
        element_(element),
        arithmetic_(sum.arithmetic),
        leaves_(element.terms.leaves(arithmetic_)),
        no_rounding_(needs_no_rounding(arithmetic_, facts)),
        over_(overflows(arithmetic_, element.terms.size(), facts, leaves_, no_rounding_, sum.is_compensated())) {
    result_.facts = facts;
    // Without an upper end to the exponent no grid is needed either: the result is divided next.
    real_ends_ = sum.ends == Ends::Real || (is_unbounded() && is_beyond());
    is_chain_ = sum.is_chain() && !real_ends_;
    // Sums of multiples of g are such multiples, and rounding keeps to the grid of eta.
    grid_ = std::max(facts.nonzero == 0 ? kNoGrid : facts.lowest_bit, arithmetic_.eta_exponent());
  }

  SumResult operator()() {
    if (is_unbounded() && sum_.ends == Ends::Grid && is_beyond()) {
      if (auto scaled = without_overflow()) return *scaled;
    }
    const Facts& facts = result_.facts;
    const bool in_range = std::max(facts.positive, facts.negative) <= arithmetic_.max_finite();
    if (is_chain_ && (facts.nonzero == 0 || !no_rounding_ || sum_.tells_zeros || !in_range)) {
      return finish(follow(sum_, element_.terms),
                    no_rounding_ ? verdict::Rule("sum.exact") : verdict::Rule("sum.ascending"));
    }
    if (no_rounding_ && (in_range || (is_unbounded() && real_ends_))) {
      result_.exact = true;
      const int grid = facts.nonzero == 0 ? kNoGrid : facts.lowest_bit;
      return finish(Set::interval(facts.sum_low, facts.sum_high, grid), "sum.exact");
    }
    if (sum_.blocks() != nullptr && !real_ends_) return evaluate_blocks(sum_, element_);
    return bounded();
  }

 private:
  [[nodiscard]] bool is_unbounded() const { return sum_.lift == Lift::Unbounded; }
  [[nodiscard]] bool is_beyond() const {
    const bool saturates = arithmetic_.may_saturate() && (over_.above.sign() > 0 || over_.below.sign() > 0);
    return over_.plus || over_.minus || saturates;
  }

  SumResult finish(const Set& set, verdict::Rule rule) {
    result_.set = set;
    result_.rule = result_.set.any_infinity() || result_.set.nan ? "sum.overflow" : rule;
    if (!is_chain_ && result_.set.finite) sign_zero(sum_, element_.terms, result_.facts, leaves_, result_.set);
    return std::move(result_);
  }

  /// The sum as if exponents had no upper end: everything scaled down by a power of two, and back. Nothing where the
  /// scaled terms would reach the lower end, which scales differently.
  std::optional<SumResult> without_overflow() {
    const Facts& facts = result_.facts;
    // No partial sum reaches 8 S: bounds that large say nothing anyway.
    const int shift = facts.magnitude().floor_log2() + 4 - arithmetic_.format().max_exponent();
    if (shift <= 0 || facts.lowest_bit - shift < arithmetic_.floor_exponent()) return std::nullopt;
    Sum bounded = sum_;
    bounded.lift = Lift::None;
    const Terms lowered = element_.terms.terms().scaled(-shift);
    Prefix all(lowered);
    SumResult result = evaluate_plain(bounded, {all, element_.exact_method});
    result.set.low = result.set.low.scaled(shift);
    result.set.high = result.set.high.scaled(shift);
    result.set.grid += shift;
    result.bound = result.bound.scaled(shift);
    result.facts = facts;
    return result;
  }

  /// Rules b and c.
  SumResult bounded() {
    const Facts& facts = result_.facts;
    // Joins of terms that are all multiples of the smallest normal number give such multiples: nothing to flush.
    const bool joins_flush = facts.lowest_bit < arithmetic_.format().min_normal_exponent();
    result_.bound = sum_.is_compensated() ? compensated_bound(arithmetic_, facts.magnitude(), leaves_.all(),
                                                              element_.terms.size(), joins_flush)
                                          : sum_bound(arithmetic_, facts.magnitude(), leaves_.all(), joins_flush);
    Dyadic low = facts.sum_low - result_.bound, high = facts.sum_high + result_.bound;
    if (arithmetic_.may_saturate() && !is_unbounded()) {
      low -= over_.above;
      high += over_.below;
    }
    if (real_ends_) {
      Set set = Set::interval(low, high, arithmetic_.eta_exponent());
      if (!is_unbounded() && arithmetic_.may_overflow()) permit_overflow(arithmetic_, over_, set);
      return finish(set, "sum.any_order");
    }
    Set set = inward(arithmetic_, low, high, grid_);
    const bool undecided_nan = arithmetic_.may_overflow() && over_.plus && over_.minus;
    const bool are_few = facts.nonzero <= static_cast<std::uint64_t>(sum_.hull_terms);
    if (are_few && !sum_.is_compensated() && !undecided_nan) return finish(hull(set), "sum.hull");
    if (arithmetic_.may_overflow()) permit_overflow(arithmetic_, over_, set);
    // The compensation of an overflow is an infinity of the other sign, or NaN.
    if (sum_.is_compensated() && (over_.plus || over_.minus)) permit_overflow(arithmetic_, {true, true, {}, {}}, set);
    return finish(set, "sum.any_order");
  }

  /// Rule b, within the bound.
  Set hull(const Set& bound) {
    const Facts& facts = result_.facts;
    const bool zero_terms = element_.terms.size() > facts.nonzero;
    // One term among zeros is never the result as it stands: it goes through an addition, rounded before or not.
    const bool alone = facts.nonzero == 1 && zero_terms;
    const bool separate = alone || sum_.contraction != Contraction::Fused;
    ChainStarts starts = chain_starts(sum_.start);
    starts.plus_zero |= zero_terms;
    if (alone) starts.first_term = false;
    Set hull = set_of(arithmetic_, element_.terms.hull(arithmetic_, sum_.fuses(), separate, starts), grid_);
    // Where a result may overflow, the bound still says how large the finite ones can be.
    if (hull.finite && bound.finite && (over_.plus || over_.minus)) {
      hull.low = std::max(hull.low, bound.low);
      hull.high = std::min(hull.high, bound.high);
    }
    return hull;
  }

  const Sum& sum_;
  const Element& element_;
  const Arithmetic& arithmetic_;
  SumResult result_;
  Leaves leaves_;
  bool no_rounding_;
  Overflows over_;
  bool real_ends_ = false, is_chain_ = false;
  int grid_ = 0;
};

/// evaluate() where no slice's sum is stored. (Those of matrix units are in evaluate_stepped().)
SumResult evaluate_plain(const Sum& sum, const Element& element) {
  Prefix& terms = element.terms;
  const TermKinds& kinds = terms.kinds();
  // A chain may overflow before it meets an infinity, but where nothing overflows that infinity is all that counts.
  const bool decides = !sum.is_chain() || kinds.maybe_nan() || sum.lift == Lift::Unbounded;
  if (kinds.nan() || (kinds.any_infinity() && decides)) return special_sum(sum, element);
  const Facts& facts = terms.facts(element.exact_method);
  if (kinds.any_infinity()) {
    SumResult result;
    result.facts = facts;
    result.set = follow(sum, terms);
    result.rule = "sum.special";
    return result;
  }
  if (sum.unit_steps() != nullptr) return evaluate_stepped(sum, terms.terms(), facts);
  return TreeSum(sum, element, facts)();
}

}  // namespace

verdict::Rule weaker(verdict::Rule a, verdict::Rule b) {
  const auto rank = [](verdict::Rule rule) {
    if (rule == "sum.exact") return 0;
    if (rule == "sum.hull" || rule == "sum.ascending") return 1;
    if (rule == "sum.any_order") return 2;
    if (rule == kStepped) return 3;
    return rule == kSliced ? 4 : 5;
  };
  return rank(a) < rank(b) ? b : a;
}

Set inward(const Arithmetic& arithmetic, const Dyadic& low, const Dyadic& high, int grid) {
  const number::Format& format = arithmetic.format();
  const Dyadic& largest = arithmetic.max_finite();
  if (largest < low || high < -largest) return {};
  const auto to_grid = [&](const Dyadic& x, number::Rounding rounding) {
    const Dyadic clipped = std::clamp(x, -largest, largest);
    return Dyadic::from_encoding(format, clipped.round_to(format, {.rounding = rounding}));
  };
  Set set;
  const Dyadic bottom = to_grid(low, number::Rounding::Up), top = to_grid(high, number::Rounding::Down);
  if (!(top < bottom)) set.join_interval(bottom, top, grid);
  return set;
}

SumResult evaluate(const Sum& sum, const Terms& terms, std::string_view exact_method) {
  Prefix all(terms);
  return evaluate(sum, {all, exact_method});
}

SumResult evaluate(const Sum& sum, const Element& element) {
  SumResult result = evaluate_plain(sum, element);
  if (sum.unit_steps() != nullptr || !element.terms.finite()) return result;
  const auto stores = stores_of(sum, result.facts);
  if (!stores) return result;
  return with_stored_slices(sum, element, *stores, std::move(result));
}

}  // namespace negzero::oracle
