// An independent route to what an encoding means and how a number rounds, in exact arithmetic of Boost.Multiprecision.
//
// It shares no code and no table with negzero::number, only the enums that name formats and options. Formats of up to
// 16 bits are rounded by searching the sorted list of their values; wider ones by division of big integers.

#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>

namespace negzero::number::reference {

/// A number as a multiple of 2^-kPoint. Overflow of the type throws.
using Exact = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    2880, 2880, boost::multiprecision::signed_magnitude, boost::multiprecision::checked, void>>;
inline constexpr int kPoint = 1280;

/// The facts about a format, as the standards state them.
struct Facts {
  FormatId id;
  std::string name;
  int bits;
  int exponent_bits;
  int fraction_bits;
  int unused_bits;
  int bias;
  bool has_infinity;
  int finite_codes;  ///< magnitudes of finite numbers, for formats of up to 16 bits; 0 for wider ones
};
const Facts& facts(FormatId id);
const std::vector<Facts>& every_format();

/// 2^exponent.
Exact power(int exponent);

/// significand * 2^exponent; requires exponent >= -kPoint.
Exact scaled(std::uint64_t significand, int exponent);

struct Value {
  Class kind = Class::Zero;
  bool negative = false;
  Exact magnitude;
};
Value value_of(FormatId id, std::uint64_t word);

/// Where a magnitude lies between neighbouring magnitudes of a format whose exponent has no upper end.
struct Place {
  enum class Within { Exactly, BelowHalf, Half, AboveHalf };
  std::uint64_t lower = 0;  ///< how many magnitudes lie below the lower neighbour
  bool is_zero = false;     ///< of formats of up to 16 bits: the magnitude is 0
  bool beyond = false;      ///< the lower neighbour is above every finite number
  Exact integer;            ///< I32 only, instead of `lower`: the integer part
  Within within = Within::Exactly;
  Within in_upper_half = Within::Exactly;  ///< where AboveHalf: the same between the midpoint and the upper neighbour
};
Place locate(FormatId id, const Exact& magnitude);

/// The encoding that a number at `place` rounds to.
std::uint64_t resolve(FormatId id, bool negative, const Place& place, const EncodeOptions& options);

/// The encoding that converting a value to a format gives, specials included.
std::uint64_t converted(FormatId to, const Value& value, const Place& place, const EncodeOptions& options);

/// All rounding modes, overflow policies and both flushings.
const std::vector<EncodeOptions>& every_options();

/// Encodings of a format: every one up to 16 bits; of wider ones the special values, every power of two with its
/// neighbours, and `count` drawn at random.
std::vector<std::uint64_t> sample(FormatId id, int count, std::uint64_t seed);

/// Counts disagreements and keeps the words of the first few, so that a broken line of code does not print millions.
class Disagreements {
 public:
  template <typename Describe>
  void expect_equal(std::uint64_t observed, std::uint64_t expected, Describe describe) {
    ++checks_;
    if (observed == expected) return;
    if (++count_ <= 5) note(observed, expected, describe());
  }
  /// Fails the test if anything disagreed, or if nothing was compared.
  ~Disagreements();
  Disagreements() = default;
  Disagreements(const Disagreements&) = delete;
  Disagreements& operator=(const Disagreements&) = delete;

 private:
  void note(std::uint64_t observed, std::uint64_t expected, const std::string& what);

  std::uint64_t checks_ = 0;
  std::uint64_t count_ = 0;
  std::string text_;
};

std::string hex(std::uint64_t word);
std::string describe(const EncodeOptions& options);

}  // namespace negzero::number::reference
