// What a reference permits of each element, as sets.

#include <algorithm>

#include <negzero/exact/dyadic.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/property/declared_error.hpp>
#include <negzero/property/reference_sets.hpp>

namespace negzero::property {

namespace {

using exact::Dyadic;
using number::Format;
using number::FormatId;
using oracle::Permitted;

Permitted named(Permitted set, verdict::Rule rule) {
  set.rule = rule;
  return set;
}

/// An interval whose ends may be infinities, or NaN.
Permitted numbers(const Format& format, Interval interval) {
  if (!format.has_infinity) {
    Permitted set(format.id, oracle::Interval{interval.low, interval.high});
    set.nan = interval.nan;
    return set;
  }
  const std::int64_t end = number::ordinal(format, number::infinity(format));
  const oracle::Interval inside{std::max(interval.low, 1 - end), std::min(interval.high, end - 1)};
  Permitted set = inside.low <= inside.high ? Permitted(format.id, inside) : Permitted(format.id);
  set.plus_infinity = interval.high >= end;
  set.minus_infinity = interval.low <= -end;
  return set;
}

Permitted set_of(const Format& format, const Format& from, std::uint64_t right, std::uint64_t scale,
                 const kernel::Reference& said, const kernel::ErrorBound& bound, const DeclaredError& error) {
  const verdict::Rule special = "reference.special";
  if (number::is_nan(from, right)) {
    return said.nan ? named(Permitted(format.id, oracle::Set::only_nan()), special) : anything(format.id);
  }
  const bool is_negative = number::is_negative(from, right);
  const bool is_infinite = number::is_infinity(from, right);
  if (!is_infinite && bound.relative > 0 && number::is_infinity(number::format(FormatId::F64), scale)) {
    return anything(format.id);
  }
  // infinity() is the largest finite number where the format has none.
  const std::int64_t end = number::ordinal(format, number::infinity(format, is_negative));
  const bool is_beyond = !format.is_integer() && !format.has_infinity;
  Permitted set = is_infinite ? named(numbers(format, {end, end, is_beyond}), special)
                              : named(numbers(format, error.around(from, right, scale)), "reference.error");
  if (!is_infinite && said.zero_signs && number::is_zero(from, right)) {
    (is_negative ? set.plus_zero : set.minus_zero) = false;
  }
  return set;
}

}  // namespace

Permitted anything(FormatId id) {
  const Format& format = number::format(id);
  Permitted set(id, oracle::Interval{number::ordinal(format, number::max_finite(format, true)),
                                     number::ordinal(format, number::max_finite(format))});
  set.plus_infinity = set.minus_infinity = format.has_infinity;
  set.nan = !format.is_integer();
  return set;
}

std::vector<Permitted> permitted_by_reference(const operation::Case& value, const contract::Contract& contract,
                                              const kernel::Kernel& kernel, std::size_t output,
                                              const operation::Case& reference_case,
                                              std::span<const tensor::Tensor> reference_outputs) {
  const operation::TensorSpec spec = operation::output_specs(value.operation)[output];
  const std::vector<operation::TensorSpec> given = operation::output_specs(reference_case.operation);
  const auto output_of = [&](const std::string& name) -> const tensor::Tensor* {
    const auto found = std::ranges::find(given, name, &operation::TensorSpec::name);
    return found == given.end() ? nullptr : &reference_outputs[static_cast<std::size_t>(found - given.begin())];
  };
  const Format& format = number::format(spec.format);
  const kernel::Reference& said = kernel.reference;
  const kernel::ErrorBound bound = said.errors[spec.name];
  const DeclaredError error(value, format, bound, contract, kernel.limits);
  const operation::Counted counted(value, spec.name);
  const tensor::Tensor& right = *output_of(spec.name);
  const tensor::Tensor* const scale = bound.relative > 0 ? output_of(kernel::scale_name(spec.name)) : nullptr;
  std::vector<Permitted> sets;
  for (std::int64_t i = 0; i < right.element_count(); ++i) {
    const bool is_open = bound.any || !counted.holds(i);
    sets.push_back(is_open ? anything(spec.format)
                           : set_of(format, right.format(), right.get(i), scale == nullptr ? 0 : scale->get(i), said,
                                    bound, error));
  }
  return sets;
}

}  // namespace negzero::property
