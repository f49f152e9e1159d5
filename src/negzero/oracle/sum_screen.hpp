// The screen of float sums: what each element's hardware sums settle, and by which argument.
//
// Let y be the sum in the accumulator's format and f one way to finish it (alpha * y, then beta * c, fused or not).
//   witness  y is what the chain, or chains over slices of k, give, and f(y) is the observed value.
//   bound    order any, many terms: y may be any number of the accumulator in [s - B, s + B] (rule c), f is monotone in
//            y, and the oracle permits what lies between the values of f at two such numbers.
//   leaf     the same where beta * c may be one of the terms and alpha is 1: nothing is left to finish.
//   steps    on tensor cores, the same two with rule 2e's bound: y is s where the accumulator holds it, or any of its
//            numbers in [s - B, s + B].
//   stores   where sums of slices may be stored in a narrower format, both bounds grow by the u_G S of rule 2f, if S
//            shows that the sum is not exact in that format.
//   overflow order any, many terms whose positive or negative ones alone pass the overflow threshold: section 3 of
//            numerics.md permits the infinity of that sign, and NaN where both do. f maps infinities to infinities.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/finisher.hpp>
#include <negzero/oracle/gemm_shape.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/oracle/screened_path.hpp>
#include <negzero/oracle/stepped.hpp>
#include <negzero/oracle/witness.hpp>

namespace negzero::oracle {

template <class Arithmetic>
class SumScreen final : public Screen {
 public:
  using Value = typename Arithmetic::Value;

  /// The sums that are screened. Nothing at all where K or alpha is zero.
  struct Subject {
    GemmFactors<Value> factors{};        ///< of a Gemm
    std::vector<std::int64_t> slices{};  ///< lengths of slices of k to try; none where the order is not free
    Chains<Arithmetic> chains{};         ///< of every output; a Reduce has one, fused and separate alike
    std::vector<Known> known{};          ///< of every output, or empty as yet: then it comes from the factors
    std::optional<Stepping> stepping{};  ///< of a Gemm on tensor cores: there are no chains
    double raised = 0;                   ///< there, at least every |a|' |b|' with a subnormal factor (stepped.cpp)
  };

  SumScreen(const ScreenedPath& path, const number::Format& output, number::EncodeOptions options, std::size_t outputs,
            Finish finish, Subject subject)
      : stores_(path.sum && path.sum->stores() != nullptr ? &number::format(path.sum->stores()->format) : nullptr),
        is_any_order_(path.sum && std::holds_alternative<AnyOrder>(path.sum->order)),
        is_guarded_(path.flushes || (path.sum && path.sum->lift == Lift::Unbounded)),
        output_(output),
        options_(options),
        outputs_(outputs),
        finisher_(output, options, std::move(finish)),
        subject_(std::move(subject)),
        is_alone_(path.is_alone),
        is_finer_(output.precision() > accumulator().precision()),
        fewest_for_bound_(hull_terms(static_cast<std::int64_t>(outputs)) + 1) {}

  /// The chains that a contraction allows.
  static ChainKinds kinds_of(contract::Contraction contraction) {
    if (contraction == contract::Contraction::Either) return ChainKinds::Both;
    return contraction == contract::Contraction::Fused ? ChainKinds::Fused : ChainKinds::Separate;
  }

  [[nodiscard]] Settled settle(std::int64_t element, std::uint64_t word) override {
    const auto i = static_cast<std::size_t>(element);
    if (is_guarded_ && !is_within_reach(i)) return {};
    if (!finisher_.finish.reads_product) return {finisher_.finish.in_epilogue && finisher_.scales_c_to(i, word), 0};
    if (subject_.stepping) return within_steps(i, word);
    const bool zero_known = finisher_.finish.witness_zeros || !number::is_zero(output_, word);
    const bool witness = finisher_.finish.in_epilogue && zero_known;
    if (witness && witnessed(i, word)) return {true, 0};
    if (const Settled settled = within_bound(i, word); settled.passes) return settled;
    return {witness && sliced(element, word), 0};
  }

