// Prints what a declared line says, in the order in which it says it.

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/notation/accesses.hpp>
#include <negzero/notation/index_words.hpp>
#include <negzero/notation/print.hpp>

namespace negzero::notation {
namespace {

/// An extent as a line has it in brackets: its name, or the formula that it is.
std::string extent_text(const Signature& signature, std::size_t extent) {
  const std::string& name = signature.extents[extent];
  const auto defines = [&](const Relation& relation) {
    return relation.is_in_brackets && relation.left.name() == name;
  };
  const auto found = std::ranges::find_if(signature.relations, defines);
  return found == signature.relations.end() ? name : found->right.to_string();
}

std::string tensor_text(const Signature& signature, const TensorSignature& tensor) {
  std::vector<std::string> extents;
  for (const std::size_t extent : tensor.extents) extents.push_back(extent_text(signature, extent));
  std::string text = fmt::format("{}{}[{}]", tensor.name, tensor.is_optional ? "?" : "", fmt::join(extents, ", "));
  if (tensor.index_below) text += " < " + signature.extents[*tensor.index_below];
  if (tensor.counts_of) text += " <= " + signature.extents[*tensor.counts_of];
  return text + words_text(signature, tensor);
}

std::string scalar_text(const ScalarSignature& scalar) {
  return scalar.is_whole() ? fmt::format("{} {}", scalar.name, word_of(scalar.kind)) : scalar.name;
}

}  // namespace

std::string definition_of(const Signature& signature) {
  std::vector<std::string> outputs, operands, relations;
  for (const OutputSignature& output : signature.outputs) {
    outputs.push_back(tensor_text(signature, signature.tensors[output.tensor]));
  }
  for (const Expression& leaf : signature.outputs.front().result.operands) {
    operands.push_back(leaf.kind == Expression::Kind::Scalar ? scalar_text(signature.scalars[leaf.which])
                                                             : tensor_text(signature, signature.tensors[leaf.which]));
  }
  std::vector<std::string_view> each;
  for (const std::size_t extent : signature.each) each.emplace_back(signature.extents[extent]);
  for (const Relation& relation : signature.relations) {
    if (!relation.is_in_brackets && !relation.is_of_words) relations.push_back(relation.to_string());
  }
  std::string accesses;
  for (const Access& access : signature.accesses) accesses += " " + access_text(access);
  return fmt::format("{} <-{}{}{}{}{}{}{}", fmt::join(outputs, ", "), operands.empty() ? "" : " ",
                     fmt::join(operands, ", "), each.empty() ? "" : " each ", fmt::join(each, ", "),
                     relations.empty() ? "" : " with ", fmt::join(relations, ", "), accesses);
}

}  // namespace negzero::notation
