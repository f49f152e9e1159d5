// How much the tests of this folder do.

#pragma once

#include <cstdint>
#include <cstdlib>

namespace negzero::oracle_legal {

/// The number that an environment variable holds. NEGZERO_LEGAL_SEED moves every stream (default 1).
[[nodiscard]] inline std::uint64_t number_of(const char* variable, std::uint64_t by_default) {
  const char* text = std::getenv(variable);
  return text == nullptr ? by_default : std::strtoull(text, nullptr, 10);
}

}  // namespace negzero::oracle_legal
