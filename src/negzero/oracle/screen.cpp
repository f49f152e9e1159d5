// Decides clear elements in hardware arithmetic.

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/screen.hpp>

namespace negzero::oracle {
namespace {

using contract::Contract;
using number::Format;
using number::FormatId;

const Format& kF32 = number::format(FormatId::F32);

constexpr std::int32_t kNoBit = 1 << 20;      // Lowest bit of a zero: never the minimum.
constexpr std::int64_t kMostTerms = 1 << 20;  // k u <= 2^-4 and k 2^-53 <= 2^-33 below.
constexpr double kSmallest = 0x1p-80;         // Sums of at least this have no term whose underflow matters.
constexpr double kLargest = 0x1p100;          // Sums below this overflow in no order.
constexpr std::int32_t kFewestForBound = 9;   // The exact hull, which is tighter than any bound, is used up to 8.

/// Values as floats, which hold every format here exactly, and the weight of each one's lowest set bit.
struct Values {
  std::vector<float> value;
  std::vector<std::int32_t> lowest_bit;
};

bool fits_float(const Format& format) {
  return !format.is_integer() && format.precision() <= 24 && format.id != FormatId::TF32;
}

Values values_of(const tensor::Tensor& tensor) {
  Values values;
  const auto count = static_cast<std::size_t>(tensor.element_count());
  values.value.resize(count);
  values.lowest_bit.assign(count, kNoBit);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = tensor.get(static_cast<std::int64_t>(i));
    const number::Decoded d = number::decode(tensor.format(), word);
    values.value[i] = static_cast<float>(number::to_double(tensor.format(), word));
    if (d.is_finite() && d.significand != 0) values.lowest_bit[i] = d.exponent + std::countr_zero(d.significand);
  }
  return values;
}

/// What is accumulated for a row of outputs, one entry an output.
struct Sums {
  explicit Sums(std::size_t count)
      : fused(count), separate(count), sum(count), magnitude(count), lowest_bit(count, kNoBit), terms(count) {}
  std::vector<float> fused, separate;    ///< the two chains in ascending k from +0
  std::vector<double> sum, magnitude;    ///< s and S; products are exact in F64 (at most 48 bits)
  std::vector<std::int32_t> lowest_bit;  ///< g = 2^lowest_bit
  std::vector<std::int32_t> terms;       ///< m
};

/// Adds a * b[j] to entry j, for j < count.
[[gnu::always_inline]] inline void add_row(float a, std::int32_t a_bit, const float* b, const std::int32_t* b_bit,
                                           std::size_t count, float* __restrict fused, float* __restrict separate,
                                           double* __restrict sum, double* __restrict magnitude,
                                           std::int32_t* __restrict lowest_bit, std::int32_t* __restrict terms) {
  for (std::size_t j = 0; j < count; ++j) {
    fused[j] = __builtin_fmaf(a, b[j], fused[j]);
    const float rounded = a * b[j];
    separate[j] = separate[j] + rounded;
    const double product = static_cast<double>(a) * static_cast<double>(b[j]);
    sum[j] += product;
    magnitude[j] += std::fabs(product);
    const std::int32_t bit = a_bit + b_bit[j];
    lowest_bit[j] = std::min(lowest_bit[j], bit);
    terms[j] += bit < kNoBit / 2 ? 1 : 0;
  }
}

using AddRow = void (*)(float, std::int32_t, const float*, const std::int32_t*, std::size_t, float*, float*, double*,
                        double*, std::int32_t*, std::int32_t*);

void add_row_plain(float a, std::int32_t a_bit, const float* b, const std::int32_t* b_bit, std::size_t count, float* f,
                   float* s, double* d, double* m, std::int32_t* l, std::int32_t* t) {
  add_row(a, a_bit, b, b_bit, count, f, s, d, m, l, t);
}

#if defined(__x86_64__)
// The same loop for machines with vector FMA; without it each fmaf is a call.
__attribute__((target("avx2,fma"))) void add_row_avx2(float a, std::int32_t a_bit, const float* b,
                                                      const std::int32_t* b_bit, std::size_t count, float* f, float* s,
                                                      double* d, double* m, std::int32_t* l, std::int32_t* t) {
  add_row(a, a_bit, b, b_bit, count, f, s, d, m, l, t);
}
#endif

AddRow best_add_row() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_row_avx2;
#endif
  return add_row_plain;
}

