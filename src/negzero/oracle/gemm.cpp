// GEMM: which terms an element sums, where alpha and beta act, what K = 0 and zero scalars mean.

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/integer.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/routes.hpp>
#include <negzero/oracle/scaling.hpp>

namespace negzero::oracle {
namespace {

using base::usage_error;
using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contract;
using contract::Contraction;
using contract::IntermediateAt;
using contract::Order;
using contract::Start;
using contract::Subnormals;
using exact::Dyadic;
using number::FormatId;

FormatId wider_of(FormatId a, FormatId b) {
  return number::format(a).precision() >= number::format(b).precision() ? a : b;
}

/// A scalar in the format that the contract computes it in.
Real scalar_of(const operation::Scalar& scalar, const Contract& contract) {
  const number::Format& own = number::format(scalar.format);
  if (!contract.scalar_format) return Real::from_encoding(own, scalar.bits);
  const number::Format& format = number::format(*contract.scalar_format);
  return Real::from_encoding(format, number::convert(own, scalar.bits, format, {}));
}

struct GemmShape {
  std::int64_t m, n, k;

  /// Row-major index of the first factor of `element` in a, and in b.
  [[nodiscard]] std::size_t a_begin(std::int64_t element) const { return static_cast<std::size_t>(element / n * k); }
  [[nodiscard]] std::size_t b_begin(std::int64_t element) const {
    return static_cast<std::size_t>(element / n / m * k * n + element % n);
  }
};

class FloatGemm final : public Problem {
 public:
  FloatGemm(const operation::Case& value, const Contract& contract, const Options& options)
      : FloatGemm(value, std::get<operation::Gemm>(value.operation), contract, options) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    const Real c = reads_c_ ? c_of(element) : Real{};
    if (!reads_product_) return scaled_c(element, c);
    std::call_once(taken_apart_, [this] { take_operands(); });
    Answer answer;
    const Terms terms = terms_of(a_, b_, element);
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      const bool settled = follow(terms, c, element, i, answer);
      if (settled) break;
    }
    return answer;
  }

 private:
  struct Folded {
    Operand a, b;
  };

  FloatGemm(const operation::Case& value, const operation::Gemm& gemm, const Contract& contract, const Options& options)
      : Problem(gemm.batch * gemm.m * gemm.n, gemm.d),
        shape_{gemm.m, gemm.n, gemm.k},
        contract_(contract),
        exact_method_(options.exact),
        a_tensor_(value.tensors.at("a")),
        b_tensor_(value.tensors.at("b")),
        c_(value.tensors.at("c")),
        alpha_(scalar_of(gemm.alpha, contract)),
        beta_(scalar_of(gemm.beta, contract)),
        reads_product_(gemm.k > 0 && (!alpha_.is_zero() || contract.reads_a_b_at_alpha_zero)),
        reads_c_(!beta_.is_zero() || contract.reads_c_at_beta_zero),
        scalar_format_(contract.scalar_format.value_or(wider_of(gemm.alpha.format, gemm.beta.format))),
        scales_(!(alpha_.is_finite() && alpha_.value.abs() == Dyadic(1))),
        // Folding is one rounding to nearest; where one has several outcomes the bound of scaled_anywhere() covers it.
        foldable_(!alpha_.is_finite() || alpha_.is_zero() ||
                  (contract.accumulate_rounding == contract::AccumulateRounding::Nearest &&
                   contract.subnormal_inputs == Subnormals::Keep && contract.subnormal_results == Subnormals::Keep)),
        routes_(routes_of(contract.accumulate, contract.wider)) {}

  /// The screen settles most cases without a single question, so the operands wait for the first.
  void take_operands() const {
    a_ = take_apart(a_tensor_, contract_.multiplicand, contract_.subnormal_inputs);
    b_ = take_apart(b_tensor_, contract_.multiplicand, contract_.subnormal_inputs);
    if (!scales_ || contract_.alpha == AlphaPlace::Epilogue) return;
    for (const Route& route : routes_) {
      folded_.push_back({fold(a_tensor_, alpha_, route.format, contract_, !foldable_),
                         fold(b_tensor_, alpha_, route.format, contract_, !foldable_)});
    }
  }

  /// The arithmetic that a route's finished sum is held in.
  [[nodiscard]] Arithmetic held_in(const Route& route) const {
    const Arithmetic arithmetic(route.format, contract_);
    return contract_.promote && !route.real_ends ? arithmetic.promoted(contract_.promote->format) : arithmetic;
  }

