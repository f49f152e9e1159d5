// The first terms of a sum, and what its rules ask of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  /// hull_of() the terms that are not zero, at most kMostLeaves of them; the arguments are those of hull_leaf(). They
  /// may depend on how many terms are zero only by whether one is.
  [[nodiscard]] const Hull& hull(const Arithmetic& arithmetic, bool fused, bool separate, ChainStarts starts);

  /// What it is a prefix of: the first size() of these are meant.
  [[nodiscard]] const Terms& terms() const noexcept { return *terms_; }

 private:
  /// What is known in one accumulator. Each `..._end` says of how many terms.
  struct Held {
    Arithmetic arithmetic;
    LeafCounter leaves;
    std::size_t leaves_end = 0;
    bool vanishes = false;
    std::size_t vanishes_end = 0;
    std::optional<Hull> hull{};
    std::size_t hull_leaves = 0;  ///< of how many it is
    bool hull_has_zeros = false;
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
  std::vector<Followed> chains_;
};

}  // namespace negzero::oracle
