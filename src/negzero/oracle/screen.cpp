// Decides clear elements in hardware arithmetic.

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/oracle/witness.hpp>

namespace negzero::oracle {
namespace {

using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contract;
using contract::Contraction;
using contract::Order;
using contract::OverflowPolicy;
using contract::Start;
using number::Format;
using number::FormatId;

constexpr std::int64_t kMostTerms = 1 << 20;  // k 2^-53 <= 2^-33 below.

/// The one conversion to memory that is permitted whatever the policy leaves open.
number::EncodeOptions output_options(const Contract& contract) {
  number::EncodeOptions options;
  options.rounding = contract.output_rounding;
  if (contract.overflow == OverflowPolicy::Saturate) options.overflow = number::Overflow::Saturate;
  if (contract.overflow == OverflowPolicy::Nan) options.overflow = number::Overflow::Nan;
  return options;
}

/// What the contract must say for either argument to hold.
bool knows(const Contract& contract) {
  return contract.accumulate_rounding == contract::AccumulateRounding::Nearest && contract.model.empty() &&
         !contract.compensated && !contract.promote && contract.intermediate.empty() &&
         contract.subnormal_inputs == contract::Subnormals::Keep &&
         contract.subnormal_results == contract::Subnormals::Keep;
}

/// alpha, beta and C as they enter the witness.
struct Epilogue {
  double alpha = 1, beta = 0;
  bool scales = false;      ///< alpha is not 1
  std::vector<double> c{};  ///< empty where C is not read
};

template <class Arithmetic>
class SumScreen final : public Screen {
 public:
  using Value = typename Arithmetic::Value;

  SumScreen(const Contract& contract, const Format& output, std::size_t outputs)
      : contract_(contract), output_(output), options_(output_options(contract)), sums_(outputs, chains_of(contract)) {
    fewest_for_bound_ = hull_terms(static_cast<std::int64_t>(outputs)) + 1;
    same_format_ = output == accumulator();
    plain_overflow_ = options_.overflow == number::Overflow::Ieee;
  }

  Sums<Arithmetic>& sums() { return sums_; }
  void finish_with(Epilogue epilogue) { epilogue_ = std::move(epilogue); }
  /// The chains are evaluations that the contract allows; `zeros`: so is the sign of zero they give.
  void enable_witness(bool zeros) {
    witness_ = true;
    witness_zeros_ = zeros;
  }

  [[nodiscard]] Settled settle(std::int64_t element, std::uint64_t word) const noexcept override {
    const auto i = static_cast<std::size_t>(element);
    if (witness_ && witnessed(i, word)) return {true, decides(i, word), 0};
    return within_bound(i, word);
  }

 private:
  static Chains chains_of(const Contract& contract) {
    if (contract.contraction == Contraction::Either) return Chains::Both;
    return contract.contraction == Contraction::Fused ? Chains::Fused : Chains::Separate;
  }
  static constexpr const Format& accumulator() { return number::format(Arithmetic::kFormat); }
  static constexpr double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
  static constexpr double kUnit = power_of_two(-number::format(Arithmetic::kFormat).precision());
  static constexpr bool kExactProducts = Arithmetic::kFormat != FormatId::F64;

  [[nodiscard]] bool is(Value result, std::uint64_t word) const noexcept {
    if (result != result) return number::is_nan(output_, word);  // Payloads are never compared.
    if (same_format_ && plain_overflow_) {
      if constexpr (Arithmetic::kFormat == FormatId::F32) return std::bit_cast<std::uint32_t>(result) == word;
      if constexpr (Arithmetic::kFormat == FormatId::F64) return std::bit_cast<std::uint64_t>(result) == word;
    }
    return number::from_double(output_, static_cast<double>(result), options_) == word;
  }

  /// Whether the element's set is certainly not vacuous: specials are not, nor is a set whose bound is below S / 2. The
  /// bound is at most k u S (and what the epilogue adds, a few u of the whole) where nothing underflows.
  [[nodiscard]] bool decides(std::size_t i, std::uint64_t word) const noexcept {
    if (number::is_nan(output_, word) || number::is_infinity(output_, word)) return true;
    if ((sums_.terms[i] + 8) * kUnit > 0.0625) return false;
    // Far enough from the smallest numbers that 2^20 underflows do not add up to a part of it.
    constexpr double kSmallest = power_of_two(number::format(Arithmetic::kFormat).min_normal_exponent() + 26);
    const auto plain = [](double size) { return size == 0 || size >= kSmallest; };
    const double magnitude = sums_.magnitude[i];
    if (!plain(magnitude) || !plain(std::fabs(epilogue_.alpha) * magnitude)) return false;
    if (epilogue_.c.empty()) return true;
    return plain(std::fabs(epilogue_.c[i])) && plain(std::fabs(epilogue_.beta * epilogue_.c[i]));
  }

