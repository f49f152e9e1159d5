// Follows each element through the places where alpha and C may act.

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <negzero/oracle/between.hpp>
#include <negzero/oracle/epilogue.hpp>
#include <negzero/oracle/float_gemm.hpp>
#include <negzero/oracle/folding.hpp>
#include <negzero/oracle/gemm_shape.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/routes.hpp>
#include <negzero/oracle/scaling.hpp>
#include <negzero/oracle/sum_bound.hpp>

namespace negzero::oracle {
namespace {

using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contract;
using contract::IntermediateAt;
using contract::Order;
using contract::Start;
using exact::Dyadic;

/// Where the contract lets C enter.
struct Places {
  bool chain;
  bool leaf;       ///< anywhere in the sum, or where the chain starts
  bool chain_end;  ///< as the last term of a chain, before what follows the sum
  bool epilogue;   ///< after the sum
};

Places places_of(const Contract& contract, bool reads_c) {
  const bool chain = contract.order == Order::Ascending;
  const bool starts = contract.start == Start::C || contract.start == Start::Any;
  const bool inside = reads_c && contract.beta != BetaPlace::Epilogue;
  const bool only_inside = inside && (contract.start == Start::C || contract.beta == BetaPlace::Leaf);
  return {chain, inside && (!chain || starts), inside && chain && contract.start != Start::C, !only_inside};
}

class FloatGemm final : public Problem {
 public:
  FloatGemm(const operation::Case& value, const operation::Gemm& gemm, const Contract& contract, const Options& options)
      : Problem(gemm.batch * gemm.m * gemm.n, gemm.d),
        shape_{gemm.m, gemm.n, gemm.k},
        contract_(contract),
        exact_method_(options.exact),
        a_tensor_(value.tensors.at("a")),
        b_tensor_(value.tensors.at("b")),
        c_(value.tensors.at("c")),
        epilogue_(gemm, contract),
        reads_product_(gemm.k > 0 && (!epilogue_.alpha().is_zero() || contract.reads_a_b_at_alpha_zero)),
        rounds_sum_(contract.intermediate_at == IntermediateAt::Sum && !contract.intermediate.empty()),
        places_(places_of(contract, epilogue_.reads_c())),
        routes_(routes_of(contract, contract.accumulate)) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override;

 private:
  struct FoldedPair {
    Folded a, b;
  };
  class Walk;

  /// The screen settles most cases without a single question, so the operands wait for the first.
  void take_operands() const {
    a_ = take_apart(a_tensor_, contract_.multiplicand, contract_.subnormal_inputs);
    b_ = take_apart(b_tensor_, contract_.multiplicand, contract_.subnormal_inputs);
    if (!epilogue_.scales() || contract_.alpha == AlphaPlace::Epilogue) return;
    for (const Route& route : routes_) {
      const Arithmetic arithmetic(route.format, contract_);
      folded_.push_back({fold(a_tensor_, epilogue_.alpha(), arithmetic, contract_),
                         fold(b_tensor_, epilogue_.alpha(), arithmetic, contract_)});
    }
  }

  [[nodiscard]] Factors factors_of(std::int64_t element) const {
    return {shape_.a_begin(element), shape_.b_begin(element), 1, static_cast<std::size_t>(shape_.n),
            static_cast<std::size_t>(shape_.k)};
  }
  [[nodiscard]] Terms terms_of(std::int64_t element) const {
    const Factors at = factors_of(element);
    Terms terms;
    terms.reserve(at.count + 1);
    for (std::size_t i = 0; i < at.count; ++i) {
      terms.push_product(a_, at.a_begin + i * at.a_stride, b_, at.b_begin + i * at.b_stride);
    }
    return terms;
  }

  void permit(const Range& range, std::string_view rule, Answer& answer, bool first) const {
    const bool last = contract_.intermediate_at == IntermediateAt::Result;
    const Permitted permitted =
        to_permitted(last ? through_intermediate(range, contract_) : range, output_format(), contract_, false, rule);
    if (first) {
      answer.permitted = permitted;
    } else {
      join(answer.permitted, permitted);
    }
  }

