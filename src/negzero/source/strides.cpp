// Gives only the names that a statement uses: a file that has such names for its own things is compiled as before.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/source/declared.hpp>
#include <negzero/source/parts.hpp>
#include <negzero/source/strides.hpp>

namespace negzero::source {
namespace {

bool is_of_operation(const notation::Signature& signature, std::string_view name) {
  const auto is_called = [&](const notation::ScalarSignature& scalar) { return scalar.name == name; };
  return signature.find_extent(name) || signature.find_tensor(name) ||
         std::ranges::any_of(signature.scalars, is_called);
}

/// Whether code uses a name and does not declare it.
bool uses(const Code& code, std::string_view name) {
  bool is_used = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code.is_word(i, name)) continue;
    if (is_declared_at(code, i)) return false;
    is_used = true;
  }
  return is_used;
}

}  // namespace

bool uses_name(std::string_view statement, std::string_view name) {
  const std::vector<Token> tokens = tokens_of(statement);
  return uses(parts_of(statement, tokens).code, name);
}

std::vector<NamedStride> strides_named(const notation::Signature& signature, std::string_view statement) {
  const std::vector<Token> tokens = tokens_of(statement);
  const Parts parts = parts_of(statement, tokens);
  std::vector<NamedStride> result;
  for (const notation::TensorSignature& tensor : signature.tensors) {
    if (tensor.role == notation::Role::Initial) continue;
    for (std::size_t dimension = 0; dimension < tensor.extents.size(); ++dimension) {
      std::string name = fmt::format("{}_stride{}", tensor.name, dimension);
      if (uses(parts.code, name) && !is_of_operation(signature, name)) {
        result.push_back({std::move(name), tensor.name, dimension});
      }
    }
  }
  return result;
}

}  // namespace negzero::source