  [[nodiscard]] bool witnessed(std::size_t i, std::uint64_t word) const noexcept {
    if (!witness_zeros_ && number::is_zero(output_, word)) return false;
    const bool fused = contract_.contraction != Contraction::Separate;
    const bool separate = contract_.contraction != Contraction::Fused;
    return (fused && finishes_as(sums_.fused[i], i, word)) || (separate && finishes_as(sums_.separate[i], i, word));
  }

  /// Whether alpha * sum + beta * c, contracted in one of the ways that the contract allows, is `word`.
  [[nodiscard]] bool finishes_as(Value sum, std::size_t i, std::uint64_t word) const noexcept {
    const auto alpha = static_cast<Value>(epilogue_.alpha), beta = static_cast<Value>(epilogue_.beta);
    const Value scaled = epilogue_.scales ? Arithmetic::multiply(alpha, sum) : sum;
    if (epilogue_.c.empty()) return is(scaled, word);
    const auto c = static_cast<Value>(epilogue_.c[i]);
    const Value addend = Arithmetic::multiply(beta, c);
    if (contract_.contraction != Contraction::Fused && is(Arithmetic::add(scaled, addend), word)) return true;
    if (contract_.contraction == Contraction::Separate) return false;
    if (is(Arithmetic::multiply_add(beta, c, scaled), word)) return true;
    // Without alpha in the epilogue there is no product with it to fuse.
    return contract_.alpha != AlphaPlace::Operand && is(Arithmetic::multiply_add(alpha, sum, addend), word);
  }

  /// Every form of rule c's bound under rounding to nearest is at least (m-1) u S / 2: ulp(S') / 2 > u S' / 2 because
  /// 2^floor(log2 S') > S' / 2, and S' >= S. Overflow takes nothing away from the finite set.
  [[nodiscard]] Settled within_bound(std::size_t i, std::uint64_t word) const noexcept {
    if (!kExactProducts || contract_.order != Order::Any || epilogue_.scales || !epilogue_.c.empty()) return {};
    const double magnitude = sums_.magnitude[i], sum = sums_.sum[i];
    if (sums_.terms[i] < fewest_for_bound_ || !(magnitude < 0x1p1000)) return {};
    const number::Class kind = number::classify(output_, word);
    if (kind == number::Class::Zero || kind >= number::Class::Infinity) return {};
    const double slack = 0x1p-30 * magnitude;  // Far above the errors of sum and magnitude, for m up to 2^20.
    // Rule a: only the exact sum is right, which a bound must not widen.
    if (magnitude - slack <= std::ldexp(1.0, accumulator().precision() + sums_.lowest_bit[i])) return {};
    const double full = 0.5 * kUnit * (sums_.terms[i] - 1) * (magnitude - slack) - slack;
    if (!(full > 0)) return {};
    const double reach = 0.999 * full;
    const double distance = std::fabs(number::to_double(output_, word) - sum);
    if (same_format_) {
      if (distance > reach) return {};
      return {true, decides(i, word), std::min(1.0, distance / (2 * full))};
    }
    const auto inward = [&](double end, number::Rounding rounding) {
      return number::from_double(accumulator(), end, {.rounding = rounding});
    };
    const std::uint64_t low = inward(sum - reach, number::Rounding::Up);
    const std::uint64_t high = inward(sum + reach, number::Rounding::Down);
    // The inner interval must hold a number of the accumulator, else its rounded ends would lie outside it.
    if (number::ordinal(accumulator(), low) > number::ordinal(accumulator(), high)) return {};
    const auto onto = [&](std::uint64_t end) {
      return number::ordinal(output_, number::convert(accumulator(), end, output_, options_));
    };
    const std::int64_t position = number::ordinal(output_, word), bottom = onto(low), top = onto(high);
    if (position < bottom || position > top) return {};
    return {true, decides(i, word), bottom == top ? 0.0 : 0.5};
  }

