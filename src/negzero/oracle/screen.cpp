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
#include <negzero/oracle/products.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/oracle/screened_path.hpp>
#include <negzero/oracle/sum_screen.hpp>

namespace negzero::oracle {
namespace {

using contract::OverflowPolicy;
using contract::Start;
using contract::Subnormals;
using number::Format;
using number::FormatId;

constexpr std::int64_t kMostTerms = 1 << 20;  // k 2^-53 <= 2^-33 below.

/// The one conversion to memory that is permitted whatever the policy leaves open.
number::EncodeOptions output_options(const ScreenedPath& path) {
  number::EncodeOptions options;
  options.rounding = path.rounding;
  if (path.overflow == OverflowPolicy::Saturate) options.overflow = number::Overflow::Saturate;
  if (path.overflow == OverflowPolicy::Nan) options.overflow = number::Overflow::Nan;
  return options;
}

/// Whether some element is a subnormal, which may be read as a zero.
bool has_subnormals(const tensor::Tensor& tensor) {
  const Format& format = tensor.format();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_subnormal(format, tensor.get(i))) return true;
  }
  return false;
}
bool may_lose(const tensor::Tensor& tensor, const FactorFlushing& flushing) {
  return flushing != FactorFlushing{} && has_subnormals(tensor);
}

/// Whether every number of `format` is one of `wide`.
bool fits(const Format& format, FormatId wide) {
  const Format& outer = number::format(wide);
  return !format.is_integer() && format.precision() <= outer.precision() &&
         format.max_exponent() <= outer.max_exponent() && format.eta_exponent() >= outer.eta_exponent();
}

