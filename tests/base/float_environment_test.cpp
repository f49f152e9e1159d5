// The floating-point environment of a thread: read, set, and told in words.

#include <cfenv>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include <negzero/base/float_environment.hpp>

namespace negzero::base {
namespace {

/// Gives the thread's environment back.
class FloatEnvironmentTest : public ::testing::Test {
 protected:
  ~FloatEnvironmentTest() override { before_.set(); }
  const FloatEnvironment before_ = FloatEnvironment::current();
};

/// Divides when it is called: the compiler knows neither the operands nor that nobody reads the flags.
[[gnu::noinline]] float quotient(float a, float b) {
  volatile float dividend = a, divisor = b;
  volatile float result = dividend / divisor;
  return result;
}

TEST_F(FloatEnvironmentTest, AProgramStartsAsCudaComputes) {
  EXPECT_EQ(FloatEnvironment::current(), FloatEnvironment::cuda_default());
  EXPECT_EQ(FloatEnvironment::current().changes_since(FloatEnvironment::cuda_default()), "");
}

TEST_F(FloatEnvironmentTest, RoundingIsPartOfIt) {
  for (const auto& [mode, words] :
       {std::pair{FE_UPWARD, "rounding was switched upward"}, std::pair{FE_DOWNWARD, "rounding was switched downward"},
        std::pair{FE_TOWARDZERO, "rounding was switched toward zero"}}) {
    std::fesetround(mode);
    EXPECT_EQ(FloatEnvironment::current().changes_since(FloatEnvironment::cuda_default()), words);
    FloatEnvironment::cuda_default().set();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(FloatEnvironment::current(), FloatEnvironment::cuda_default());
  }
}

TEST_F(FloatEnvironmentTest, FlagsAreNoPartOfItAndAreCleared) {
  EXPECT_GT(quotient(1, 3), 0);
  EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
  EXPECT_EQ(FloatEnvironment::current(), FloatEnvironment::cuda_default());
  FloatEnvironment::cuda_default().set();
  EXPECT_EQ(std::fetestexcept(FE_INEXACT), 0);
}

TEST_F(FloatEnvironmentTest, AThreadInheritsItAndSetsItsOwn) {
  std::fesetround(FE_UPWARD);
  FloatEnvironment inherited, own;
  std::thread([&] {
    inherited = FloatEnvironment::current();
    FloatEnvironment::cuda_default().set();
    own = FloatEnvironment::current();
  }).join();
  EXPECT_NE(inherited, FloatEnvironment::cuda_default());
  EXPECT_EQ(own, FloatEnvironment::cuda_default());
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

#if defined(__x86_64__)
TEST_F(FloatEnvironmentTest, FlushingIsPartOfItAndStopsWhenSet) {
  const float tiny = std::numeric_limits<float>::min();
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000);
  EXPECT_EQ(quotient(tiny, 2), 0.0f);
  EXPECT_EQ(FloatEnvironment::current().changes_since(FloatEnvironment::cuda_default()),
            "flush-to-zero was switched on");
  FloatEnvironment::cuda_default().set();
  EXPECT_GT(quotient(tiny, 2), 0.0f);

  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x0040);
  EXPECT_EQ(FloatEnvironment::current().changes_since(FloatEnvironment::cuda_default()),
            "denormals-are-zero was switched on");
  const FloatEnvironment flushing = FloatEnvironment::current();
  FloatEnvironment::cuda_default().set();
  EXPECT_EQ(FloatEnvironment::current().changes_since(flushing), "denormals-are-zero was switched off");
}

// A flag that is raised already would trap at the moment its mask goes.
TEST_F(FloatEnvironmentTest, TrapsArePartOfIt) {
  EXPECT_EQ(quotient(1, 0), std::numeric_limits<float>::infinity());
  FloatEnvironment trapping = FloatEnvironment::cuda_default();
  trapping.control &= ~(1u << 9);
  trapping.set();
  EXPECT_EQ(FloatEnvironment::current(), trapping);
  FloatEnvironment::cuda_default().set();
  EXPECT_EQ(trapping.changes_since(FloatEnvironment::cuda_default()), "the trap of divisions by zero was switched on");
}

// Single precision of the x87 unit rounds `long double` to 24 bits.
TEST_F(FloatEnvironmentTest, TheOlderUnitHasItsOwn) {
  const std::uint16_t single = 0x007f;
  asm volatile("fldcw %0" : : "m"(single));
  volatile long double one = 1, tiny = 0x1p-40L;
  EXPECT_EQ(one + tiny, 1.0L);
  EXPECT_EQ(FloatEnvironment::current().changes_since(FloatEnvironment::cuda_default()),
            "the x87 control word was changed");
  FloatEnvironment::cuda_default().set();
  EXPECT_GT(one + tiny, 1.0L);
}
#endif

}  // namespace
}  // namespace negzero::base
