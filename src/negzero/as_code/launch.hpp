// How a case's kernel comes into an exported file, and how it is launched there.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/as_code/finding.hpp>
#include <negzero/as_code/memory.hpp>
#include <negzero/base/result.hpp>

namespace negzero::as_code {

struct Launch {
  std::set<std::string> headers{};  ///< that it needs besides those of every exported file: "<cmath>"
  std::string kernels{};            ///< lines before all of the file's own: text of kernels, or its #include
  /// Statements that launch, each line indented by two. They see the memory of each tensor as NAME_memory.
  std::string statements{};
  bool may_refuse = false;           ///< they leave a `result` that says whether the wrapper refused
  std::vector<std::string> flags{};  ///< as to nvcc, besides the standard's
};

/// Returns an operand's pointer to its element 0: "reinterpret_cast<float*>(a_memory + 15)"; of void its memory there
/// as it is.
[[nodiscard]] std::string pointer_to(const Buffer& buffer, std::string_view type);

/// "0x3f800000", with all digits of the format.
[[nodiscard]] std::string bits(number::FormatId format, std::uint64_t word);

}  // namespace negzero::as_code
