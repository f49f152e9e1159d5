// Settles elements by hardware sums.

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/near_sum.hpp>
#include <negzero/oracle/sum_screen.hpp>
#include <negzero/oracle/unit_witness.hpp>

namespace negzero::oracle {
namespace {

/// The one conversion to memory that is permitted whatever the policy leaves open.
number::EncodeOptions output_options(const ScreenedPath& path) {
  number::EncodeOptions options;
  options.rounding = path.rounding;
  if (path.overflow == contract::OverflowPolicy::Saturate) options.overflow = number::Overflow::Saturate;
  if (path.overflow == contract::OverflowPolicy::Nan) options.overflow = number::Overflow::Nan;
  return options;
}

template <class Arithmetic>
class SumScreen final : public Screen {
 public:
  using Value = typename Arithmetic::Value;

  SumScreen(const ScreenedPath& path, const number::Format& output, std::size_t outputs, Finish finish,
            ScreenedSums<Arithmetic> subject)
      : is_any_order_(path.sum && std::holds_alternative<AnyOrder>(path.sum->order)),
        additions_(additions_of(path)),
        is_guarded_(path.flushes || (path.sum && path.sum->lift == Lift::Unbounded)),
        output_(output),
        outputs_(outputs),
        finisher_(output, output_options(path), std::move(finish)),
        near_(path, output, output_options(path), finisher_),
        subject_(std::move(subject)),
        fewest_for_bound_(hull_terms(static_cast<std::int64_t>(outputs)) + 1) {}
  SumScreen(const SumScreen&) = delete;
  SumScreen& operator=(const SumScreen&) = delete;

  [[nodiscard]] Settled settle(std::int64_t element, std::uint64_t word) override {
    const auto i = static_cast<std::size_t>(element);
    if (is_guarded_ && !is_within_reach(i)) return {};
    if (!finisher_.finish.reads_product) return {finisher_.finish.in_epilogue && finisher_.scales_c_to(i, word), 0};
    if (subject_.stepping) return within_steps(i, word);
    const bool zero_known = finisher_.finish.witness_zeros || !number::is_zero(output_, word);
    const bool witness = finisher_.finish.in_epilogue && zero_known;
    if (witness && witnessed(i, word) && is_tree(i)) return {true, 0};
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
    // Stores lose u_G (S + B) <= 2^-7 S, and what underflows in them, beta * C among the terms.
    const Known terms =
        finisher_.finish.c.empty() ? known : with_leaf(known, finisher_.finish.beta * finisher_.finish.c[i]);
    const double underflow = near_.underflow_of(terms);
    if (underflow > 0.125 * known.magnitude) return false;
    // T u <= the share < 0.4 / 1.6, so that roundings let magnitudes grow by less than 1.6.
    const double most = std::max(known.magnitude, subject_.raised) + underflow;
    const double stores = near_.stores() ? 0x1p-7 * known.magnitude + 1.1 * underflow : 0;
    if (subject_.stepping &&
        !(1.6 * share_of(known) * most + 8 * kUnit * known.magnitude + stores < 0.4 * known.magnitude)) {
      return false;
    }
    // Far enough from the smallest numbers that 2^20 underflows do not add up to a part of it.
    constexpr double kSmallest = power_of_two(number::format(Arithmetic::kFormat).min_normal_exponent() + 26);
    // A product may be lost altogether in F64, so that a size of zero means nothing: m does.
    const auto plain = [](double size) { return !(size < kSmallest); };
    const double magnitude = known.magnitude;
    if (known.terms != 0 && !(plain(magnitude) && plain(std::fabs(finisher_.finish.alpha) * magnitude))) return false;
    if (finisher_.finish.c.empty() || finisher_.finish.c[i] == 0) return true;
    return plain(std::fabs(finisher_.finish.c[i])) && plain(std::fabs(finisher_.finish.beta * finisher_.finish.c[i]));
  }

 private:
  static constexpr const number::Format& accumulator() { return number::format(Arithmetic::kFormat); }
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

  [[nodiscard]] static std::optional<std::int64_t> additions_of(const ScreenedPath& path) {
    const auto* const any = path.sum ? std::get_if<AnyOrder>(&path.sum->order) : nullptr;
    return any != nullptr ? any->additions : std::nullopt;
  }

  /// Whether the chain of an output is one of its trees, or gives what all of them do.
  [[nodiscard]] bool is_tree(std::size_t i) {
    if (!additions_ || !finisher_.finish.reads_product) return true;
    const Known known = known_of_output(i);
    return known.terms <= *additions_ + 1 || is_held(known, 0x1p-30 * known.magnitude);
  }