  Answer scaled_c(std::int64_t element, const Real& c) const;

  GemmShape shape_;
  const Contract& contract_;
  std::string exact_method_;
  const tensor::Tensor &a_tensor_, &b_tensor_, &c_;
  Epilogue epilogue_;
  bool reads_product_;
  bool rounds_sum_;  ///< intermediate roundings stand between the sum and C
  Places places_;
  std::vector<Route> routes_;
  mutable std::once_flag taken_apart_;
  mutable Operand a_, b_;
  mutable std::vector<FoldedPair> folded_;  ///< for each route, where alpha may be folded
};

Answer FloatGemm::scaled_c(std::int64_t element, const Real& c) const {
  const std::string_view rule = shape_.k == 0 ? "gemm.k_zero" : "gemm.alpha_zero";
  const Real& beta = epilogue_.beta();
  Answer answer;
  bool first = true;
  if (!epilogue_.reads_c()) {
    answer.permitted = to_permitted(Range::value(Dyadic()), output_format(), contract_, false, rule);
    answer.exact = Dyadic();
    return answer;
  }
  if (c.is_finite() && beta.is_finite()) answer.exact = c.value * beta.value;
  if (beta.is_one()) {
    // C's own bits, whatever the accumulator; what follows adds what arithmetic would make of them.
    Contract plain = contract_;
    plain.overflow = contract::OverflowPolicy::Ieee;
    const Real bits = Real::from_encoding(c_.format(), c_.get(element));
    answer.permitted = to_permitted(bits.range(), output_format(), plain, false, rule);
    first = false;
  }
  for (const Route& route : routes_) {
    const Arithmetic sum(route.format, contract_);
    for (const Arithmetic& arithmetic : epilogue_.arithmetics(route.held_in(sum))) {
      permit(epilogue_.addend(arithmetic, c), rule, answer, first);
      first = false;
    }
  }
  return answer;
}

/// One element along one route.
class FloatGemm::Walk {
 public:
  Walk(const FloatGemm& gemm, const Terms& terms, const Real& c, std::int64_t element, std::size_t index,
       Answer& answer)
      : gemm_(gemm),
        contract_(gemm.contract_),
        alpha_(gemm.epilogue_.alpha()),
        c_(c),
        element_(element),
        index_(index),
        route_(gemm.routes_[index]),
        arithmetic_(route_.format, contract_),
        held_(route_.held_in(arithmetic_)),
        declared_(gemm.routes_[0].held_in(Arithmetic(gemm.routes_[0].format, contract_))),
        wide_(held_.format() != declared_.format()),
        lasts_(gemm.epilogue_.arithmetics(held_)),
        answer_(answer),
        first_(index == 0),
        terms_(&terms) {
    query_.contract = &contract_;
    query_.exact_method = gemm.exact_method_;
    query_.hull_terms = index == 0 ? hull_terms(gemm.outputs()) : 0;
    query_.real_ends = route_.real_ends;
    query_.promote = route_.promote;
    // alpha = +-1 folded into an operand: an exact change of signs, and no operation in the epilogue.
    only_folded_ = !gemm.epilogue_.scales() && contract_.alpha == AlphaPlace::Operand;
    turned_ = only_folded_ && alpha_.negative;
    if (turned_) {
      turned_terms_ = terms;
      turned_terms_.negate();
      terms_ = &turned_terms_;
    }
    // The sum with C as a leaf is also what adds C last, where one arithmetic does both and nothing stands between;
    // and the epilogue adds it as the chain's last step does.
    one_arithmetic_ =
        !route_.promote && !gemm.rounds_sum_ && lasts_.size() == 1 && lasts_[0].format() == arithmetic_.format();
    leaf_covers_ = one_arithmetic_ && gemm.places_.leaf && !gemm.places_.chain;
    epilogue_covers_ = one_arithmetic_ && gemm.places_.epilogue;
  }

