// Optional inputs of declared lines: which are absent, and the same operation or case with fewer of them.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/operation/case.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::operation {

/// The optional inputs of the family that a signature is of, in the line's order.
[[nodiscard]] std::vector<std::string> optional_inputs(const notation::Signature& signature);
/// Those of them that a variant lacks.
[[nodiscard]] std::vector<std::string> absent_inputs(const notation::Signature& variant);
/// Whether a tensor of that name is one that a variant lacks.
[[nodiscard]] bool is_absent(const notation::Signature& variant, std::string_view tensor);
/// "without bias, mask": for people; empty where none is absent.
[[nodiscard]] std::string absent_text(const notation::Signature& variant);

/// The variant that has those optional inputs that `is_there` is true of.
[[nodiscard]] const notation::Signature& variant_with(const notation::Signature& any_of_family,
                                                      const std::function<bool(const std::string&)>& is_there);

/// The case without one of its optional inputs: neither its tensor nor its layout, and no longer in place.
[[nodiscard]] Case without_input(const Case& value, const std::string& name);

}  // namespace negzero::operation
