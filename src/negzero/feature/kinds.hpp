// The values of each kind of feature, and where they are gathered.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <negzero/feature/feature.hpp>
#include <negzero/number/format.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::feature {

/// A value that belongs to tensor, extent or scalar `which`.
[[nodiscard]] constexpr std::uint32_t value_of(std::size_t which, std::uint32_t value) noexcept {
  return static_cast<std::uint32_t>(which) << 16 | value;
}

/// Collects features.
class Gathered {
 public:
  void add(Kind kind, std::uint32_t value) { numbers_.push_back(Feature{kind, value}.number()); }
  /// All of them, each once, ascending.
  [[nodiscard]] std::vector<std::uint32_t> take();

 private:
  std::vector<std::uint32_t> numbers_;
};

/// Where an extent lies: 4 times its number of bits, plus 0 for a power of two, 1 for one less than one, 2 for one
/// more, 3 for any other. 0 is 0; 3 counts as one less than 4.
[[nodiscard]] std::uint32_t extent_bucket(std::int64_t extent) noexcept;

/// Places in an option's list that are told apart; later ones by powers of two, so that an option of 4096 values does
/// not keep as many cases.
inline constexpr std::uint32_t kOptionPlaces = 64;
/// The place itself; 64 for 64 to 127, 65 for 128 to 255, and so on.
[[nodiscard]] std::uint32_t option_bucket(std::uint32_t place) noexcept;

/// Bits of a layout's value.
enum LayoutBits : std::uint32_t { kOffset = 1, kBroadcast = 2, kGaps = 4, kTransposed = 8, kApart = 16 };
[[nodiscard]] std::uint32_t layout_bits(const tensor::Layout& layout);

/// Classes of encodings. The last two are of pairs: an element and the one before it in row-major order.
inline constexpr std::array<std::string_view, 18> kElementClasses{"+0",
                                                                  "-0",
                                                                  "positive subnormal",
                                                                  "negative subnormal",
                                                                  "smallest subnormal",
                                                                  "largest subnormal",
                                                                  "smallest normal",
                                                                  "positive normal",
                                                                  "negative normal",
                                                                  "one",
                                                                  "largest finite",
                                                                  "+inf",
                                                                  "-inf",
                                                                  "quiet NaN",
                                                                  "signalling NaN",
                                                                  "power of two",
                                                                  "equal neighbours",
                                                                  "opposite neighbours"};
enum ElementClass : std::uint32_t {
  kPlusZero,
  kMinusZero,
  kPositiveSubnormal,
  kNegativeSubnormal,
  kSmallestSubnormal,
  kLargestSubnormal,
  kSmallestNormal,
  kPositiveNormal,
  kNegativeNormal,
  kOne,
  kLargestFinite,
  kPlusInfinity,
  kMinusInfinity,
  kQuietNan,
  kSignallingNan,
  kPowerOfTwo,
  kEqualNeighbours,
  kOppositeNeighbours
};
/// The classes of one encoding, one bit each: its sign and range, and each special place that it has.
[[nodiscard]] std::uint32_t classes_of(const number::Format& format, std::uint64_t word) noexcept;
/// The classes in a tensor, one bit each.
[[nodiscard]] std::uint32_t classes_in(const tensor::Tensor& tensor) noexcept;
/// Bits of the difference between the greatest and the least exponent of its finite numbers that are not zero; 0 where
/// all have one.
[[nodiscard]] std::uint32_t spread_of(const tensor::Tensor& tensor) noexcept;

/// 4 times where the exact result lies (0 at an encoding, 1 nearer to the lower neighbour, 2 half way, 3 nearer to the
/// upper), plus what was observed: 0 neither, 1 the lower, 2 the upper. Requires a result within the finite range.
[[nodiscard]] std::uint32_t rounding_of(const number::Format& format, const exact::Dyadic& result,
                                        std::uint64_t observed);

/// How often a block ran, in the steps that fuzzers use (libFuzzer's CounterToFeature, AFL's count_class_lookup8).
inline constexpr std::array<std::string_view, 8> kTimes{
    "once",          "twice",          "three times",     "4 to 7 times",
    "8 to 15 times", "16 to 31 times", "32 to 127 times", "128 times or more"};
[[nodiscard]] std::uint32_t times_bucket(std::uint32_t times) noexcept;

inline constexpr std::array<std::string_view, 4> kOverflows{"to +inf", "to -inf",
                                                            "beyond the largest finite number, which it rounds to",
                                                            "of the accumulator in some order, not of the sum"};
inline constexpr std::array<std::string_view, 3> kUnderflows{"to a subnormal, exactly", "to a subnormal, rounded",
                                                             "below half of the smallest subnormal"};
/// Binades between a sum that is zero and its terms.
inline constexpr std::uint32_t kCompleteCancellation = 255;

void gather_setting(const Run& run, Gathered& to);
void gather_elements(const Run& run, Gathered& to);
void gather_sums(const Run& run, Gathered& to);
void gather_code(const Run& run, Gathered& to);
/// What one element adds.
void gather_sum(const number::Format& format, std::uint64_t observed, const contract::Contract& contract,
                const oracle::ElementFacts& facts, Gathered& to);

/// The place of a rule in verdict::judging_rules(); as many as there are where it is none of them.
[[nodiscard]] std::uint32_t rule_number(verdict::Rule rule);

}  // namespace negzero::feature
