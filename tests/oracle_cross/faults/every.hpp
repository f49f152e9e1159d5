// Every result that some evaluation of a sum of products gives which a contract permits: a set with its gaps, no hull.
//
// Written from numerics.md 2 and apart from the oracle. In any order, with `wider`, a partial sum may be exact or
// rounded to the declared format or any wider one, and be stored to narrower ones of them; products likewise. Chains
// have one accumulator. Zeros have no sign, and nothing is flushed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/contract/contract.hpp>

#include "../legal/legal.hpp"
#include "numbers.hpp"
#include "trees.hpp"

namespace negzero::oracle_faults {

using oracle_legal::Question;

enum class Reading : std::uint8_t {
  Surely,    ///< what a GPU can do with its instructions: no exact partial sums; a tensor core's terms in one step
  Possibly,  ///< all that numerics.md has: what is not among it, no legal evaluation gives
};

/// The results as words of the output's format. Where the sets became too large, or some exact sum too long, there may
/// be others.
struct Reached {
  std::vector<std::uint64_t> words{};
  bool is_complete = true;

  [[nodiscard]] bool has(std::uint64_t word) const;
};

/// The products that are not zero, and what follows their sum.
struct Parts {
  std::vector<Term> terms{};
  Number alpha{};
  std::optional<Number> beta{};  ///< nothing: C does not count
  Number c{};
};
[[nodiscard]] Parts parts_of(const Question& question);
/// How additions may round.
[[nodiscard]] Ways ways_of(const contract::Contract& contract, Reading reading);

/// `most`: of additions that are tried, before it is given up.
[[nodiscard]] Reached every(const Question& question, const contract::Contract& contract, Reading reading,
                            std::size_t most);

}  // namespace negzero::oracle_faults
