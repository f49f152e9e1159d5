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

bool may_lose(const tensor::Tensor& tensor, const FactorFlushing& flushing) {
  return flushing != FactorFlushing{} && is_subnormal_among(tensor);
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
  finish.by_reciprocal = path.by_reciprocal;
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
  if (member.reads_c && member.c_flushing != Subnormals::Keep && is_subnormal_among(c)) return nullptr;
  if (member.reads_c) finish.c = values_of<double>(c, contract::Multiplicand::Exact).value;
  const bool is_plain = !finish.scales && !member.reads_c;
  const bool factors_fit =
      is_plain || (fits(member.alpha, kWidest) && fits(member.beta, kWidest) && fits(c.format(), Arithmetic::kFormat));
  finish.in_epilogue &= factors_fit;
  finish.c_only_leaf = factors_fit && path.has_leaf && !finish.scales;

  ScreenedSums<Arithmetic> subject;
  if (path.sum) {
    subject.factors = {gemm.batch,
                       {gemm.m, gemm.n, gemm.k},
                       values_of<Value>(a, path.terms.converted.a),
                       values_of<Value>(b, path.terms.converted.b)};
    if (const UnitSteps* const steps = path.sum->unit_steps()) {
      subject.stepping = steps->stepping;
      subject.raised = raised_products(subject.factors, *subject.stepping);
    } else {
      subject.chains = chains_of<Arithmetic>(subject.factors, kinds_of(path.sum->contraction));
      if (const auto* const any = std::get_if<AnyOrder>(&path.sum->order)) {
        subject.slices = slices_of(gemm.k);
        // A chain of slices that are chains.
        std::erase_if(subject.slices, [&](std::int64_t length) {
          return any->additions && *any->additions < length - 1 + (gemm.k - 1) / length;
        });
      }
    }
    // Every element will ask.
    if (finish.flushes || subject.stepping) subject.known = known_of(subject.factors);
  }
  return screen_of<Arithmetic>(path, number::format(gemm.d), static_cast<std::size_t>(gemm.batch * gemm.m * gemm.n),
                               std::move(finish), std::move(subject));
}

/// Sums of values that no product makes, each with its chain.
template <class Arithmetic>
std::unique_ptr<Screen> screen_sums(const ScreenedPath& path, FormatId output, Finish finish,
                                    const std::vector<LineSum<Arithmetic>>& sums) {
  ScreenedSums<Arithmetic> subject;
  subject.known.reserve(sums.size());
  subject.chains.fused.reserve(sums.size());
  for (const LineSum<Arithmetic>& sum : sums) {
    subject.chains.fused.push_back(sum.chain);
    subject.known.push_back(sum.known);
  }
  subject.chains.separate = subject.chains.fused;
  return screen_of<Arithmetic>(path, number::format(output), sums.size(), std::move(finish), std::move(subject));
}

constexpr std::int64_t kMostCounts = 1 << 24;  // all of them numbers of F32

