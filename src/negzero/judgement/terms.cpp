// Walks through the terms of an element.

#include <algorithm>
#include <array>
#include <vector>

#include <negzero/judgement/terms.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::judgement {
namespace {

using ExtentIndices = std::array<std::int64_t, notation::kMostExtents>;

/// The index of each extent that the first output has, at one of its elements.
ExtentIndices indices_of(const operation::Case& value, std::int64_t element) {
  const notation::Signature& signature = value.operation.signature();
  const std::size_t output = signature.outputs.front().tensor;
  ExtentIndices at{};
  const std::vector<std::int64_t> own = tensor::coordinates_of(value.operation.shape_of(output), element);
  for (std::size_t d = 0; d < own.size(); ++d) at[signature.tensors[output].extents[d]] = own[d];
  return at;
}

/// Visits the indices of each extent for every term of an element.
template <typename Visit>
void each_place(const operation::Case& value, std::int64_t element, const Visit& visit) {
  const notation::Signature& signature = value.operation.signature();
  const auto extents = value.operation.extents();
  ExtentIndices at = indices_of(value, element);
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

/// A tensor of a case, whose elements are found by the indices of extents.
struct Operand {
  const tensor::Tensor& tensor;
  const notation::TensorSignature& signature;

  Operand(const operation::Case& value, std::size_t place)
      : tensor(value.tensors.at(value.operation.signature().tensors[place].name)),
        signature(value.operation.signature().tensors[place]) {}
  [[nodiscard]] Stored at(const ExtentIndices& at) const {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < signature.extents.size(); ++d) {
      place = place * tensor.shape()[d] + at[signature.extents[d]];
    }
    return Stored::of(tensor.format(), tensor.get(place));
  }
};

}  // namespace

bool adds(const operation::Operation& operation) {
  const auto& combine = operation.signature().outputs.front().combine;
  return combine && !notation::selects(*combine);
}

void each_term(const operation::Case& value, std::int64_t element,
               const std::function<void(std::span<const Stored>)>& visit) {
  std::vector<Operand> operands;
  for (const std::size_t factor : value.operation.signature().factors) operands.emplace_back(value, factor);
  std::vector<Stored> factors(operands.size());
  each_place(value, element, [&](const ExtentIndices& at) {
    for (std::size_t i = 0; i < operands.size(); ++i) factors[i] = operands[i].at(at);
    visit(factors);
  });
}

std::optional<Stored> addend_of(const operation::Case& value, std::int64_t element) {
  const auto addend = value.operation.signature().addend;
  if (!addend) return std::nullopt;
  return Operand(value, *addend).at(indices_of(value, element));
}

}  // namespace negzero::judgement
