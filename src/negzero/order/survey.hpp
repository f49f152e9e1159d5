// What is to be said of the order of a kernel's sums: its tree at several lengths, and what they have in common.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/order/formula.hpp>
#include <negzero/order/scale.hpp>
#include <negzero/order/search.hpp>

namespace negzero::order {

/// What computes sums: a kernel, or a function of a caller.
class Source {
 public:
  virtual ~Source() = default;
  /// The formats of its sums.
  [[nodiscard]] virtual const Formats& formats() const = 0;
  /// How many terms those sums have that are looked at in a case of that length, ascending: one as long, but for a
  /// scan, whose elements are sums of their own.
  [[nodiscard]] virtual std::vector<std::int64_t> sums_of(std::int64_t length) const { return {length}; }
  /// Computes a sum of the first `terms` terms for each placement, divided by what counts as one. Runs with another
  /// `variation` may go in another order where nothing orders them: other threads first, or just once more.
  [[nodiscard]] virtual base::Result<std::vector<double>> sums(std::int64_t length, std::int64_t terms,
                                                               const Scale& scale, unsigned variation,
                                                               std::span<const Placement> placements) = 0;
};

/// What was found at one length.
struct AtLength {
  std::int64_t length = 0;
  std::int64_t elements = 1;  ///< sums that were looked at, more than one of a scan; the deepest is described
  Found found{};
  std::int64_t depth = 0;  ///< of the tree, with the rounding of a product; 0 without a tree
};

/// Other extents than those that were looked at: whether sums of the same length are added in the same order there.
struct OtherShape {
  std::string shape{};  ///< "m=1, n=1, k=256, F32 x F32 x F32"
  bool is_same = false;
};

/// The order of a kernel's sums.
struct Order {
  std::string length_name{};         ///< "k"
  bool has_products = false;         ///< depths count a product's rounding
  std::vector<AtLength> lengths{};   ///< shortest first
  bool is_deterministic = true;      ///< sums came out the same in every run, of those that were repeated
  std::optional<bool> same_shape{};  ///< each tree is the longest one, cut to its first terms; nothing without trees
  std::vector<OtherShape> others{};  ///< as far as they were looked at
  std::optional<DepthAt> longer{};   ///< how deep some terms of a longer sum are at least, without a product's rounding
  std::optional<Fit> fit{};          ///< of the depths that were found
  std::int64_t sums = 0;             ///< how many were computed
};

/// The formula to paste: the one that fits, or, where none does and where sums differ from run to run, what no order of
/// sums exceeds. Empty where it is not known that there is an order.
[[nodiscard]] std::string formula_of(const Order& order);

/// Whether sums of as many terms as a tree has are added along it, by some of them. Errors are those of the source.
[[nodiscard]] base::Result<bool> adds_along(Source& source, const Tree& tree);

/// Finds the order of sums of these lengths, ascending, each once. Sums that differ between runs have no tree. Where
/// `longer` is given and its formats have room, some terms of a sum of that length are followed, so that no formula is
/// below them.
/// Errors are those of the source, and formats that show nothing.
[[nodiscard]] base::Result<Order> survey(Source& source, std::span<const std::int64_t> lengths,
                                         const std::string& length_name,
                                         std::optional<std::int64_t> longer = std::nullopt);

}  // namespace negzero::order
