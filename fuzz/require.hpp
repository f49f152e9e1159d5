// What a fuzz target claims: where it does not hold, the process ends, and libFuzzer keeps the input.

#pragma once

#include <cstdio>
#include <cstdlib>

namespace negzero::fuzz {

inline void require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", claim);
  std::abort();
}

}  // namespace negzero::fuzz
