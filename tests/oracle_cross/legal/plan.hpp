// What a sum is held in, how it is made, and how it goes to memory: one choice of those that a contract permits.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/contract/contract.hpp>

#include "luck.hpp"
#include "summation.hpp"

namespace negzero::oracle_legal {

/// How the declared accumulator rounds.
[[nodiscard]] Mode mode_of_additions(contract::AccumulateRounding rounding);
/// What becomes of what is too large for the output.
[[nodiscard]] OnOverflow on_overflow(const contract::Contract& contract);
[[nodiscard]] Starts starts_of(const contract::Contract& contract);

/// What a sum is held in, and how it is made.
struct Plan {
  std::vector<Arithmetic> widths{};   ///< one, but where each addition chooses for itself
  std::optional<Arithmetic> outer{};  ///< what blocks are added in
  std::int64_t every = 0;
  bool starts_at_c = false;                           ///< the first block does
  number::FormatId declared = number::FormatId::F32;  ///< what a finished sum is held in where nothing is wider
};
[[nodiscard]] Plan drawn_plan(Luck& luck, number::FormatId accumulate);
/// `declared` and, where wider ones are permitted, every format that holds its numbers and more.
[[nodiscard]] std::vector<number::FormatId> formats_from(number::FormatId declared, bool wider);
/// Whether every number of one format is one of the other.
[[nodiscard]] bool holds(number::FormatId wide, number::FormatId narrow);
/// The sum of these items by the plan, with C among them where it is given. A value that is the whole sum
/// may go to `out`, where it is given, with nothing added to it.
[[nodiscard]] Held sum_by(Luck& luck, const Plan& plan, std::vector<Item> items, const std::optional<Item>& c,
                          bool alpha_behind, std::optional<number::FormatId> out);
/// Arithmetic behind a sum: to nearest where the contract does not promise it, too.
[[nodiscard]] Arithmetic behind(Luck& luck, number::FormatId id);
/// A sum in a wider format than declared, stored to that one.
[[nodiscard]] Held stored(Luck& luck, const Plan& plan, const Held& sum);
/// From the last register to memory.
[[nodiscard]] std::uint64_t to_memory(Luck& luck, Held value, number::FormatId out, bool takes_intermediate);

}  // namespace negzero::oracle_legal
