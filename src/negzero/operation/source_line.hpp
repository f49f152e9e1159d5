// Lines of source that messages name, as "tiled.cu:41".

#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace negzero::operation {

struct SourceLine {
  std::string name;  ///< of the file, without its folder: the same on every machine
  int line = 0;      ///< from 1

  [[nodiscard]] std::string to_string() const;  ///< "tiled.cu:41"
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

/// Whether a file is called as C++ and CUDA are.
[[nodiscard]] bool is_source(std::string_view path);

/// Every line that the text names, each once, in order.
[[nodiscard]] std::vector<SourceLine> source_lines_in(std::string_view text);

}  // namespace negzero::operation