/// Each term of a mean divided by how many there are.
template <class Arithmetic>
void divide_terms(Values<typename Arithmetic::Value>& terms, std::int64_t count) {
  for (std::size_t i = 0; i < terms.value.size(); ++i) {
    auto& term = terms.value[i];
    term = Arithmetic::divide(term, static_cast<typename Arithmetic::Value>(count));
    terms.lowest_bit[i] = lowest_bit_of(term);
  }
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_lines(const operation::Case& value, const ScreenedPath& path) {
  using Value = typename Arithmetic::Value;
  const tensor::Tensor& x = operation::factor(value);
  const operation::Lines lines(value.operation);
  if (lines.longest() == 0 || lines.longest() > kMostTerms || std::max(path.count, path.terms_count) > kMostCounts ||
      !fits(x.format(), Arithmetic::kFormat) || may_lose(x, path.terms.a)) {
    return nullptr;
  }
  auto values = values_of<Value>(x, contract::Multiplicand::Exact);
  if (path.terms_count != 1) divide_terms<Arithmetic>(values, path.terms_count);
  return screen_sums<Arithmetic>(path, operation::output_specs(value.operation).front().format, finish_of(path),
                                 sums_of_lines<Arithmetic>(values, lines));
}

/// The screen of destinations, of which those that no update names keep their bits.
class UpdateScreen final : public Screen {
 public:
  UpdateScreen(std::unique_ptr<Screen> sums, const operation::Case& value)
      : sums_(std::move(sums)), initial_(operation::addend(value)), touched_(initial_.words().size()) {
    for (const std::uint64_t to : operation::index_list(value).words()) touched_[static_cast<std::size_t>(to)] = true;
  }
  [[nodiscard]] Settled settle(std::int64_t element, std::uint64_t word) override {
    if (touched_[static_cast<std::size_t>(element)]) return sums_->settle(element, word);
    return {word == initial_.get(element), 0};
  }
  [[nodiscard]] bool decides(std::int64_t element) override {
    return !touched_[static_cast<std::size_t>(element)] || sums_->decides(element);
  }

 private:
  std::unique_ptr<Screen> sums_;
  const tensor::Tensor& initial_;
  std::vector<bool> touched_;
};

template <class Arithmetic>
std::unique_ptr<Screen> screen_updates(const operation::Case& value, const ScreenedPath& path) {
  using Value = typename Arithmetic::Value;
  const tensor::Tensor &x = operation::factor(value), &initial = operation::addend(value);
  if (x.element_count() >= kMostTerms || !fits(x.format(), Arithmetic::kFormat) || may_lose(x, path.terms.a) ||
      may_lose(initial, path.terms.a)) {
    return nullptr;
  }
  Finish finish = finish_of(path);
  // These chains start from initial values.
  finish.witness_zeros = path.sum->start == Start::Any;
  auto sums =
      screen_sums<Arithmetic>(path, x.format_id(), std::move(finish),
                              sums_of_updates<Arithmetic>(values_of<Value>(initial, contract::Multiplicand::Exact),
                                                          values_of<Value>(x, contract::Multiplicand::Exact),
                                                          operation::index_list(value).words()));
  return std::make_unique<UpdateScreen>(std::move(sums), value);
}

template <class Arithmetic>
std::unique_ptr<Screen> screen_sum(const operation::Case& value, const ScreenedPath& path, const Member& member) {
  if (operation::view_if<operation::Gemm>(value.operation)) return screen_products<Arithmetic>(value, path, member);
  if (operation::view_if<operation::Scatter>(value.operation)) return screen_updates<Arithmetic>(value, path);
  return screen_lines<Arithmetic>(value, path);
}

std::unique_ptr<Screen> screen_of_member(const operation::Case& value, const ScreenedPath& path, const Member& member) {
  switch (path.format) {
    case FormatId::F64:
      return screen_sum<HostF64>(value, path, member);
    case FormatId::F32:
      return screen_sum<HostF32>(value, path, member);
    case FormatId::F16:
      return screen_sum<HostNarrow<FormatId::F16>>(value, path, member);
    case FormatId::BF16:
      return screen_sum<HostNarrow<FormatId::BF16>>(value, path, member);
    default:
      return nullptr;
  }
}

/// The screen of tensor cores, and of ordinary additions where it leaves an element open.
class UnitsOrNot final : public Screen {
 public:
  using Make = std::function<std::unique_ptr<Screen>()>;

  /// `products`: of all elements.
  UnitsOrNot(std::unique_ptr<Screen> units, Make ordinary, std::int64_t products)
      : units_(std::move(units)), make_(std::move(ordinary)), products_(products) {}
  [[nodiscard]] Settled settle(std::int64_t element, std::uint64_t word) override {
    if (units_) {
      if (const Settled settled = units_->settle(element, word); settled.passes) return settled;
    }
    if (make_ && ++open_ >= products_ / kProductsInSet) ordinary_ = std::exchange(make_, nullptr)();
    return ordinary_ ? ordinary_->settle(element, word) : Settled{};
  }
  [[nodiscard]] bool decides(std::int64_t element) override { return units_ && units_->decides(element); }

 private:
  /// A set takes about as long as the chains of so many products. Ordinary chains are computed for all elements at
  /// once.
  static constexpr std::int64_t kProductsInSet = 1 << 20;

  std::unique_ptr<Screen> units_, ordinary_{};
  Make make_;
  std::int64_t products_, open_ = 0;
};

std::unique_ptr<Screen> screen_beside_units(std::unique_ptr<Screen> units, const operation::Case& value,
                                            const ScreenedPath& path, const Member& member) {
  const auto gemm = operation::view<operation::Gemm>(value.operation);
  const auto make = [&value, member, path] { return screen_of_member(value, path, member); };
  return std::make_unique<UnitsOrNot>(std::move(units), make, gemm.batch * gemm.m * gemm.n * gemm.k);
}

}  // namespace

std::vector<std::unique_ptr<Screen>> screens_of(const operation::Case& value, const Paths& paths) {
  std::vector<std::unique_ptr<Screen>> screens;
  if (!host_rounds_to_nearest()) return screens;
  for (std::size_t member = 0; member < paths.members.size(); ++member) {
    const Member& own = paths.members[member];
    const std::optional<ScreenedPath> path = screened_path(paths, static_cast<int>(member)),
                                      beside = screened_path_beside_units(paths, static_cast<int>(member));
    std::unique_ptr<Screen> screen = path ? screen_of_member(value, *path, own) : nullptr;
    if (beside) screen = screen_beside_units(std::move(screen), value, *beside, own);
    if (screen) screens.push_back(std::move(screen));
  }
  return screens;
}

}  // namespace negzero::oracle
