// What running a callee says of it, as a declaration.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <negzero/measure/callee.hpp>
#include <negzero/measure/probe.hpp>
#include <negzero/measure/prober.hpp>

namespace negzero::measure {

struct Conclusion {
  std::string text{};                  ///< the declaration; empty: nothing could be measured
  std::vector<std::string> guessed{};  ///< words of kernel::kMayBeGuessed
  std::string comment{};               ///< what was seen: which operation agrees, or why nothing was measured
};

/// Runs all probes of a callee, and takes the operation that agrees with most of its runs: measured where it agrees
/// with all, guessed where with half of them or more. Where none does, the declaration has the lengths alone.
[[nodiscard]] Conclusion conclude(Prober& prober, const Callee& callee, std::span<const Probe> probes,
                                  const std::string& name);

}  // namespace negzero::measure
