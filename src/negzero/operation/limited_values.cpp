// Elements of a case against the ranges that limits give them.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/number/text.hpp>
#include <negzero/operation/limited_values.hpp>

namespace negzero::operation {

std::optional<FormatRange> values_of(const Limits& limits, std::string_view tensor, number::FormatId format) {
  const ValueRange* const said = limits.values.find(tensor);
  return said != nullptr ? std::optional<FormatRange>(std::in_place, *said, format) : std::nullopt;
}

std::optional<std::string> values_outside(const Limits& limits, const Case& value) {
  for (const auto& [name, range] : limits.values) {
    const auto found = value.tensors.find(name);
    if (found == value.tensors.end()) continue;
    const tensor::Tensor& tensor = found->second;
    const FormatRange accepted(range, tensor.format_id());
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      if (accepted.accepts(tensor.get(i))) continue;
      return fmt::format("{}[{}] = {} is not {}", name, fmt::join(tensor::coordinates_of(tensor.shape(), i), ", "),
                         number::to_decimal(tensor.format(), tensor.get(i)), describe(range));
    }
  }
  return std::nullopt;
}

void fold_values(Case& value, const Limits& limits) {
  for (const auto& [name, range] : limits.values) {
    const auto found = value.tensors.find(name);
    if (found == value.tensors.end()) continue;
    tensor::Tensor& tensor = found->second;
    const FormatRange accepted(range, tensor.format_id());
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, accepted.folded(tensor.get(i)));
  }
}

}  // namespace negzero::operation
