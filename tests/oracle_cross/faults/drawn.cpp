// The list of contracts, and operands.

#include "drawn.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace negzero::oracle_faults {

using number::FormatId;

namespace {

constexpr FormatId kF16 = FormatId::F16, kBf16 = FormatId::BF16, kF32 = FormatId::F32, kF64 = FormatId::F64;

constexpr Setting kSettings[] = {
    {R"({})", kF32, kF32, kF32},
    {R"({})", kF16, kF16, kF32},
    {R"({})", kBf16, kBf16, kBf16},
    {R"({"wider":false})", kF32, kF32, kF32},
    {R"({"wider":false,"contraction":"fused"})", kF32, kF32, kF32},
    {R"({"wider":false,"contraction":"separate"})", kF32, kF32, kF32},
    {R"({"wider":false})", kF16, kF16, kF16},
    {R"({"wider":false,"order":"ascending","contraction":"fused"})", kF32, kF32, kF32},
    {R"({"wider":false,"order":"ascending","contraction":"separate"})", kF32, kF32, kF32},
    {R"({"wider":false,"order":"ascending"})", kF32, kF32, kF32},
    {R"({"order":"ascending"})", kF32, kF32, kF32},
    {R"({"accumulate":"F16"})", kF16, kF16, kF16},
    {R"({"accumulate":"F16"})", kF16, kF16, kF32},
    {R"({"accumulate":"F16","wider":false})", kF16, kF16, kF16},
    {R"({"accumulate":"F16","wider":false})", kF16, kF16, kF32},
    {R"({"accumulate":"BF16","wider":false})", kBf16, kBf16, kBf16},
    {R"({"accumulate":"BF16"})", kBf16, kBf16, kF32},
    {R"({"accumulate":"F64"})", kF64, kF64, kF64},
    {R"({"accumulate":"F64","wider":false})", kF64, kF64, kF32},
    {R"({"wider":false,"alpha":"epilogue","beta":"epilogue"})", kF32, kF32, kF32, Setting::C::Behind},
    {R"({"alpha":"epilogue","beta":"epilogue"})", kF32, kF32, kF32, Setting::C::Behind},
    {R"({"wider":false,"alpha":"epilogue","beta":"leaf"})", kF32, kF32, kF32, Setting::C::Leaf},
    {R"({"accumulate":"F16","alpha":"epilogue","beta":"epilogue"})", kF16, kF16, kF16, Setting::C::Behind},
    {R"({"accumulate":"F16","alpha":"epilogue","beta":"leaf"})", kF16, kF16, kF32, Setting::C::Leaf},
    {R"({"alpha":"epilogue","beta":"leaf"})", kF32, kF32, kF32, Setting::C::Leaf},
    {R"({"wider":false,"order":"ascending","contraction":"fused","start":"c","alpha":"epilogue","beta":"leaf"})", kF32,
     kF32, kF32, Setting::C::Leaf},
    {R"({"wider":false,"tensor_core":"only","unit":"hopper"})", kF16, kF32, kF32},
    {R"({"accumulate":"F16","wider":false,"tensor_core":"only","unit":"hopper"})", kF16, kF16, kF16},
    {R"({"wider":false,"tensor_core":"only","unit":"hopper"})", FormatId::TF32, kF32, kF32},
    {R"({"wider":false,"tensor_core":"only","unit":"hopper"})", FormatId::F8_E4M3, kF32, kF32},
};

/// A number of some bits with the leading one at 2^-`span` to 2^`span`.
std::uint64_t drawn_word(FormatId id, int span, base::Random& random) {
  const SmallFormat format = small_format(id);
  constexpr int kMostBits = 30;  // of F64: sums of products stay short enough for softfloat
  const int most = std::min(format.precision, kMostBits);
  const int bits = random.one_in(2) ? most : 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most)));
  const std::int64_t significand =
      (std::int64_t{1} << (bits - 1)) + static_cast<std::int64_t>(random.below(std::uint64_t{1} << (bits - 1)));
  const int exponent = static_cast<int>(random.between(-span, span)) - bits + 1;
  const Number number = make_number(random.one_in(2) ? -significand : significand, exponent);
  return to_word(id, Rounder{format}.round(number));
}

}  // namespace

std::span<const Setting> settings() { return kSettings; }

contract::Contract contract_of(const Setting& setting) {
  const auto contract = contract::parse(setting.contract);
  EXPECT_TRUE(contract.ok()) << setting.contract;
  return *contract;
}

Question drawn_question(const Setting& setting, std::size_t terms, base::Random& random) {
  // Terms far apart are lost in part, or whole. Sums of 64 stay within the accumulator and the output.
  constexpr int kNear = 2, kFar = 9, kFarInNarrow = 5;
  const bool is_narrow = setting.factors == FormatId::F16 || setting.factors == FormatId::F8_E4M3;
  const bool has_room = setting.out != FormatId::F16 && contract_of(setting).accumulate != FormatId::F16;
  const int span = !has_room || !random.one_in(3) ? kNear : is_narrow ? kFarInNarrow : kFar;
  Question question;
  question.a = question.b = setting.factors;
  question.c = setting.c;
  question.d = setting.out;
  const bool has_c = setting.at != Setting::C::None;
  const std::size_t products = setting.at == Setting::C::Leaf ? terms - 1 : terms;
  for (std::size_t i = 0; i < products; ++i) {
    question.x.push_back(drawn_word(setting.factors, span, random));
    question.y.push_back(random.one_in(4)
                             ? to_word(setting.factors, Rounder{small_format(setting.factors)}.round(make_number(1)))
                             : drawn_word(setting.factors, span, random));
  }
  question.has_c = true;
  if (!has_c) return question;
  question.addend = drawn_word(setting.c, span, random);
  constexpr std::uint64_t kOne = 0x3f800000;
  const auto drawn_scalar = [&] { return random.one_in(3) ? kOne : drawn_word(kF32, kNear, random); };
  question.beta.bits = drawn_scalar();
  if (setting.at == Setting::C::Behind) question.alpha.bits = drawn_scalar();
  return question;
}

}  // namespace negzero::oracle_faults
