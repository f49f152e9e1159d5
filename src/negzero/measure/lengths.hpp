// How many elements a callee reads and writes behind each pointer, as a function of its sizes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <negzero/measure/callee.hpp>
#include <negzero/measure/prober.hpp>

namespace negzero::measure {

/// A number of elements as a product of sizes, and something added to it.
struct Length {
  std::vector<std::size_t> factors{};  ///< places of sizes, a place for each time that it is a factor; empty: 1
  std::string words{};                 ///< where it is no such product: "m + n - 1"; empty: it is

  [[nodiscard]] bool is_product() const { return words.empty(); }
  friend bool operator==(const Length&, const Length&) = default;
};

/// The sizes of one set: coprime to each other, and to those of other sets at the same place.
inline constexpr std::size_t kSets = 3;
[[nodiscard]] std::map<std::size_t, std::int64_t> sizes_of_set(const Callee& callee, std::size_t set);

/// The value of a product at some sizes.
[[nodiscard]] std::int64_t value_of(const Length& length, const std::map<std::size_t, std::int64_t>& sizes);

/// The lengths of the pointers of a probe. Nothing where it does not run at all with any lengths, where what it touches
/// depends on what its inputs hold, or where an output is read before it is written.
[[nodiscard]] std::optional<std::map<std::size_t, Length>> measured_lengths(Prober& prober, const Probe& probe,
                                                                            const Callee& callee, std::string& why);

}  // namespace negzero::measure
