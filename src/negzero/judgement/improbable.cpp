// Measures errors of sums in standard deviations of random rounding errors.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <negzero/judgement/improbable.hpp>
#include <negzero/judgement/terms.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/oracle/depth.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::judgement {
namespace {

using number::Format;
using verdict::RandomErrors;

/// An unevaluated sum of two F64, the second below half an ulp of the first: 106 bits at least.
struct Pair {
  double high = 0, low = 0;

  /// Knuth's TwoSum, The Art of Computer Programming 2, 4.2.2.
  [[nodiscard]] Pair plus(const Pair& other) const {
    const double sum = high + other.high, part = sum - high;
    const double rest = (high - (sum - part)) + (other.high - part) + low + other.low;
    const double top = sum + rest;
    return {top, rest - (top - sum)};
  }
  [[nodiscard]] Pair times(double factor) const {
    const double product = high * factor;
    return {product, std::fma(high, factor, -product) + low * factor};
  }
  [[nodiscard]] Pair over(double divisor) const {
    const double quotient = high / divisor;
    return {quotient, (std::fma(-quotient, divisor, high) + low) / divisor};
  }
};

double square(double x) { return x * x; }
double power(int exponent) { return std::ldexp(1.0, exponent); }
double u_of(const Format& format) { return power(format.unit_roundoff_exponent()); }
bool is_nearest(number::Rounding rounding) { return rounding <= number::Rounding::NearestAway; }

/// What is the same for all elements of a case.
class Model {
 public:
  /// Nothing where the case or the contract is none that this is about.
  static std::optional<Model> make(const operation::Case& value, const contract::Contract& contract) {
    Model model(value, contract);
    return adds(value.operation) && model.knows_roundings() && model.take_formats() && model.take_scalars()
               ? std::optional(std::move(model))
               : std::nullopt;
  }

  /// e^2 / V of an element, and its terms other than zero.
  [[nodiscard]] std::optional<RandomErrors> errors_of(std::int64_t element, std::uint64_t word) const {
    Sum sum;
    bool is_known = true;
    each_term(*value_, element, [&](std::span<const Stored> factors) {
      Pair product{1, 0};
      for (const Stored& factor : factors) {
        is_known = is_known && is_kept(factor);
        product = product.times(factor.value);
      }
      if (is_known) sum.add(product);
    });
    const std::optional<Stored> addend = addend_of(*value_, element);
    const auto terms = static_cast<std::int64_t>(sum.magnitudes.size());
    if (!is_known || terms < kFewestRandomTerms || (addend && beta_ != 0 && !is_kept(*addend))) return std::nullopt;
    const Pair scaled = count_ > 0 ? sum.exact.over(count_) : sum.exact.times(alpha_);
    const Pair c = addend && beta_ != 0 ? Pair{addend->value, 0}.times(beta_) : Pair{};
    const Pair exact = scaled.plus(c);
    const double observed = number::to_double(*formats_.back(), word);
    if (!is_clear(exact.high, observed)) return std::nullopt;
    const auto variance = variance_of(sum, std::fabs(scaled.high), std::fabs(c.high));
    if (!variance) return std::nullopt;
    return RandomErrors{square((observed - exact.high) - exact.low) / *variance, terms};
  }

 private:
  struct Sum {
    Pair exact{};
    std::vector<double> magnitudes{};  ///< of the terms that are not zero

    void add(const Pair& term) {
      if (term.high == 0) return;
      exact = exact.plus(term);
      magnitudes.push_back(std::fabs(term.high));
    }
  };

  Model(const operation::Case& value, const contract::Contract& contract)
      : value_(&value), contract_(&contract), accumulator_(&number::format(contract.accumulate)) {}

  [[nodiscard]] bool knows_roundings() const {
    const contract::Contract& c = *contract_;
    return c.order == contract::Order::Any && c.accumulate_rounding == contract::AccumulateRounding::Nearest &&
           c.model.empty() && c.tensor_core == contract::TensorCore::No && !c.slice_format &&
           c.multiplicand == contract::Multiplicand::Exact &&
           c.multiplicand_b.value_or(c.multiplicand) == c.multiplicand && is_nearest(c.output_rounding) &&
           std::ranges::all_of(c.intermediate, is_nearest, &contract::RoundingStep::rounding);
  }

