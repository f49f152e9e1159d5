// The enumerator's flushing against a host that flushes, and its reading of the table against the table's own words.

#include <bit>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>

#include "enumerator.hpp"
#include "flushing.hpp"
#include "formats.hpp"

namespace negzero::oracle_cross {
namespace {

using contract::Contract;
using contract::Subnormals;
using number::FormatId;

#if defined(__SSE2__)

/// x86 with subnormal operands taken for zeros, results flushed, or both (bits 6 and 15 of MXCSR).
class Flushing {
 public:
  Flushing(bool inputs, bool results) : before_(_mm_getcsr()) {
    _mm_setcsr((before_ & ~0x8040u) | (inputs ? 0x40u : 0u) | (results ? 0x8000u : 0u));
  }
  ~Flushing() { _mm_setcsr(before_); }
  Flushing(const Flushing&) = delete;
  Flushing& operator=(const Flushing&) = delete;

 private:
  unsigned before_;
};

/// One operation that no compiler moves or folds.
float operate(float a, float b, bool multiplies, bool inputs, bool results) {
  volatile float x = a, y = b, out = 0;
  const Flushing flushing(inputs, results);
  if (multiplies) out = x * y;
  if (!multiplies) out = x + y;
  return out;
}

TEST(FlushingHost, ChainsOfSumsAndProductsAgreeWithAHostThatFlushes) {
  base::Random random(41);
  const SmallFormat f32 = small_format(FormatId::F32);
  const auto draw = [&](std::uint32_t lowest, std::uint32_t binades) {
    const auto exponent = lowest + static_cast<std::uint32_t>(random.below(binades));
    const auto fraction = static_cast<std::uint32_t>(random.next()) & 0x7fffff;
    return std::bit_cast<float>((random.one_in(2) ? 0x80000000u : 0u) | exponent << 23 | fraction);
  };
  const auto number = [&](float x) { return f32.decode(to_code(FormatId::F32, std::bit_cast<std::uint32_t>(x))); };
  std::uint64_t flushed = 0;
  for (int round = 0; round < 40'000; ++round) {
    const bool inputs = random.one_in(2), results = random.one_in(2), products = random.one_in(2);
    Contract contract;
    contract.subnormal_inputs = inputs ? Subnormals::Flush : Subnormals::Keep;
    contract.subnormal_results = results ? Subnormals::Flush : Subnormals::Keep;
    Machine machine;
    machine.rounder.format = f32;
    machine.rounder.flush = flush_in(contract.subnormal_results, f32);
    machine.inputs = flush_in(contract.subnormal_inputs, f32);
    machine.fused = false;
    std::vector<Term> terms;
    float sum = 0, plain = 0;
    for (int k = 0; k < 4; ++k) {
      const float a = products ? draw(0, 64) : draw(0, 3);
      const float b = products ? draw(64, 64) : 1;
      float term = a;
      Term exact{{number(a)}, false};
      if (products) {
        term = operate(a, b, true, inputs, results);
        exact = {{}, true};
        const Code code = to_code(FormatId::F32, std::bit_cast<std::uint32_t>(a));
        for (const Number& value : as_operand(contract, f32, code, f32)) {
          exact.exact.push_back(multiply(value, number(b)));
        }
      }
      terms.push_back(exact);
      sum = operate(sum, term, false, inputs, results);
      plain = operate(plain, products ? operate(a, b, true, false, false) : a, false, false, false);
    }
    const Code expected = to_code(FormatId::F32, std::bit_cast<std::uint32_t>(sum));
    ASSERT_EQ(ascending(machine, terms, {true, false}, std::nullopt), Codes{expected}) << round;
    if (std::bit_cast<std::uint32_t>(sum) != std::bit_cast<std::uint32_t>(plain)) ++flushed;
  }
  EXPECT_GT(flushed, 1000u);
}

#endif

/// Kept (1), zero (2) or either (3).
int fate(FormatId own, FormatId arithmetic, Subnormals inputs = Subnormals::Flush) {
  Contract contract;
  contract.subnormal_inputs = inputs;
  const Fate fate = fate_as_operand(contract, small_format(own), 1, small_format(arithmetic));
  return (fate.kept ? 1 : 0) | (fate.zero ? 2 : 0);
}

TEST(FlushingTableRead, OperandsByTheFormatsOfBoth) {
  constexpr FormatId kF32 = FormatId::F32, kF16 = FormatId::F16, kBF16 = FormatId::BF16, kF64 = FormatId::F64;
  for (const FormatId narrow : {kF16, FormatId::F8_E5M2, FormatId::F8_E4M3}) {
    EXPECT_EQ(fate(narrow, kF32), 1);
    EXPECT_EQ(fate(narrow, kF64), 1);
    EXPECT_EQ(fate(narrow, kBF16), 1);
  }
  for (const FormatId wide : {kF32, FormatId::TF32, kBF16}) {
    EXPECT_EQ(fate(wide, kF32), 2);
    EXPECT_EQ(fate(wide, kF64), 2);
    EXPECT_EQ(fate(wide, kBF16), 3);
    EXPECT_EQ(fate(wide, kF16), 3);
    EXPECT_EQ(fate(wide, kF32, Subnormals::Either), 3);
    EXPECT_EQ(fate(wide, kF32, Subnormals::Keep), 1);
  }
  EXPECT_EQ(fate(kF16, kF16), 3);
  EXPECT_EQ(fate(FormatId::F8_E5M2, kF16), 3);
  EXPECT_EQ(fate(FormatId::F8_E4M3, kF16), 1);
  EXPECT_EQ(fate(kF64, kF64), 3);
  EXPECT_EQ(fate(FormatId::F8_E5M2, FormatId::F8_E5M2), 2);
}

}  // namespace
}  // namespace negzero::oracle_cross
