// Which elements of a padded tensor are of the operation: those whose index is below its count.

#include <algorithm>
#include <optional>
#include <utility>

#include <negzero/operation/counted.hpp>

namespace negzero::operation {

Counted::Counted(const Case& value, std::string_view tensor) {
  const notation::Signature& signature = value.operation.signature();
  const std::vector<std::size_t>& extents = signature.tensors[*signature.find_tensor(tensor)].extents;
  const auto dimension_of = [&](std::size_t extent) -> std::optional<Dimension> {
    std::int64_t stride = 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      const std::int64_t length = value.operation.extents()[extents[d]];
      if (extents[d] == extent) return Dimension{stride, length};
      stride *= length;
    }
    return std::nullopt;
  };
  for (const notation::TensorSignature& counts : signature.tensors) {
    const auto index = counts.counts_of ? dimension_of(*counts.counts_of) : std::nullopt;
    if (!index) continue;
    Bound bound{*index, &value.tensors.at(counts.name)};
    for (const std::size_t extent : counts.extents) {
      if (const auto outer = dimension_of(extent)) bound.outer.push_back(*outer);
    }
    if (bound.outer.size() == counts.extents.size()) bounds_.push_back(std::move(bound));
  }
  reached_ = reached(value, tensor);
}

bool Counted::is_within_counts(std::int64_t element) const noexcept {
  return std::ranges::all_of(bounds_, [element](const Bound& bound) {
    std::int64_t at = 0;
    for (const Dimension& outer : bound.outer) at = at * outer.extent + outer.of(element);
    return bound.index.of(element) < static_cast<std::int64_t>(bound.counts->get(at));
  });
}

void set_padding(const Case& value, std::string_view tensor, tensor::Tensor& elements, std::uint64_t word) {
  const Counted counted(value, tensor);
  for (std::int64_t i = 0; !counted.all() && i < elements.element_count(); ++i) {
    if (!counted.holds(i)) elements.set(i, word);
  }
}

}  // namespace negzero::operation
