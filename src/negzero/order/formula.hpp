// Formulas of one length that say how deep the tree of a sum is.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace negzero::order {

/// The depth that was found for a sum of that length.
struct DepthAt {
  std::int64_t length = 0, depth = 0;
  friend bool operator==(const DepthAt&, const DepthAt&) = default;
};

/// A formula as a contract takes it: "ceil_div(k, 256) + ceil_log2(min(k, 256))".
struct Formula {
  std::string text{};
  std::function<std::int64_t(std::int64_t length)> depth_at{};
};

struct Fit {
  Formula formula{};
  std::int64_t most_above = 0;  ///< how far it exceeds a depth at most; 0: it is every depth
};

/// Returns the simplest formula that gives every depth; where there is none, one that is nowhere below a depth and
/// least above them: by a quarter of the depth, or 2, at most. Nothing where there is neither, and for no depths.
///
/// Tried are chains (n - 1), pairs (ceil_log2(n)), depths that are always the same, chains of T terms, or in V lanes of
/// blocks of T terms, that are joined by pairs or by a chain, and these shapes behind which a constant number of
/// additions follows; T is a power of two from 2 to 1024. `more` roundings are added to each, as that of a product.
/// `at_least`: depths at other lengths that a formula must not be below, whatever it is above them.
[[nodiscard]] std::optional<Fit> fit(std::span<const DepthAt> depths, std::string_view length_name,
                                     std::int64_t more = 0, std::span<const DepthAt> at_least = {});

/// ceil(a / b) of positive numbers, and the least e with 2^e >= a, as formulas have them.
[[nodiscard]] std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept;
[[nodiscard]] std::int64_t ceil_log2(std::int64_t a) noexcept;

}  // namespace negzero::order
