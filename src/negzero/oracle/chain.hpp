// One chain in ascending k, followed exactly.

#pragma once

#include <optional>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/range.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// What a chain over the terms may begin with. At least one is set, or nothing is permitted.
struct ChainStarts {
  bool plus_zero = true;
  bool first_term = true;
};

/// Every value that a chain acc = fl(acc + term), terms in order, can end with: one value where contraction and start
/// are known, otherwise the hull over the choices of each step, with infinities and NaN as they arise.
///
/// With `start` the chain begins at that value instead. With `promote` the accumulator is emptied into one of the wider
/// format every so many terms (a block starts as ChainStarts says) and at the end. Terms may be infinite;
/// a NaN among them is the caller's.
[[nodiscard]] Range chain_of(const Arithmetic& arithmetic, const Terms& terms, contract::Contraction contraction,
                             ChainStarts starts, const std::optional<Range>& start,
                             const std::optional<contract::Promote>& promote);

/// What term `i` becomes alone: a rounded product, or a loaded value rounded only where it does not fit.
[[nodiscard]] Range leaf_range(const Arithmetic& arithmetic, const Terms& terms, std::size_t i);

}  // namespace negzero::oracle
