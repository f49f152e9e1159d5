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

/// A number of elements as a product of extents and of a constant.
struct Length {
  Places factors{};  ///< places of sizes, a place for each time that it is a factor
  std::int64_t times = 1;
  std::string words{};  ///< where it is no such product: "m + n - 1"; empty: it is

  [[nodiscard]] bool is_product() const { return words.empty(); }
  friend bool operator==(const Length&, const Length&) = default;
};

/// What an integer parameter is to the tensors.
struct SizeUse {
  std::int64_t times = 1;               ///< it is so many times an extent
  std::optional<std::int64_t> fixed{};  ///< it is no extent, and has this value
  friend bool operator==(const SizeUse&, const SizeUse&) = default;
};

/// By place; those that are missing are extents.
using SizeUses = std::map<std::size_t, SizeUse>;

/// The lengths of a callee's pointers, and what its sizes are.
struct Lengths {
  std::map<std::size_t, Length> of{};
  SizeUses uses{};
};

/// Sizes that a callee is run with: the sizes of one set are coprime to each other, and to those of other sets at the
/// same place; those of the last set ascend.
inline constexpr std::size_t kSets = 3;
[[nodiscard]] Extents extents_of_set(const Callee& callee, std::size_t set);

/// What a callee is given at those extents, by place of sizes, of which those that have one value are left out: the
/// sizes, and the lengths that are products.
[[nodiscard]] Given given_at(const Extents& extents, const Lengths& lengths);
/// The same at the extents of one set.
[[nodiscard]] Given given_of_set(const Callee& callee, std::size_t set, const Lengths& lengths);

/// The value of a product at some extents.
[[nodiscard]] std::int64_t value_of(const Length& length, const Extents& extents);

/// The lengths of the pointers of a probe. Nothing where it does not run at all with any lengths, where what it touches
/// depends on what its inputs hold, or where an output is read before it is written.
[[nodiscard]] std::optional<Lengths> measured_lengths(Prober& prober, const Probe& probe, const Callee& callee,
                                                      std::string& why);

}  // namespace negzero::measure
