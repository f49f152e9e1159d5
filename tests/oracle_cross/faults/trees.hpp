// All trees of additions over a few terms, and all chains.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "numbers.hpp"

namespace negzero::oracle_faults {

/// A product, or a value that is added as it is.
struct Term {
  Number exact{};
  bool is_product = true;
};

/// How one addition or multiplication may round.
struct Ways {
  std::vector<SmallFormat> widths{};  ///< the declared format first, each wider than those before
  bool keeps_exact = false;           ///< or not at all
  bool fused = true, separate = true;
};

/// Additions by these ways, counted.
class Adding {
 public:
  Adding(Ways ways, std::size_t most) : ways_(std::move(ways)), left_(most) {}

  /// What the trees over all of the terms give.
  [[nodiscard]] Numbers trees(std::span<const Term> terms);
  /// What the chain in that order gives, from `start` where there is one, in one width from the first to the last step;
  /// then stored to narrower ones.
  [[nodiscard]] Numbers chains(std::span<const Term> terms, const std::optional<Term>& start);
  /// alpha * v + beta * c for each v: alpha of one, or no C, leaves that operation out.
  [[nodiscard]] Numbers epilogue(const Numbers& sums, const Number& alpha, const std::optional<Number>& beta,
                                 const Number& c);

  /// Whether nothing was left out.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

 private:
  /// Exact results, by the narrowest width that may round them.
  using Unrounded = std::vector<Numbers>;
  [[nodiscard]] Unrounded none() const { return Unrounded(ways_.widths.size()); }
  [[nodiscard]] std::optional<std::size_t> width_of(const Number& x) const;
  void put(const Number& exact, std::optional<std::size_t> width, Unrounded& out);
  void add(const Numbers& a, const Numbers& b, bool b_is_unrounded, Unrounded& out);
  /// Each rounded in every way, and stored.
  [[nodiscard]] Numbers finished(Unrounded unrounded);
  [[nodiscard]] Numbers stored(Numbers numbers) const;
  [[nodiscard]] Numbers leaf(const Term& term);

  Ways ways_;
  std::size_t left_;
  bool is_complete_ = true;
};

}  // namespace negzero::oracle_faults