  /// The set's bound is below S / 2: it is at most k u S (and what the epilogue adds, a few u of the whole) where
  /// nothing underflows. Sets of infinities and NaNs among the terms, the scalars and C, where `size` below is not
  /// finite, have no bound, nor have sets of beta * c alone, as nothing was summed.
  [[nodiscard]] bool decides(std::int64_t element) override {
    if (!finisher_.finish.reads_product) return true;
    const auto i = static_cast<std::size_t>(element);
    const Known known = known_of_output(i);
    if (!subject_.stepping && (known.terms + 8) * kUnit > 0.0625) return false;
    // Stores lose u_G (S + B) <= 2^-7 S, and what underflows in them.
    const double underflow = underflow_of(known);
    if (underflow > 0.125 * known.magnitude) return false;
    // T u <= the share < 0.4 / 1.6, so that roundings let magnitudes grow by less than 1.6.
    const double most = std::max(known.magnitude, subject_.raised) + underflow;
    const double stores = stores_ != nullptr ? 0x1p-7 * known.magnitude + 1.1 * underflow : 0;
    if (subject_.stepping &&
        !(1.6 * share_of(known) * most + 8 * kUnit * known.magnitude + stores < 0.4 * known.magnitude)) {
      return false;
    }
    // Far enough from the smallest numbers that 2^20 underflows do not add up to a part of it.
    constexpr double kSmallest = power_of_two(number::format(Arithmetic::kFormat).min_normal_exponent() + 26);
    // A product may be lost altogether in F64, so that a size of zero means nothing: m tells.
    const auto plain = [](double size) { return !(size < kSmallest); };
    const double magnitude = known.magnitude;
    if (known.terms != 0 && !(plain(magnitude) && plain(std::fabs(finisher_.finish.alpha) * magnitude))) return false;
    if (finisher_.finish.c.empty() || finisher_.finish.c[i] == 0) return true;
    return plain(std::fabs(finisher_.finish.c[i])) && plain(std::fabs(finisher_.finish.beta * finisher_.finish.c[i]));
  }

 private:
  static constexpr const number::Format& accumulator() { return number::format(Arithmetic::kFormat); }
  static constexpr double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
  static constexpr double kUnit = power_of_two(-number::format(Arithmetic::kFormat).precision());
  static constexpr bool kExactProducts = Arithmetic::kFormat != number::FormatId::F64;

  /// What is known of one output. Few elements need it, mostly; where many ask, all are worth computing at once.
  [[nodiscard]] Known known_of_output(std::size_t i) {
    if (!subject_.known.empty()) return subject_.known[i];
    if (!finisher_.finish.reads_product) return {};
    if (++asked_ <= std::max<std::size_t>(4, outputs_ / 8))
      return known_of(subject_.factors, static_cast<std::int64_t>(i));
    subject_.known = known_of(subject_.factors);
    return subject_.known[i];
  }

  [[nodiscard]] bool witnessed(std::size_t i, std::uint64_t word) const noexcept {
    return (finisher_.fuses() && finisher_.finishes_as(subject_.chains.fused[i], i, word)) ||
           (finisher_.separates() && finisher_.finishes_as(subject_.chains.separate[i], i, word));
  }

  [[nodiscard]] bool sliced(std::int64_t element, std::uint64_t word) const noexcept {
    if (subject_.slices.empty()) return false;
    const GemmShape& shape = subject_.factors.shape;
    const auto i = static_cast<std::size_t>(element);
    const Value* const a = subject_.factors.a.value.data() + shape.a_begin(element);
    const Value* const b = subject_.factors.b.value.data() + shape.b_begin(element);
    for (const std::int64_t length : subject_.slices) {
      for (const bool fused : {true, false}) {
        if (!(fused ? finisher_.fuses() : finisher_.separates())) continue;
        const Slices slices{static_cast<std::size_t>(shape.n), static_cast<std::size_t>(shape.k),
                            static_cast<std::size_t>(length), fused};
        if (finisher_.finishes_as(sliced_sum<Arithmetic>(a, b, slices), i, word)) return true;
      }
    }
    return false;
  }