  /// Adds everything this route reaches. True: nothing rounds, so no wider accumulator differs.
  [[nodiscard]] bool settles() {
    if (!gemm_.epilogue_.scales()) return unscaled();
    if (contract_.alpha != AlphaPlace::Operand && scale_last()) return true;
    if (contract_.alpha != AlphaPlace::Epilogue) {
      scale_operands();
      if (contract_.alpha == AlphaPlace::Partial && !gemm_.places_.chain) scale_partial_sums();
    }
    return false;
  }

 private:
  [[nodiscard]] bool reads_c() const { return gemm_.epilogue_.reads_c(); }
  [[nodiscard]] bool infinite_terms() const {
    return terms_->nan() || terms_->infinity(false) || terms_->infinity(true);
  }
  [[nodiscard]] bool finite_c() const { return c_.is_finite() && gemm_.epilogue_.beta().is_finite(); }

  /// The sum after the roundings that stand between it and C: back in the accumulator, which the epilogue works in;
  /// or as it left the last of them, where nothing takes part any more.
  [[nodiscard]] Range rounded(const Range& sum) const { return rounded(sum, held_); }
  [[nodiscard]] Range rounded(const Range& sum, const Arithmetic& held) const {
    if (!gemm_.rounds_sum_) return sum;
    const Range range = through_intermediate(sum, contract_);
    Range back = convert(range, held.format(), number::Rounding::NearestEven, contract::OverflowPolicy::Ieee);
    if (alpha_.is_one() && !reads_c()) back.join(range);
    return back;
  }
  /// A sum in a wider accumulator, stored to the declared one after those roundings, or before them.
  [[nodiscard]] Range narrowed(const Range& sum) const {
    Range range = stored(rounded(sum), declared_);
    if (gemm_.rounds_sum_) range.join(rounded(stored(sum, declared_), declared_));
    return range;
  }
  /// The epilogue of kernels that sum in a wider accumulator and finish in the declared one: (float)sum, then alpha and
  /// beta * c in F32. It need not lie between what either accumulator gives alone.
  void narrow_last(const Range& sum, bool alpha, std::string_view rule) {
    if (!wide_) return;
    const Range narrow = narrowed(sum);
    for (const Arithmetic& last : gemm_.epilogue_.arithmetics(declared_)) {
      offer(gemm_.epilogue_.finish(last, narrow, alpha, c_), rule);
    }
  }
  /// A sum that C is part of, or that nothing is added to.
  void offer_sum(const Range& sum, std::string_view rule) {
    offer(rounded(sum), rule);
    if (wide_ && gemm_.rounds_sum_) offer(narrowed(sum), rule);
  }
  void offer(const Range& range, std::string_view sum_rule) {
    const bool overflows =
        sum_rule != "sum.special" && (range.any_infinity() || range.nan) && finite_c() && alpha_.is_finite();
    const std::string_view rule = overflows ? "sum.overflow" : sum_rule;
    gemm_.permit(range, rule, answer_, first_);
    first_ = false;
    if (wide_) gemm_.permit(stored(range, declared_), rule, answer_, false);
    if (index_ != 0) return;
    answer_.permitted.rule = weaker(answer_.permitted.rule, rule);
  }
  /// The facts behind the first set: of alpha * sum + addend.
  void note(const SumResult& sum, const Range& range, const Dyadic& alpha, const Dyadic& addend) {
    answer_.facts = sum.facts;
    answer_.bound = sum.bound;
    if (infinite_terms() || !finite_c()) return;
    Dyadic low = sum.facts.sum_low * alpha + addend, high = sum.facts.sum_high * alpha + addend;
    answer_.exact = low;
    if (high < low) std::swap(low, high);
    answer_.permitted.vacuous = is_vacuous(range, low, high, alpha.abs() * sum.facts.magnitude() + addend.abs());
  }
  [[nodiscard]] Dyadic addend() const { return reads_c() ? c_.value * gemm_.epilogue_.beta().value : Dyadic(); }

  [[nodiscard]] SumResult with_leaf(TermIntervals intervals) const {
    const Real& beta = gemm_.epilogue_.beta();
    const bool optional = gemm_.epilogue_.optional(c_);
    intervals.low.push_product(beta, c_, optional);
    if (!intervals.same) intervals.high.push_product(beta, c_, optional);
    SumQuery query = query_;
    query.last_is_c = true;
    query.starts_at_c = gemm_.places_.chain;
    return evaluate_between(arithmetic_, intervals, query);
  }