  [[nodiscard]] Real c_of(std::int64_t element) const {
    Real c = Real::from_encoding(c_.format(), c_.get(element));
    if (contract_.subnormal_inputs == Subnormals::Flush && c.kind == number::Class::Subnormal) {
      c.kind = number::Class::Zero;
      c.value = Dyadic();
    }
    return c;
  }
  [[nodiscard]] bool optional(const Real& c) const {
    return contract_.subnormal_inputs == Subnormals::Either && c.kind == number::Class::Subnormal;
  }
  /// C as it is loaded into `arithmetic`.
  [[nodiscard]] Range loaded(const Real& c, const Arithmetic& arithmetic) const {
    Range range = c.range();
    if (c.is_finite() && !arithmetic.holds(c.value)) {
      range = arithmetic.round(c.value, c.value, true, false, c.value.lowest_bit());
    }
    if (optional(c)) range.join(Range::value(Dyadic(), !c.negative, c.negative));
    return range;
  }

  [[nodiscard]] Terms terms_of(const Operand& a, const Operand& b, std::int64_t element) const {
    const std::size_t a0 = shape_.a_begin(element), b0 = shape_.b_begin(element);
    const auto count = static_cast<std::size_t>(shape_.k), stride = static_cast<std::size_t>(shape_.n);
    Terms terms;
    terms.reserve(count + 1);
    for (std::size_t i = 0; i < count; ++i) terms.push_product(a, a0 + i, b, b0 + i * stride);
    return terms;
  }