  /// Weight of the lowest set bit; kNoBit for zero and for what is not finite.
  [[nodiscard]] static int lowest_bit_of(double x) noexcept {
    if (x == 0 || !std::isfinite(x)) return kNoBit;
    const auto decoded = number::decode(number::format(number::FormatId::F64), std::bit_cast<std::uint64_t>(x));
    return decoded.exponent + std::countr_zero(decoded.significand);
  }

  /// Whether nothing is flushed on the way to an output, and no sum inside a mean needs larger exponents than there
  /// are.
  [[nodiscard]] bool is_within_reach(std::size_t i) {
    const bool is_mean = finisher_.finish.count != 1;
    if (finisher_.finish.flushes && (is_mean || !nothing_flushed(i))) return false;
    return !is_mean || 4 * known_of_output(i).magnitude < power_of_two(accumulator().max_exponent());
  }

  /// Whether every product, partial sum and step of the epilogue is a multiple of the smallest normal number, in exact
  /// arithmetic, and so after each rounding too: none is a subnormal, whatever becomes of those.
  [[nodiscard]] bool nothing_flushed(std::size_t i) {
    constexpr int kLeast = number::format(Arithmetic::kFormat).min_normal_exponent();
    const int sum = known_of_output(i).lowest_bit,
              c = finisher_.finish.c.empty() ? kNoBit : lowest_bit_of(finisher_.finish.c[i]);
    // A zero, an infinity or a NaN among the factors makes no subnormal.
    return sum >= kLeast && std::min(sum, kNoBit / 2) + lowest_bit_of(finisher_.finish.alpha) >= kLeast &&
           std::min(c, kNoBit / 2) + lowest_bit_of(finisher_.finish.beta) >= kLeast;
  }

  /// With beta * c, exact in F64, as one more term. Requires a finite one.
  [[nodiscard]] static Known with_leaf(const Known& known, double term) noexcept {
    if (term == 0) return known;
    return {known.sum + term, known.magnitude + std::fabs(term), known.terms + 1,
            std::min(known.lowest_bit, lowest_bit_of(term))};
  }

  /// u_G S, which rule 2f adds to the bound, less what F64 errs by; 0 where no sum is stored, or where all may be
  /// exact.
  [[nodiscard]] double stores_of(const Known& known, double slack) const noexcept {
    if (stores_ == nullptr) return 0;
    const int precision = stores_->precision();
    const double magnitude = known.magnitude - slack;
    if (!(magnitude > std::ldexp(1.0, precision + known.lowest_bit))) return 0;
    return std::ldexp(magnitude, -precision);
  }

  /// At least what may underflow, or be flushed, where sums of slices are stored (sliced.hpp).
  [[nodiscard]] double underflow_of(const Known& known) const noexcept {
    if (stores_ == nullptr) return 0;
    const int least = finisher_.finish.flushes ? stores_->min_normal_exponent() : stores_->eta_exponent();
    return known.lowest_bit >= least ? 0 : std::ldexp(static_cast<double>(known.terms), least);
  }

  /// Every form of rule c's bound under rounding to nearest is at least (m-1) u S / 2: ulp(S') / 2 > u S' / 2 because
  /// 2^floor(log2 S') > S' / 2, and S' >= S. Overflow takes nothing away from the finite set.
  [[nodiscard]] Settled within_bound(std::size_t i, std::uint64_t word) {
    if (!kExactProducts || !is_any_order_) return {};
    if (!finisher_.finish.in_epilogue && !finisher_.finish.c_only_leaf) return {};
    const double addend = finisher_.finish.c.empty() ? 0 : finisher_.finish.beta * finisher_.finish.c[i];
    if (!std::isfinite(finisher_.finish.alpha) || !std::isfinite(addend)) return {};
    Known known = known_of_output(i);
    if (finisher_.finish.c_only_leaf) known = with_leaf(known, addend);
    if (!(known.magnitude < 0x1p1000)) return {};
    const bool is_many = known.terms >= fewest_for_bound_;
    if (!is_many && stores_ == nullptr) return {};
    const double slack = 0x1p-30 * known.magnitude;  // Far above the errors of sum and magnitude, for m up to 2^20.
    const number::Class kind = number::classify(output_, word);
    if (kind == number::Class::Zero) return {};
    if (kind >= number::Class::Infinity) return overflown(known, slack, addend, word);
    // Rule a: only the exact sum is right, which a bound must not widen.
    const bool rounds =
        is_many && known.magnitude - slack > std::ldexp(1.0, accumulator().precision() + known.lowest_bit);
    const double stores = stores_of(known, slack);
    if (!rounds && stores == 0) return {};
    const double full = (rounds ? 0.5 * kUnit * (known.terms - 1) * (known.magnitude - slack) : 0) + stores - slack;
    return near(i, word, known, full,
                !finisher_.finish.c_only_leaf &&
                    (finisher_.finish.scales || finisher_.finish.count != 1 || !finisher_.finish.c.empty()));
  }

