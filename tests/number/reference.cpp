// Bodies of the independent route.

#include "reference.hpp"

#include <algorithm>
#include <sstream>

namespace negzero::number::reference {

namespace {

using boost::multiprecision::msb;

/// The values of a narrow format in ascending order, and the first two that its finite range leaves out.
struct Ladder {
  std::vector<Exact> magnitudes;
  std::size_t finite = 0;
};

/// Powers of two alone: OCP MX 1.0, table 5 (E8M0).
bool has_powers_alone(const Facts& f) { return f.exponent_bits > 0 && f.fraction_bits == 0; }

/// Formats of OCP MX 1.0 below 8 bits have a number for every code.
bool has_nan(const Facts& f) {
  return f.finite_codes == 0 || f.finite_codes < 1 << (f.exponent_bits + f.fraction_bits);
}

Ladder make_ladder(FormatId id) {
  const Facts& f = facts(id);
  Ladder ladder;
  ladder.finite = static_cast<std::size_t>(f.finite_codes);
  for (int field = 0; field < (1 << f.exponent_bits) + 2; ++field) {
    for (int fraction = 0; fraction < (1 << f.fraction_bits); ++fraction) {
      if (has_powers_alone(f)) {
        ladder.magnitudes.push_back(scaled(1, field - f.bias));
        continue;
      }
      // IEEE 754-2019 3.4: 2^(E - bias) (1 + T 2^-f), and 2^(1 - bias) (T 2^-f) where E is 0.
      const int scale = (field == 0 ? 1 : field) - f.bias - f.fraction_bits;
      const int integer = fraction + (field == 0 ? 0 : 1 << f.fraction_bits);
      ladder.magnitudes.push_back(scaled(static_cast<std::uint64_t>(integer), scale));
    }
  }
  std::sort(ladder.magnitudes.begin(), ladder.magnitudes.end());
  ladder.magnitudes.resize(ladder.finite + 2);
  return ladder;
}

const Ladder& ladder_of(FormatId id) {
  static const std::vector<Ladder> ladders = [] {
    std::vector<Ladder> all;
    for (const Facts& f : every_format()) all.push_back(f.finite_codes > 0 ? make_ladder(f.id) : Ladder{});
    return all;
  }();
  return ladders[static_cast<std::size_t>(id)];
}

Place::Within compare_half(const Exact& twice_rest, const Exact& step) {
  if (twice_rest == 0) return Place::Within::Exactly;
  if (twice_rest < step) return Place::Within::BelowHalf;
  return twice_rest == step ? Place::Within::Half : Place::Within::AboveHalf;
}

Place::Within compare_upper_half(const Exact& twice_rest, const Exact& step) {
  return twice_rest <= step ? Place::Within::Exactly : compare_half((twice_rest - step) * 2, step);
}

Place locate_narrow(FormatId id, const Exact& magnitude) {
  const Ladder& ladder = ladder_of(id);
  const auto above = std::upper_bound(ladder.magnitudes.begin(), ladder.magnitudes.end(), magnitude);
  Place place;
  place.is_zero = magnitude == 0;
  // Below the least number there is none to round to but that one.
  if (above == ladder.magnitudes.begin()) return place;
  const auto index = static_cast<std::size_t>(above - ladder.magnitudes.begin()) - 1;
  place.lower = index;
  place.beyond = index >= ladder.finite;
  if (!place.beyond) {
    const Exact rest = (magnitude - *(above - 1)) * 2;
    place.within = compare_half(rest, *above - *(above - 1));
    place.in_upper_half = compare_upper_half(rest, *above - *(above - 1));
  }
  return place;
}

Place locate_integer(const Exact& magnitude) {
  Place place;
  place.integer = magnitude / power(0);
  place.within = compare_half((magnitude % power(0)) * 2, power(0));
  return place;
}

Place locate_wide(FormatId id, const Exact& magnitude) {
  const Facts& f = facts(id);
  const int lowest = 1 - f.bias;
  const int exponent = magnitude == 0 ? lowest : std::max(lowest, static_cast<int>(msb(magnitude)) - kPoint);
  Place place;
  if (exponent > f.bias) {
    place.beyond = true;
    return place;
  }
  const Exact step = power(exponent - f.fraction_bits);
  const Exact steps = magnitude / step;
  place.within = compare_half((magnitude % step) * 2, step);
  place.in_upper_half = compare_upper_half((magnitude % step) * 2, step);
  // Every binade above the subnormals' holds 2^f magnitudes, and so does the range of the subnormals.
  const std::uint64_t binade = std::uint64_t{1} << f.fraction_bits;
  place.lower = static_cast<std::uint64_t>(exponent - lowest) * binade + static_cast<std::uint64_t>(steps);
  return place;
}

std::uint64_t signed_word(const Facts& f, bool negative, std::uint64_t code) {
  return code * (std::uint64_t{1} << f.unused_bits) + (negative ? std::uint64_t{1} << (f.bits - 1) : 0);
}

std::uint64_t finite_codes(const Facts& f) {
  if (f.finite_codes > 0) return static_cast<std::uint64_t>(f.finite_codes);
  return ((std::uint64_t{1} << f.exponent_bits) - 1) << f.fraction_bits;
}

std::uint64_t nan_word(FormatId id) {
  switch (id) {
    case FormatId::F64:
      return 0x7ff8000000000000u;
    case FormatId::F32:
      return 0x7fffffffu;
    case FormatId::TF32:
      return 0x7fffe000u;
    case FormatId::F16:
    case FormatId::BF16:
      return 0x7fffu;
    case FormatId::F8_E4M3:
    case FormatId::F8_E5M2:
      return 0x7fu;
    case FormatId::F4:
      return 0x7u;
    case FormatId::F6_E2M3:
    case FormatId::F6_E3M2:
      return 0x1fu;
    case FormatId::F8_E8M0:
      return 0xffu;
    case FormatId::I4:
    case FormatId::U4:
    case FormatId::I32:
    case FormatId::I64:
    case FormatId::I16:
    case FormatId::I8:
    case FormatId::U32:
    case FormatId::U16:
    case FormatId::U8:
    case FormatId::BOOL:
      return 0;
  }
  return 0;
}

std::uint64_t overflow_word(FormatId id, bool negative, const EncodeOptions& options) {
  const Facts& f = facts(id);
  const std::uint64_t largest = signed_word(f, negative, finite_codes(f) - 1);
  const std::uint64_t infinite = f.has_infinity ? signed_word(f, negative, finite_codes(f)) : nan_word(id);
  if (options.overflow == Overflow::Saturate || !has_nan(f)) return largest;
  if (options.overflow == Overflow::Nan) return nan_word(id);
  if (options.overflow == Overflow::Infinity) return infinite;
  // IEEE 754-2019 7.4, clauses a to d.
  switch (options.rounding) {
    case Rounding::NearestEven:
    case Rounding::NearestAway:
      return infinite;
    case Rounding::TowardZero:
      return largest;
    case Rounding::Down:
      return negative ? infinite : largest;
    case Rounding::Up:
      return negative ? largest : infinite;
  }
  return 0;
}

bool goes_up(Place::Within within, bool odd, bool negative, Rounding rounding) {
  if (within == Place::Within::Exactly) return false;
  switch (rounding) {
    case Rounding::NearestEven:
      return within == Place::Within::AboveHalf || (within == Place::Within::Half && odd);
    case Rounding::NearestAway:
      return within != Place::Within::BelowHalf;
    case Rounding::TowardZero:
      return false;
    case Rounding::Down:
      return negative;
    case Rounding::Up:
      return !negative;
  }
  return false;
}

/// The ends of an integer format.
Exact least_integer(const Facts& f) { return f.fraction_bits == f.bits - 1 ? Exact(-(Exact(1) << (f.bits - 1))) : 0; }
Exact greatest_integer(const Facts& f) { return (Exact(1) << f.fraction_bits) - 1; }

std::uint64_t resolve_integer(const Facts& f, bool negative, const Place& place, const EncodeOptions& options) {
  const Exact modulus = Exact(1) << f.bits;
  const bool odd = place.integer % 2 == 1;
  Exact number = place.integer + (goes_up(place.within, odd, negative, options.rounding) ? 1 : 0);
  if (negative) number = -number;
  if (options.overflow == Overflow::Saturate) number = std::clamp<Exact>(number, least_integer(f), greatest_integer(f));
  if (f.id == FormatId::BOOL) return number != 0 ? 1 : 0;
  // The remainder has the sign of the dividend; one modulus more makes it positive.
  return static_cast<std::uint64_t>(Exact((number % modulus + modulus) % modulus));
}

}  // namespace

const std::vector<Facts>& every_format() {
  static const std::vector<Facts> all{
      {FormatId::F64, "F64", 64, 11, 52, 0, 1023, true, 0},
      {FormatId::F32, "F32", 32, 8, 23, 0, 127, true, 0},
      {FormatId::TF32, "TF32", 32, 8, 10, 13, 127, true, 0},
      {FormatId::F16, "F16", 16, 5, 10, 0, 15, true, 0x7c00},
      {FormatId::BF16, "BF16", 16, 8, 7, 0, 127, true, 0x7f80},
      {FormatId::F8_E4M3, "F8_E4M3", 8, 4, 3, 0, 7, false, 0x7f},
      {FormatId::F8_E5M2, "F8_E5M2", 8, 5, 2, 0, 15, true, 0x7c},
      {FormatId::I32, "I32", 32, 0, 31, 0, 0, false, 0},
      {FormatId::I64, "I64", 64, 0, 63, 0, 0, false, 0},
      {FormatId::I16, "I16", 16, 0, 15, 0, 0, false, 0},
      {FormatId::I8, "I8", 8, 0, 7, 0, 0, false, 0},
      {FormatId::U32, "U32", 32, 0, 32, 0, 0, false, 0},
      {FormatId::U16, "U16", 16, 0, 16, 0, 0, false, 0},
      {FormatId::U8, "U8", 8, 0, 8, 0, 0, false, 0},
      {FormatId::BOOL, "BOOL", 8, 0, 1, 0, 0, false, 0},
      {FormatId::I4, "I4", 4, 0, 3, 0, 0, false, 0},
      {FormatId::U4, "U4", 4, 0, 4, 0, 0, false, 0},
      {FormatId::F4, "F4", 4, 2, 1, 0, 1, false, 8},
      {FormatId::F6_E2M3, "F6_E2M3", 6, 2, 3, 0, 1, false, 32},
      {FormatId::F6_E3M2, "F6_E3M2", 6, 3, 2, 0, 3, false, 32},
      {FormatId::F8_E8M0, "F8_E8M0", 8, 8, 0, 0, 127, false, 255},
  };
  return all;
}

const Facts& facts(FormatId id) { return every_format()[static_cast<std::size_t>(id)]; }

Exact power(int exponent) { return Exact(1) << static_cast<unsigned>(exponent + kPoint); }

Exact scaled(std::uint64_t significand, int exponent) { return Exact(significand) * power(exponent); }

Value value_of(FormatId id, std::uint64_t word) {
  const Facts& f = facts(id);
  Value value;
  if (f.exponent_bits == 0) {
    value.negative = least_integer(f) < 0 && word / (std::uint64_t{1} << (f.bits - 1)) % 2 == 1;
    value.kind = word == 0 ? Class::Zero : Class::Normal;
    value.magnitude = (value.negative ? (Exact(1) << f.bits) - word : Exact(word)) * power(0);
    return value;
  }
  if (has_powers_alone(f)) {
    value.kind = word == 0xff ? Class::Nan : Class::Normal;
    if (word != 0xff) value.magnitude = scaled(1, static_cast<int>(word) - f.bias);
    return value;
  }
  const std::uint64_t fraction = word / (std::uint64_t{1} << f.unused_bits) % (std::uint64_t{1} << f.fraction_bits);
  const std::uint64_t field =
      word / (std::uint64_t{1} << (f.unused_bits + f.fraction_bits)) % (std::uint64_t{1} << f.exponent_bits);
  const std::uint64_t all_ones = (std::uint64_t{1} << f.exponent_bits) - 1;
  value.negative = word / (std::uint64_t{1} << (f.bits - 1)) % 2 == 1;
  if (f.has_infinity && field == all_ones) {
    value.kind = fraction == 0 ? Class::Infinity : Class::Nan;
  } else if (!f.has_infinity && has_nan(f) && field == all_ones &&
             fraction == (std::uint64_t{1} << f.fraction_bits) - 1) {
    value.kind = Class::Nan;
  } else if (field == 0) {
    value.kind = fraction == 0 ? Class::Zero : Class::Subnormal;
    value.magnitude = scaled(fraction, 1 - f.bias - f.fraction_bits);
  } else {
    value.kind = Class::Normal;
    const int exponent = static_cast<int>(field) - f.bias;
    value.magnitude = power(exponent) + scaled(fraction, exponent - f.fraction_bits);
  }
  return value;
}

Place locate(FormatId id, const Exact& magnitude) {
  if (facts(id).exponent_bits == 0) return locate_integer(magnitude);
  return facts(id).finite_codes > 0 ? locate_narrow(id, magnitude) : locate_wide(id, magnitude);
}

std::uint64_t resolve(FormatId id, bool negative, const Place& place, const EncodeOptions& options) {
  const Facts& f = facts(id);
  if (f.exponent_bits == 0) return resolve_integer(f, negative, place, options);
  const bool is_power = has_powers_alone(f);
  if (is_power && negative && !place.is_zero) return nan_word(id);
  if (is_power) negative = false;
  if (place.beyond) return overflow_word(id, negative, options);
  const std::uint64_t code =
      place.lower + (goes_up(place.within, is_power || place.lower % 2 == 1, negative, options.rounding) ? 1 : 0);
  if (code >= finite_codes(f)) return overflow_word(id, negative, options);
  // With an unbounded exponent the largest subnormal and the smallest normal number have one more neighbour between
  // them, an odd one.
  const std::uint64_t normal = std::uint64_t{1} << f.fraction_bits;
  const bool reaches_normal =
      place.within == Place::Within::AboveHalf && goes_up(place.in_upper_half, true, negative, options.rounding);
  const bool tiny = !is_power && (place.lower + 1 < normal || (place.lower + 1 == normal && !reaches_normal));
  return signed_word(f, negative, options.flush_subnormals && tiny ? 0 : code);
}

std::uint64_t converted(FormatId to, const Value& value, const Place& place, const EncodeOptions& options) {
  if (value.kind == Class::Nan) return nan_word(to);
  if (value.kind == Class::Infinity && value.negative && has_powers_alone(facts(to))) return nan_word(to);
  if (value.kind != Class::Infinity) return resolve(to, value.negative, place, options);
  const Facts& f = facts(to);
  if (f.exponent_bits == 0) {
    const Exact modulus = Exact(1) << f.bits;
    const Exact end = value.negative ? least_integer(f) : greatest_integer(f);
    return static_cast<std::uint64_t>(Exact((end % modulus + modulus) % modulus));
  }
  EncodeOptions policy = options;
  if (policy.overflow != Overflow::Saturate) policy.overflow = Overflow::Infinity;
  return overflow_word(to, value.negative, policy);
}

const std::vector<EncodeOptions>& every_options() {
  static const std::vector<EncodeOptions> all = [] {
    std::vector<EncodeOptions> list;
    for (const Rounding rounding :
         {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up}) {
      for (const Overflow overflow : {Overflow::Ieee, Overflow::Saturate, Overflow::Nan, Overflow::Infinity}) {
        for (const bool flush : {false, true}) list.push_back({rounding, overflow, flush});
      }
    }
    return list;
  }();
  return all;
}

std::vector<std::uint64_t> sample(FormatId id, int count, std::uint64_t seed) {
  const Facts& f = facts(id);
  std::vector<std::uint64_t> words;
  if (f.bits <= 16) {
    for (std::uint64_t word = 0; word < std::uint64_t{1} << f.bits; ++word) words.push_back(word);
    return words;
  }
  const std::uint64_t mask = f.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << f.bits) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (f.bits - 1);
  const bool is_integer = f.exponent_bits == 0;
  const int low = is_integer ? 0 : f.fraction_bits + f.unused_bits;
  const std::uint64_t fields = is_integer ? static_cast<std::uint64_t>(f.bits) : std::uint64_t{1} << f.exponent_bits;
  for (std::uint64_t field = 0; field < fields; ++field) {
    const std::uint64_t base = is_integer ? std::uint64_t{1} << field : field << low;
    for (const std::uint64_t step : {0u, 1u, 2u, 3u}) {
      const std::uint64_t move = step << f.unused_bits;
      for (const std::uint64_t word : {base + move, base - move}) {
        words.push_back(word & mask);
        words.push_back((word ^ sign) & mask);
      }
    }
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) words.push_back(random() & mask);
  return words;
}

void Disagreements::note(std::uint64_t observed, std::uint64_t expected, const std::string& what) {
  text_ += "\n  " + what + ": observed " + hex(observed) + ", expected " + hex(expected);
}

Disagreements::~Disagreements() {
  EXPECT_EQ(count_, 0u) << "of " << checks_ << " comparisons; the first:" << text_;
  EXPECT_GT(checks_, 0u) << "nothing was compared";
}

std::string hex(std::uint64_t word) {
  std::ostringstream out;
  out << "0x" << std::hex << word;
  return out.str();
}

std::string describe(const EncodeOptions& options) {
  static const char* const kRoundings[] = {"NearestEven", "NearestAway", "TowardZero", "Down", "Up"};
  static const char* const kOverflows[] = {"Ieee", "Saturate", "Nan", "Infinity"};
  return std::string(kRoundings[static_cast<int>(options.rounding)]) + "/" +
         kOverflows[static_cast<int>(options.overflow)] + (options.flush_subnormals ? "/flush" : "");
}

}  // namespace negzero::number::reference