/// What is done with the path's sums.
Finish finish_of(const ScreenedPath& path) {
  Finish finish;
  finish.count = static_cast<double>(path.count);
  finish.contraction = path.sum ? path.sum->contraction : path.contraction;
  finish.fuses_alpha = path.fuses_alpha;
  finish.reads_product = path.sum.has_value();
  finish.in_epilogue = path.finishes;
  finish.flushes = path.flushes;
  // The sign of a zero that a chain from +0 gives is permitted.
  finish.witness_zeros = !path.sum || path.sum->start == Start::PlusZero || path.sum->start == Start::Any;
  return finish;
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

/// Whether `x` is a number of that format, or none.
bool fits(const Real& x, FormatId wide) { return !x.is_finite() || is_number_of(number::format(wide), x.value); }
double double_of(const Real& x) {
  const double sign = x.negative ? -1 : 1;
  if (x.is_nan()) return std::nan("");
  return x.is_infinite() ? sign * HUGE_VAL : x.is_zero() ? sign * 0.0 : x.value.approximate();
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_products(const operation::Case& value, const ScreenedPath& path, const Member& member) {
  using Value = typename Arithmetic::Value;
  const auto gemm = operation::view<operation::Gemm>(value.operation);
  const tensor::Tensor &a = operation::factor(value, 0), &b = operation::factor(value, 1),
                       &c = operation::addend(value);
  constexpr FormatId kWidest = kFactors<Arithmetic>;
  if (gemm.k > kMostTerms || !fits(a.format(), kWidest) || !fits(b.format(), kWidest)) return nullptr;
  Finish finish = finish_of(path);
  finish.alpha = double_of(member.alpha);
  finish.beta = double_of(member.beta);
  finish.scales = finish.alpha != 1;
  // What a zero scalar multiplies, and the formula at K = 0, are left to the exact oracle.
  if (member.reads_c && finish.beta == 0) return nullptr;
  if (path.sum && (gemm.k == 0 || finish.alpha == 0)) return nullptr;
  if (path.sum && (may_lose(a, path.terms.a) || may_lose(b, path.terms.b))) return nullptr;
  if (member.reads_c && member.c_flushing != Subnormals::Keep && has_subnormals(c)) return nullptr;
  if (member.reads_c) finish.c = values_of<double>(c, contract::Multiplicand::Exact).value;
  const bool is_plain = !finish.scales && !member.reads_c;
  const bool factors_fit =
      is_plain || (fits(member.alpha, kWidest) && fits(member.beta, kWidest) && fits(c.format(), Arithmetic::kFormat));
  finish.in_epilogue &= factors_fit;
  finish.c_only_leaf = factors_fit && path.has_leaf && !finish.scales;

  typename SumScreen<Arithmetic>::Subject subject;
  if (path.sum) {
    subject.factors = {gemm.batch,
                       {gemm.m, gemm.n, gemm.k},
                       values_of<Value>(a, path.terms.multiplicand),
                       values_of<Value>(b, path.terms.multiplicand)};
    if (const UnitSteps* const steps = path.sum->unit_steps()) {
      subject.stepping = steps->stepping;
      subject.raised = raised_products(subject.factors, *subject.stepping);
    } else {
      subject.chains = chains_of<Arithmetic>(subject.factors, SumScreen<Arithmetic>::kinds_of(path.sum->contraction));
      if (std::holds_alternative<AnyOrder>(path.sum->order)) subject.slices = slices_of(gemm.k);
    }
    // Every element will ask.
    if (finish.flushes || subject.stepping) subject.known = known_of(subject.factors);
  }
  return std::make_unique<SumScreen<Arithmetic>>(path, number::format(gemm.d), output_options(path),
                                                 static_cast<std::size_t>(gemm.batch * gemm.m * gemm.n),
                                                 std::move(finish), std::move(subject));
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_lines(const operation::Case& value, const ScreenedPath& path) {
  using Value = typename Arithmetic::Value;
  const tensor::Tensor& x = operation::factor(value);
  const operation::Lines lines(value.operation);
  constexpr std::int64_t kMostCounts = 1 << 24;  // all of them numbers of F32
  if (lines.longest() == 0 || lines.longest() > kMostTerms || path.count > kMostCounts ||
      !fits(x.format(), Arithmetic::kFormat) || may_lose(x, path.terms.a)) {
    return nullptr;
  }
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
  return std::make_unique<SumScreen<Arithmetic>>(
      path, number::format(operation::output_specs(value.operation).front().format), output_options(path), outputs,
      finish_of(path), std::move(subject));
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_sum(const operation::Case& value, const ScreenedPath& path, const Member& member) {
  if (operation::view_if<operation::Gemm>(value.operation)) return screen_products<Arithmetic>(value, path, member);
  return screen_lines<Arithmetic>(value, path);
}

/// The paths of the sums of an operation that is screened.
std::optional<Paths> paths_of_sums(const operation::Case& value, const Declared& contract, FormatId output) {
  if (const auto gemm = operation::view_if<operation::Gemm>(value.operation)) {
    return paths_of(contract, shape_of(*gemm));
  }
  const operation::Signature& signature = value.operation.signature();
  const auto kind = operation::kind_of(signature);
  if (kind != operation::Kind::Reduction && kind != operation::Kind::Scan) return std::nullopt;
  if (operation::selects(*signature.combine)) return std::nullopt;
  // The first elements of an exclusive scan are sums of nothing: +0, unless the contract says what.
  if (signature.reach == operation::Reach::Before && contract.empty) return std::nullopt;
  SumShape shape{
      .input = operation::factor(value).format_id(), .output = output, .accumulate = contract.sums.accumulate};
  if (*signature.combine == operation::Combine::Mean) shape.mean = Mean{operation::Lines(value.operation).longest()};
  if (shape.mean && shape.mean->count == 0) return std::nullopt;
  return paths_of(contract, shape);
}

}  // namespace

std::unique_ptr<Screen> make_screen(const operation::Case& value, const Declared& contract) {
  if (!host_rounds_to_nearest() || contract::conversions(contract.products.multiplicand).size() > 1) return nullptr;
  const auto outputs = operation::output_specs(value.operation);
  if (outputs.size() > 1 || number::format(outputs.front().format).is_integer()) return nullptr;
  if (number::format(contract.sums.accumulate).is_integer()) return nullptr;
  const std::optional<Paths> paths = paths_of_sums(value, contract, outputs.front().format);
  const std::optional<ScreenedPath> path = paths && !paths->list.empty() ? screened_path(*paths) : std::nullopt;
  if (!path) return nullptr;
  switch (path->format) {
    case FormatId::F64:
      return screen_sum<HostF64>(value, *path, paths->members.front());
    case FormatId::F32:
      return screen_sum<HostF32>(value, *path, paths->members.front());
    case FormatId::F16:
      return screen_sum<HostNarrow<FormatId::F16>>(value, *path, paths->members.front());
    case FormatId::BF16:
      return screen_sum<HostNarrow<FormatId::BF16>>(value, *path, paths->members.front());
    default:
      return nullptr;
  }
}

}  // namespace negzero::oracle
