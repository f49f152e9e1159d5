// Warp operations against the tables of the CUDA C++ Programming Guide, written down apart from the implementation.

#include <bit>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>

#include "kernels.hpp"
#include "schedules.hpp"

namespace negzero_tests {
namespace {

using negzero::base::Random;
using negzero::engine::Settings;
using testing::HasSubstr;

/// The lane that `lane` reads, in the guide's words, for widths that are powers of two and operands of at most 31.
int source_lane(ShuffleKind kind, int lane, int operand, int width) {
  const int group = lane / width;
  switch (kind) {
    case ShuffleKind::Index:
      return group * width + (operand % width + width) % width;
    case ShuffleKind::Up:
      return lane - operand >= group * width ? lane - operand : lane;
    case ShuffleKind::Down:
      return lane + operand < (group + 1) * width ? lane + operand : lane;
    case ShuffleKind::Xor:
      return (lane ^ operand) / width <= group ? lane ^ operand : lane;
  }
  return -1;
}

TEST(Shuffle, ReadsTheLaneOfTheGuide) {
  Random random(1);
  for (const Settings& settings : all_schedules()) {
    for (const ShuffleKind kind : {ShuffleKind::Index, ShuffleKind::Up, ShuffleKind::Down, ShuffleKind::Xor}) {
      for (const int width : {1, 2, 4, 8, 16, 32}) {
        std::vector<std::uint32_t> in(64), out(64, 0);
        std::vector<int> operands(64);
        for (std::size_t i = 0; i < 64; ++i) {
          in[i] = static_cast<std::uint32_t>(random.next());
          operands[i] = static_cast<int>(random.below(32));
        }
        Stream stream(settings);
        host::shuffle(stream, kind, 64, width, 0xffffffffu, operands.data(), in.data(), out.data());
        ASSERT_TRUE(stream.ok()) << stream.report().message;
        EXPECT_THAT(stream.report().warnings, testing::IsEmpty());
        for (int i = 0; i < 64; ++i) {
          const int from = i / 32 * 32 + source_lane(kind, i % 32, operands[static_cast<std::size_t>(i)], width);
          ASSERT_EQ(out[static_cast<std::size_t>(i)], in[static_cast<std::size_t>(from)])
              << "kind " << static_cast<int>(kind) << " width " << width << " lane " << i;
        }
      }
    }
  }
}

TEST(Shuffle, ALaneThatTakesNoPartGivesPoisonAndAWarning) {
  for (const std::uint8_t poison : {std::uint8_t{0xff}, std::uint8_t{0x7b}}) {
    Settings settings;
    settings.poison = poison;
    const std::uint32_t word = 0x01010101u * poison;
    std::vector<std::uint32_t> in(32), out(32, 7);
    std::vector<int> operands(32, 16);
    for (std::size_t i = 0; i < 32; ++i) in[i] = static_cast<std::uint32_t>(i);
    Stream outside_mask(settings);
    host::shuffle(outside_mask, ShuffleKind::Down, 32, 32, 0x00ffffffu, operands.data(), in.data(), out.data());
    ASSERT_TRUE(outside_mask.ok());
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], i + 16);
    for (std::size_t i = 8; i < 16; ++i) EXPECT_EQ(out[i], word);
    // Past the end of the warp a lane reads itself.
    for (std::size_t i = 16; i < 24; ++i) EXPECT_EQ(out[i], i);
    ASSERT_EQ(outside_mask.report().warnings.size(), 1u);
    EXPECT_THAT(outside_mask.report().warnings[0], HasSubstr("__shfl_down_sync at wait_kernels.cu:"));
    EXPECT_THAT(outside_mask.report().warnings[0], HasSubstr("lane 8 reads lane 24, which takes no part"));
  }
}

TEST(Shuffle, LanesBeyondTheBlockDoNotExist) {
  std::vector<std::uint32_t> in(17, 1), out(17, 7);
  std::vector<int> operands(17, 8);
  Stream stream;
  host::shuffle(stream, ShuffleKind::Down, 17, 32, 0xffffffffu, operands.data(), in.data(), out.data());
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(out[i], 1u);
  for (std::size_t i = 9; i < 17; ++i) EXPECT_EQ(out[i], 0xffffffffu);
  EXPECT_EQ(stream.report().warnings.size(), 1u);
}

