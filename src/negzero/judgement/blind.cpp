// What a judgement cannot see.

#include <algorithm>
#include <cmath>
#include <mutex>

#include <negzero/judgement/blind.hpp>
#include <negzero/judgement/threads.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::judgement {
namespace {

/// mantissa * 2^exponent with a mantissa in [1/2, 1): a product of two F64 fits no double.
struct Magnitude {
  int exponent = 0;
  double mantissa = 0;
  friend auto operator<=>(const Magnitude&, const Magnitude&) = default;

  [[nodiscard]] static Magnitude of(double value) {
    Magnitude result;
    result.mantissa = std::frexp(std::fabs(value), &result.exponent);
    return result;
  }
  [[nodiscard]] Magnitude times(const Magnitude& other) const {
    Magnitude result = of(mantissa * other.mantissa);
    result.exponent += exponent + other.exponent;
    return result;
  }
  [[nodiscard]] Magnitude over(std::int64_t count) const {
    Magnitude result = of(mantissa / static_cast<double>(count));
    result.exponent += exponent;
    return result;
  }
};

/// Visits the indices of each extent for every term of an element.
template <typename Visit>
void each_term(const operation::Case& value, std::int64_t element, const Visit& visit) {
  const operation::Signature& signature = value.operation.signature();
  const auto extents = value.operation.extents();
  const std::size_t output = signature.outputs.front().tensor;
  std::array<std::int64_t, operation::kMostExtents> at{};
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
  } else if (signature.reach == operation::Reach::All) {
    all(extents[reduced]);
  } else {
    all(at[reduced] + (signature.reach == operation::Reach::Through ? 1 : 0));
  }
}

}  // namespace

bool adds(const operation::Operation& operation) {
  const auto& combine = operation.signature().outputs.front().combine;
  return combine && !operation::selects(*combine);
}

std::optional<exact::Dyadic> median_term(const operation::Case& value, std::int64_t element) {
  const operation::Signature& signature = value.operation.signature();
  struct Factor {
    const tensor::Tensor* tensor;
    const operation::TensorSignature* signature;
  };
  std::vector<Factor> factors;
  for (const std::size_t factor : signature.factors) {
    factors.push_back({&value.tensors.at(signature.tensors[factor].name), &signature.tensors[factor]});
  }
  std::vector<Magnitude> terms;
  each_term(value, element, [&](const auto& at) {
    Magnitude term{1, 0.5};
    for (const Factor& factor : factors) {
      std::int64_t place = 0;
      for (std::size_t d = 0; d < factor.signature->extents.size(); ++d) {
        place = place * factor.tensor->shape()[d] + at[factor.signature->extents[d]];
      }
      const number::Format& format = factor.tensor->format();
      const std::uint64_t word = factor.tensor->get(place);
      const number::Class kind = number::classify(format, word);
      if (kind == number::Class::Zero || kind >= number::Class::Infinity) return;
      term = term.times(Magnitude::of(number::to_double(format, word)));
    }
    terms.push_back(term);
  });
  if (terms.empty()) return std::nullopt;
  const auto middle = terms.begin() + static_cast<std::ptrdiff_t>((terms.size() - 1) / 2);
  std::ranges::nth_element(terms, middle);
  Magnitude median = *middle;
  if (signature.combine == operation::Combine::Mean) {
    median = median.over(value.operation.extents()[*signature.reduced]);
  }
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    if (signature.scalars[i].is_addend) continue;
    const operation::Scalar& scalar = value.operation.scalars()[i];
    const number::Format& format = number::format(scalar.format);
    const number::Class kind = number::classify(format, scalar.bits);
    if (kind == number::Class::Zero || kind >= number::Class::Infinity) return std::nullopt;
    median = median.times(Magnitude::of(number::to_double(format, scalar.bits)));
  }
  return exact::Dyadic::from_double(median.mantissa).scaled(median.exponent);
}

Blindness blindness(const operation::Case& value, const contract::Contract& contract,
                    std::span<const std::int64_t> elements, std::size_t threads) {
  Blindness result;
  if (!adds(value.operation)) return result;
  const auto oracle = oracle::Oracle::make(value, contract);
  if (!oracle) return result;
  const number::Format& format = number::format(operation::output_specs(value.operation).front().format);
  std::mutex mutex;
  in_parallel(threads, elements.size(), [&](std::size_t i) {
    const oracle::ElementFacts facts = oracle->facts(elements[i]);
    const auto median = facts.result ? median_term(value, elements[i]) : std::nullopt;
    if (!median) return;
    const oracle::Permitted permitted = oracle->permitted(elements[i]);
    const auto holds = [&](const exact::Dyadic& sum) {
      const std::uint64_t word = sum.round_to(format, {.rounding = contract.output_rounding});
      if (number::classify(format, word) >= number::Class::Infinity) return false;
      const std::int64_t position = number::ordinal(format, word);
      return permitted.any_finite && position >= permitted.low && position <= permitted.high;
    };
    const bool is_blind = holds(*facts.result - *median) && holds(*facts.result + *median);
    const std::lock_guard lock(mutex);
    ++result.of;
    result.blind += is_blind ? 1 : 0;
  });
  return result;
}

}  // namespace negzero::judgement