  /// alpha * sum + beta * c in the epilogue's arithmetic, contracted as the contract allows. Where alpha acts here, the
  /// fused operation may be the one that multiplies by it, although alpha is 1: kernels do not look. Nothing for alpha
  /// where it is folded into an operand.
  [[nodiscard]] Range epilogue(const Arithmetic& arithmetic, const Range& sum, const Real* alpha, const Real& c) const {
    const Range scaled = alpha == nullptr || alpha->is_one() ? sum : multiply(arithmetic, sum, *alpha);
    if (!reads_c_) return scaled;
    const Range source = loaded(c, arithmetic);
    const Range addend = beta_.is_one() ? source : multiply(arithmetic, source, beta_);
    Range result;
    if (contract_.contraction != Contraction::Fused) result.join(add(arithmetic, scaled, addend));
    if (contract_.contraction != Contraction::Separate) {
      result.join(multiply_add(arithmetic, source, beta_, scaled));
      if (alpha != nullptr) result.join(multiply_add(arithmetic, sum, *alpha, addend));
    }
    return result;
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
  /// Of two ways to evaluate, the rule that says less stands for both.
  static void weaken(std::string_view rule, Answer& answer) {
    const auto rank = [](std::string_view id) {
      return id == "sum.exact" ? 0 : id == "sum.hull" || id == "sum.ascending" ? 1 : id == "sum.any_order" ? 2 : 3;
    };
    if (rank(answer.permitted.rule) < rank(rule)) answer.permitted.rule = rule;
  }
  /// The arithmetics that alpha and beta may act in after a sum in `sum`. With a declared scalar format, the wider of
  /// it and the accumulator's; otherwise the accumulator's, or also the scalars' own where the contract allows wider
  /// ones.
  [[nodiscard]] std::vector<Arithmetic> epilogues(const Arithmetic& sum) const {
    const FormatId own = sum.format().id, wide = wider_of(own, scalar_format_);
    if (wide == own || contract_.scalar_format) return {sum.in(wide)};
    if (!contract_.wider) return {sum};
    return {sum, sum.in(wide)};
  }

  Answer scaled_c(std::int64_t element, const Real& c) const;
  bool follow(const Terms& terms, const Real& c, std::int64_t element, std::size_t index, Answer& answer) const;

  GemmShape shape_;
  const Contract& contract_;
  std::string exact_method_;
  const tensor::Tensor &a_tensor_, &b_tensor_, &c_;
  Real alpha_, beta_;
  bool reads_product_, reads_c_;
  FormatId scalar_format_;
  bool scales_;    ///< alpha is neither 1 nor -1
  bool foldable_;  ///< alpha * a and alpha * b have one rounding; otherwise folded_ only says what may overflow
  std::vector<Route> routes_;
  mutable std::once_flag taken_apart_;
  mutable Operand a_, b_;
  mutable std::vector<Folded> folded_;
};

Answer FloatGemm::scaled_c(std::int64_t element, const Real& c) const {
  const std::string_view rule = shape_.k == 0 ? "gemm.k_zero" : "gemm.alpha_zero";
  Answer answer;
  bool first = true;
  if (!reads_c_) {
    answer.permitted = to_permitted(Range::value(Dyadic()), output_format(), contract_, false, rule);
    answer.exact = Dyadic();
    return answer;
  }
  if (c.is_finite() && beta_.is_finite()) answer.exact = c.value * beta_.value;
  if (beta_.is_one()) {
    // C's own bits, whatever the accumulator; what follows adds what arithmetic would make of them.
    Contract plain = contract_;
    plain.overflow = contract::OverflowPolicy::Ieee;
    const Real bits = Real::from_encoding(c_.format(), c_.get(element));
    answer.permitted = to_permitted(bits.range(), output_format(), plain, false, rule);
    first = false;
  }
  for (const Route& route : routes_) {
    for (const Arithmetic& arithmetic : epilogues(held_in(route))) {
      const Range source = loaded(c, arithmetic);
      permit(beta_.is_one() ? source : multiply(arithmetic, source, beta_), rule, answer, first);
      first = false;
    }
  }
  return answer;
}

bool FloatGemm::follow(const Terms& terms_as_read, const Real& c, std::int64_t element, std::size_t index,
                       Answer& answer) const {
  const Route& route = routes_[index];
  const Arithmetic arithmetic(route.format, contract_);
  const std::vector<Arithmetic> lasts = epilogues(held_in(route));
  const bool chain = contract_.order == Order::Ascending;
  const bool c_starts = contract_.start == Start::C || contract_.start == Start::Any;
  const bool may_be_leaf = reads_c_ && contract_.beta != BetaPlace::Epilogue && (!chain || c_starts);
  // A chain that need not start at C may add it at its end, which is the epilogue.
  const bool must_be_leaf =
      may_be_leaf && (contract_.start == Start::C || (contract_.beta == BetaPlace::Leaf && !chain));
  bool first = index == 0;

  SumQuery query;
  query.contract = &contract_;
  query.exact_method = exact_method_;
  query.hull_terms = index == 0 ? hull_terms(outputs()) : 0;
  query.real_ends = route.real_ends;

  // alpha = +-1 folded into an operand: an exact change of signs, and no operation in the epilogue.
  const bool only_folded = !scales_ && contract_.alpha == AlphaPlace::Operand;
  Terms folded_terms;
  if (only_folded && alpha_.negative) {
    folded_terms = terms_as_read;
    folded_terms.negate();
  }
  const bool turned = only_folded && alpha_.negative;
  const Terms& base_terms = turned ? folded_terms : terms_as_read;
  std::optional<SumResult> plain;
  bool settled = false;  // nothing rounds, so nothing wider differs
  const auto sum_range = [&](const SumResult& sum) {
    if (contract_.intermediate.empty() || contract_.intermediate_at != IntermediateAt::Sum) return sum.range;
    return through_intermediate(sum.range, contract_);
  };
  const auto note = [&](const SumResult& sum, const Range& range, const Dyadic& alpha) {
    answer.facts = sum.facts;
    answer.bound = sum.bound;
    const bool infinite = base_terms.nan() || base_terms.infinity(false) || base_terms.infinity(true);
    if (infinite || !c.is_finite() || !beta_.is_finite()) return;
    const Dyadic addend = reads_c_ ? c.value * beta_.value : Dyadic();
    Dyadic low = sum.facts.sum_low * alpha + addend, high = sum.facts.sum_high * alpha + addend;
    answer.exact = low;
    if (high < low) std::swap(low, high);
    answer.permitted.vacuous = is_vacuous(range, low, high, alpha.abs() * sum.facts.magnitude() + addend.abs());
  };
  const auto offer = [&](const Range& range, std::string_view sum_rule) {
    const bool overflows = sum_rule != "sum.special" && (range.any_infinity() || range.nan) && c.is_finite() &&
                           beta_.is_finite() && alpha_.is_finite();
    const std::string_view rule = overflows ? "sum.overflow" : sum_rule;
    permit(range, rule, answer, first);
    if (index == 0) weaken(rule, answer);
    first = false;
  };

  // The sum alone, then alpha and C in the epilogue.
  const bool epilogue_scales = !scales_ || contract_.alpha != AlphaPlace::Operand || !foldable_;
  const bool leaf_covers =
      // -1 times a sum of +0 is -0, which no leaf can turn around.
      may_be_leaf && !chain && !scales_ && !alpha_.negative && lasts.size() == 1 &&
      lasts[0].format() == arithmetic.format();
  if (epilogue_scales && !(must_be_leaf && !scales_) && !leaf_covers) {
    plain = evaluate_sum(arithmetic, base_terms, query);
    for (const Arithmetic& last : lasts) {
      const Range range = epilogue(last, sum_range(*plain), only_folded ? nullptr : &alpha_, c);
      const bool note_it = first && alpha_.is_finite();
      offer(range, plain->rule);
      if (note_it) note(*plain, range, turned ? Dyadic(1) : alpha_.value);
      if (!scales_ && !reads_c_) break;
    }
    settled = plain->exact && !scales_ && !reads_c_;
  }
  // alpha = -1 folded into an operand differs from the epilogue in the signs of zero alone.
  if (plain && !scales_ && alpha_.negative && !only_folded && contract_.alpha != AlphaPlace::Epilogue &&
      contract_.zero_sign == contract::ZeroSign::Ieee) {
    Terms terms = base_terms;
    terms.negate();
    const SumResult sum = evaluate_sum(arithmetic, terms, query);
    for (const Arithmetic& last : lasts) offer(epilogue(last, sum_range(sum), nullptr, c), sum.rule);
  }
  if (index == 0 && settled) return true;
  // C as a leaf of the sum, alpha = +-1.
  const auto with_leaf = [&](Terms terms) {
    terms.push_product(beta_, c, optional(c));
    SumQuery with_c = query;
    with_c.last_is_c = true;
    with_c.starts_at_c = chain;
    return evaluate_sum(arithmetic, terms, with_c);
  };
  if (may_be_leaf && !scales_) {
    Terms terms = base_terms;
    if (alpha_.negative && !turned) terms.negate();
    const SumResult sum = with_leaf(std::move(terms));
    const bool noted = answer.facts.has_value();
    offer(sum_range(sum), sum.rule);
    if (index == 0 && !noted) {
      note(sum, sum.range, Dyadic(1));
      // The facts hold C already.
      if (answer.exact) answer.exact = sum.facts.sum_low;
      answer.permitted.vacuous = is_vacuous(sum.range, sum.facts.sum_low, sum.facts.sum_high, sum.facts.magnitude());
    }
    if (index == 0 && sum.exact && leaf_covers) return true;
  }
  if (!scales_ || contract_.alpha == AlphaPlace::Epilogue) return false;

  // alpha folded into a or into b.
  if (foldable_) {
    for (const bool into_b : {false, true}) {
      const Terms terms = terms_of(into_b ? a_ : folded_[index].a, into_b ? folded_[index].b : b_, element);
      if (may_be_leaf) {
        const SumResult sum = with_leaf(terms);
        offer(sum_range(sum), sum.rule);
      }
      if (!may_be_leaf || (chain && !must_be_leaf)) {
        const SumResult sum = evaluate_sum(arithmetic, terms, query);
        for (const Arithmetic& last : lasts) offer(epilogue(last, sum_range(sum), nullptr, c), sum.rule);
      }
    }
  }
  // A folded operand may overflow whatever its rounding, and then meet a zero or one of the other sign.
  for (const bool into_b : {false, true}) {
    if (foldable_ || base_terms.nan()) break;
    const Terms terms = terms_of(into_b ? a_ : folded_[index].a, into_b ? folded_[index].b : b_, element);
    if (!terms.nan() && !terms.infinity(false) && !terms.infinity(true)) continue;
    Range range = Range::only_nan();
    range.plus_infinity = range.minus_infinity = true;
    offer(range, "sum.overflow");
  }
  // alpha on partial sums.
  const bool finite = alpha_.is_finite() && !alpha_.is_zero() && !base_terms.nan() && !base_terms.infinity(false) &&
                      !base_terms.infinity(true) && c.is_finite() && beta_.is_finite();
  const bool anywhere = contract_.alpha == AlphaPlace::Partial;
  if (finite && (anywhere || !foldable_)) {
    if (!plain) plain = evaluate_sum(arithmetic, base_terms, query);
    if (foldable_ && scales_exactly(arithmetic, plain->facts, alpha_.value)) return false;
    if (plain->facts.nonzero > 1 || !foldable_) {
      const Dyadic addend = c.value * beta_.value;
      const Range range = scaled_anywhere(arithmetic, held_in(route), *plain, inspect(arithmetic, base_terms),
                                          alpha_.value, reads_c_ ? &addend : nullptr, contract_.multiplicand);
      offer(range, "sum.any_order");
    }
  }
  return false;
}

/// I32 throughout: exact modulo 2^32, or clamped.
class IntegerGemm final : public Problem {
 public:
  IntegerGemm(const operation::Case& value, const Contract& contract)
      : Problem(std::get<operation::Gemm>(value.operation).batch * std::get<operation::Gemm>(value.operation).m *
                    std::get<operation::Gemm>(value.operation).n,
                FormatId::I32),
        gemm_(std::get<operation::Gemm>(value.operation)),
        contract_(contract),
        a_(value.tensors.at("a")),
        b_(value.tensors.at("b")),
        c_(value.tensors.at("c")) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    const auto signed_value = [](std::uint64_t word) {
      return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(word))};
    };
    const std::int64_t alpha = signed_value(gemm_.alpha.bits), beta = signed_value(gemm_.beta.bits);
    const GemmShape shape{gemm_.m, gemm_.n, gemm_.k};
    std::vector<std::int64_t> terms;
    if (alpha != 0) {
      const auto a0 = static_cast<std::int64_t>(shape.a_begin(element)),
                 b0 = static_cast<std::int64_t>(shape.b_begin(element));
      for (std::int64_t i = 0; i < gemm_.k; ++i) {
        terms.push_back(signed_value(a_.get(a0 + i)) * signed_value(b_.get(b0 + i * gemm_.n)));
      }
    }
    const std::int64_t c = beta != 0 ? signed_value(c_.get(element)) * beta : 0;
    if (contract_.integer_overflow == contract::IntegerOverflow::Wrap) {
      // The product is only known modulo 2^32, which is all that is needed.
      for (std::int64_t& term : terms) {
        const auto low = static_cast<std::uint32_t>(term) * static_cast<std::uint32_t>(alpha);
        term = static_cast<std::int32_t>(low);
      }
      terms.push_back(c);
      return integer_sum(terms, contract_, "integer.wrap");
    }
    Answer answer = integer_sum(terms, contract_, "integer.saturate");
    const auto clamped = [](std::int64_t x) {
      return std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(),
                                      std::numeric_limits<std::int32_t>::max());
    };
    // Products of 32-bit numbers and their sums with another fit in 64 bits, so each step is clamped as it is.
    std::int64_t low = clamped(answer.permitted.low * alpha), high = clamped(answer.permitted.high * alpha);
    if (high < low) std::swap(low, high);
    answer.permitted.low = clamped(low + clamped(c));
    answer.permitted.high = clamped(high + clamped(c));
    answer.exact = *answer.exact * Dyadic(alpha) + Dyadic(c);
    return answer;
  }

 private:
  const operation::Gemm& gemm_;
  const Contract& contract_;
  const tensor::Tensor &a_, &b_, &c_;
};

}  // namespace

base::Result<std::unique_ptr<Problem>> make_gemm(const operation::Case& value, const Contract& contract,
                                                 const Options& options) {
  const auto& gemm = std::get<operation::Gemm>(value.operation);
  const auto integer = [](FormatId id) { return number::format(id).is_integer(); };
  const int integers = integer(gemm.a) + integer(gemm.b) + integer(gemm.d) + integer(contract.accumulate) +
                       integer(gemm.alpha.format) + integer(gemm.beta.format);
  if (integers == 6) return std::unique_ptr<Problem>(std::make_unique<IntegerGemm>(value, contract));
  if (integers != 0) {
    return usage_error("contract: accumulate \"" + std::string(number::format(contract.accumulate).name) +
                       "\" does not fit a gemm of " + std::string(number::format(gemm.a).name) + " and " +
                       std::string(number::format(gemm.b).name) + " into " + std::string(number::format(gemm.d).name) +
                       ": integers and floating point do not mix, scalars included");
  }
  return std::unique_ptr<Problem>(std::make_unique<FloatGemm>(value, contract, options));
}

}  // namespace negzero::oracle
