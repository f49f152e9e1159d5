// The first terms of a sum, and what its rules ask of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/hull.hpp>
#include <negzero/oracle/sum_bound.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// The first terms of a sum. A sum that is asked for alone is a prefix of all its terms; the elements of a scan are the
/// same prefix again and again, which has grown in between.
///
/// Whatever is asked is found at the first question, and goes on from there at the next one: n questions about prefixes
/// of up to n terms look at each term once. The questions must be those of one contract, with one answer to whether
/// products are fused. The terms must outlive it; a copy answers for itself.
class Prefix {
 public:
  /// All of the terms.
  explicit Prefix(const Terms& terms) : Prefix(terms, terms.size()) {}
  /// The first `count` of them.
  Prefix(const Terms& terms, std::size_t count) : terms_(&terms) { extend(count); }

  /// Becomes the first `count` terms. Requires size() <= count <= the number of terms.
  void extend(std::size_t count);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Which kinds of terms there are.
  [[nodiscard]] const TermKinds& kinds() const noexcept { return kinds_; }
  [[nodiscard]] bool finite() const noexcept { return !kinds_.nan() && !kinds_.any_infinity(); }

  /// facts_of() these terms. `forced` as there.
  [[nodiscard]] const Facts& facts(std::string_view forced);
  /// inspect() of these terms.
  [[nodiscard]] Leaves leaves(const Arithmetic& arithmetic);
  /// Whether can_vanish() holds for some term.
  [[nodiscard]] bool vanishes(const Arithmetic& arithmetic, bool fused);
  /// The chain over these terms that starts as `starts` says.
  [[nodiscard]] Set chain(const Arithmetic& arithmetic, contract::Contraction contraction, ChainStarts starts,
                          const std::optional<contract::Promote>& promote);
  /// How a sum begins, as leaf_of() asks. It may depend on how many terms are zero only by whether one is.
  struct Begins {
    bool fused, separate;
    ChainStarts starts;
    bool adds_zero;  ///< a +0 may be added though no term is
    TreeLimit limit{};
  };
  /// hull_of() the terms that are not zero, at most kMostLeaves of them. Sums of one narrowest width are always of the
  /// same widths.
  [[nodiscard]] const Hull& hull(std::span<const Arithmetic> widths, const Begins& begins);
  /// results_of() them, in few pieces where they are few, else in one.
  [[nodiscard]] const Set& results(std::span<const Arithmetic> widths, const Begins& begins);

  /// What it is a prefix of: the first size() of these are meant.
  [[nodiscard]] const Terms& terms() const noexcept { return *terms_; }

 private:
  /// What rule b says of so many leaves.
  struct ByOrders {
    Arithmetic narrowest;
    std::size_t widths;
    std::vector<Leaf> leaves{};
    bool has_zeros = false;
    std::optional<Hull> hull{};
    std::optional<Set> results{};
  };
  /// Forgets what is of fewer terms.
  ByOrders& by_orders(std::span<const Arithmetic> widths, const Begins& begins);
  /// What is known in one accumulator. Each `..._end` says of how many terms.
  struct Held {
    Arithmetic arithmetic;
    LeafCounter leaves;
    std::size_t leaves_end = 0;
    bool vanishes = false;
    std::size_t vanishes_end = 0;
  };
  struct Followed {
    Arithmetic arithmetic;
    std::optional<contract::Promote> promote;
    Chain chain;
    std::size_t end = 0;
  };
  static constexpr std::size_t kMostLeaves = 16;
  [[nodiscard]] Held& held(const Arithmetic& arithmetic);

  const Terms* terms_;
  std::size_t size_ = 0;
  TermKinds kinds_;
  Facts facts_;
  std::size_t facts_end_ = 0;
  std::vector<std::size_t> leaves_;  ///< places of the first terms that are not zero, no more than kMostLeaves + 1
  std::size_t leaves_end_ = 0;
  std::vector<Held> held_;
  std::vector<ByOrders> by_orders_;
  std::vector<Followed> chains_;
};

}  // namespace negzero::oracle
