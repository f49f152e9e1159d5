// Durations as a person reads them.

#pragma once

#include <cstdint>
#include <string>

namespace negzero::base {

/// "600 ms" below a second, "10 s" or "1.5 s" above: whole milliseconds with nothing left out.
[[nodiscard]] inline std::string duration_text(std::uint64_t ms) {
  if (ms < 1000) return std::to_string(ms) + " ms";
  std::string text = std::to_string(ms / 1000);
  if (ms % 1000 != 0) {
    std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += "." + fraction;
  }
  return text + " s";
}

}  // namespace negzero::base
