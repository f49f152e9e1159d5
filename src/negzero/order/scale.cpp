// The large number M and the one that a search places, in the formats of a sum.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/order/formula.hpp>
#include <negzero/order/scale.hpp>

namespace negzero::order {

namespace {

using number::Format;

/// Exponents of powers of two in a format, subnormal ones too.
struct Powers {
  int low = 0, high = 0;
};
Powers powers_of(const Format& format) { return {format.eta_exponent(), format.max_exponent()}; }

/// Those of the terms: of products the sums of both.
Powers powers_of_terms(const Formats& formats) {
  const Powers terms = powers_of(number::format(formats.terms)), factors = powers_of(number::format(formats.factors));
  return formats.has_products ? Powers{terms.low + factors.low, terms.high + factors.high} : terms;
}

std::vector<const Format*> on_the_way(const Formats& formats) {
  std::vector<const Format*> all{&number::format(formats.accumulator), &number::format(formats.output)};
  for (const number::FormatId each : formats.stored) all.push_back(&number::format(each));
  return all;
}

}  // namespace

base::Result<std::vector<Scale>> scales_of(const Formats& formats, std::int64_t terms) {
  for (const Format* format : {&number::format(formats.terms), &number::format(formats.accumulator)}) {
    if (format->is_integer()) {
      return base::usage_error(
          fmt::format("sums in {} are exact in every order, so outputs do not show it; ask for a floating-point one",
                      format->name));
    }
  }
  const Powers powers = powers_of_terms(formats);
  const Format& accumulator = number::format(formats.accumulator);
  const int counted = static_cast<int>(ceil_log2(terms)) + 1;
  // Kernels may add in a wider format than they declare.
  const Format& single = number::format(number::FormatId::F32);
  const Format& wider = accumulator.precision() < single.precision() ? single : accumulator;
  int narrow = accumulator.max_exponent(), least = powers.low;
  for (const Format* format : on_the_way(formats)) {
    narrow = std::min(narrow, format->max_exponent());
    least = std::max(least, format->eta_exponent());
  }
  std::vector<Scale> scales;
  for (const int high : {accumulator.max_exponent(), wider.max_exponent(), narrow}) {
    for (const int precision :
         {number::format(number::FormatId::F64).precision(), wider.precision(), accumulator.precision()}) {
      // Half a unit in the last place of M exceeds all ones together.
      const int large = std::min(powers.high, high), one = std::min(0, large - precision - counted);
      const Scale scale{large, one};
      if (one >= least && std::ranges::find(scales, scale) == scales.end()) scales.push_back(scale);
    }
  }
  if (scales.empty()) {
    const std::string_view name = number::format(formats.terms).name;
    return base::usage_error(fmt::format(
        "{} reach from 2^{} to 2^{}, too near to each other for one of them to swallow {} in {}; ask for "
        "fewer terms or for a wider format",
        formats.has_products ? fmt::format("products of {} and {}", name, number::format(formats.factors).name)
                             : fmt::format("terms in {}", name),
        powers.low, powers.high, terms, accumulator.name));
  }
  // With one factor for all, a matrix of a product has a sum in each row.
  std::ranges::stable_partition(scales, [&](const Scale& scale) { return !factors_of(formats, scale).both; });
  return scales;
}

Factors factors_of(const Formats& formats, const Scale& scale) {
  if (!formats.has_products) return {.large_a = scale.large, .large_b = 0, .one_a = scale.one, .one_b = 0};
  const Powers a = powers_of(number::format(formats.terms)), b = powers_of(number::format(formats.factors));
  // One factor for all, if the other one has room for both.
  for (const int shared : {0, scale.large - a.high, scale.one - a.low}) {
    const bool fits =
        shared >= b.low && shared <= b.high && scale.large - shared <= a.high && scale.one - shared >= a.low;
    if (fits) return {scale.large - shared, shared, scale.one - shared, shared};
  }
  const int large_a = std::clamp(scale.large / 2, scale.large - b.high, a.high);
  const int one_a = std::clamp(scale.one / 2, a.low, scale.one - b.low);
  return {large_a, scale.large - large_a, one_a, scale.one - one_a, true};
}

std::int64_t most_ones(const Formats& formats) {
  int precision = 53;
  for (const Format* format : on_the_way(formats)) precision = std::min(precision, format->precision());
  return std::int64_t{1} << std::min(precision, 30);
}

}  // namespace negzero::order
