// What tells the causes of a kernel's failures apart, as far as that can be told from outside.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/source_line.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// Bits: what is not finite among the values of a case that the kernel may read.
enum Specials : std::uint8_t { kFinite = 0, kInfinity = 1, kNan = 2, kAllSpecials = 3 };
[[nodiscard]] Specials specials_of(const operation::Case& value, const contract::Contract& contract);

/// The rule of races of stores of one same value: they explain no other race, and no value.
inline constexpr verdict::Rule kEqualStores = "run.equal_stores";

/// A class of failures, and of wrong values the special ones that it takes. (Not the rule: it sharpens as a case is
/// shrunk, from the bound of many terms to the values of a few.)
struct Cause {
  verdict::FailureClass kind = verdict::FailureClass::WrongValue;
  Specials specials = kFinite;
  verdict::Rule rule{};  ///< kEqualStores, or where a ledger of known findings tells rules apart (accepting.hpp)
  bool at = false;       ///< an entry of a ledger accepts it by the text of a line
  std::string output{};  ///< of wrong values: the one that is wrong; empty: not known
  std::vector<operation::SourceLine> lines{};  ///< of a race, ascending: those of its accesses; none: not known

  /// Whether a failure of this cause, shrunk, may explain one that was met: that is of the same class and output, of
  /// the same rule where rules are told apart, accepted by the text of a line or not as it is, has all special values
  /// that this one takes, and one of its lines.
  [[nodiscard]] bool may_explain(const Cause& met) const;
  /// Whether both are of one output; also where that is not known of one of them.
  [[nodiscard]] bool shares_output(const Cause& other) const {
    return output.empty() || other.output.empty() || output == other.output;
  }
  /// Whether both are of one line at least; also where that is not known of one of them.
  [[nodiscard]] bool shares_line(const Cause& other) const;
  /// "wrong_value.finite", "wrong_special_value.inf_nan", "data_race.finite.run.race", "data_race.finite.at": a part of
  /// a file's name, without output and lines.
  [[nodiscard]] std::string to_string() const;
  friend auto operator<=>(const Cause&, const Cause&) = default;
};
/// Nothing where the text is none.
[[nodiscard]] std::optional<Cause> cause_of(const std::string& text);

[[nodiscard]] Cause cause_of(verdict::FailureClass kind, const operation::Case& value,
                             const contract::Contract& contract);
/// The cause with the output and the lines of a failure.
[[nodiscard]] Cause located(Cause cause, const verdict::Failure& failure);

/// Replaces the special values of a case that are not among these, within limits (generate::make_finite()).
void keep_specials(operation::Case& value, const operation::Limits& limits, Specials kept);

/// Whether two shrunk failures differ in nothing but the poison that the kernel should not have read: wrong values
/// both, of cases that are otherwise the same.
[[nodiscard]] bool differ_by_poison(const operation::Case& a, verdict::FailureClass a_kind, const operation::Case& b,
                                    verdict::FailureClass b_kind);

}  // namespace negzero::campaign
