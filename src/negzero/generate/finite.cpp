// Cases without infinities and NaN.

#include <negzero/generate/generate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/views.hpp>

namespace negzero::generate {

namespace {

bool is_finite(const number::Format& format, std::uint64_t word) {
  return format.is_integer() || number::classify(format, word) < number::Class::Infinity;
}

/// What is not finite without the highest bit of its exponent: a number from 1 to 2, or its negation.
std::uint64_t made_finite(const number::Format& format, std::uint64_t word) {
  return word & ~(std::uint64_t{1} << (format.unused_bits + format.fraction_bits + format.exponent_bits - 1));
}

/// Whether limits ask for the infinities of a tensor.
bool has_infinities(const operation::Limits& limits, std::string_view tensor) {
  const operation::ValueRange* const said = limits.values.find(tensor);
  return said != nullptr && said->infinities != operation::Infinities::No;
}

}  // namespace

void make_finite(operation::Case& value, const operation::Limits& limits, const Goes& goes) {
  const auto replaced = [&](const number::Format& format, std::uint64_t word, bool keeps_infinities) {
    const bool stays = goes ? !goes(format, word) : keeps_infinities && number::is_infinity(format, word);
    return is_finite(format, word) || stays ? word : made_finite(format, word);
  };
  for (auto& [name, tensor] : value.tensors) {
    const bool keeps_infinities = has_infinities(limits, name);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, replaced(tensor.format(), tensor.get(i), keeps_infinities));
    }
  }
  const operation::Limits any;
  for (const operation::ScalarView& scalar : operation::scalar_views(value.operation, any)) {
    scalar.value->bits = replaced(number::format(scalar.value->format), scalar.value->bits, false);
  }
  operation::fold_values(value, limits);
}

}  // namespace negzero::generate
