// What a judgement cannot see.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <negzero/judgement/blind.hpp>
#include <negzero/judgement/threads.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/tensor/layout.hpp>

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
std::optional<Wide> number_of(const number::Format& format, std::uint64_t word) {
  const number::Class kind = number::classify(format, word);
  if (kind == number::Class::Zero || kind >= number::Class::Infinity) return std::nullopt;
  return Wide::of(number::to_double(format, word));
}

/// What every term is multiplied by in the result: alpha, one over the count of a mean.
std::optional<Wide> scale_of(const operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  Wide scale = Wide::of(1);
  if (signature.combine == notation::Combine::Mean) scale = scale.over(operation.extents()[*signature.reduced]);
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    if (signature.scalars[i].is_addend) continue;
    const operation::Scalar& scalar = operation.scalars()[i];
    const auto alpha = number_of(number::format(scalar.format), scalar.bits);
    if (!alpha) return std::nullopt;
    scale = scale.times(*alpha);
  }
  return scale;
}

/// Visits the indices of each extent for every term of an element.
template <typename Visit>
void each_term(const operation::Case& value, std::int64_t element, const Visit& visit) {
  const notation::Signature& signature = value.operation.signature();
  const auto extents = value.operation.extents();
  const std::size_t output = signature.outputs.front().tensor;
  std::array<std::int64_t, notation::kMostExtents> at{};
  const std::vector<std::int64_t> own = tensor::coordinates_of(value.operation.shape_of(output), element);
  for (std::size_t d = 0; d < own.size(); ++d) at[signature.tensors[output].extents[d]] = own[d];
  const std::size_t reduced = *signature.reduced;
  const auto all = [&](std::int64_t end) {
    for (at[reduced] = 0; at[reduced] < end; ++at[reduced]) visit(at);
  };
  if (signature.is_update) {
    const auto index = std::ranges::find_if(signature.tensors, [](const auto& tensor) { return !!tensor.index_below; });
    const tensor::Tensor& places = value.tensors.at(index->name);
    for (std::int64_t i = 0; i < places.element_count(); ++i) {
      at[reduced] = i;
      if (static_cast<std::int64_t>(places.get(i)) == element) visit(at);
    }
  } else if (signature.reach == notation::Reach::All) {
    all(extents[reduced]);
  } else {
    all(at[reduced] + (signature.reach == notation::Reach::Through ? 1 : 0));
  }
}

}  // namespace

bool adds(const operation::Operation& operation) {
  const auto& combine = operation.signature().outputs.front().combine;
  return combine && !notation::selects(*combine);
}

std::vector<exact::Dyadic> terms_of(const operation::Case& value, std::int64_t element) {
  const notation::Signature& signature = value.operation.signature();
  const auto scale = scale_of(value.operation);
  if (!scale) return {};
  struct Factor {
    const tensor::Tensor* tensor;
    const notation::TensorSignature* signature;
  };
  std::vector<Factor> factors;
  for (const std::size_t factor : signature.factors) {
    factors.push_back({&value.tensors.at(signature.tensors[factor].name), &signature.tensors[factor]});
  }
  std::vector<Wide> terms;
  each_term(value, element, [&](const auto& at) {
    Wide term = *scale;
    for (const Factor& factor : factors) {
      std::int64_t place = 0;
      for (std::size_t d = 0; d < factor.signature->extents.size(); ++d) {
        place = place * factor.tensor->shape()[d] + at[factor.signature->extents[d]];
      }
      const auto number = number_of(factor.tensor->format(), factor.tensor->get(place));
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
