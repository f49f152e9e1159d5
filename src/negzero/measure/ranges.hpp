// Which extents a callee can be launched with.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <negzero/measure/lengths.hpp>
#include <negzero/measure/prober.hpp>

namespace negzero::measure {

/// Values of an extent.
struct Range {
  std::int64_t least = 1;
  std::optional<std::int64_t> greatest{};  ///< nothing: no limit was seen
};

/// The extents, by place, for which CUDA does not refuse the callee's launches (a grid or a block without threads, one
/// of too many, too much shared memory), each alone with small values of all others; and not those that are too small
/// for sizes that have one value.
[[nodiscard]] std::map<std::size_t, Range> measured_ranges(Prober& prober, const Probe& probe, const Callee& callee,
                                                           const Lengths& lengths);

}  // namespace negzero::measure
