// The tensors and layouts that a case of an operation has.

#include <algorithm>
#include <utility>

#include <negzero/operation/case.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::operation {

namespace {

TensorSpec spec_of(const Operation& operation, std::size_t tensor) {
  const notation::TensorSignature& signature = operation.signature().tensors[tensor];
  TensorSpec spec{signature.name, operation.format_of(tensor), operation.shape_of(tensor)};
  spec.is_ascending = signature.is_ascending;
  spec.words = signature.words;
  if (signature.index_below) spec.index_below = operation.extents()[*signature.index_below];
  if (signature.counts_of) {
    spec.index_below = operation.extents()[*signature.counts_of] + 1;
    spec.count_of = operation.signature().extents[*signature.counts_of];
  }
  return spec;
}

}  // namespace

const std::string& first_output(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  return signature.tensors[signature.outputs.front().tensor].name;
}

bool is_initial(const Operation& operation, std::string_view tensor) noexcept {
  return operation.signature().is_update && tensor == notation::kInitial;
}

std::vector<std::string> may_be_in_place(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  std::vector<std::string> names;
  if (signature.is_update) return names;
  const notation::TensorSignature& output = signature.tensors[signature.outputs.front().tensor];
  for (std::size_t i = 0; i < signature.tensors.size() - signature.outputs.size(); ++i) {
    const notation::TensorSignature& input = signature.tensors[i];
    const bool is_alike = input.role == notation::Role::Input && input.extents == output.extents;
    if (is_alike && operation.format_of(i) == operation.format_of(signature.outputs.front().tensor)) {
      names.push_back(input.name);
    }
  }
  return names;
}

bool may_be_in_place(const Operation& operation, std::string_view input) {
  const std::vector<std::string> may = may_be_in_place(operation);
  return std::ranges::find(may, input) != may.end();
}

std::vector<TensorSpec> input_specs(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  const std::size_t inputs = signature.tensors.size() - signature.outputs.size();
  std::vector<TensorSpec> specs;
  specs.reserve(inputs);
  for (std::size_t i = 0; i < inputs; ++i) specs.push_back(spec_of(operation, i));
  return specs;
}

std::vector<TensorSpec> output_specs(const Operation& operation) {
  std::vector<TensorSpec> specs;
  for (const notation::OutputSignature& output : operation.signature().outputs)
    specs.push_back(spec_of(operation, output.tensor));
  return specs;
}

std::vector<TensorSpec> tensor_specs(const Operation& operation) {
  std::vector<TensorSpec> specs = input_specs(operation);
  for (TensorSpec& output : output_specs(operation)) specs.push_back(std::move(output));
  return specs;
}

void locate(verdict::Failure& failure, const TensorSpec& output, std::int64_t element) {
  failure.output = output.name;
  failure.element = element;
  failure.coordinates = tensor::coordinates_of(output.shape, element);
}

void pack_missing_layouts(Case& value) {
  const auto pack = [&](TensorSpec spec) {
    const auto [place, is_missing] = value.layouts.try_emplace(std::move(spec.name));
    if (is_missing) place->second = tensor::Layout::packed(std::move(spec.shape));
  };
  for (TensorSpec& spec : tensor_specs(value.operation)) pack(std::move(spec));
}

void lay_in_place(Case& value) {
  if (!value.in_place.empty()) value.layouts.at(value.in_place) = value.layouts.at(first_output(value.operation));
}

void keep_order(Case& value) {
  for (auto& [name, elements] : value.tensors) {
    const bool is_truth = elements.format_id() == number::FormatId::BOOL;
    if (!is_truth && elements.format().fills_bytes()) continue;
    const std::uint64_t mask = is_truth ? 1 : elements.format().word_mask();
    for (std::int64_t i = 0; i < elements.element_count(); ++i) elements.set(i, elements.get(i) & mask);
  }
  const std::vector<notation::TensorSignature>& tensors = value.operation.signature().tensors;
  for (std::size_t place = 0; place < tensors.size(); ++place) {
    const notation::TensorSignature& signature = tensors[place];
    if (signature.words.any() && signature.role == notation::Role::Index) {
      keep_words(spec_of(value.operation, place), value.tensors.at(signature.name));
      continue;
    }
    if (!signature.is_ascending) continue;
    tensor::Tensor& counts = value.tensors.at(signature.name);
    const std::int64_t line = counts.shape().back();
    for (std::int64_t first = 0; first < counts.element_count(); first += line) {
      std::vector<std::uint64_t> words;
      for (std::int64_t i = 0; i < line; ++i) words.push_back(counts.get(first + i));
      std::ranges::sort(words);  // None is negative.
      for (std::int64_t i = 0; i < line; ++i) counts.set(first + i, words[static_cast<std::size_t>(i)]);
    }
  }
}

void unify_shared_elements(Case& value) {
  lay_in_place(value);
  keep_order(value);
  for (auto& [name, elements] : value.tensors) {
    tensor::resolve_conflicts(value.layouts.at(name), elements.element_bytes(), elements.bytes());
  }
}

}  // namespace negzero::operation
