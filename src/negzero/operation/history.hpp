// What ran in a process before a case: launches that a kernel may remember and must not.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace negzero::operation {

struct Case;

/// How the inputs of an earlier launch differ from the case's, from nothing to all. What differs is small integers,
/// other ones each time.
enum class Contents : unsigned char {
  Same,
  Scalars,  ///< alpha and beta differ, for operations that have them; no input does
  One,      ///< one element of each input differs
  Later,    ///< the first half of each input is the case's: what looks at first elements takes it for the same
  Other,
};
[[nodiscard]] std::string_view name(Contents contents) noexcept;  ///< "same", "scalars", "one", "later", "other"
[[nodiscard]] std::optional<Contents> parse_contents(std::string_view text) noexcept;

/// Launches of the same kernel, one after the other, before the case. Each is the case itself but for what differs.
struct EarlierLaunches {
  std::uint32_t times = 1;
  Contents contents = Contents::Same;
  bool same_storage = true;  ///< buffers at the same addresses; else somewhere else
  bool same_shape = true;    ///< else every extent about half as large, packed, and other contents
  bool same_stream = true;   ///< launched on the stream that the case is launched on; else on another
  std::uint64_t seed = 0;    ///< of what differs
  friend bool operator==(const EarlierLaunches&, const EarlierLaunches&) = default;
  /// Whether these are launches of the case as it is, which have an answer of their own to give.
  [[nodiscard]] bool is_case() const { return contents == Contents::Same && same_shape; }
};

using History = std::vector<EarlierLaunches>;

/// Most launches of a history together.
inline constexpr std::uint32_t kMostEarlierLaunches = 64;

[[nodiscard]] std::uint32_t launches(const History& history) noexcept;

/// The case of repetition `number` of such a launch; without a history. Valid where `value` is. Extents that a kernel's
/// limits exclude are the caller's affair.
[[nodiscard]] Case earlier_case(const Case& value, const EarlierLaunches& launch, std::uint32_t number);

/// "after 10 launches with the same contents in the same storage, 1 launch with other contents in the same storage".
[[nodiscard]] std::string describe(const History& history);

}  // namespace negzero::operation
