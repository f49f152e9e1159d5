// Runs compilers and what belongs to them.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::source {

/// What a program that was run has answered.
struct Ran {
  int status = 0;  ///< its exit status; 128 and the signal's number where it was killed
  std::string output{};
  std::string errors{};
};

/// Runs a program to its end. Infrastructure error: it cannot be started.
[[nodiscard]] base::Result<Ran> run_program(const std::vector<std::string>& words);
/// Runs several at once; their answers are in order.
[[nodiscard]] base::Result<std::vector<Ran>> run_programs(const std::vector<std::vector<std::string>>& commands);

}  // namespace negzero::source
