// Values that the elements of a tensor may have, and the way back for those that lie outside.

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/base/words.hpp>
#include <negzero/number/format.hpp>

namespace negzero::operation {

/// Infinities that a range holds beside its numbers.
enum class Infinities : std::uint8_t { No, Positive, Negative, Yes };
inline constexpr base::Words<Infinities, 4> kInfinityWords{{"no", "positive", "negative", "yes"}};
static_assert(kInfinityWords.name(Infinities::Negative) == "negative");

/// Values that elements of a tensor may have: numbers with least <= value <= greatest, both zeros where 0 is one of
/// them. No infinity and no NaN, unless it says so.
struct ValueRange {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  Infinities infinities = Infinities::No;
  bool nan = false;

  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// What both ranges hold.
[[nodiscard]] ValueRange intersection(const ValueRange& a, const ValueRange& b) noexcept;

/// "from -10000 to 10000", "at least 0 or inf", "any number": for people.
[[nodiscard]] std::string describe(const ValueRange& range);

/// A range with the name of its tensor or scalar, as a person writes it: "x -1e4..1e4", "p >= 0", "q = 1",
/// "lse <= 1e4 inf=negative nan=yes"; an end that is left out is not bounded: "x ..", "x 0..". A `=` may stand behind
/// the name, as flags have it: "x=-1e4..1e4".
struct NamedRange {
  std::string name;
  ValueRange range;
};
/// Usage errors name the text and the forms that there are.
[[nodiscard]] base::Result<NamedRange> parse_range(std::string_view text);

/// A range in one format: its ends are rounded inward.
class FormatRange {
 public:
  FormatRange(const ValueRange& range, number::FormatId format);

  /// Whether the format has no number in the range.
  [[nodiscard]] bool is_empty() const noexcept { return low_ > high_; }
  [[nodiscard]] bool accepts(std::uint64_t word) const noexcept;
  /// The least and the greatest number.
  [[nodiscard]] std::uint64_t least() const noexcept;
  [[nodiscard]] std::uint64_t greatest() const noexcept;

  // The way back for a word that is not accepted; others stay as they are. Both depend on nothing but the word, so that
  // equal elements stay equal. They require a range that is not empty.

  /// The number that lies nearest. NaN counts as the infinity of its sign.
  [[nodiscard]] std::uint64_t nearest(std::uint64_t word) const noexcept;
  /// A number that keeps what it can of the word: its magnitude, where the other sign is accepted; else its
  /// significand and sign, with an exponent as far below the end as it was beyond it. What goes beyond every number
  /// becomes an end of the range, and the largest number of the format the neighbour of an end. What is left, and
  /// integers, wrap around.
  [[nodiscard]] std::uint64_t folded(std::uint64_t word) const noexcept;

 private:
  const number::Format& format_;
  std::int64_t low_ = 0, high_ = -1;  ///< ordinals of the ends
  Infinities infinities_;
  bool nan_;
};

}  // namespace negzero::operation