  /// Whether the accumulator holds every partial sum (rule a). F64 may err by `slack` at most.
  [[nodiscard]] static bool is_held(const Known& known, double slack) noexcept {
    return known.terms == 0 ||
           (known.magnitude + slack < std::ldexp(1.0, accumulator().precision() + known.lowest_bit) &&
            known.lowest_bit >= accumulator().eta_exponent() &&
            known.magnitude <= power_of_two(accumulator().max_exponent()));
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

  /// At least this is what rule c lets trees err by under rounding to nearest: a u S, a the additions that a term may
  /// meet, or (m - 1) ulp(max(P, N)) / 2, whichever is less. P and N are (S +- s) / 2.
  [[nodiscard]] double least_bound(const Known& known, double slack) const noexcept {
    const double magnitude = known.magnitude - slack, joins = known.terms - 1;
    const double larger = 0.5 * (magnitude + std::fabs(known.sum)) - slack;
    const double relative = kUnit * std::min(joins, additions_ ? static_cast<double>(*additions_) : joins) * magnitude;
    if (!(larger > power_of_two(accumulator().min_normal_exponent()))) return 0;
    return std::min(relative, kUnit * joins * power_of_two(std::ilogb(larger)));
  }

  /// Overflow takes nothing away from the finite set.
  [[nodiscard]] Settled within_bound(std::size_t i, std::uint64_t word) {
    if (!kExactProducts || !is_any_order_) return {};
    if (!finisher_.finish.in_epilogue && !finisher_.finish.c_only_leaf) return {};
    const double addend = finisher_.finish.c.empty() ? 0 : finisher_.finish.beta * finisher_.finish.c[i];
    if (!std::isfinite(finisher_.finish.alpha) || !std::isfinite(addend)) return {};
    Known known = known_of_output(i);
    if (finisher_.finish.c_only_leaf) known = with_leaf(known, addend);
    if (!(known.magnitude < 0x1p1000)) return {};
    const bool is_many = known.terms >= fewest_for_bound_;
    if (!is_many && !near_.stores()) return {};
    const double slack = 0x1p-30 * known.magnitude;  // Far above the errors of sum and magnitude, for m up to 2^20.
    const number::Class kind = number::classify(output_, word);
    if (kind == number::Class::Zero) return {};
    if (kind >= number::Class::Infinity) return near_.overflown(known, slack, addend, word);
    // Rule a: only the exact sum is right, which a bound must not widen.
    const bool rounds =
        is_many && known.magnitude - slack > std::ldexp(1.0, accumulator().precision() + known.lowest_bit);
    const double stores = near_.stores_of(known, slack);
    if (!rounds && stores == 0) return {};
    const double full = (rounds ? least_bound(known, slack) : 0) + stores - slack;
    return near_.certainly(i, word, known, full,
                           !finisher_.finish.c_only_leaf &&
                               (finisher_.finish.scales || finisher_.finish.count != 1 || !finisher_.finish.c.empty()));
  }

  [[nodiscard]] bool is_one_step() const {
    return subject_.stepping->slices == 1 && subject_.factors.shape.k <= subject_.stepping->unit.shortest;
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
    const bool held = is_held(known, slack);
    // Of few products the results are enumerated: where something is lost, the exact sum need not be one.
    const bool is_exact =
        below(std::max(known.magnitude + slack, subject_.raised), subject_.stepping->unit.exact_bits()) &&
        known.lowest_bit >= accumulator().min_normal_exponent();
    if (!is_exact && (known.terms <= static_cast<std::int64_t>(kFewTerms) || is_one_step())) {
      const bool overflows = !(known.magnitude + slack < power_of_two(accumulator().max_exponent()));
      const auto is_word = [&](double sum) { return finisher_.finishes_as(static_cast<Value>(sum), i, word); };
      return {!overflows &&
                  any_steps(subject_.factors, *subject_.stepping, accumulator(), static_cast<std::int64_t>(i), is_word),
              0};
    }
    if (held && finisher_.finishes_as(static_cast<Value>(known.sum), i, word)) return {true, 0};
    const number::Class kind = number::classify(output_, word);
    if (kind == number::Class::Zero) return {};
    if (kind >= number::Class::Infinity) return near_.overflown(known, slack, addend, word);
    const bool rounds = !below(known.magnitude - slack, subject_.stepping->unit.exact_bits());
    const double stores = near_.stores_of(known, slack);
    if (!rounds && stores == 0) return {};
    const double full =
        (rounds ? share_of(known) * (0.5 * (known.magnitude + std::fabs(known.sum)) - slack) : 0) + stores - slack;
    return near_.certainly(i, word, known, full, finisher_.finish.scales || !finisher_.finish.c.empty());
  }

  bool is_any_order_;
  std::optional<std::int64_t> additions_;  ///< the most that a term meets, where so many are declared
  bool is_guarded_;  ///< something may be flushed; or exponents of a sum inside a mean have no upper end
  const number::Format& output_;
  std::size_t outputs_;
  Finisher<Arithmetic> finisher_;
  NearSum<Arithmetic> near_;
  ScreenedSums<Arithmetic> subject_;
  int fewest_for_bound_;           ///< up to here the exact hull is used, which is tighter than any bound
  std::size_t asked_ = 0;          ///< how often something had to be known of one element
  std::int32_t share_terms_ = -1;  ///< for which share_of() was last computed
  double share_ = 0;
};

}  // namespace

ChainKinds kinds_of(contract::Contraction contraction) {
  if (contraction == contract::Contraction::Either) return ChainKinds::Both;
  return contraction == contract::Contraction::Fused ? ChainKinds::Fused : ChainKinds::Separate;
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_of(const ScreenedPath& path, const number::Format& output, std::size_t outputs,
                                  Finish finish, ScreenedSums<Arithmetic> sums) {
  return std::make_unique<SumScreen<Arithmetic>>(path, output, outputs, std::move(finish), std::move(sums));
}

#define NEGZERO_INSTANTIATE(...)                                                                                   \
  template std::unique_ptr<Screen> screen_of<__VA_ARGS__>(const ScreenedPath&, const number::Format&, std::size_t, \
                                                          Finish, ScreenedSums<__VA_ARGS__>)
NEGZERO_INSTANTIATE(HostF32);
NEGZERO_INSTANTIATE(HostF64);
NEGZERO_INSTANTIATE(HostNarrow<number::FormatId::F16>);
NEGZERO_INSTANTIATE(HostNarrow<number::FormatId::BF16>);
#undef NEGZERO_INSTANTIATE

}  // namespace negzero::oracle
