// Variants by name.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/operation/optional.hpp>

namespace negzero::operation {

std::vector<std::string> optional_inputs(const notation::Signature& signature) {
  std::vector<std::string> names;
  for (const notation::TensorSignature& tensor : signature.family().tensors) {
    if (tensor.is_optional) names.push_back(tensor.name);
  }
  return names;
}

std::vector<std::string> absent_inputs(const notation::Signature& variant) {
  std::vector<std::string> names = optional_inputs(variant);
  std::erase_if(names, [&](const std::string& name) { return variant.find_tensor(name).has_value(); });
  return names;
}

bool is_absent(const notation::Signature& variant, std::string_view tensor) {
  return variant.family().find_tensor(tensor).has_value() && !variant.find_tensor(tensor).has_value();
}

std::string absent_text(const notation::Signature& variant) {
  const std::vector<std::string> absent = absent_inputs(variant);
  return absent.empty() ? "" : fmt::format("without {}", fmt::join(absent, ", "));
}

const notation::Signature& variant_with(const notation::Signature& any_of_family,
                                        const std::function<bool(const std::string&)>& is_there) {
  std::vector<std::string> absent = optional_inputs(any_of_family);
  std::erase_if(absent, is_there);
  return variant(any_of_family, absent);
}

Case without_input(const Case& value, const std::string& name) {
  Case fewer = value;
  fewer.operation.set_variant(variant_with(value.operation.signature(), [&](const std::string& each) {
    return each != name && value.operation.signature().find_tensor(each).has_value();
  }));
  fewer.tensors.erase(name);
  fewer.layouts.erase(name);
  if (fewer.in_place == name) fewer.in_place.clear();
  return fewer;
}

}  // namespace negzero::operation
