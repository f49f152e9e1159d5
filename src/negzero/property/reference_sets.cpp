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

Permitted only_nan(FormatId format) {
  Permitted set{.format = format, .nan = true};
  set.rule = "reference.special";
  return set;
}

/// The numbers of an interval whose ends may be infinities.
Permitted numbers(const Format& format, Interval interval) {
  Permitted set{.format = format.id, .any_finite = true};
  set.rule = "reference.error";
  if (format.has_infinity) {
    const std::int64_t end = number::ordinal(format, number::infinity(format));
    set.plus_infinity = interval.high >= end;
    set.minus_infinity = interval.low <= -end;
    set.any_finite = interval.low < end && interval.high > -end;
    interval = {std::max(interval.low, 1 - end), std::min(interval.high, end - 1)};
  }
  set.low = interval.low;
  set.high = interval.high;
  return set;
}

Permitted set_of(const Format& format, const Format& from, std::uint64_t right, std::uint64_t scale,
                 const kernel::Reference& said, const kernel::ErrorBound& bound, const DeclaredError& error) {
  if (number::is_nan(from, right)) return said.nan ? only_nan(format.id) : anything(format.id);
  const bool is_negative = number::is_negative(from, right);
  const bool is_integer = format.is_integer();
  const bool may_be_nan =
      !is_integer && !format.has_infinity &&
      (number::is_infinity(from, right) || number::is_nan(format, Dyadic::from_encoding(from, right).round_to(format)));
  if (number::is_infinity(from, right)) {
    Permitted set{.format = format.id, .nan = may_be_nan};
    set.rule = "reference.special";
    set.plus_infinity = format.has_infinity && !is_negative;
    set.minus_infinity = format.has_infinity && is_negative;
    // infinity() is the largest finite number where the format has none.
    if (!format.has_infinity) {
      set.any_finite = true;
      set.low = set.high = number::ordinal(format, number::infinity(format, is_negative));
    }
    return set;
  }
  if (bound.relative > 0 && number::is_infinity(number::format(FormatId::F64), scale)) return anything(format.id);
  Permitted set = numbers(format, error.around(from, right, scale));
  if (may_be_nan) {
    Permitted end{.format = format.id, .any_finite = true};
    end.low = end.high = number::ordinal(format, number::max_finite(format, is_negative));
    end.nan = true;
    Permitted both{.format = format.id};
    both.parts = {set, end};
    return both;
  }
  if (said.zero_signs && number::is_zero(from, right)) (is_negative ? set.plus_zero : set.minus_zero) = false;
  return set;
}

}  // namespace

Permitted anything(FormatId id) {
  const Format& format = number::format(id);
  Permitted set{.format = id, .any_finite = true};
  set.low = number::ordinal(format, number::max_finite(format, true));
  set.high = number::ordinal(format, number::max_finite(format));
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