/// What the contract must say for either argument to hold.
bool knows(const Contract& contract, const Format& output) {
  return contract.multiplicand == contract::Multiplicand::Exact && contract.accumulate == FormatId::F32 &&
         contract.accumulate_rounding == contract::AccumulateRounding::Nearest && contract.model.empty() &&
         !contract.compensated && !contract.promote && contract.intermediate.empty() &&
         contract.subnormal_inputs == contract::Subnormals::Keep &&
         contract.subnormal_results == contract::Subnormals::Keep &&
         contract.overflow == contract::OverflowPolicy::Ieee &&
         contract.output_rounding == number::Rounding::NearestEven &&
         (output.id == FormatId::F32 || output.id == FormatId::F16 || output.id == FormatId::BF16);
}

class SumScreen final : public Screen {
 public:
  SumScreen(const Contract& contract, const Format& output, std::size_t outputs)
      : contract_(contract), output_(output), sums_(outputs) {}

  [[nodiscard]] bool passes(std::int64_t element, std::uint64_t word) const noexcept override {
    const auto i = static_cast<std::size_t>(element);
    return witnessed(i, word) || within_bound(i, word);
  }

  /// Accumulates a of `rows` x `depth` times b of `depth` x `columns` into outputs from `first` on.
  void accumulate(const Values& a, std::size_t a_begin, std::size_t rows, std::size_t depth, const Values& b,
                  std::size_t b_begin, std::size_t columns, std::size_t first) {
    static const AddRow add = best_add_row();
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t at = first + i * columns;
      for (std::size_t k = 0; k < depth; ++k) {
        const std::size_t x = a_begin + i * depth + k, y = b_begin + k * columns;
        add(a.value[x], a.lowest_bit[x], &b.value[y], &b.lowest_bit[y], columns, &sums_.fused[at], &sums_.separate[at],
            &sums_.sum[at], &sums_.magnitude[at], &sums_.lowest_bit[at], &sums_.terms[at]);
      }
    }
  }

  /// Accumulates the values of one row, terms that no product makes.
  void accumulate_values(const Values& x, std::size_t begin, std::size_t count, std::size_t output) {
    for (std::size_t k = begin; k < begin + count; ++k) {
      const double value = x.value[k];
      sums_.sum[output] += value;
      sums_.magnitude[output] += std::fabs(value);
      sums_.lowest_bit[output] = std::min(sums_.lowest_bit[output], x.lowest_bit[k]);
      sums_.terms[output] += x.lowest_bit[k] < kNoBit / 2 ? 1 : 0;
    }
  }

  /// Lets alpha and beta take part in the witness; c is empty where it is not read.
  void finish_with(float alpha, float beta, Values c) {
    alpha_ = alpha;
    beta_ = beta;
    c_ = std::move(c);
    plain_ = alpha == 1.0f && c_.value.empty();
  }
  void enable_witness() { witness_ = true; }

 private:
  [[nodiscard]] bool is(float result, std::uint64_t word) const noexcept {
    if (std::isnan(result)) return number::is_nan(output_, word);  // Payloads are never compared.
    const std::uint64_t bits = std::bit_cast<std::uint32_t>(result);
    return (output_.id == FormatId::F32 ? bits : number::convert(kF32, bits, output_, {})) == word;
  }
  /// Zero, or so large that nothing that underflowed on the way matters: such a sum is not vacuous (k u <= 2^-4).
  [[nodiscard]] static bool is_plain_size(double magnitude) noexcept {
    return magnitude == 0 || (magnitude >= kSmallest && magnitude < kLargest);
  }

  [[nodiscard]] bool witnessed(std::size_t i, std::uint64_t word) const noexcept {
    if (!witness_) return false;
    // NaN and Inf are never vacuous; a number is not where the sum and its multiples are of plain size.
    const double magnitude = sums_.magnitude[i], c = c_.value.empty() ? 0 : c_.value[i];
    const bool number = number::decode(output_, word).is_finite();
    if (number && !(is_plain_size(magnitude) && is_plain_size(std::fabs(alpha_) * magnitude) &&
                    is_plain_size(std::fabs(c)) && is_plain_size(std::fabs(beta_ * c)))) {
      return false;
    }
    const bool fused = contract_.contraction != contract::Contraction::Separate;
    const bool separate = contract_.contraction != contract::Contraction::Fused;
    return (fused && finishes_as(sums_.fused[i], i, word)) || (separate && finishes_as(sums_.separate[i], i, word));
  }

  /// Whether alpha * sum + beta * c, contracted in one of the ways that the contract allows, is `word`.
  [[nodiscard]] bool finishes_as(float sum, std::size_t i, std::uint64_t word) const noexcept {
    const float scaled = alpha_ == 1.0f ? sum : alpha_ * sum;
    if (c_.value.empty()) return is(scaled, word);
    const float c = c_.value[i];
    const float addend = beta_ == 1.0f ? c : beta_ * c;
    if (contract_.contraction != contract::Contraction::Fused && is(scaled + addend, word)) return true;
    if (contract_.contraction == contract::Contraction::Separate) return false;
    return is(std::fma(beta_, c, scaled), word) || is(std::fma(alpha_, sum, addend), word);
  }

  /// Every form of rule c's bound under rounding to nearest is at least (m-1) u S / 2: ulp(S') / 2 > u S' / 2 because
  /// 2^floor(log2 S') > S' / 2, and S' >= S. The sum here errs by less than k 2^-53 S (Rump 2012), and so does S.
  [[nodiscard]] bool within_bound(std::size_t i, std::uint64_t word) const noexcept {
    const double magnitude = sums_.magnitude[i], sum = sums_.sum[i];
    if (contract_.order != contract::Order::Any || !plain_ || sums_.terms[i] < kFewestForBound) return false;
    if (!(magnitude >= kSmallest && magnitude < kLargest)) return false;
    const number::Class kind = number::classify(output_, word);
    if (kind == number::Class::Zero || kind >= number::Class::Infinity) return false;
    const double slack = 0x1p-30 * magnitude;  // Far above the errors of sum and magnitude, for k up to 2^20.
    // Rule a: only the exact sum is right, which a bound must not widen.
    if (magnitude - slack <= std::ldexp(1.0, kF32.precision() + sums_.lowest_bit[i])) return false;
    const double reach = 0x1p-25 * (sums_.terms[i] - 1) * (magnitude - slack) - slack;
    if (!(reach > 0)) return false;
    if (output_.id == FormatId::F32) return std::fabs(number::to_double(output_, word) - sum) <= 0.999 * reach;
    const double low = sum - 0.999 * reach, high = sum + 0.999 * reach;
    const auto onto = [&](double end, number::Rounding inward) {
      const std::uint64_t held = number::from_double(kF32, end, {.rounding = inward});
      return number::ordinal(output_, number::convert(kF32, held, output_, {}));
    };
    const std::int64_t position = number::ordinal(output_, word);
    // The inner interval must hold a number of the accumulator, else its rounded ends would lie outside it.
    if (number::from_double(kF32, low, {.rounding = number::Rounding::Up}) ==
        number::from_double(kF32, high, {.rounding = number::Rounding::Up})) {
      return false;
    }
    return onto(low, number::Rounding::Up) <= position && position <= onto(high, number::Rounding::Down);
  }

  const Contract& contract_;
  const Format& output_;
  Sums sums_;
  Values c_;
  float alpha_ = 1, beta_ = 0;
  bool plain_ = true;     ///< the output is the sum, rounded
  bool witness_ = false;  ///< the chains are there, and the contract allows them
};