  /// The sum alone, then alpha and C in the epilogue. True where nothing rounds.
  bool scale_last() {
    plain_ = evaluate_sum(arithmetic_, *terms_, query_);
    for (const Arithmetic& last : lasts_) {
      const bool note_it = first_ && alpha_.is_finite();
      const Range range = gemm_.epilogue_.finish(last, rounded(plain_->range), !only_folded_, c_);
      offer(range, plain_->rule);
      if (note_it) note(*plain_, range, turned_ ? Dyadic(1) : alpha_.value, addend());
      if (!gemm_.epilogue_.scales() && !reads_c()) break;
    }
    narrow_last(plain_->range, !only_folded_, plain_->rule);
    return index_ == 0 && plain_->exact && !gemm_.rounds_sum_ && !gemm_.epilogue_.scales() && !reads_c();
  }

  /// C as the last term of a chain whose other terms give `sum`.
  void end_chain(const SumResult& sum, bool alpha) {
    const Range range = gemm_.epilogue_.finish(held_, sum.range, alpha, c_);
    const bool noted = answer_.facts.has_value();
    offer_sum(range, sum.rule);
    if (index_ == 0 && !noted && alpha_.is_finite()) note(sum, range, alpha ? alpha_.value : Dyadic(1), addend());
  }

  /// alpha = +-1.
  [[nodiscard]] bool unscaled() {
    // -1 times a sum of +0 is -0, which no leaf can turn around.
    const bool covered = leaf_covers_ && !alpha_.negative;
    bool settled = false;
    if (gemm_.places_.epilogue && !covered) {
      settled = scale_last();
      // alpha = -1 folded into an operand differs from the epilogue in signs of zero, and in what the scaling flushes.
      if (alpha_.negative && !only_folded_ && contract_.alpha != AlphaPlace::Epilogue &&
          (contract_.zero_sign == contract::ZeroSign::Ieee || arithmetic_.may_flush())) {
        Terms terms = *terms_;
        terms.negate();
        const SumResult sum = evaluate_sum(arithmetic_, terms, query_);
        for (const Arithmetic& last : lasts_)
          offer(gemm_.epilogue_.finish(last, rounded(sum.range), false, c_), sum.rule);
        narrow_last(sum.range, false, sum.rule);
      }
    }
    if (settled) return true;
    if (wide_ && gemm_.places_.epilogue && covered) {
      plain_ = evaluate_sum(arithmetic_, *terms_, query_);
      narrow_last(plain_->range, !only_folded_, plain_->rule);
    }
    if (gemm_.places_.chain_end && !epilogue_covers_) {
      if (!plain_) plain_ = evaluate_sum(arithmetic_, *terms_, query_);
      end_chain(*plain_, !only_folded_);
    }
    if (!gemm_.places_.leaf) return false;
    TermIntervals intervals{*terms_, {}};
    if (alpha_.negative && !turned_) intervals.low.negate();
    const SumResult sum = with_leaf(std::move(intervals));
    const bool noted = answer_.facts.has_value();
    offer_sum(sum.range, sum.rule);
    // The facts hold C already.
    if (index_ == 0 && !noted) note(sum, sum.range, Dyadic(1), Dyadic());
    return index_ == 0 && sum.exact && covered;
  }