  /// The share that rule 2e multiplies X with: exact, as a few powers of two are.
  [[nodiscard]] double share_of(const Known& known) {
    if (known.terms != share_terms_) {
      const auto terms = static_cast<std::uint64_t>(known.terms);
      const StepCounts counts =
          counts_of(subject_.stepping->unit, accumulator(), terms, static_cast<std::uint64_t>(subject_.factors.shape.k),
                    subject_.stepping->slices, false);
      share_ = lost_share(subject_.stepping->unit, accumulator(), counts).approximate();
      share_terms_ = known.terms;
    }
    return share_;
  }

  /// The sum of a matrix unit, then the epilogue. X is at least max(P, N) = (S + |s|) / 2, and nothing else that rule
  /// 2e adds is negative. Where S < 2^p g, the accumulator holds s, which is in the set by rule a or as the bound's
  /// middle.
  [[nodiscard]] Settled within_steps(std::size_t i, std::uint64_t word) {
    if (!finisher_.finish.in_epilogue) return {};
    const double addend = finisher_.finish.c.empty() ? 0 : finisher_.finish.beta * finisher_.finish.c[i];
    const Known known = known_of_output(i);
    if (!std::isfinite(finisher_.finish.alpha) || !std::isfinite(addend) || !(known.magnitude < 0x1p1000)) return {};
    const double slack = 0x1p-30 * known.magnitude;
    const auto below = [&](double size, int bits) { return size < std::ldexp(1.0, bits + known.lowest_bit); };
    const bool held = known.terms == 0 || (below(known.magnitude + slack, accumulator().precision()) &&
                                           known.lowest_bit >= accumulator().eta_exponent() &&
                                           known.magnitude <= power_of_two(accumulator().max_exponent()));
    if (held && finisher_.finishes_as(static_cast<Value>(known.sum), i, word)) return {true, 0};
    const number::Class kind = number::classify(output_, word);
    if (kind == number::Class::Zero) return {};
    if (kind >= number::Class::Infinity) return overflown(known, slack, addend, word);
    const bool rounds = !below(known.magnitude - slack, subject_.stepping->unit.exact_bits());
    const double stores = stores_of(known, slack);
    if (!rounds && stores == 0) return {};
    const double full =
        (rounds ? share_of(known) * (0.5 * (known.magnitude + std::fabs(known.sum)) - slack) : 0) + stores - slack;
    return near(i, word, known, full, finisher_.finish.scales || !finisher_.finish.c.empty());
  }

