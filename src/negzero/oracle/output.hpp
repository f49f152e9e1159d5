// From what an accumulator may hold to what memory may hold: declared roundings, overflow policy, signs of zero.

#pragma once

#include <string_view>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

/// The values after one conversion of `set` to `to`. Rounding is monotone, so the ends are enough (numerics.md 2d);
/// the conversion overflows by its own threshold, and `policy` says to what.
[[nodiscard]] Set convert(const Set& set, const number::Format& to, number::Rounding rounding,
                          contract::OverflowPolicy policy);

/// `set` after a store to a narrower accumulator, rounded to nearest. What overflows in the store is left out where
/// nothing may overflow (`may_overflow` false), and where `to` can saturate: by what its own route says.
[[nodiscard]] Set stored(const Set& set, const Arithmetic& to, bool may_overflow = true);

/// `set` of sums in the format `from` after a conversion to that of `to`, which may flush what it takes of F32 and
/// what it gives in a format with the exponents of F32, as `to` says. A sum that has the format already is copied.
[[nodiscard]] Set convert_sum(const Set& set, const number::Format& from, const Arithmetic& to,
                              number::Rounding rounding, contract::OverflowPolicy policy);

/// The permitted set that the last conversion makes of `before`, `result`, in the output's format. Either zero is
/// permitted where they are not told apart. The rule is "output.overflow" where that conversion overflows, else
/// `rule`.
[[nodiscard]] Permitted to_permitted(const Set& before, const Set& result, const number::Format& output,
                                     bool tells_zeros, verdict::Rule rule);

/// Adds what another path permits, in one format, with the gap between; the rule stays.
void unite(Permitted& into, const Permitted& other);

/// The union of sets in one format, gaps included, none of which lists encodings; of the rules the one that says least.
/// Vacuous where one of them is: what that one permits is permitted. Requires at least one set.
[[nodiscard]] Permitted united(const std::vector<Permitted>& sets, std::size_t most = kPieces);

/// A set of exactly these encodings.
[[nodiscard]] Permitted only(const number::Format& format, std::vector<std::uint64_t> words, verdict::Rule rule);

}  // namespace negzero::oracle
