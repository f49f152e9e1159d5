// Decides clear elements in hardware arithmetic.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/lines.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/paths.hpp>
#include <negzero/oracle/scalars.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/oracle/sum_screen.hpp>

namespace negzero::oracle {
namespace {

using contract::AlphaPlace;
using contract::BetaPlace;
using contract::OverflowPolicy;
using contract::Start;
using number::Format;
using number::FormatId;

constexpr std::int64_t kMostTerms = 1 << 20;  // k 2^-53 <= 2^-33 below.

/// The one conversion to memory that is permitted whatever the policy leaves open.
number::EncodeOptions output_options(const Declared& contract) {
  number::EncodeOptions options;
  options.rounding = contract.roundings.last;
  if (contract.roundings.overflow == OverflowPolicy::Saturate) options.overflow = number::Overflow::Saturate;
  if (contract.roundings.overflow == OverflowPolicy::Nan) options.overflow = number::Overflow::Nan;
  return options;
}

/// What the contract must say for either argument to hold; of an open choice each member is asked by itself.
bool knows(const Declared& contract) {
  return contract::conversions(contract.products.multiplicand).size() == 1 &&
         contract.sums.rounding == contract::AccumulateRounding::Nearest && !contract.sums.compensated &&
         !contract.sums.promote && contract.roundings.before.empty();
}

bool flushes(const Declared& contract) {
  return contract.subnormals.inputs != contract::Subnormals::Keep ||
         contract.subnormals.results != contract::Subnormals::Keep;
}

/// Whether some element may be read as a zero although it is none, by arithmetic in that format or on the way to it.
bool may_lose(const tensor::Tensor& tensor, const Declared& contract, FormatId arithmetic) {
  if (taken(tensor.format_id(), arithmetic, contract.subnormals.inputs) == contract::Subnormals::Keep) return false;
  const Format& format = tensor.format();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_subnormal(format, tensor.get(i))) return true;
  }
  return false;
}

/// Whether every number of `format` is one of `wide`.
bool fits(const Format& format, FormatId wide) {
  const Format& outer = number::format(wide);
  return !format.is_integer() && format.precision() <= outer.precision() &&
         format.max_exponent() <= outer.max_exponent() && format.eta_exponent() >= outer.eta_exponent();
}

/// Whether a chain may start from +0, so that the sign of a zero it gives is permitted.
bool starts_at_zero(const Declared& contract) {
  return contract.sums.start == Start::PlusZero || contract.sums.start == Start::Any;
}

using Lengths = std::vector<std::int64_t>;

