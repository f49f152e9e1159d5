// What a judgement cannot see.

#include <algorithm>
#include <cmath>
#include <optional>

#include <negzero/judgement/blind.hpp>
#include <negzero/judgement/threads.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::judgement {
namespace {

/// mantissa * 2^exponent with |mantissa| in [1/2, 1), or 0: a product of two F64 fits no double.
struct Wide {
  int exponent = 0;
  double mantissa = 0;

  [[nodiscard]] static Wide of(double value, int exponent = 0) {
    Wide result;
    result.mantissa = std::frexp(value, &result.exponent);
    result.exponent += exponent;
    return result;
  }
  [[nodiscard]] Wide times(const Wide& other) const { return of(mantissa * other.mantissa, exponent + other.exponent); }
  [[nodiscard]] Wide over(std::int64_t count) const { return of(mantissa / static_cast<double>(count), exponent); }
};

/// A number that is not zero; nothing for zeros, infinities and NaN.
std::optional<Wide> number_of(const Stored& stored) {
  if (stored.kind == number::Class::Zero || !stored.is_finite()) return std::nullopt;
  return Wide::of(stored.value);
}

/// What every term is multiplied by in the result: alpha, one over the count of a mean.
std::optional<Wide> scale_of(const operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  Wide scale = Wide::of(1);
  if (signature.combine == notation::Combine::Mean) scale = scale.over(operation.extents()[*signature.reduced]);
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    if (signature.scalars[i].is_addend) continue;
    const operation::Scalar& scalar = operation.scalars()[i];
    const auto alpha = number_of(Stored::of(number::format(scalar.format), scalar.bits));
    if (!alpha) return std::nullopt;
    scale = scale.times(*alpha);
  }
  return scale;
}

}  // namespace

std::vector<exact::Dyadic> terms_of(const operation::Case& value, std::int64_t element) {
  const auto scale = scale_of(value.operation);
  if (!scale) return {};
  std::vector<Wide> terms;
  each_term(value, element, [&](std::span<const Stored> factors) {
    Wide term = *scale;
    for (const Stored& factor : factors) {
      const auto number = number_of(factor);
      if (!number) return;
      term = term.times(*number);
    }
    terms.push_back(term);
  });
  std::vector<exact::Dyadic> result;
  const std::size_t step = (terms.size() + kMostTerms - 1) / kMostTerms;
  for (std::size_t i = 0; i < terms.size(); i += step) {
    result.push_back(exact::Dyadic::from_double(terms[i].mantissa).scaled(terms[i].exponent));
  }
  return result;
}

Blindness blindness(const operation::Case& value, const contract::Contract& contract,
                    std::span<const std::int64_t> elements, std::size_t threads) {
  Blindness result;
  if (!adds(value.operation)) return result;
  const auto oracle = oracle::Oracle::make(value, contract);
  if (!oracle) return result;
  const number::Format& format = number::format(operation::output_specs(value.operation).front().format);
  std::vector<std::optional<double>> shares(elements.size());
  in_parallel(threads, elements.size(), [&](std::size_t i) {
    const oracle::ElementFacts facts = oracle->facts(elements[i]);
    const auto terms = facts.result ? terms_of(value, elements[i]) : std::vector<exact::Dyadic>();
    if (terms.empty()) return;
    const oracle::Permitted permitted = oracle->permitted(elements[i]);
    const auto passes = [&](const exact::Dyadic& term) {
      const std::uint64_t word = (*facts.result - term).round_to(format, {.rounding = contract.output_rounding});
      return number::classify(format, word) < number::Class::Infinity && permitted.has(number::ordinal(format, word));
    };
    shares[i] = static_cast<double>(std::ranges::count_if(terms, passes)) / static_cast<double>(terms.size());
  });
  for (const auto& share : shares) {
    if (!share) continue;
    ++result.of;
    result.share += *share;
  }
  if (result.of > 0) result.share /= static_cast<double>(result.of);
  return result;
}

}  // namespace negzero::judgement