  /// alpha folded into a or into b.
  void scale_operands() {
    const FloatGemm::FoldedPair& folded = gemm_.folded_[index_];
    for (const bool into_b : {false, true}) {
      const TermIntervals terms = into_b ? folded_terms(folded.b, gemm_.a_, gemm_.factors_of(element_), true)
                                         : folded_terms(folded.a, gemm_.b_, gemm_.factors_of(element_), false);
      if (gemm_.places_.leaf) {
        const SumResult sum = with_leaf(terms);
        const bool noted = answer_.facts.has_value();
        offer_sum(sum.range, sum.rule);
        if (index_ == 0 && !noted && alpha_.is_finite()) note(sum, sum.range, Dyadic(1), Dyadic());
      }
      if (!(gemm_.places_.epilogue || gemm_.places_.chain_end) || (leaf_covers_ && !wide_)) continue;
      const SumResult sum = evaluate_between(arithmetic_, terms, query_);
      if (gemm_.places_.epilogue) narrow_last(sum.range, false, sum.rule);
      if (leaf_covers_) continue;
      if (gemm_.places_.chain_end && !epilogue_covers_) end_chain(sum, false);
      if (!gemm_.places_.epilogue) continue;
      for (const Arithmetic& last : lasts_) {
        const bool noted = answer_.facts.has_value();
        const Range range = gemm_.epilogue_.finish(last, rounded(sum.range), false, c_);
        offer(range, sum.rule);
        if (index_ == 0 && !noted && alpha_.is_finite()) note(sum, range, Dyadic(1), addend());
      }
    }
  }

  /// Slices scaled before they meet, and C among them or after what stands between the sum and the epilogue.
  void scale_partial_sums() {
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
    if (gemm_.places_.leaf && facts.nonzero != 0 && !(uncut && one_arithmetic_)) {
      if (exact && facts.lowest_bit >= arithmetic_.floor_exponent()) {
        // Trees over the scaled terms are the trees over the terms, scaled anywhere.
        TermIntervals terms{terms_->scaled(alpha_.value.floor_log2()), {}};
        if (alpha_.negative) terms.low.negate();
        const SumResult sum = with_leaf(std::move(terms));
        offer_sum(sum.range, sum.rule);
      } else {
        const Dyadic c = addend();
        scaled.c = &c;
        offer_sum(scaled_anywhere(scaled), "sum.any_order");
        scaled.c = nullptr;
      }
    }
    if (!gemm_.places_.epilogue || (leaf_covers_ && !wide_)) return;
    if (!exact && !uncut) return add_c(scaled_anywhere(scaled), "sum.any_order");
    // What scaling the whole sum gives, and scale_last() gave, unless something stands between the sum and C.
    const Range sum = multiply(held_, plain_->range, alpha_);
    const bool covered = one_arithmetic_ || (exact && !gemm_.rounds_sum_);
    covered ? narrow_last(sum, false, plain_->rule) : add_c(sum, plain_->rule);
  }

  /// beta * C, where it comes after what stands behind the sum; alpha is in `sum` already.
  void add_c(const Range& sum, std::string_view rule) {
    narrow_last(sum, false, rule);
    if (leaf_covers_) return;
    for (const Arithmetic& last : lasts_) offer(gemm_.epilogue_.finish(last, rounded(sum), false, c_), rule);
  }

  const FloatGemm& gemm_;
  const Contract& contract_;
  const Real& alpha_;
  const Real& c_;
  std::int64_t element_;
  std::size_t index_;
  const Route& route_;
  Arithmetic arithmetic_, held_, declared_;
  bool wide_;  ///< held in a wider format than declared
  std::vector<Arithmetic> lasts_;
  Answer& answer_;
  bool first_;
  SumQuery query_;
  bool only_folded_ = false, turned_ = false, one_arithmetic_ = false, leaf_covers_ = false, epilogue_covers_ = false;
  const Terms* terms_;
  Terms turned_terms_;
  std::optional<SumResult> plain_;
};

Answer FloatGemm::answer(std::int64_t element) const {
  const Real c = epilogue_.reads_c() ? epilogue_.read(c_.format(), c_.get(element)) : Real{};
  if (!reads_product_) return scaled_c(element, c);
  std::call_once(taken_apart_, [this] { take_operands(); });
  Answer answer;
  const Terms terms = terms_of(element);
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (Walk(*this, terms, c, element, i, answer).settles()) break;
  }
  return answer;
}

}  // namespace

std::unique_ptr<Problem> make_float_gemm(const operation::Case& value, const Contract& contract,
                                         const Options& options) {
  return std::make_unique<FloatGemm>(value, std::get<operation::Gemm>(value.operation), contract, options);
}

}  // namespace negzero::oracle