/// The slices of K that kernels most often cut: 2 to 16 of them, or 16 or 32 values each; the longest first.
Lengths slices_of(std::int64_t k) {
  Lengths lengths = {16, 32};
  for (std::int64_t count = 2; count <= 16; count *= 2) lengths.push_back((k + count - 1) / count);
  std::erase_if(lengths, [k](std::int64_t length) { return length <= 1 || length >= k; });
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

/// The format that factors must fit so that the host's loops are exact.
template <class Arithmetic>
constexpr FormatId kFactors = Arithmetic::kFormat == FormatId::F64 ? FormatId::F64 : FormatId::F32;

/// At least every |a|' |b|' of which a factor is subnormal (stepped.cpp); 0 where there is none.
template <class Value>
double raised_products(const GemmFactors<Value>& factors, const Stepping& stepping) {
  struct Factors {
    double greatest, least;
    bool any_subnormal = false;
  };
  const auto look = [](const Values<Value>& values, int least) {
    Factors found{std::ldexp(1.0, least), std::ldexp(1.0, least)};
    for (const Value value : values.value) {
      const double size = std::fabs(static_cast<double>(value));
      found.any_subnormal |= size != 0 && size < found.least;
      if (std::isfinite(size)) found.greatest = std::max(found.greatest, size);
    }
    return found;
  };
  const Factors a = look(factors.a, stepping.least_a), b = look(factors.b, stepping.least_b);
  return std::max(a.any_subnormal ? a.least * b.greatest : 0, b.any_subnormal ? a.greatest * b.least : 0);
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_gemm(const operation::Case& value, const operation::Gemm& gemm,
                                    const Declared& contract) {
  using Value = typename Arithmetic::Value;
  const tensor::Tensor &a = operation::factor(value, 0), &b = operation::factor(value, 1);
  const tensor::Tensor& c = operation::addend(value);
  constexpr FormatId kWidest = kFactors<Arithmetic>;
  std::optional<Stepping> stepping;
  if (contract.units.use != contract::TensorCore::No) {
    stepping = stepping_of(gemm.a, gemm.b, contract.products.multiplicand, contract.units, contract.sums.accumulate);
    if (!stepping && contract.units.use == contract::TensorCore::Only) return nullptr;
  }
  // Where a subnormal scalar may be flushed, each choice has a case of its own.
  if (!scalars_of(contract, gemm.alpha, gemm.beta).front().which.empty()) return nullptr;
  if (gemm.k > kMostTerms || !fits(a.format(), kWidest) || !fits(b.format(), kWidest)) return nullptr;
  Finish finish;
  const auto scalar = [&](const operation::Scalar& own) {
    if (!contract.products.scalar_format) return number::to_double(number::format(own.format), own.bits);
    const Format& format = number::format(*contract.products.scalar_format);
    return number::to_double(format, number::convert(number::format(own.format), own.bits, format, {}));
  };
  finish.alpha = scalar(gemm.alpha);
  finish.beta = scalar(gemm.beta);
  finish.scales = finish.alpha != 1;
  finish.reads_product = gemm.k > 0 && finish.alpha != 0;
  finish.witness_zeros = starts_at_zero(contract);
  const bool reads_c = finish.beta != 0;
  // What a zero scalar multiplies, and the formula at K = 0, are left to the exact oracle.
  if (!reads_c && contract.products.reads_c) return nullptr;
  if (!finish.reads_product && (gemm.k > 0 ? contract.products.reads_a_b : contract.products.is_formula)) {
    return nullptr;
  }
  finish.flushes = flushes(contract);
  // Matrix units flush no factors, but what rounds them first may.
  const bool keeps_factors = stepping && contract.products.multiplicand == contract::Multiplicand::Exact;
  const auto loses = [&](const tensor::Tensor& tensor) { return may_lose(tensor, contract, Arithmetic::kFormat); };
  if ((!keeps_factors && (loses(a) || loses(b))) || (reads_c && loses(c))) return nullptr;
  if (reads_c) finish.c = values_of<double>(c, contract::Multiplicand::Exact).value;

  // The epilogue must be one of the contract's, in the accumulator's own format, and its factors must fit the host's.
  const bool plain = !finish.scales && !reads_c;
  const bool own_epilogue =
      plain || !contract.products.scalar_format ||
      number::format(*contract.products.scalar_format).precision() <= number::format(Arithmetic::kFormat).precision();
  const FormatId scalars = contract.products.scalar_format.value_or(gemm.alpha.format);
  const FormatId betas = contract.products.scalar_format.value_or(gemm.beta.format);
  const bool factors_fit = plain || (fits(number::format(scalars), kWidest) && fits(number::format(betas), kWidest) &&
                                     fits(c.format(), Arithmetic::kFormat));
  const bool alpha_in_epilogue = !finish.scales || contract.products.alpha != AlphaPlace::Operand;
  const bool c_in_epilogue = !reads_c || (contract.products.beta != BetaPlace::Leaf && contract.sums.start != Start::C);
  const bool places = !finish.reads_product || (alpha_in_epilogue && c_in_epilogue);
  finish.in_epilogue = own_epilogue && factors_fit && places;
  // A term among the others then stands for every place of C.
  finish.c_only_leaf = factors_fit && reads_c && !finish.scales && !contract.sums.ascending &&
                       contract.products.beta != BetaPlace::Epilogue;

  typename SumScreen<Arithmetic>::Subject subject;
  if (finish.reads_product) {
    subject.factors = {gemm.batch,
                       {gemm.m, gemm.n, gemm.k},
                       values_of<Value>(a, contract.products.multiplicand),
                       values_of<Value>(b, contract.products.multiplicand)};
    if (!stepping) {
      subject.chains = chains_of<Arithmetic>(subject.factors, SumScreen<Arithmetic>::kinds_of(contract));
      if (!contract.sums.ascending) subject.slices = slices_of(gemm.k);
    } else {
      subject.stepping = stepping;
      subject.raised = raised_products(subject.factors, *subject.stepping);
    }
    // Every element will ask.
    if (finish.flushes || subject.stepping) subject.known = known_of(subject.factors);
  }
  return std::make_unique<SumScreen<Arithmetic>>(contract, number::format(gemm.d), output_options(contract),
                                                 static_cast<std::size_t>(gemm.batch * gemm.m * gemm.n),
                                                 std::move(finish), std::move(subject));
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_lines(const operation::Case& value, const Declared& contract) {
  using Value = typename Arithmetic::Value;
  const tensor::Tensor& x = operation::factor(value);
  const operation::Lines lines(value.operation);
  if (value.operation.signature().combine != operation::Combine::Sum || lines.longest() == 0 ||
      lines.longest() > kMostTerms || !fits(x.format(), Arithmetic::kFormat)) {
    return nullptr;
  }
  // The first elements of an exclusive scan are sums of nothing: +0, unless the contract says what.
  if (value.operation.signature().reach == operation::Reach::Before && contract.empty) return nullptr;
  if (may_lose(x, contract, Arithmetic::kFormat)) return nullptr;
  const auto outputs = static_cast<std::size_t>(lines.outputs());
  const auto values = values_of<Value>(x, contract::Multiplicand::Exact);
  typename SumScreen<Arithmetic>::Subject subject;
  subject.known.reserve(outputs);
  subject.chains.fused.reserve(outputs);
  for (const LineSum<Arithmetic>& sum : sums_of_lines<Arithmetic>(values, lines)) {
    subject.chains.fused.push_back(sum.chain);
    subject.known.push_back(sum.known);
  }
  subject.chains.separate = subject.chains.fused;
  Finish finish;
  finish.flushes = flushes(contract);
  finish.witness_zeros = starts_at_zero(contract);
  return std::make_unique<SumScreen<Arithmetic>>(
      contract, number::format(operation::output_specs(value.operation).front().format), output_options(contract),
      outputs, std::move(finish), std::move(subject));
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_sum(const operation::Case& value, const Declared& contract) {
  if (const auto gemm = operation::view_if<operation::Gemm>(value.operation)) {
    return screen_gemm<Arithmetic>(value, *gemm, contract);
  }
  const auto kind = operation::kind_of(value.operation.signature());
  if (kind != operation::Kind::Reduction && kind != operation::Kind::Scan) return nullptr;
  return screen_lines<Arithmetic>(value, contract);
}

}  // namespace

std::unique_ptr<Screen> make_screen(const operation::Case& value, const Declared& contract) {
  if (!knows(contract) || !host_rounds_to_nearest()) return nullptr;
  const auto outputs = operation::output_specs(value.operation);
  if (outputs.size() > 1 || number::format(outputs.front().format).is_integer()) return nullptr;
  switch (contract.sums.accumulate) {
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
