// The tensor of a failing case that spans most, and the words that keep tensors nearer.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/property/distance_hint.hpp>
#include <negzero/tensor/islands.hpp>

namespace negzero::property {

std::optional<std::string> distance_hint(const operation::Case& value, DeclaredBy by) {
  const auto farthest = std::ranges::max_element(value.layouts, {}, [](const auto& each) {
    return tensor::is_distant(each.second) ? each.second.extent() - each.second.offset : 0;
  });
  if (farthest == value.layouts.end() || !tensor::is_distant(farthest->second)) return std::nullopt;
  const std::int64_t span = farthest->second.extent() - farthest->second.offset;
  return fmt::format(
      "an offset in 32 bits wraps here: elements of {} lie up to {} apart; if tensors of this kernel never "
      "span 2^31 elements, declare it: {}",
      farthest->first, span - 1, by == DeclaredBy::Line ? "layout ORDER near" : ".max_span = 1LL << 31");
}

}  // namespace negzero::property
