// One way to add terms, and the values that its accumulator may hold at the end: rules 2a to 2f and sections 3 and 4
// of numerics.md.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/prefix.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/sum_bound.hpp>
#include <negzero/oracle/terms.hpp>
#include <negzero/oracle/unit.hpp>
#include <negzero/verdict/rule.hpp>

namespace negzero::oracle {

/// A narrower format that sums of slices of k may be stored in before they are added; `slices`: at most so many, 0: any
/// number (numerics.md 2f).
struct Stores {
  number::FormatId format;
  std::int64_t slices = 0;
  friend bool operator==(const Stores&, const Stores&) = default;
};

// In which order the terms are added.

/// Every tree.
struct AnyOrder {
  bool compensated = false;  ///< perhaps as Kahan and Neumaier do
  std::optional<Stores> stores{};
  /// Each addition is in the sum's own format or in a wider one up to this, or rounds less.
  std::optional<number::FormatId> widest{};
  /// The most additions of two numbers other than zero that a term meets, one of C apart; nothing: any number.
  std::optional<std::int64_t> additions{};
  friend bool operator==(const AnyOrder&, const AnyOrder&) = default;
};
/// One chain.
struct Ascending {
  friend bool operator==(const Ascending&, const Ascending&) = default;
};
/// Blocks of `every` terms, whose sums are added in a wider format: as every tree does, or as one chain.
struct Blocks {
  contract::Promote promote;
  bool ascending = false;
  friend bool operator==(const Blocks&, const Blocks&) = default;
};
/// The steps of a matrix unit (stepped.hpp).
struct UnitSteps {
  Stepping stepping;
  std::optional<Stores> stores{};
  bool adds_wider = false;  ///< sums of slices may be added in a wider format
  friend bool operator==(const UnitSteps&, const UnitSteps&) = default;
};

/// Where beta * c, the last term, enters.
enum class CAt : std::uint8_t {
  None,   ///< nowhere: no term is C
  Leaf,   ///< anywhere among the others, outside of blocks
  Start,  ///< where a chain starts; elsewhere as Leaf
};
/// Whether sums overflow, or exponents have no upper end: the sum inside a mean that may not overflow.
enum class Lift : std::uint8_t { None, Unbounded };
/// Whether the ends of a set lie on the accumulator's grid, or are real: rule d's `wider`.
enum class Ends : std::uint8_t { Grid, Real };

/// What is found of sets of few terms: the results themselves, or their hull, which holds them and is found sooner.
enum class Detail : std::uint8_t { Results, Hull };

/// One way to add terms. It sees no contract: paths.hpp makes it of one.
struct Sum {
  Arithmetic arithmetic;
  std::variant<AnyOrder, Ascending, Blocks, UnitSteps> order{};
  contract::Contraction contraction = contract::Contraction::Either;  ///< separate where terms are values
  contract::Start start = contract::Start::Any;                       ///< of what does not hold C
  CAt c = CAt::None;
  Lift lift = Lift::None;
  Ends ends = Ends::Grid;
  bool tells_zeros = false;  ///< the sign of a zero counts (zero_sign = ieee)
  int hull_terms = 4;        ///< largest m that rule b is used for
  Detail detail = Detail::Results;

  /// The arithmetic that the finished sum is held in.
  [[nodiscard]] Arithmetic held() const;
  /// The most additions of two numbers other than zero that one of so many terms meets; `has_c`: one of them is C.
  [[nodiscard]] std::uint64_t additions(std::uint64_t terms, bool has_c) const;
  /// The same of the terms that are not zero, so many of these.
  [[nodiscard]] std::uint64_t additions(const Prefix& terms, std::uint64_t nonzero) const {
    return additions(nonzero, has_c(terms));
  }
  /// Whether the last of the terms is C, other than zero.
  [[nodiscard]] bool has_c(const Prefix& terms) const {
    return c != CAt::None && !terms.terms().is_zero(terms.size() - 1);
  }
  /// The arithmetics of its additions: its own first, then wider ones.
  [[nodiscard]] std::vector<Arithmetic> widths() const;
  [[nodiscard]] bool is_compensated() const;
  [[nodiscard]] bool fuses() const { return contraction != contract::Contraction::Separate; }
  [[nodiscard]] const Blocks* blocks() const { return std::get_if<Blocks>(&order); }
  [[nodiscard]] const UnitSteps* unit_steps() const { return std::get_if<UnitSteps>(&order); }
  /// Stores of slices' sums, where there are any.
  [[nodiscard]] const Stores* stores() const;
  /// Whether the terms are added as one chain. Real ends are those of every order.
  [[nodiscard]] bool is_chain() const;
  friend bool operator==(const Sum&, const Sum&) = default;
};
/// "F32 nearest, any order, fused or separate, start any": all that differs from the usual.
[[nodiscard]] std::string to_string(const Sum& sum);

/// The terms of one output element, which must outlive it, and the method of exact to use (see exact::choose).
struct Element {
  Prefix& terms;
  std::string_view exact_method{};
};

struct SumResult {
  Set set;
  verdict::Rule rule;  ///< the id of the rule that decided
  Facts facts;
  exact::Dyadic bound;  ///< B where rule c decided
  bool exact = false;   ///< rule a: no order rounds anything
};

/// Requires an accumulator that is not an integer. Only prefixes of all their terms may be added in UnitSteps,
/// with Lift or with C.
[[nodiscard]] SumResult evaluate(const Sum& sum, const Element& element);
/// Of all the terms.
[[nodiscard]] SumResult evaluate(const Sum& sum, const Terms& terms, std::string_view exact_method);

/// Of two rules for one result, the one that says less: it stands for both.
[[nodiscard]] verdict::Rule weaker(verdict::Rule a, verdict::Rule b);

/// Rounds the real interval [low, high] inward to the accumulator's grid, within its largest numbers. Not finite where
/// no number of the format lies inside.
[[nodiscard]] Set inward(const Arithmetic& arithmetic, const exact::Dyadic& low, const exact::Dyadic& high, int grid);

}  // namespace negzero::oracle
