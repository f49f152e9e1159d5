// Chooses the rule that decides a sum.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

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
  Set set = chain.value();
  if (!promote || products == 0) return set;
  // C may begin the first block instead.
  Chain inside(sum.arithmetic, sum.contraction, chain_starts(sum.start), std::nullopt, promote);
  inside.begin_block(leaf_set(sum.arithmetic, terms.terms(), products));
  for (std::size_t i = 0; i < products; ++i) inside.add(terms.terms(), i);
  set.unite(inside.value());
  return set;
}

SumResult evaluate_plain(const Sum& sum, const Element& element);

/// A sum of finite terms by trees of additions, or by one chain of them.
class TreeSum {
 public:
  TreeSum(const Sum& sum, const Element& element, const Facts& facts)
      : sum_(sum),
        element_(element),
        arithmetic_(sum.arithmetic),
        widths_(sum.widths()),
        no_rounding_(needs_no_rounding(arithmetic_, facts)) {
    result_.facts = facts;
    is_chain_ = sum.is_chain() && sum.ends == Ends::Grid;
    // The chain says by itself what overflows.
    if (is_followed() && !is_unbounded() && !is_mixed()) return;
    leaves_ = element.terms.leaves(arithmetic_);
    over_ = overflows(sum, arithmetic_, element.terms, facts, leaves_, no_rounding_);
    // Without an upper end to the exponent no grid is needed either: the result is divided next.
    real_ends_ = sum.ends == Ends::Real || (is_unbounded() && is_beyond());
    is_chain_ &= !real_ends_;
    // Sums of multiples of g are such multiples, and rounding keeps to the grid of eta.
    grid_ = std::max(facts.nonzero == 0 ? kNoGrid : facts.lowest_bit, arithmetic_.eta_exponent());
    if (is_mixed()) reach_in_all();
  }

  SumResult operator()() {
    if (is_unbounded() && sum_.ends == Ends::Grid && is_beyond()) {
      if (auto scaled = without_overflow()) return *scaled;
    }
    const Facts& facts = result_.facts;
    if (is_followed()) {
      return finish(follow(sum_, element_.terms),
                    no_rounding_ ? verdict::Rule("sum.exact") : verdict::Rule("sum.ascending"));
    }
    if (no_rounding_ && (is_in_range() || (is_unbounded() && real_ends_))) {
      result_.exact = true;
      const int grid = facts.nonzero == 0 ? kNoGrid : facts.lowest_bit;
      return finish(Set::interval(facts.sum_low, facts.sum_high, grid), "sum.exact");
    }
    if (sum_.blocks() != nullptr && !real_ends_) return evaluate_blocks(sum_, element_);
    return bounded();
  }