  const Contract& contract_;
  const Format& output_;
  number::EncodeOptions options_;
  Sums<Arithmetic> sums_;
  Epilogue epilogue_;
  int fewest_for_bound_;  ///< up to here the exact hull is used, which is tighter than any bound
  bool same_format_, plain_overflow_;
  bool witness_ = false, witness_zeros_ = false;
};

/// Whether every number of `format` is one of `wide`.
bool fits(const Format& format, FormatId wide) {
  const Format& outer = number::format(wide);
  return !format.is_integer() && format.precision() <= outer.precision() &&
         format.max_exponent() <= outer.max_exponent() && format.eta_exponent() >= outer.eta_exponent();
}

/// The format that factors must fit so that the host's loops are exact.
template <class Arithmetic>
constexpr FormatId kFactors = Arithmetic::kFormat == FormatId::F64 ? FormatId::F64 : FormatId::F32;

template <class Arithmetic>
std::unique_ptr<Screen> screen_gemm(const operation::Case& value, const operation::Gemm& gemm,
                                    const Contract& contract) {
  using Value = typename Arithmetic::Value;
  const tensor::Tensor &a = value.tensors.at("a"), &b = value.tensors.at("b"), &c = value.tensors.at("c");
  constexpr FormatId kWidest = kFactors<Arithmetic>;
  if (gemm.k == 0 || gemm.k > kMostTerms || !fits(a.format(), kWidest) || !fits(b.format(), kWidest)) return nullptr;

  Epilogue epilogue;
  const auto scalar = [&](const operation::Scalar& own) {
    if (!contract.scalar_format) return number::to_double(number::format(own.format), own.bits);
    const Format& format = number::format(*contract.scalar_format);
    return number::to_double(format, number::convert(number::format(own.format), own.bits, format, {}));
  };
  epilogue.alpha = scalar(gemm.alpha);
  epilogue.beta = scalar(gemm.beta);
  epilogue.scales = epilogue.alpha != 1;
  const bool reads_c = epilogue.beta != 0;
  if (!std::isfinite(epilogue.alpha) || epilogue.alpha == 0 || contract.reads_c_at_beta_zero) return nullptr;

  auto screen = std::make_unique<SumScreen<Arithmetic>>(contract, number::format(gemm.d),
                                                        static_cast<std::size_t>(gemm.batch * gemm.m * gemm.n));
  const auto left = values_of<Value>(a, contract.multiplicand), right = values_of<Value>(b, contract.multiplicand);
  const auto m = static_cast<std::size_t>(gemm.m), n = static_cast<std::size_t>(gemm.n),
             k = static_cast<std::size_t>(gemm.k);
  for (std::size_t batch = 0; batch < static_cast<std::size_t>(gemm.batch); ++batch) {
    screen->sums().add_products(left, batch * m * k, m, k, right, batch * k * n, n, batch * m * n);
  }
  if (reads_c) epilogue.c = values_of<double>(c, contract::Multiplicand::Exact).value;

  // The epilogue must be one of the contract's, in the accumulator's own format, and its factors must fit the host's.
  const bool plain = !epilogue.scales && !reads_c;
  const bool own_epilogue =
      plain || !contract.scalar_format ||
      number::format(*contract.scalar_format).precision() <= number::format(Arithmetic::kFormat).precision();
  const FormatId scalars = contract.scalar_format.value_or(gemm.alpha.format);
  const FormatId betas = contract.scalar_format.value_or(gemm.beta.format);
  const bool factors_fit = plain || (fits(number::format(scalars), kWidest) && fits(number::format(betas), kWidest) &&
                                     fits(c.format(), Arithmetic::kFormat));
  const bool alpha_in_epilogue = !epilogue.scales || contract.alpha != AlphaPlace::Operand;
  const bool c_in_epilogue = !reads_c || (contract.beta != BetaPlace::Leaf && contract.start != Start::C);
  screen->finish_with(std::move(epilogue));
  if (own_epilogue && factors_fit && alpha_in_epilogue && c_in_epilogue) {
    screen->enable_witness(contract.start == Start::PlusZero || contract.start == Start::Any);
  }
  return screen;
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_reduce(const operation::Case& value, const operation::Reduce& reduce,
                                      const Contract& contract) {
  using Value = typename Arithmetic::Value;
  const tensor::Tensor& x = value.tensors.at("x");
  if (reduce.kind != operation::ReduceKind::Sum || reduce.columns == 0 || reduce.columns > kMostTerms ||
      !fits(x.format(), Arithmetic::kFormat)) {
    return nullptr;
  }
  const auto rows = static_cast<std::size_t>(reduce.rows), columns = static_cast<std::size_t>(reduce.columns);
  auto screen = std::make_unique<SumScreen<Arithmetic>>(contract, number::format(reduce.y), rows);
  const auto values = values_of<Value>(x, contract::Multiplicand::Exact);
  for (std::size_t i = 0; i < rows; ++i) screen->sums().add_values(values, i * columns, columns, i);
  screen->enable_witness(contract.start == Start::PlusZero || contract.start == Start::Any);
  return screen;
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_sum(const operation::Case& value, const Contract& contract) {
  if (const auto* gemm = std::get_if<operation::Gemm>(&value.operation)) {
    return screen_gemm<Arithmetic>(value, *gemm, contract);
  }
  if (const auto* reduce = std::get_if<operation::Reduce>(&value.operation)) {
    return screen_reduce<Arithmetic>(value, *reduce, contract);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Screen> make_screen(const operation::Case& value, const Contract& contract) {
  if (!knows(contract) || !host_rounds_to_nearest()) return nullptr;
  if (number::format(operation::output_spec(value.operation).format).is_integer()) return nullptr;
  switch (contract.accumulate) {
    case FormatId::F64:
      return screen_sum<HostF64>(value, contract);
    case FormatId::F32:
      return screen_sum<HostF32>(value, contract);
    case FormatId::F16:
      return screen_sum<HostNarrow<FormatId::F16>>(value, contract);
    case FormatId::BF16:
      return screen_sum<HostNarrow<FormatId::BF16>>(value, contract);
    default:
      return nullptr;
  }
}

}  // namespace negzero::oracle
