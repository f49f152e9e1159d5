// The kernels of a text with their parameters, as a declaration of negzero needs them.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/source/token.hpp>

namespace negzero::source {

/// "typename T = float" has the kind "typename", the name "T" and the value "float".
struct TemplateParameter {
  std::string kind;   ///< "typename" for a class too, "int", "template <class> typename"; "typename..." of a pack
  std::string name;   ///< "": it has none
  std::string value;  ///< its default; "": it has none
  friend bool operator==(const TemplateParameter&, const TemplateParameter&) = default;
};

/// "const float* __restrict__ x" has that type without the name, and the element "float".
struct KernelParameter {
  std::string type;         ///< with its qualifiers; an array's extents are behind it: "const float[]"
  std::string element;      ///< the type without const, volatile, restrict, pointers and references: "unsigned int"
  std::string name;         ///< "": it has none
  bool is_pointer = false;  ///< an array too
  bool is_const = false;    ///< what it points to, or refers to, is const; of a value: it is
  friend bool operator==(const KernelParameter&, const KernelParameter&) = default;
};

struct KernelSignature {
  std::string name;  ///< with its namespaces: "a::b::kernel"
  std::vector<TemplateParameter> templates;
  std::vector<KernelParameter> parameters;
  std::string result;    ///< what is before its name: "__global__ void"
  std::size_t line = 0;  ///< of its name, from 1
  friend bool operator==(const KernelSignature&, const KernelSignature&) = default;
};

/// Returns a function's name without namespaces.
[[nodiscard]] std::string short_name(const KernelSignature& function);

/// Returns the kernels that a text defines at namespace scope, in order. Left out: those that have no body, those in
/// bodies of macros, specialisations, and those whose parameters cannot be read.
[[nodiscard]] std::vector<KernelSignature> kernels_of(std::string_view text, std::span<const Token> tokens);

/// Returns the functions of host code, with the same ones left out.
[[nodiscard]] std::vector<KernelSignature> host_functions_of(std::string_view text, std::span<const Token> tokens);

/// Whether a parameter is a tensor of PyTorch.
[[nodiscard]] bool is_tensor(const KernelParameter& parameter);
/// Whether a parameter is an optional tensor of PyTorch, by value or by reference.
[[nodiscard]] bool is_optional_tensor(const KernelParameter& parameter);
/// Returns the functions of host code that take tensors of PyTorch, with the same ones left out.
[[nodiscard]] std::vector<KernelSignature> functions_of_tensors(std::string_view text, std::span<const Token> tokens);

}  // namespace negzero::source
