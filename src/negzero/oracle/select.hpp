// Selections: max, min, argmax, argmin over encodings, exactly (numerics.md section 5).

#pragma once

#include <cstdint>
#include <span>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/permitted.hpp>

namespace negzero::oracle {

enum class Side : bool { Max, Min };

/// How a selection of encodings of `input` is judged.
struct Selection {
  Side side = Side::Max;
  const number::Format* input = nullptr;
  const number::Format* output = nullptr;  ///< I32 for indices
  const Declared* contract = nullptr;
  bool has_identity = true;  ///< false for atomics: they start from a value in memory
};

/// The permitted maximum or minimum of `words`, at least one: the set depends on nan, all_nan, zero_sign and flushing.
/// A NaN under `propagate` permits nothing but NaN.
[[nodiscard]] Permitted select_value(const Selection& selection, std::span<const std::uint64_t> words);

/// The permitted positions of the maximum or minimum of `words`, at least one.
[[nodiscard]] Permitted select_index(const Selection& selection, std::span<const std::uint64_t> words);

/// The same beside an observed `value` of the selection: where words that have it are among those, these alone. A wrong
/// value says nothing of the index.
[[nodiscard]] Permitted select_index_beside(const Selection& selection, std::span<const std::uint64_t> words,
                                            std::uint64_t value);

/// What a row of no elements gives: the contract's `empty`, else the identity, or any index.
[[nodiscard]] Permitted select_nothing(const Selection& selection, bool index);

/// A set of exactly one encoding; NaN stands for every NaN.
[[nodiscard]] Permitted exactly(const number::Format& format, std::uint64_t word, verdict::Rule rule);

}  // namespace negzero::oracle
