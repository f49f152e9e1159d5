// Atomics: nothing is lost, subnormals by address space, and the definitions of the integer ones.

#include <bit>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../engine/schedules.hpp"
#include "bits.hpp"
#include "kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::Settings;

float add_all(float start, std::vector<float> values, bool in_shared, const Settings& settings = {}) {
  float total = start;
  Stream stream(settings);
  host::add_atomically(stream, static_cast<int>(values.size()), in_shared, values.data(), &total);
  EXPECT_TRUE(stream.ok()) << stream.report().message;
  return total;
}

TEST(AtomicAdd, FlushesSubnormalsInGlobalMemoryOnly) {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  constexpr float kMin = std::numeric_limits<float>::min();
  // Operand, old value, and result, each alone.
  EXPECT_EQ(bits(add_all(1.0f, {kTiny}, false)), bits(1.0f));
  EXPECT_EQ(bits(add_all(0.0f, {kTiny}, false)), bits(0.0f));
  EXPECT_EQ(bits(add_all(kTiny, {0.0f}, false)), bits(0.0f));
  EXPECT_EQ(bits(add_all(-kTiny, {-0.0f}, false)), bits(-0.0f));
  EXPECT_EQ(bits(add_all(kMin * 1.5f, {-kMin}, false)), bits(0.0f));
  EXPECT_EQ(bits(add_all(-kMin * 1.5f, {kMin}, false)), bits(-0.0f));
  EXPECT_EQ(bits(add_all(kMin, {kMin}, false)), bits(2 * kMin));

  EXPECT_EQ(bits(add_all(0.0f, {kTiny, kTiny}, true)), bits(2 * kTiny));
  EXPECT_EQ(bits(add_all(kTiny, {0.0f}, true)), bits(kTiny));
  EXPECT_EQ(bits(add_all(kMin * 1.5f, {-kMin}, true)), bits(kMin * 0.5f));
}

TEST(AtomicAdd, NothingLeavesTheLocationAlone) {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(bits(add_all(kTiny, {}, false)), bits(kTiny));
  EXPECT_EQ(bits(add_all(-0.0f, {}, false)), bits(-0.0f));
}

TEST(AtomicAdd, LosesNoUpdate) {
  for (const Settings& settings : all_schedules()) {
    EXPECT_EQ(add_all(0.0f, std::vector<float>(5000, 1.0f), false, settings), 5000.0f);
    EXPECT_EQ(add_all(0.0f, std::vector<float>(5000, 1.0f), true, settings), 5000.0f);
  }
}

TEST(AtomicAdd, LosesNoUpdateOfAnyTypeOnSeveralHostThreads) {
  Settings settings;
  settings.host_threads = 3;
  for (const unsigned host_threads : {1u, 3u}) {
    settings.host_threads = host_threads;
    double f64 = 0;
    // F16 counts exactly to 2048, BF16 to 256: then ties round to even and it stops.
    std::uint16_t f16[2] = {0, 0x1234}, bf16[2] = {0, 0x1234};
    int i32 = 0;
    unsigned long long u64 = 7;
    Stream stream(settings);
    host::add_atomically_all(stream, 5000, &f64, f16, bf16, &i32, &u64);
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_EQ(f64, 2500.0);
    EXPECT_EQ(f16[0], 0x6800);
    EXPECT_EQ(bf16[0], 0x4380);
    EXPECT_EQ(f16[1], 0x1234);
    EXPECT_EQ(bf16[1], 0x1234);
    EXPECT_EQ(i32, -5000);
    EXPECT_EQ(u64, 7 + 5000 * 0x100000000ull);
  }
}

TEST(Atomics, OfIntegersFollowTheirDefinitions) {
  std::vector<int> results(17, -99);
  Stream stream;
  host::integer_atomics(stream, 32, results.data());
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_THAT(results, testing::ElementsAre(-5, -5, 4, 4, -1, -3, -3, 12, 13,  // int
                                            0xf0, 0x30, 0x33, 0x22, 0, 7,      // unsigned
                                            3, 409));                          // 16 bits, the neighbour untouched
}

}  // namespace
}  // namespace negzero_tests
