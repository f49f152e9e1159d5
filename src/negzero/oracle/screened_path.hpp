// What the screen follows of the paths of a contract.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/oracle/paths.hpp>

namespace negzero::oracle {

/// A path that the host's arithmetic can follow, and the one beside it that has C as a leaf. A word that one of the two
/// gives is permitted: the set is the hull of all paths.
struct ScreenedPath {
  TermsOf terms;
  std::optional<Sum> sum;   ///< in an accumulator that rounds to nearest; nothing where the result is beta * C
  number::FormatId format;  ///< that the host computes in: the accumulator's
  /// The last rounding, to memory.
  number::Rounding rounding;
  contract::OverflowPolicy overflow;
  /// Whether alpha and C act behind the sum, in its own format, as `contraction` says; the product with alpha may be
  /// the fused one where `fuses_alpha`.
  bool finishes = false;
  contract::Contraction contraction = contract::Contraction::Either;
  bool fuses_alpha = false;
  bool flushes = false;  ///< subnormals on the way may be taken, or given, as zeros
  // Of a mean.
  std::int64_t count = 1;        ///< what the sum is divided by
  bool by_reciprocal = false;    ///< it is multiplied by fl(1 / count) instead
  std::int64_t terms_count = 1;  ///< what each term is divided by, in the accumulator
  bool has_leaf = false;         ///< alpha is 1, and C may be a term of a sum in any order
  bool is_alone = true;          ///< on no path every number of the output may be the sum
};
/// The one that has the sum of the member's first path; nothing where the host cannot follow it.
[[nodiscard]] std::optional<ScreenedPath> screened_path(const Paths& paths, int member);
/// Beside tensor cores that a kernel may use: the path of the ordinary additions that it may use as well.
[[nodiscard]] std::optional<ScreenedPath> screened_path_beside_units(const Paths& paths, int member);

}  // namespace negzero::oracle
