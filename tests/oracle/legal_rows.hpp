// Operands at the edges of what contracts permit, as rows of text.

#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/contract/words.hpp>

#include "build.hpp"

namespace negzero::oracle::testing {

struct LegalRow {
  const char* what;      ///< in a few words
  const char* contract;  ///< JSON
  /// "gemm F16 F32 3c00*3c00 bef2*3c00 alpha bf800000 beta 3f800000 c 33c00000": operation, formats of its inputs and
  /// of its output, one dot product, scalars of F32 and C in the output's format. "reduce.sum F32 F32 3f800000
  /// 40000000", "scatter.add F32 F32 INIT UPDATE...": what is added.
  const char* operands;
  const char* permitted;  ///< words of the element, the last of a scan
  const char* refused = "";
  std::uint64_t version = contract::kVersion;  ///< of the contract
};

/// "F16", "E4M3" and "E5M2" of FP8.
inline FormatId format_named(const std::string& name) {
  if (name == "E4M3") return FormatId::F8_E4M3;
  if (name == "E5M2") return FormatId::F8_E5M2;
  const auto format = number::parse_format(name);
  if (!format) throw std::runtime_error("no format " + name);
  return *format;
}
inline std::uint64_t hex(const std::string& text) { return std::stoull(text, nullptr, 16); }
inline Words hex_words(std::string_view text) {
  std::istringstream in{std::string(text)};
  Words words;
  for (std::string each; in >> each;) words.push_back(hex(each));
  return words;
}

inline operation::Case case_of(std::string_view operands) {
  std::istringstream in{std::string(operands)};
  std::string operation, from, to;
  in >> operation >> from >> to;
  const FormatId x = format_named(from), y = format_named(to);
  Dot dot{.factors = x, .d = y};
  Words values;
  for (std::string each; in >> each;) {
    std::string next;
    if (const auto star = each.find('*'); star != std::string::npos) {
      dot.a.push_back(hex(each.substr(0, star)));
      dot.b.push_back(hex(each.substr(star + 1)));
    } else if (each == "alpha") {
      in >> next;
      dot.alpha = {FormatId::F32, hex(next)};
    } else if (each == "beta") {
      in >> next;
      dot.beta = {FormatId::F32, hex(next)};
    } else if (each == "c") {
      in >> next;
      dot.c = hex(next);
    } else {
      values.push_back(hex(each));
    }
  }
  if (operation == "gemm") return dot_case(dot);
  if (operation == "scatter.add") {
    return scatter_case(operation::ScatterKind::Add, x, values.front(), {values.begin() + 1, values.end()});
  }
  operation::Case value;
  value.operation = *operation::operation_named(operation);
  const bool converts = operation == "convert";
  value.operation.extent(converts ? "count" : "columns") = std::ssize(values);
  if (!converts) value.operation.extent("rows") = 1;
  value.operation.formats()[0] = x;
  value.operation.formats()[1] = y;
  const operation::TensorSpec input = operation::input_specs(value.operation).front();
  value.tensors.emplace(input.name, tensor_of(x, input.shape, values));
  operation::pack_missing_layouts(value);
  return value;
}

}  // namespace negzero::oracle::testing
