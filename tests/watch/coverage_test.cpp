// The blocks that a watched kernel runs: which, how often, the same each time, and none while they are not noted.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/watch/coverage.hpp>

#include "watch_kernels.hpp"

extern "C" void __sanitizer_cov_trace_pc();

namespace negzero::watch {
namespace {

/// The blocks that a kernel of the tests runs with so many threads.
std::vector<CoveredBlock> blocks_of(const char* kernel, int threads) {
  std::vector<float> in(256), out(256), scratch(256);
  std::vector<unsigned> counter(256);
  std::vector<unsigned short> halves(6);
  engine::Stream stream;
  Coverage coverage;
  coverage.start();
  EXPECT_TRUE(negzero_tests::watched::run_watch_kernel(
      kernel, stream, 1, threads, {in.data(), out.data(), counter.data(), scratch.data(), halves.data()}));
  coverage.stop();
  EXPECT_EQ(stream.report().status, engine::LaunchStatus::Ok) << stream.report().message;
  return coverage.blocks();
}

std::uint64_t most_times(const std::vector<CoveredBlock>& blocks) {
  return std::ranges::max(blocks, {}, &CoveredBlock::times).times;
}

TEST(Coverage, BlocksOfAWatchedKernelAreCounted) {
  const std::vector<CoveredBlock> one = blocks_of("copy", 1), many = blocks_of("copy", 64);
  ASSERT_FALSE(one.empty());
  EXPECT_EQ(blocks_of("copy", 64), many) << "the same each time";
  EXPECT_GE(most_times(many), 64u);
  EXPECT_GE(most_times(many), 32 * most_times(one));
  for (const CoveredBlock& block : many) {
    EXPECT_GT(block.times, 0u);
    EXPECT_EQ(std::ranges::count(many, block.place, &CoveredBlock::place), 1);
  }
}

TEST(Coverage, NothingIsNotedBeforeAndAfter) {
  Coverage coverage;
  __sanitizer_cov_trace_pc();
  EXPECT_TRUE(coverage.blocks().empty());
  coverage.start();
  __sanitizer_cov_trace_pc();
  coverage.stop();
  __sanitizer_cov_trace_pc();
  ASSERT_EQ(coverage.blocks().size(), 1u);
  EXPECT_EQ(coverage.blocks().front().times, 1u);
  coverage.start();
  EXPECT_TRUE(coverage.blocks().empty());
  {
    Coverage other;
    other.start();
  }
  __sanitizer_cov_trace_pc();
  EXPECT_TRUE(coverage.blocks().empty()) << "another took its place";
}

TEST(Coverage, BlocksThatShareAHomeAreToldApartAndTheirNumberIsLimited) {
  Coverage coverage;
  coverage.start();
  coverage.stop();
  const auto address = [](std::uintptr_t i) { return reinterpret_cast<const void*>((i + 1) << 16); };
  for (int round = 0; round < 3; ++round) {
    for (std::uintptr_t i = 0; i < 2 * Coverage::kMost; ++i) coverage.note(address(i));
  }
  const std::vector<CoveredBlock> blocks = coverage.blocks();
  ASSERT_EQ(blocks.size(), Coverage::kMost);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].times, 3u);
    EXPECT_EQ(blocks[i].place - blocks[0].place, i << 16) << "those that came first, in their order";
  }
}

}  // namespace
}  // namespace negzero::watch
