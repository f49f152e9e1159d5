// Cooperative groups: ranks, masks and values of whole and partial tiles, of partitions, and waits of whole grids.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bits.hpp"
#include "kernels.hpp"

namespace negzero_tests {
namespace {

using negzero::engine::LaunchStatus;
using negzero::engine::Order;
using negzero::engine::Settings;
using ::testing::HasSubstr;

Settings with(Order order) {
  Settings settings;
  settings.schedule.order = order;
  settings.schedule.seed = 3;
  return settings;
}

/// The ranks of a tile's threads for which `holds`, one bit each.
template <typename Holds>
unsigned ranks(unsigned first, unsigned count, Holds holds) {
  unsigned mask = 0;
  for (unsigned i = 0; i < count; ++i) mask |= holds(first + i) ? 1u << i : 0;
  return mask;
}

TEST(Groups, TilesOfWholeAndPartialWarps) {
  for (const unsigned size : {4u, 32u}) {
    for (const unsigned threads : {64u, 40u}) {
      std::vector<unsigned> out(kGroupRow * threads);
      Stream stream(with(Order::Random));
      host::group_tiles(stream, static_cast<int>(size), static_cast<int>(threads), out.data());
      ASSERT_TRUE(stream.ok()) << stream.report().message;
      for (unsigned t = 0; t < threads; ++t) {
        const unsigned* row = out.data() + kGroupRow * t;
        const unsigned first = t / size * size;
        const unsigned here = std::min(size, threads - first);  // threads that the tile really has
        EXPECT_EQ(row[0], t % size);
        EXPECT_EQ(row[1], t / size);
        EXPECT_EQ(row[2], (threads + size - 1) / size);
        EXPECT_EQ(row[3], size);
        EXPECT_EQ(row[4], ranks(first, here, [](unsigned r) { return r % 3 == 0; }));
        EXPECT_EQ(row[5], first + 1);
        EXPECT_EQ(row[6], t == first ? t : t - 1);
        if (t + 2 < first + here) {
          EXPECT_EQ(row[7], t + 2);
        } else if (here == size) {
          EXPECT_EQ(row[7], t);
        }
        EXPECT_EQ(row[8], (first <= 7 && 7 < first + here ? 2u : 0u) + (first + here <= 40 ? 1u : 0u));
        EXPECT_EQ(row[9], ranks(first, here, [t](unsigned r) { return r % 2 == t % 2; }));
        EXPECT_EQ(row[10], size == 4 ? 0xfu : 0u);
        EXPECT_EQ(row[11], size == 4 ? 1u : 0u);
        EXPECT_EQ(row[12], 4 * first + 2 + first + 4 * first + 1 + 2);
        EXPECT_EQ(row[14], (first + 1) * 100 + 1 + first + 1);
        EXPECT_EQ(row[13], t / size * 100 + (threads + size - 1) / size);
      }
    }
  }
}

TEST(Groups, PartitionsOfPartitions) {
  for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
    constexpr unsigned kThreads = 74;  // the last part of 16 has 10 threads, its last part of 4 has 2
    std::vector<unsigned> out(kGroupRow * kThreads);
    Stream stream(with(order));
    host::group_partitions(stream, kThreads, out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_TRUE(stream.report().warnings.empty()) << stream.report().warnings.front();
    for (unsigned t = 0; t < kThreads; ++t) {
      const unsigned* row = out.data() + kGroupRow * t;
      EXPECT_EQ(row[0], (t < 64 ? 16u : 10u) * 100 + t % 16);
      EXPECT_EQ(row[1], (t < 72 ? 4u : 2u) * 100 + t % 4);
      EXPECT_EQ(row[2], t % 32 / 8 * 100 + 4);
      if (t >= 64) continue;
      // The parts by t % 3 of one warp, by the order of their first lanes.
      const unsigned first = t / 32 * 32;
      std::vector<unsigned> part;
      for (unsigned other = first; other < first + 32; ++other) {
        if (other % 3 == t % 3) part.push_back(other);
      }
      const auto size = static_cast<unsigned>(part.size());
      const auto rank = static_cast<unsigned>(std::ranges::find(part, t) - part.begin());
      EXPECT_EQ(row[3], size * 10000 + (part[0] - first) * 100 + rank);
      EXPECT_EQ(row[4], rank + 2 < size ? part[rank + 2] : t);
      EXPECT_EQ(row[5], rank >= 2 ? part[rank - 2] : t);
      EXPECT_EQ(row[6], part[3]);
      unsigned even = 0, sum = 0, below = 0, lower = 0;
      for (unsigned i = 0; i < size; ++i) {
        even |= part[i] % 2 == 0 ? 1u << i : 0;
        sum += part[i];
        if (i < rank) below += part[i];
        if (part[i] < 16) ++lower;
      }
      EXPECT_EQ(row[7], even);
      EXPECT_EQ(row[8], sum);
      EXPECT_EQ(row[9], below);
      const bool divided = lower != 0 && lower != size;
      EXPECT_EQ(row[10], divided ? (t < 16 ? lower : size - lower) * 100 + (t < 16 ? 10 : 0) + 2 : size * 100 + 1);
      EXPECT_EQ(row[11], (rank / 2 * 2 + 1 < size ? 2u : 1u) * 10000 + rank / 2 * 100 + rank % 2);
      EXPECT_EQ(row[12], t % 2 == 1 ? 1u : 2u);
      EXPECT_EQ(row[13], 3201u);
    }
  }
}

/// A butterfly as CUDA's headers have it: the value of each lane.
template <typename Operation>
std::vector<float> folded(std::vector<float> values, Operation operation) {
  for (std::size_t i = values.size() / 2; i > 0; i /= 2) {
    std::vector<float> next;
    for (std::size_t lane = 0; lane < values.size(); ++lane) next.push_back(operation(values[lane], values[lane ^ i]));
    values = next;
  }
  return values;
}
template <typename Operation>
std::vector<float> scanned(std::vector<float> values, Operation operation) {
  for (std::size_t i = 1; i < values.size(); i *= 2) {
    std::vector<float> next = values;
    for (std::size_t lane = i; lane < values.size(); ++lane) next[lane] = operation(values[lane], values[lane - i]);
    values = next;
  }
  return values;
}

TEST(Groups, ReductionsAndScansAddInTheOrderOfCudasHeaders) {
  std::vector<float> in;
  for (int i = 0; i < 32; ++i)
    in.push_back(std::ldexp(1.0f + static_cast<float>(i) / 64, i % 7 * 5) * (i % 2 ? -1 : 1));
  std::vector<float> out(9 * 32);
  Stream stream(with(Order::Backward));
  host::group_folds(stream, in.data(), out.data());
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  const auto add = [](float a, float b) { return a + b; };
  const auto mix = [](float a, float b) { return a * 2.0f + b; };  // does not commute
  const std::vector<float> sums = folded(in, add);
  const std::vector<float> odd = folded(in, mix);
  const std::vector<float> prefixes = scanned(in, add);
  const std::vector<float> mixed_prefixes = scanned(in, mix);
  const float low = scanned({in.begin(), in.begin() + 11}, add).back();
  const float high = scanned({in.begin() + 11, in.end()}, add).back();
  // The order matters for these values: a test of it would otherwise pass whatever it is.
  float in_sequence = 0;
  for (const float x : in) in_sequence += x;
  ASSERT_NE(bits(in_sequence), bits(sums[0]));
  ASSERT_NE(bits(in_sequence), bits(prefixes[31]));
  for (std::size_t t = 0; t < 32; ++t) {
    EXPECT_EQ(bits(out[9 * t]), bits(sums[t]));
    EXPECT_EQ(bits(out[9 * t + 1]), bits(prefixes[t]));
    EXPECT_EQ(bits(out[9 * t + 2]), bits(t == 0 ? 0.0f : prefixes[t - 1]));
    EXPECT_EQ(bits(out[9 * t + 3]), bits(t < 11 ? low : high));
    EXPECT_EQ(out[9 * t + 4], *std::ranges::min_element(in));
    EXPECT_EQ(out[9 * t + 5], *std::ranges::max_element(in));
    EXPECT_EQ(out[9 * t + 6], 31 * 1000 + 32 * 10);
    EXPECT_EQ(bits(out[9 * t + 7]), bits(odd[t]));
    EXPECT_EQ(bits(out[9 * t + 8]), bits(mixed_prefixes[t]));
  }
}

TEST(Groups, LessAndGreaterKeepTheFirstOperandOfANan) {
  std::vector<float> in(32, 1.0f);
  in[0] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(9 * 32);
  Stream stream;
  host::group_folds(stream, in.data(), out.data());
  ASSERT_TRUE(stream.ok());
  // Lane 0 has NaN as its first operand all the way; the others never take it.
  EXPECT_TRUE(std::isnan(out[4]));
  EXPECT_TRUE(std::isnan(out[5]));
  EXPECT_EQ(out[9 + 4], 1.0f);
  EXPECT_EQ(out[9 * 16 + 5], 1.0f);
}

TEST(Groups, CopiesAndCallsByOneThread) {
  for (const int n : {1, 3, 50, 100}) {
    constexpr unsigned kThreads = 48;
    std::vector<unsigned> in(100, 0), out(2 * kThreads + 1);
    unsigned sum = 0;
    for (unsigned i = 0; i < static_cast<unsigned>(n); ++i) sum += in[i] = i * i + 1;
    Stream stream(with(Order::Random));
    host::group_copies(stream, n, kThreads, in.data(), out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    for (unsigned t = 0; t < kThreads; ++t) {
      EXPECT_EQ(out[t], sum);
      EXPECT_EQ(out[kThreads + 1 + t], t / 8 * 8);
    }
    EXPECT_EQ(out[kThreads], 77u);
  }
}

TEST(Groups, TheGridWaitsInEverySchedule) {
  for (const Order order : {Order::Forward, Order::Backward, Order::Random}) {
    for (const unsigned blocks : {1u, 7u, 300u}) {
      constexpr unsigned kSteps = 9;
      const unsigned threads = 40 * blocks;
      std::vector<unsigned> values(2 * threads);
      for (unsigned i = 0; i < threads; ++i) values[i] = 1000 * (i / 40);
      Stream stream(with(order));
      host::group_grid(stream, static_cast<int>(blocks), 40, kSteps, values.data());
      ASSERT_TRUE(stream.ok()) << stream.report().message;
      for (unsigned i = 0; i < threads; ++i) {
        ASSERT_EQ(values[threads + i], 1000 * ((i / 40 + kSteps) % blocks) + kSteps) << i << " of " << blocks;
      }
    }
  }
}

TEST(Groups, AWaitThatNeverEndsIsReported) {
  unsigned out = 0;
  Stream deserted;
  host::group_deserted(deserted, 0, &out);
  EXPECT_EQ(deserted.report().status, LaunchStatus::Hang);
  Stream headless;
  host::group_deserted(headless, 1, &out);
  EXPECT_EQ(headless.report().status, LaunchStatus::Hang);
  EXPECT_EQ(out, 0u);
  Stream divided;
  host::group_deserted(divided, 2, &out);
  EXPECT_EQ(divided.report().status, LaunchStatus::DivergentBarrier);
  // The author's lines, not ours.
  EXPECT_THAT(divided.report().message, HasSubstr("group_kernels.cu:"));
  EXPECT_THAT(divided.report().message, Not(HasSubstr("group_tiles.hpp")));
}

}  // namespace
}  // namespace negzero_tests
