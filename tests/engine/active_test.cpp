// Which lanes __activemask() and coalesced_threads() gather, that none of them waits for ever, and the warning.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "active_kernels.hpp"
#include "schedules.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::Settings;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<unsigned>;

TEST(ActiveMask, GathersAllLanesThatExist) {
  for (const Settings& settings : all_schedules()) {
    for (const int threads : {1, 20, 32, 45, 96}) {
      Words out(static_cast<std::size_t>(threads), 0u);
      Stream stream(settings);
      host::all_together(stream, threads, true, out.data());
      ASSERT_TRUE(stream.ok()) << stream.report().message;
      for (int i = 0; i < threads; ++i) {
        const int lanes = std::min(32, threads - i / 32 * 32);
        EXPECT_EQ(out[static_cast<std::size_t>(i)], ~0u >> (32 - lanes)) << i << " of " << threads;
      }
      EXPECT_THAT(stream.report().warnings, IsEmpty());
    }
  }
}

TEST(ActiveMask, WarnsOnceWhereNoSyncwarpComesDirectlyBefore) {
  Words out(64);
  Stream stream;
  host::all_together(stream, 64, false, out.data());
  host::all_together(stream, 64, false, out.data());
  EXPECT_THAT(out, Each(~0u));
  EXPECT_THAT(stream.report().warnings,
              ElementsAre(testing::AllOf(testing::StartsWith("__activemask at active_kernels.cu:"),
                                         HasSubstr("relies on convergence that CUDA does not promise"))));
  for (const bool barrier : {false, true}) {
    Stream later;
    host::long_after(later, 64, barrier, out.data());
    EXPECT_EQ(later.report().warnings.size(), 1u) << barrier;
  }
  // One lane relies on no other.
  Stream alone;
  host::all_together(alone, 1, false, out.data());
  EXPECT_THAT(alone.report().warnings, IsEmpty());
}

TEST(ActiveMask, GathersTheLanesOfABranch) {
  for (const Settings& settings : all_schedules()) {
    Words out(64), behind(64);
    Stream stream(settings);
    host::branch(stream, 64, out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 2 == 1 ? 0xaaaaaaaau : 0u);
    host::two_ways(stream, 64, out.data(), behind.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 32 < 12 ? 0x00000fffu : 0xfffff000u);
    EXPECT_THAT(behind, Each(~0u));
  }
}

TEST(ActiveMask, DoesNotWaitForLanesThatCannotCome) {
  for (const Settings& settings : all_schedules()) {
    for (const int place : {0, 1, 2, 3}) {
      Words out(64, 0);
      Stream stream(settings);
      host::elsewhere(stream, 64, place, out.data());
      ASSERT_TRUE(stream.ok()) << place << ": " << stream.report().message;
      for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 32 < 20 ? 0x000fffffu : 0u) << place;
    }
  }
}

TEST(ActiveMask, GathersInNestedLoopsTheLanesThatStillGoRound) {
  for (const Settings& settings : all_schedules()) {
    Words out(32 * kLoopRow, 0);
    Stream stream(settings);
    host::loops(stream, 32, out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned at = lane * kLoopRow;
      for (unsigned outer = 0; outer < lane % 4; ++outer) {
        for (unsigned inner = 0; inner < lane % 3; ++inner) {
          unsigned expected = 0;
          for (unsigned i = 0; i < 32; ++i) expected |= (i % 4 > outer && i % 3 > inner ? 1u : 0u) << i;
          EXPECT_EQ(out[at++], expected) << lane << ": " << outer << ", " << inner;
        }
        unsigned expected = 0;
        for (unsigned i = 0; i < 32; ++i) expected |= (i % 4 > outer ? 1u : 0u) << i;
        EXPECT_EQ(out[at++], expected) << lane << ": " << outer;
      }
      EXPECT_EQ(out[at], ~0u) << lane;
    }
  }
}

TEST(ActiveMask, DoesNotWaitForALaneThatAsksForWhatIsBehindIt) {
  for (const Settings& settings : all_schedules()) {
    for (const bool counts : {false, true}) {
      Words words(2, 0), out(64, 0);
      Stream stream(settings);
      host::asks(stream, 32, counts, words.data(), out.data());
      ASSERT_TRUE(stream.ok()) << counts << ": " << stream.report().message;
      for (unsigned i = 1; i < 32; ++i) EXPECT_NE(out[i] >> i & 1, 0u) << i;
    }
  }
}

TEST(ActiveMask, DoesNotWaitForLanesThatWaitForItsLock) {
  for (const Settings& settings : all_schedules()) {
    unsigned lock = 0, sum = 0;
    Stream stream(settings);
    host::locks(stream, 64, &lock, &sum);
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_EQ(sum, 64u) << "each lane is alone in there";
  }
}

TEST(Coalesced, LanesThatCallOneFunctionFromTwoPlacesDoNotMeet) {
  for (const Settings& settings : all_schedules()) {
    for (const bool out_of_line : {false, true}) {
      Words counts(3, 0);
      Stream stream(settings);
      host::two_counts(stream, 64, out_of_line, counts.data());
      ASSERT_TRUE(stream.ok()) << stream.report().message;
      EXPECT_THAT(counts, ElementsAre(22u, 42u, 64u)) << out_of_line;
    }
  }
}

TEST(Coalesced, GathersAndUnderSomeSchedulesGivesAPart) {
  std::vector<int> in(200);
  unsigned positive = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<int>(i * 7 % 5) - 1;
    positive += in[i] > 0 ? 1 : 0;
  }
  int divided = 0;
  Words whole;
  constexpr int kSchedules = 400;
  for (int seed = 0; seed <= kSchedules; ++seed) {
    Settings settings;
    settings.schedule.seed = static_cast<std::uint64_t>(seed);
    unsigned count = 0;
    Words sizes{0, 32};
    Stream stream(settings);
    host::aggregate(stream, 32, static_cast<int>(in.size()), in.data(), &count, sizes.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_EQ(count, positive);
    EXPECT_THAT(stream.report().warnings, ElementsAre(HasSubstr("coalesced_threads at active_kernels.cu:")));
    // The schedule that is used where none is drawn divides nothing.
    if (seed == 0) whole = sizes;
    if (sizes != whole) ++divided;
    // __activemask() is given whole under each of them.
    Words out(32);
    host::all_together(stream, 32, true, out.data());
    EXPECT_THAT(out, Each(~0u));
  }
  EXPECT_NEAR(divided, kSchedules / 8, 20);
}

}  // namespace
}  // namespace negzero_tests