  bool take_formats() {
    const operation::Operation& operation = value_->operation;
    const notation::Signature& signature = operation.signature();
    if (operation.extents()[*signature.reduced] < kFewestRandomTerms || accumulator_->is_integer()) return false;
    const auto format_of = [&](std::size_t tensor) -> const Format& {
      return number::format(operation.formats()[signature.tensors[tensor].format]);
    };
    roundings_of_terms_ = signature.factors.size() > 1 ? 1 : 0;
    for (const std::size_t factor : signature.factors) {
      if (format_of(factor).is_integer()) return false;
      roundings_of_terms_ += format_of(factor).precision() > accumulator_->precision() ? 1 : 0;
    }
    if (signature.addend && format_of(*signature.addend).is_integer()) return false;
    for (const contract::RoundingStep& step : contract_->intermediate) {
      formats_.push_back(&number::format(step.format));
      u_behind_ = std::max(u_behind_, u_of(*formats_.back()));
    }
    formats_.push_back(&format_of(signature.outputs.front().tensor));
    const auto additions = oracle::additions_of(*value_, *contract_);
    if (additions.ok() && *additions) additions_ = static_cast<double>(**additions);
    return std::ranges::none_of(formats_, &Format::is_integer);
  }

  bool take_scalars() {
    const operation::Operation& operation = value_->operation;
    const notation::Signature& signature = operation.signature();
    int factors = 0;
    for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
      const operation::Scalar& scalar = operation.scalars()[i];
      const Stored stored = Stored::of(number::format(scalar.format), scalar.bits);
      if (!is_kept(stored) || !is_held(stored.value)) return false;
      (signature.scalars[i].is_addend ? beta_ : alpha_) = stored.value;
      factors += signature.scalars[i].is_addend ? 0 : 1;
    }
    if (alpha_ == 0 || factors > 1) return false;
    // A scalar is loaded, and multiplies; C is loaded, and added.
    if (std::fabs(alpha_) != 1) roundings_behind_ += 2, ++roundings_of_terms_;
    if (signature.addend && beta_ != 0) roundings_behind_ += 2 + (std::fabs(beta_) != 1 ? 2 : 0);
    if (signature.combine == notation::Combine::Mean) {
      count_ = static_cast<double>(operation.extents()[*signature.reduced]);
      roundings_behind_ += 2, ++roundings_of_terms_;
    }
    return true;
  }

  /// Whether the format that scalars are rounded to holds one.
  [[nodiscard]] bool is_held(double scalar) const {
    if (!contract_->scalar_format) return true;
    const Format& format = number::format(*contract_->scalar_format);
    return number::to_double(format, number::from_double(format, scalar)) == scalar;
  }

  /// Whether a number counts as it is stored.
  [[nodiscard]] bool is_kept(const Stored& number) const {
    const bool flushes = contract_->subnormal_inputs != contract::Subnormals::Keep;
    return number.is_finite() && !(flushes && number.kind == number::Class::Subnormal);
  }

  /// Whether a result is far from both ends of every format behind the sum.
  [[nodiscard]] bool is_clear(double exact, double observed) const {
    const double least = std::min(std::fabs(exact), std::fabs(observed));
    const double most = std::max(std::fabs(exact), std::fabs(observed));
    return std::ranges::all_of(formats_, [&](const Format* format) {
      return least >= power(format->min_normal_exponent()) && most < power(format->max_exponent() - 1);
    });
  }

  /// What underflow or flushing changes for a term at most: the products and scalings of one that is kept, or its
  /// product, the addition, and both of its operands (numerics.md section 2c, flush).
  [[nodiscard]] double most_underflow() const {
    const bool keeps = contract_->subnormal_inputs == contract::Subnormals::Keep &&
                       contract_->subnormal_results == contract::Subnormals::Keep;
    return keeps ? roundings_of_terms_ * power(accumulator_->eta_exponent() - 1)
                 : 4 * power(accumulator_->min_normal_exponent());
  }