 private:
  [[nodiscard]] bool is_unbounded() const { return sum_.lift == Lift::Unbounded; }
  [[nodiscard]] bool is_in_range() const {
    return std::max(result_.facts.positive, result_.facts.negative) <= arithmetic_.max_finite();
  }
  /// Whether it is a chain that has to be followed step by step.
  [[nodiscard]] bool is_followed() const {
    return is_chain_ && (result_.facts.nonzero == 0 || !no_rounding_ || sum_.tells_zeros || !is_in_range());
  }
  [[nodiscard]] bool is_mixed() const { return widths_.size() > 1; }
  [[nodiscard]] bool joins_flush() const {
    // Joins of terms that are all multiples of the smallest normal number give such multiples: nothing to flush.
    return result_.facts.lowest_bit < arithmetic_.format().min_normal_exponent();
  }
  [[nodiscard]] Trees trees() const { return {joins_flush(), sum_.additions(element_.terms, result_.facts.nonzero)}; }
  /// The bound of rule c where additions are in several formats, of the terms that `part` counts.
  template <class Part>
  [[nodiscard]] Dyadic mixed_bound_of(const Signed& terms, const Part& part) const {
    std::vector<LeafCount> counts;
    for (const Arithmetic& each : widths_) counts.push_back(part(element_.terms.leaves(each)));
    return mixed_bound(widths_, terms, counts, trees());
  }
  /// What partial sums may come to where each is in one of several formats: the narrowest overflows first.
  void reach_in_all() {
    const Facts& facts = result_.facts;
    Dyadic p = facts.positive, n = facts.negative;
    if (!no_rounding_) {
      // That of all terms is enough where it is far from overflowing.
      result_.bound = mixed_bound_of({p, n}, [](const Leaves& all) { return all.all(); });
      over_ = {};
      if (!(arithmetic_.max_finite() < std::max(p, n) + result_.bound)) return;
      p += mixed_bound_of({p, {}}, [](const Leaves& all) { return all.positive; });
      n += mixed_bound_of({{}, n}, [](const Leaves& all) { return all.negative; });
    }
    over_ = {false, false, std::max(p - arithmetic_.max_finite(), Dyadic()),
             std::max(n - arithmetic_.max_finite(), Dyadic())};
    for (const Arithmetic& each : widths_) {
      const bool overflows = each.may_overflow();
      const Overflows& own =
          overs_.emplace_back(Overflows{overflows && each.can_overflow(p), overflows && each.can_overflow(n), {}, {}});
      over_.plus |= own.plus;
      over_.minus |= own.minus;
    }
  }
  /// Infinities and NaN of real ends: of each arithmetic by itself.
  void permit_overflows(Set& set) const {
    if (overs_.empty() && arithmetic_.may_overflow()) permit_overflow(arithmetic_, over_, set);
    for (std::size_t i = 0; i < overs_.size(); ++i) permit_overflow(widths_[i], overs_[i], set);
    set.nan |= set.plus_infinity && set.minus_infinity;
  }
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
    result.set = result.set.each_piece([&](Set piece) {
      piece.low = piece.low.scaled(shift);
      piece.high = piece.high.scaled(shift);
      piece.grid += shift;
      return piece;
    });
    result.bound = result.bound.scaled(shift);
    result.facts = facts;
    return result;
  }

  /// Rules b and c.
  SumResult bounded() {
    const Facts& facts = result_.facts;
    if (sum_.is_compensated()) {
      result_.bound =
          compensated_bound(arithmetic_, facts.magnitude(), leaves_.all(), element_.terms.size(), joins_flush());
    } else if (!is_mixed()) {
      result_.bound = sum_bound(arithmetic_, {facts.positive, facts.negative}, leaves_.all(), trees());
    }
    Dyadic low = facts.sum_low - result_.bound, high = facts.sum_high + result_.bound;
    if (arithmetic_.may_saturate() && !is_unbounded()) {
      low -= over_.above;
      high += over_.below;
    }
    const bool are_few = facts.nonzero <= static_cast<std::uint64_t>(sum_.hull_terms);
    if (real_ends_) {
      const bool is_followed = !is_beyond() || (!is_unbounded() && facts.nonzero <= kFewTerms);
      if (is_mixed() && are_few && is_followed) return finish(by_orders({}), "sum.hull");
      Set set = Set::interval(low, high, sum_.held().eta_exponent());
      if (!is_unbounded()) permit_overflows(set);
      return finish(set, "sum.any_order");
    }
    Set set = inward(arithmetic_, low, high, grid_);
    if (are_few && !sum_.is_compensated()) return finish(by_orders(set), "sum.hull");
    if (arithmetic_.may_overflow()) permit_overflow(arithmetic_, over_, set);
    // The compensation of an overflow is an infinity of the other sign, or NaN.
    if (sum_.is_compensated() && (over_.plus || over_.minus)) permit_overflow(arithmetic_, {true, true, {}, {}}, set);
    return finish(set, "sum.any_order");
  }

  /// How leaves of rule b begin.
  [[nodiscard]] Prefix::Begins begins() const {
    const Facts& facts = result_.facts;
    const bool zero_terms = element_.terms.size() > facts.nonzero;
    // One term among zeros is never the result as it stands: it goes through an addition, rounded before or not. An
    // idle lane adds its +0 to any partial sum.
    const bool alone = facts.nonzero == 1 && zero_terms;
    ChainStarts starts = chain_starts(sum_.start);
    starts.plus_zero |= zero_terms;
    if (alone) starts.first_term = false;
    const bool has_c = sum_.has_c(element_.terms);
    return {sum_.fuses(),
            alone || sum_.contraction != Contraction::Fused,
            starts,
            starts.plus_zero && arithmetic_.flushes_inputs(),
            {sum_.additions(facts.nonzero - (has_c ? 1 : 0), false), has_c}};
  }

  /// Whether numbers lie between the ends: of the accumulator, or of F32 where wider ones may hold the sum.
  [[nodiscard]] bool has_between(const Hull& ends) const {
    const number::Format& own = arithmetic_.format();
    const number::Format& f32 = number::format(number::FormatId::F32);
    const number::Format& format = is_mixed() && own.precision() < f32.precision() ? f32 : own;
    const auto place = [&](const Rounded& end, number::Rounding rounding) {
      return number::ordinal(format, end.value.round_to(format, {.rounding = rounding}));
    };
    return place(ends.low, number::Rounding::Down) + 1 < place(ends.high, number::Rounding::Up);
  }

  /// Rule b: the results themselves of few terms, the hull of more. `bound` is what rule c permits.
  Set by_orders(const Set& bound) {
    const Prefix::Begins how = begins();
    // Not a matter of ends: NaN, and what overflows in one width alone.
    const bool needs_results = is_mixed() ? is_beyond() : over_.plus && over_.minus;
    if (needs_results) return element_.terms.results(widths_, how);
    const Hull& ends = element_.terms.hull(widths_, how);
    const bool is_few = sum_.detail == Detail::Results && result_.facts.nonzero <= kFewTerms;
    if (is_few && has_between(ends)) return element_.terms.results(widths_, how);
    if (is_mixed()) {
      return Set::interval(ends.low.value, ends.high.value, std::min(grid_, sum_.held().eta_exponent()));
    }
    if (is_few && !ends.low.overflow && !ends.high.overflow)
      return Set::of({{ends.low.value, ends.low.value, grid_}, {ends.high.value, ends.high.value, grid_}});
    Set hull = set_of(arithmetic_, ends, grid_);
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
  std::vector<Arithmetic> widths_;
  SumResult result_;
  Leaves leaves_{};
  bool no_rounding_;
  Overflows over_{};
  std::vector<Overflows> overs_{};  ///< in each of several arithmetics
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
