// One way to add terms, drawn from those that a contract permits.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../enumerator.hpp"
#include "luck.hpp"

namespace negzero::oracle_legal {

/// A term: a value from memory or a register, or a product that an addition may take unrounded.
struct Item {
  Held a{};
  std::optional<Held> b{};

  [[nodiscard]] bool is_product() const { return b.has_value(); }
};

/// Additions of one evaluation.
class Summation {
 public:
  /// `widths`: the formats that additions may run in, each holding the numbers of those before it. Products may be
  /// fused or separate as the contract has it.
  Summation(Luck& luck, std::vector<Arithmetic> widths, Starts starts);

  /// Some tree over the terms in some order. +0 of no terms.
  [[nodiscard]] Held tree(std::vector<Item> items);
  /// The chain in the order given, from `start`, where there is one, else from +0 or the first term.
  [[nodiscard]] Held chain(std::span<const Item> items, const std::optional<Item>& start);
  /// sum + item, fused or not.
  [[nodiscard]] Held join(const Held& sum, const Item& item);
  /// Kahan's, Neumaier's or Ogita, Rump and Oishi's sum in the order given.
  [[nodiscard]] Held compensated(std::span<const Item> items);
  /// A tree in which each term is multiplied by alpha once on its way to the root; `c` is not.
  [[nodiscard]] Held scaled(std::vector<Item> items, const Held& alpha, const std::optional<Item>& c);

 private:
  enum class Style : std::uint8_t { Chain, Halves, Random };

  [[nodiscard]] std::size_t width_of(const Held& value) const;
  [[nodiscard]] const Arithmetic& wide_as(std::size_t least);
  [[nodiscard]] bool fuses();
  [[nodiscard]] Held as_value(const Arithmetic& arithmetic, const Item& item);
  [[nodiscard]] Number exact(const Arithmetic& arithmetic, const Item& item);
  [[nodiscard]] Held leaf(const Item& item);
  [[nodiscard]] Held add(const Held& a, const Held& b);
  [[nodiscard]] Held subtree(std::span<const Item> items);
  [[nodiscard]] Held scaled_subtree(std::span<const Item> items, const Held& alpha, const std::optional<Item>& c);
  [[nodiscard]] std::size_t split(std::size_t count);
  void shuffle(std::vector<Item>& items);

  Luck& luck_;
  std::vector<Arithmetic> widths_;
  Starts starts_;
  Style style_;
  bool idles_;          ///< lanes without terms take part
  bool loads_nearest_;  ///< conversions of values to the accumulator round to nearest, whatever additions do
};

}  // namespace negzero::oracle_legal