/// Whether the contract allows the chain in ascending k from +0, alpha and C coming after it.
bool allows_chain(const Contract& contract, bool alpha_is_one) {
  using contract::AlphaPlace;
  using contract::BetaPlace;
  using contract::Start;
  return (contract.start == Start::PlusZero || contract.start == Start::Any) &&
         (alpha_is_one || contract.alpha == AlphaPlace::Epilogue || contract.alpha == AlphaPlace::Any) &&
         (contract.beta == BetaPlace::Epilogue || contract.beta == BetaPlace::Any);
}

std::unique_ptr<Screen> screen_gemm(const operation::Case& value, const operation::Gemm& gemm,
                                    const Contract& contract) {
  const tensor::Tensor &a = value.tensors.at("a"), &b = value.tensors.at("b"), &c = value.tensors.at("c");
  if (gemm.k == 0 || gemm.k > kMostTerms || !fits_float(a.format()) || !fits_float(b.format())) return nullptr;
  // Scalars in the accumulator's own format leave one epilogue, which is the one below.
  if (gemm.alpha.format != FormatId::F32 || gemm.beta.format != FormatId::F32 ||
      contract.scalar_format.value_or(FormatId::F32) != FormatId::F32) {
    return nullptr;
  }
  const auto alpha = std::bit_cast<float>(static_cast<std::uint32_t>(gemm.alpha.bits));
  const auto beta = std::bit_cast<float>(static_cast<std::uint32_t>(gemm.beta.bits));
  if (!std::isfinite(alpha) || !std::isfinite(beta) || alpha == 0 || contract.reads_c_at_beta_zero) return nullptr;

  auto screen = std::make_unique<SumScreen>(contract, number::format(gemm.d),
                                            static_cast<std::size_t>(gemm.batch * gemm.m * gemm.n));
  const Values left = values_of(a), right = values_of(b);
  const auto m = static_cast<std::size_t>(gemm.m), n = static_cast<std::size_t>(gemm.n),
             k = static_cast<std::size_t>(gemm.k);
  for (std::size_t batch = 0; batch < static_cast<std::size_t>(gemm.batch); ++batch) {
    screen->accumulate(left, batch * m * k, m, k, right, batch * k * n, n, batch * m * n);
  }
  screen->finish_with(alpha, beta, beta == 0 ? Values{} : values_of(c));
  if (allows_chain(contract, alpha == 1.0f)) screen->enable_witness();
  return screen;
}

std::unique_ptr<Screen> screen_reduce(const operation::Case& value, const operation::Reduce& reduce,
                                      const Contract& contract) {
  const tensor::Tensor& x = value.tensors.at("x");
  if (reduce.kind != operation::ReduceKind::Sum || reduce.columns > kMostTerms || !fits_float(x.format())) {
    return nullptr;
  }
  const auto rows = static_cast<std::size_t>(reduce.rows), columns = static_cast<std::size_t>(reduce.columns);
  auto screen = std::make_unique<SumScreen>(contract, number::format(reduce.y), rows);
  const Values values = values_of(x);
  for (std::size_t i = 0; i < rows; ++i) screen->accumulate_values(values, i * columns, columns, i);
  return screen;
}

}  // namespace

std::unique_ptr<Screen> make_screen(const operation::Case& value, const Contract& contract) {
  if (!knows(contract, number::format(operation::output_spec(value.operation).format))) return nullptr;
  if (const auto* gemm = std::get_if<operation::Gemm>(&value.operation)) return screen_gemm(value, *gemm, contract);
  if (const auto* reduce = std::get_if<operation::Reduce>(&value.operation)) {
    return screen_reduce(value, *reduce, contract);
  }
  return nullptr;
}

}  // namespace negzero::oracle