  /// V; nothing where the errors are not like random ones. `result`, `c`: magnitudes of what is added last.
  [[nodiscard]] std::optional<double> variance_of(Sum& sum, double result, double c) const {
    std::vector<double>& terms = sum.magnitudes;
    std::ranges::sort(terms, std::greater<>());
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < terms.size(); ++i) distinct += terms[i] != terms[i - 1] ? 1 : 0;
    if (2 * distinct < terms.size()) return std::nullopt;
    const double scale = count_ > 0 ? 1 / count_ : std::fabs(alpha_);
    const double median = scale * terms[terms.size() / 2];
    double all = 0, chain = 0, squares = 0, unscaled = 0;
    bool is_added = c == 0;
    const auto append = [&](double term) {
      if (all > 0) chain += square(all + term);
      all += term;
      squares += square(term);
    };
    for (const double term : terms) {
      unscaled += term;
      if (!is_added && c >= scale * term) {
        append(c);
        is_added = true;
      }
      append(scale * term);
    }
    if (!is_added) append(c);
    const double u = u_of(*accumulator_), n = all / median;
    if (n * u > 0x1p-4 || square(n * u) * n > 1) return std::nullopt;
    if (std::max(all, unscaled) >= power(accumulator_->max_exponent() - 2)) return std::nullopt;
    const double additions = additions_ ? *additions_ + (c > 0 ? 1 : 0) : static_cast<double>(terms.size());
    double variance = square(u) / 3 * (std::min(chain, additions * square(all)) + roundings_of_terms_ * squares);
    variance += square(u_behind_ * roundings_behind_ * all);
    for (const Format* format : formats_) variance += square(u_of(*format) * (result + c)) / 3;
    const double underflow = static_cast<double>(terms.size()) * most_underflow() * std::max(1.0, scale);
    if (square(underflow) > variance) return std::nullopt;
    return variance + square(underflow);
  }

  const operation::Case* value_;
  const contract::Contract* contract_;
  const Format* accumulator_;
  std::vector<const Format*> formats_{};     ///< behind the sum: intermediate ones, and the output's
  std::optional<double> additions_{};        ///< of a declared depth
  int roundings_of_terms_ = 0;               ///< that each term meets by itself
  int roundings_behind_ = 0;                 ///< that the sum meets
  double u_behind_ = u_of(*accumulator_);    ///< of those: an epilogue may be in a format that the sum was rounded to
  double alpha_ = 1, beta_ = 1, count_ = 0;  ///< `count_`: of a mean
};

}  // namespace

std::optional<RandomErrors> random_errors(const operation::Case& value, const contract::Contract& contract,
                                          const tensor::Tensor& observed) {
  const auto model = Model::make(value, contract);
  if (!model) return std::nullopt;
  const operation::Operation& operation = value.operation;
  const std::int64_t length = operation.extents()[*operation.signature().reduced];
  const std::int64_t most = std::clamp<std::int64_t>(kMostRandomTerms / length, 4, kMostRandomElements);
  const std::int64_t count = observed.element_count(), chosen = std::min(count, most);
  const operation::Counted counted(value, operation::output_specs(operation).front().name);
  RandomErrors all;
  std::int64_t elements = 0;
  for (std::int64_t i = 0; i < chosen; ++i) {
    const std::int64_t element = count <= most ? i : i * (count - 1) / (most - 1);
    if (!counted.all() && !counted.holds(element)) continue;
    const auto one = model->errors_of(element, observed.get(element));
    if (!one) continue;
    ++elements;
    all.squares += one->squares;
    all.terms = std::max(all.terms, one->terms);
  }
  if (elements == 0) return std::nullopt;
  all.squares /= static_cast<double>(elements);
  return all;
}

}  // namespace negzero::judgement