  /// Whether `word` is certainly what a sum within `full` of s gives; `finishes`: alpha or C act on it.
  [[nodiscard]] Settled near(std::size_t i, std::uint64_t word, const Known& known, double full, bool finishes) const {
    if (!(full > 0) || (is_finer_ && !has_wider(i, known) && !is_of_accumulator(word))) return {};
    const double reach = 0.999 * full;
    if (finisher_.same_format && !finishes) {
      const double distance = std::fabs(number::to_double(output_, word) - known.sum);
      if (distance > reach) return {};
      return {true, std::min(1.0, distance / (2 * full))};
    }
    const auto inward = [&](double end, number::Rounding rounding) {
      return number::from_double(accumulator(), end, {.rounding = rounding});
    };
    const std::uint64_t low = inward(known.sum - reach, number::Rounding::Up);
    const std::uint64_t high = inward(known.sum + reach, number::Rounding::Down);
    // The inner interval must hold a number of the accumulator, else its rounded ends would lie outside it.
    if (number::ordinal(accumulator(), low) > number::ordinal(accumulator(), high)) return {};
    const auto value = [](std::uint64_t end) { return static_cast<Value>(number::to_double(accumulator(), end)); };
    const std::int64_t position = number::ordinal(output_, word);
    bool single = false;
    const auto holds = [&](Form form) {
      const Value bottom = finishes ? finisher_.finished(form, value(low), i) : value(low);
      const Value top = finishes ? finisher_.finished(form, value(high), i) : value(high);
      if (!std::isfinite(static_cast<double>(bottom)) || !std::isfinite(static_cast<double>(top))) return false;
      const auto onto = [&](Value end) { return number::from_double(output_, static_cast<double>(end), options_); };
      if (number::is_nan(output_, onto(bottom)) || number::is_nan(output_, onto(top))) return false;
      const auto [first, last] =
          std::minmax({number::ordinal(output_, onto(bottom)), number::ordinal(output_, onto(top))});
      single = first == last;
      return position >= first && position <= last;
    };
    if (!(finishes ? finisher_.any_form(holds) : holds(Form::Separate))) return {};
    return {true, single ? 0.0 : 0.5};
  }

  /// Whether a wider accumulator certainly gives a number, so that numbers between those of this one are permitted too.
  [[nodiscard]] bool has_wider(std::size_t i, const Known& known) const noexcept {
    const double c = finisher_.finish.c.empty() ? 0 : finisher_.finish.beta * finisher_.finish.c[i];
    const double size = std::fabs(finisher_.finish.alpha) * known.magnitude + known.magnitude + std::fabs(c);
    return !is_alone_ && 8 * size < power_of_two(std::min(accumulator().max_exponent(), output_.max_exponent()));
  }

  /// Whether the number is one of the accumulator: without wider ones, every result is.
  [[nodiscard]] bool is_of_accumulator(std::uint64_t word) const noexcept {
    const double value = number::to_double(output_, word);
    return number::to_double(accumulator(), number::from_double(accumulator(), value, {})) == value;
  }

  /// An infinity or NaN that some order, or some store, gives: P and N are (S +- s) / 2, and 2^(emax + 1) is above the
  /// threshold.
  [[nodiscard]] Settled overflown(const Known& known, double slack, double addend, std::uint64_t word) const noexcept {
    constexpr double kBeyond = power_of_two(number::format(Arithmetic::kFormat).max_exponent() + 1);
    const double least = stores_ != nullptr ? power_of_two(stores_->max_exponent() + 1) : kBeyond;
    const bool above = 0.5 * (known.magnitude + known.sum) - slack >= least;
    const bool below = 0.5 * (known.magnitude - known.sum) - slack >= least;
    // An addend that overflows as well would be an infinity of its own.
    if (std::fabs(addend) >= 0.5 * kBeyond) return {};
    const auto infinity = static_cast<Value>(finisher_.finish.alpha < 0 ? -HUGE_VAL : HUGE_VAL);
    const bool passes = (above && finisher_.is(infinity, word)) || (below && finisher_.is(-infinity, word)) ||
                        (above && below && finisher_.is(infinity - infinity, word));
    return {passes, 0};
  }

  const number::Format* stores_;  ///< of slices' sums; none: they are not stored
  bool is_any_order_;
  bool is_guarded_;  ///< something may be flushed; or exponents of a sum inside a mean have no upper end
  const number::Format& output_;
  number::EncodeOptions options_;
  std::size_t outputs_;
  Finisher<Arithmetic> finisher_;
  Subject subject_;
  bool is_alone_;                  ///< no wider accumulator is permitted
  bool is_finer_;                  ///< the output holds more numbers than the accumulator
  int fewest_for_bound_;           ///< up to here the exact hull is used, which is tighter than any bound
  std::size_t asked_ = 0;          ///< how often something had to be known of one element
  std::int32_t share_terms_ = -1;  ///< for which share_of() was last computed
  double share_ = 0;
};

}  // namespace negzero::oracle
