// What a probe gave for inputs that tell operations apart.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <negzero/measure/lengths.hpp>
#include <negzero/measure/prober.hpp>

namespace negzero::measure {

/// One run.
struct Observation {
  Given given{};
  Seen seen{};
};

/// What is known of a callee: a probe of it, its lengths, and runs of it.
struct Measured {
  const Callee* callee = nullptr;
  Probe probe{};
  std::map<std::size_t, Length> lengths{};
  std::vector<Observation> observations{};
};

/// Runs a probe of known lengths at all sets of sizes: on small integers, on distinct positive numbers, and on
/// fractions of either sign that have more bits.
[[nodiscard]] std::vector<Observation> observe(Prober& prober, const Probe& probe, const Callee& callee,
                                               const std::map<std::size_t, Length>& lengths);

}  // namespace negzero::measure
