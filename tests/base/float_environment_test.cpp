// What is said about a floating-point environment that was changed, and that it can be put back.

#include <cfenv>
#include <thread>

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <negzero/base/float_environment.hpp>

namespace negzero::base {
namespace {

class FloatEnvironmentTest : public testing::Test {
 protected:
  ~FloatEnvironmentTest() override { before_.set(); }
  FloatEnvironment before_ = FloatEnvironment::current();
};

TEST_F(FloatEnvironmentTest, AThreadStartsInTheEnvironmentOfAGpu) {
  std::thread([] { EXPECT_EQ(FloatEnvironment::current(), FloatEnvironment::cuda_default()); }).join();
  EXPECT_EQ(before_.changes_since(before_), "");
}

TEST_F(FloatEnvironmentTest, RoundingIsNamed) {
  const std::pair<int, const char*> modes[] = {
      {FE_UPWARD, "upward"}, {FE_DOWNWARD, "downward"}, {FE_TOWARDZERO, "toward zero"}};
  for (const auto& [mode, words] : modes) {
    std::fesetround(mode);
    const FloatEnvironment now = FloatEnvironment::current();
    EXPECT_EQ(now.changes_since(before_), std::string("rounding was switched ") + words);
    EXPECT_EQ(before_.changes_since(now), "rounding was switched to nearest");
    before_.set();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(FloatEnvironment::current(), before_);
  }
}

TEST_F(FloatEnvironmentTest, FlagsAreNoPartOfItAndAreCleared) {
  std::feraiseexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(FloatEnvironment::current(), before_);
  before_.set();
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

#if defined(__x86_64__)

TEST_F(FloatEnvironmentTest, TheDirectionFlagIsNamedAndCleared) {
  asm volatile("std" : : : "cc");
  const FloatEnvironment now = FloatEnvironment::current();
  FloatEnvironment::cuda_default().set();
  EXPECT_TRUE(now.backwards);
  EXPECT_EQ(now.changes_since(before_), "the direction flag was set");
  EXPECT_FALSE(FloatEnvironment::current().backwards);
}

TEST_F(FloatEnvironmentTest, EverySwitchIsNamed) {
  _mm_setcsr(_mm_getcsr() | 0x8040u);
  FloatEnvironment now = FloatEnvironment::current();
  EXPECT_EQ(now.changes_since(before_), "flush-to-zero was switched on, denormals-are-zero was switched on");
  volatile float tiny = 1e-40f;
  EXPECT_EQ(tiny * 1.0f, 0.0f);
  before_.set();
  EXPECT_NE(tiny * 1.0f, 0.0f);
  // Flags that are raised before a trap is set, or taken away, do not trap.
  std::feraiseexcept(FE_DIVBYZERO);
  FloatEnvironment traps = before_;
  traps.control &= ~(1u << 9);
  traps.set();
  EXPECT_EQ(FloatEnvironment::current().changes_since(before_), "the trap of divisions by zero was switched on");
  before_.set();
  FloatEnvironment single = before_;
  single.x87 &= ~0x300u;
  single.set();
  EXPECT_EQ(FloatEnvironment::current().changes_since(before_), "the x87 control word was changed");
}

#endif

}  // namespace
}  // namespace negzero::base