TEST(Shuffle, MovesAllBitsOfADouble) {
  std::vector<double> in(32), out(32);
  for (std::size_t i = 0; i < 32; ++i) in[i] = 1.0 + static_cast<double>(i) * 0x1p-50;
  Stream stream;
  host::shuffle_double(stream, 32, 3, in.data(), out.data());
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], in[i < 29 ? i + 3 : i]);
}

TEST(Shuffle, HalvesOfAWarpMayDiverge) {
  std::vector<int> in(64);
  for (std::size_t i = 0; i < 64; ++i) in[i] = static_cast<int>(i * i);
  std::vector<int> expected = in;
  for (std::size_t base = 0; base < 64; base += 16) {
    const int rounds = base % 32 == 0 ? 3 : 5;
    for (int round = 0; round < rounds; ++round) {
      std::vector<int> before = expected;
      for (std::size_t i = base; i < base + 16; ++i)
        expected[i] = before[i] + before[i ^ (std::size_t{1} << (round % 4))];
    }
  }
  const std::vector<int> before = expected;
  for (std::size_t i = 0; i < 64; ++i) expected[i] = before[i] + before[i / 32 * 32 + 31 - i % 32];
  for (const Settings& settings : all_schedules()) {
    std::vector<int> out(64, -1);
    Stream stream(settings);
    host::uneven_shuffles(stream, 64, in.data(), out.data());
    ASSERT_TRUE(stream.ok()) << stream.report().message;
    EXPECT_EQ(out, expected);
  }
}

std::uint32_t expected_vote(VoteKind kind, std::uint32_t mask, const std::vector<std::uint32_t>& in,
                            std::uint32_t lane) {
  std::uint32_t ballot = 0, sum = 0, highest = 0, parity = 0, like_me = 0;
  std::int32_t lowest = 0x7fffffff;
  bool alike = true;
  std::uint32_t first = 0;
  bool any_seen = false;
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (!std::exchange(any_seen, true)) first = in[i];
    ballot |= (in[i] & 1) << i;
    sum += in[i];
    highest = std::max(highest, in[i]);
    lowest = std::min(lowest, static_cast<std::int32_t>(in[i]));
    parity ^= in[i];
    like_me |= ((in[i] & 3) == (in[lane] & 3) ? 1u : 0u) << i;
    alike = alike && in[i] == first;
  }
  switch (kind) {
    case VoteKind::Ballot:
      return ballot;
    case VoteKind::Any:
      return ballot != 0;
    case VoteKind::All:
      return ballot == mask;
    case VoteKind::MatchAny:
      return like_me;
    case VoteKind::MatchAll:
      return alike ? mask : 0x100u;
    case VoteKind::ReduceAdd:
      return sum;
    case VoteKind::ReduceMin:
      return static_cast<std::uint32_t>(lowest);
    case VoteKind::ReduceMax:
      return highest;
    case VoteKind::ReduceXor:
      return parity;
  }
  return 0;
}

TEST(Vote, AgreesWithTheDefinition) {
  Random random(2);
  for (const Settings& settings : all_schedules()) {
    for (int kind = 0; kind <= static_cast<int>(VoteKind::ReduceXor); ++kind) {
      for (const int style : {0, 1, 2}) {
        const auto mask = style == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random.next()) | 2u;
        std::vector<std::uint32_t> in(32), out(32, 0);
        for (std::uint32_t& word : in) word = style == 2 ? 5 : static_cast<std::uint32_t>(random.next());
        Stream stream(settings);
        host::vote(stream, static_cast<VoteKind>(kind), 32, mask, in.data(), out.data());
        ASSERT_TRUE(stream.ok()) << stream.report().message;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          if ((mask >> lane & 1) == 0) continue;
          ASSERT_EQ(out[lane], expected_vote(static_cast<VoteKind>(kind), mask, in, lane)) << "kind " << kind;
        }
      }
    }
  }
}

}  // namespace
}  // namespace negzero_tests
