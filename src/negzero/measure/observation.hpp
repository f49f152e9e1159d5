// What a probe gave for inputs that tell operations apart.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <negzero/measure/lengths.hpp>
#include <negzero/measure/prober.hpp>
#include <negzero/measure/ranges.hpp>

namespace negzero::measure {

/// One run.
struct Observation {
  Given given{};
  Seen seen{};
};

/// What a callee reads although its factor is 0.
struct ReadsAtZero {
  bool inputs = false;  ///< its inputs at the first number
  bool addend = false;  ///< what lies in the output at the second one
};

/// What is known of a callee: a probe of it, its lengths, and runs of it.
struct Measured {
  const Callee* callee = nullptr;
  Probe probe{};
  Lengths lengths{};
  std::map<std::size_t, Range> ranges{};  ///< of extents, by place
  std::vector<Observation> observations{};
  ReadsAtZero reads{};
  bool flushes = false;  ///< a subnormal of the first input comes out as 0

  [[nodiscard]] const Parameter& parameter(std::size_t place) const { return callee->parameters[place]; }
  /// The extents that the number of its elements is a product of.
  [[nodiscard]] const Places& factors(std::size_t place) const { return lengths.of.at(place).factors; }
  /// Places of the sizes that are extents.
  [[nodiscard]] Places extents() const;
};

/// Runs a probe of known lengths at all sets of sizes: on small integers, on distinct positive numbers, and on
/// fractions of either sign that have more bits. All are exact in their formats.
[[nodiscard]] std::vector<Observation> observe(Prober& prober, const Probe& probe, const Callee& callee,
                                               const Lengths& lengths);

/// Whether the output's first element is 0 where the first input is all subnormal, and all others are 1.
[[nodiscard]] bool flushes_subnormals(Prober& prober, const Probe& probe, const Callee& callee, const Lengths& lengths);

/// Whether a probe of an output that holds zeros only adds to what the output holds: with other numbers there, the
/// results are larger by these. `in_place`: the probe that gives them.
[[nodiscard]] bool only_adds(Prober& prober, const Probe& zeroed, const Probe& in_place, const Callee& callee,
                             const Lengths& lengths);

/// Runs of a probe at each extent that is beyond a block of threads, the others small: on small integers.
[[nodiscard]] std::vector<Observation> observe_large(Prober& prober, const Probe& probe, const Callee& callee,
                                                     const Lengths& lengths,
                                                     const std::map<std::size_t, Range>& ranges);

/// Whether NaN comes through a factor of 0, of a probe in place with two numbers.
[[nodiscard]] ReadsAtZero reads_at_zero(Prober& prober, const Probe& probe, const Callee& callee,
                                        const Lengths& lengths);

}  // namespace negzero::measure
