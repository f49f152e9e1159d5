// Conversions against exact small numbers rounded by softfloat, and against integers cut out of doubles.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/oracle/oracle.hpp>

#include "drawing.hpp"
#include "flushing.hpp"
#include "operands.hpp"
#include "scenario.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using contract::Contract;
using contract::OverflowPolicy;
using contract::Subnormals;
using number::FormatId;
using number::Rounding;

constexpr FormatId kFloats[] = {FormatId::F64,  FormatId::F32,     FormatId::TF32,   FormatId::F16,
                                FormatId::BF16, FormatId::F8_E4M3, FormatId::F8_E5M2};
constexpr Rounding kRoundings[] = {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down,
                                   Rounding::Up};

operation::Case convert_case(FormatId from, FormatId to, const std::vector<std::uint64_t>& words) {
  operation::Case value;
  operation::Operation convert = *operation::operation_named("convert");
  convert.extent("count") = std::ssize(words);
  convert.formats()[0] = from;
  convert.formats()[1] = to;
  value.operation = convert;
  tensor::Tensor x(from, {std::ssize(words)});
  for (std::size_t i = 0; i < words.size(); ++i) x.set(static_cast<std::int64_t>(i), words[i]);
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

Mode rounding_mode(Rounding rounding) {
  switch (rounding) {
    case Rounding::NearestEven:
      return Mode::NearestEven;
    case Rounding::NearestAway:
      return Mode::NearestAway;
    case Rounding::TowardZero:
      return Mode::TowardZero;
    case Rounding::Down:
      return Mode::Down;
    case Rounding::Up:
      break;
  }
  return Mode::Up;
}

/// Everything that one element may become, by IEEE 754-2019 5.4.2, 6.1, 6.2 and 7.4 and the table of flushing.
Codes reachable(FormatId from, FormatId to, Code code, const Contract& contract) {
  SmallFormat held = small_format(from);
  Codes codes{code};
  for (const contract::RoundingStep& step : contract.intermediate) {
    const Rounder rounder{small_format(step.format), rounding_mode(step.rounding)};
    codes = convert_all(contract, held, codes, rounder, Converted::Value);
    held = rounder.format;
  }
  Rounder rounder{small_format(to), rounding_mode(contract.output_rounding)};
  rounder.on_overflow = overflow_of(contract.overflow);
  codes = convert_all(contract, held, codes, rounder, Converted::Value);
  const bool has_zero = std::ranges::any_of(codes, [](Code each) { return (each & ~kSignBit) == 0; });
  if (contract.zero_sign == contract::ZeroSign::Any && has_zero) codes.insert(codes.end(), {0, kSignBit});
  tidy(codes);
  return codes;
}

/// Roundings on the way to memory: none most times, else one or two.
std::vector<contract::RoundingStep> draw_steps(base::Random& random) {
  std::vector<contract::RoundingStep> steps;
  for (std::uint64_t left = random.one_in(2) ? 1 + random.below(2) : 0; left > 0; --left) {
    steps.push_back({kFloats[random.below(std::size(kFloats))], kRoundings[random.below(std::size(kRoundings))]});
  }
  return steps;
}

/// All encodings of 8 and of 16 bits; of longer formats drawn ones and those around the target's thresholds.
std::vector<Code> sources(FormatId from, FormatId to, base::Random& random) {
  const SmallFormat source = small_format(from), target = small_format(to);
  std::vector<Code> codes{kNan, 0, kSignBit};
  if (word_bits(from) <= 16) {
    for (Code magnitude = 0; magnitude <= source.max_magnitude + (source.has_infinity ? 1 : 0); ++magnitude) {
      codes.push_back(magnitude);
      codes.push_back(magnitude | kSignBit);
    }
    return codes;
  }
  if (source.has_infinity) codes.insert(codes.end(), {source.infinity(), source.infinity() | kSignBit});
  const auto around = [&](const Number& number) {
    const Code near = Rounder{source}.round(number);
    for (int step = -2; step <= 2; ++step) {
      const Code code = (near & ~kSignBit) + static_cast<Code>(step);
      if (code > source.max_magnitude) continue;
      codes.push_back(code);
      codes.push_back(code | kSignBit);
    }
  };
  for (int i = 0; i < 400; ++i) {
    // A number of the target or the middle of two.
    Code magnitude = random.next() % (target.max_magnitude + 1);
    if (random.one_in(4)) magnitude = random.next() % (2 * target.min_normal());
    if (random.one_in(8)) magnitude = target.max_magnitude - random.below(2);
    Number number = target.decode(magnitude);
    number.significand = 2 * number.significand + (random.one_in(2) ? 1 : 0);
    number.exponent -= 1;
    if (word_bits(to) < word_bits(from)) around(number);
  }
  for (const Code code : corner_values(from)) codes.push_back(code);
  // Subnormal in F32, where the source has such numbers, and a step around the smallest normal one.
  for (int i = 0; i < 60 && source.min_exponent <= -126; ++i) {
    const Number number = make_number(static_cast<std::int64_t>(random.below(1 << 24)), -149 - (i % 3));
    around(number);
  }
  for (int i = 0; i < 200; ++i) codes.push_back(to_code(from, random.next() >> (64 - word_bits(from))));
  return codes;
}

TEST(Convert, EveryPairRoundingAndPolicy) {
  base::Random random = base::Random(seed_of_run()).split(301);
  std::uint64_t compared = 0;
  for (const FormatId from : kFloats) {
    for (const FormatId to : kFloats) {
      const std::vector<Code> codes = sources(from, to, random);
      std::vector<std::uint64_t> words;
      for (const Code code : codes) words.push_back(to_word(from, code));
      const operation::Case value = convert_case(from, to, words);
      for (const Rounding rounding : kRoundings) {
        for (const auto overflow : {OverflowPolicy::Default, OverflowPolicy::Ieee, OverflowPolicy::Saturate,
                                    OverflowPolicy::Nan, OverflowPolicy::Either}) {
          Contract contract{.output_rounding = rounding, .overflow = overflow};
          contract.subnormal_inputs = static_cast<Subnormals>(random.below(3));
          contract.subnormal_results = static_cast<Subnormals>(random.below(3));
          if (random.one_in(4)) contract.zero_sign = contract::ZeroSign::Any;
          contract.intermediate = draw_steps(random);
          Contract keeps = contract;
          keeps.subnormal_inputs = keeps.subnormal_results = Subnormals::Keep;
          const auto oracle = oracle::Oracle::make(value, contract);
          ASSERT_TRUE(oracle) << oracle.error().message;
          for (std::size_t i = 0; i < codes.size(); ++i) {
            // A 16-bit source in full at one contract each, in part at the others: 49 pairs of 25 contracts.
            if (codes.size() > 10'000 && !random.one_in(16)) continue;
            ++compared;
            const oracle::Permitted permitted = oracle->permitted(static_cast<std::int64_t>(i));
            const Codes expected = reachable(from, to, codes[i], contract);
            const SmallFormat target = small_format(to);
            std::set<Code> candidates(expected.begin(), expected.end());
            // Beside what is permitted, what would be if nothing were flushed.
            Codes near = reachable(from, to, codes[i], keeps);
            near.insert(near.end(), expected.begin(), expected.end());
            candidates.insert(near.begin(), near.end());
            for (const Code code : near) {
              if (code == kNan) continue;
              candidates.insert(code ^ kSignBit);
              const Code magnitude = code & ~kSignBit;
              if (magnitude > 0) candidates.insert(code - 1);
              if (is_finite(target, code) && (magnitude < target.max_magnitude || target.has_infinity)) {
                candidates.insert(code + 1);
              }
            }
            candidates.insert({kNan, 0, kSignBit, target.max_magnitude, target.max_magnitude | kSignBit});
            if (target.has_infinity) candidates.insert({target.infinity(), target.infinity() | kSignBit});
            for (const Code code : candidates) {
              const bool legal = std::ranges::find(expected, code) != expected.end();
              ASSERT_EQ(permitted.contains(to_word(to, code)), legal)
                  << number::format(from).name << " " << number::to_hex(number::format(from), words[i]) << " to "
                  << number::format(to).name << " " << number::to_hex(number::format(to), to_word(to, code)) << " "
                  << to_json(contract) << " " << permitted.to_string() << " by " << permitted.rule;
            }
          }
        }
      }
    }
  }
  RecordProperty("operand_sets", std::to_string(compared));
  std::cout << "conversions: " << compared << " elements\n";
}

/// IEEE 754-2019 5.8 on a double, which holds every number here exactly; out of range as declared.
std::int32_t integer_of(double x, Rounding rounding, bool saturates) {
  double whole = std::trunc(x);
  const double rest = std::fabs(x - whole);
  const double away = whole + (x < 0 ? -1 : 1);
  const bool is_odd = std::fmod(whole, 2) != 0;
  if (rounding == Rounding::Down && rest != 0 && x < 0) whole = away;
  if (rounding == Rounding::Up && rest != 0 && x > 0) whole = away;
  if (rounding == Rounding::NearestAway && rest >= 0.5) whole = away;
  if (rounding == Rounding::NearestEven && (rest > 0.5 || (rest == 0.5 && is_odd))) whole = away;
  constexpr double kLow = -0x1p31, kHigh = 0x1p31 - 1;
  if (saturates) return static_cast<std::int32_t>(std::clamp(whole, kLow, kHigh));
  double modulo = std::fmod(whole, 0x1p32);
  if (modulo < 0) modulo += 0x1p32;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(modulo));
}

TEST(Convert, IntegersOfEveryFormat) {
  base::Random random = base::Random(seed_of_run()).split(302);
  for (const FormatId from : kFloats) {
    const number::Format& format = number::format(from);
    std::vector<std::uint64_t> words{number::canonical_nan(format), number::infinity(format),
                                     number::infinity(format, true)};
    for (const double x :
         {0.5, 1.5, 2.5, 0.25, 0.75, 0x1p31, 0x1p31 - 1, 0x1p31 - 0.5, 0x1p31 + 0.5, 0x1p32 + 3, 7e9}) {
      for (const double signed_x : {x, -x}) words.push_back(number::from_double(format, signed_x));
    }
    for (int i = 0; i < 2000; ++i)
      words.push_back(random.next() >> (64 - format.bits) >> format.unused_bits << format.unused_bits);
    const operation::Case value = convert_case(from, FormatId::I32, words);
    for (const Rounding rounding : kRoundings) {
      for (const auto overflow : {OverflowPolicy::Default, OverflowPolicy::Ieee, OverflowPolicy::Saturate}) {
        const bool saturates = overflow != OverflowPolicy::Ieee;
        const Contract contract{.output_rounding = rounding, .overflow = overflow};
        const auto oracle = oracle::Oracle::make(value, contract);
        ASSERT_TRUE(oracle) << oracle.error().message;
        for (std::size_t i = 0; i < words.size(); ++i) {
          const double x = number::to_double(format, words[i]);
          std::int32_t expected = 0;
          if (std::isinf(x)) {
            expected = x < 0 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int32_t>::max();
          } else if (!std::isnan(x)) {
            expected = integer_of(x, rounding, saturates);
          }
          const oracle::Permitted permitted = oracle->permitted(static_cast<std::int64_t>(i));
          ASSERT_EQ(permitted.contains(0x80000000),
                    std::isnan(x) || expected == std::numeric_limits<std::int32_t>::min());
          for (const std::int64_t off : {-1, 0, 1}) {
            const auto word = static_cast<std::uint32_t>(expected + off);
            ASSERT_EQ(permitted.contains(word), off == 0) << x << " to " << static_cast<std::int32_t>(word) << " "
                                                          << to_json(contract) << " " << permitted.to_string();
          }
        }
      }
    }
  }
}

TEST(Convert, IntegersRoundOnceToEveryFormat) {
  base::Random random = base::Random(seed_of_run()).split(303);
  std::vector<std::uint64_t> words{0,        1,    0xffffffff, 0x80000000, 0x7fffffff, 16777217,
                                   16777219, 2049, 2051,       65504,      65520};
  for (int i = 0; i < 2000; ++i) words.push_back(random.next() >> 32 >> random.below(32));
  for (const FormatId to : kFloats) {
    const operation::Case value = convert_case(FormatId::I32, to, words);
    for (const Rounding rounding : kRoundings) {
      const Contract contract{.output_rounding = rounding, .zero_sign = contract::ZeroSign::Ieee};
      const auto oracle = oracle::Oracle::make(value, contract);
      ASSERT_TRUE(oracle) << oracle.error().message;
      for (std::size_t i = 0; i < words.size(); ++i) {
        const auto integer = static_cast<std::int32_t>(static_cast<std::uint32_t>(words[i]));
        const Code expected = Rounder{small_format(to), rounding_mode(rounding)}.round(make_number(integer));
        const oracle::Permitted permitted = oracle->permitted(static_cast<std::int64_t>(i));
        for (const Code code : {expected, expected ^ kSignBit, expected + 1}) {
          if (code == (kNan | kSignBit) || (code & ~kSignBit) > small_format(to).max_magnitude) continue;
          ASSERT_EQ(permitted.contains(to_word(to, code)), code == expected)
              << integer << " to " << number::format(to).name << " " << to_json(contract) << permitted.to_string();
        }
      }
    }
  }
}

TEST(Convert, RoundsAtEveryDeclaredStep) {
  // F64 -> F32 -> F16 of a number just above a middle of two F16 ties after the first step, and goes to even.
  const double above = 1 + 0x1p-11 + 0x1p-40;
  const operation::Case value =
      convert_case(FormatId::F64, FormatId::F16, {to_word(FormatId::F64, code_of(FormatId::F64, above))});
  Contract contract;
  EXPECT_TRUE(permits(oracle::Oracle::make(value, contract)->permitted(0), 1 + 0x1p-10));
  EXPECT_FALSE(permits(oracle::Oracle::make(value, contract)->permitted(0), 1));
  contract.intermediate = {{FormatId::F32, Rounding::NearestEven}};
  EXPECT_TRUE(permits(oracle::Oracle::make(value, contract)->permitted(0), 1));
  EXPECT_FALSE(permits(oracle::Oracle::make(value, contract)->permitted(0), 1 + 0x1p-10));
}

}  // namespace
}  // namespace negzero::oracle_cross
