// Cases counted by the values of options: kept in the file of a shard, summed over shards, cut where they are many.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/folder.hpp>
#include <negzero/campaign/option_counts.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using ::testing::HasSubstr;

TEST(OptionCounts, EveryCaseCountsOnceForEachOption) {
  OptionCounts counts;
  count({{"algorithm", 7}, {"split", 1}}, true, counts);
  count({{"algorithm", 7}, {"split", 4}}, false, counts);
  count({}, true, counts);
  EXPECT_EQ(counts, (OptionCounts{{"algorithm", {{{7, {2, 1}}}, {}}}, {"split", {{{1, {1, 1}}, {4, {1, 0}}}, {}}}}));
}

TEST(OptionCounts, FailingValuesComeByTheirShare) {
  const OptionCases option{{{1, {10, 5}}, {2, {3, 0}}, {3, {2, 2}}, {4, {4, 2}}}, {}};
  const std::vector<std::pair<std::int64_t, OptionCount>> expected{{3, {2, 2}}, {1, {10, 5}}, {4, {4, 2}}};
  EXPECT_EQ(failing_values(option), expected);
}

TEST(OptionCounts, OptionsAddUpValueByValueAndLongListsAreCut) {
  const Directory directory;
  ShardState first, second;
  KernelState state;
  state.cases = 12;
  state.options["algorithm"].values = {{-1, {7, 2}}, {3, {5, 0}}};
  first.kernels = {{"good.max", state}};
  state.options["algorithm"].values = {{3, {4, 1}}, {8, {2, 0}}};
  state.options["algorithm"].others = {10, 1};
  for (std::int64_t i = 0; i < 100; ++i) state.options["tile"].values[i] = {i == 70 ? 3u : 1u, i == 90 ? 1u : 0u};
  second.kernels = {{"good.max", state}};
  ASSERT_TRUE(save_shard(shard_path(directory.path(), {1, 2}), first).ok());
  ASSERT_TRUE(save_shard(shard_path(directory.path(), {2, 2}), second).ok());
  const auto folder = read_folder(directory.path());
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const OptionCounts& options = folder->kernels[0].options;
  EXPECT_EQ(options.at("algorithm"), (OptionCases{{{-1, {7, 2}}, {3, {9, 1}}, {8, {2, 0}}}, {10, 1}}));
  const OptionCases& tile = options.at("tile");
  EXPECT_EQ(tile.values.size(), kMostCountedValues);
  EXPECT_EQ(tile.others, (OptionCount{36, 0})) << "the rest of 102 cases";
  EXPECT_EQ(tile.values.at(90), (OptionCount{1, 1})) << "what failed stays";
  EXPECT_EQ(tile.values.at(70), (OptionCount{3, 0})) << "and what was drawn most";
}

TEST(OptionCounts, AFileOfAnEarlierVersionHasNoOptionsAndABrokenOneIsRefused) {
  const Directory directory;
  const std::string path = shard_path(directory.path(), {1, 1});
  ShardState state;
  state.kernels = {{"good.max", KernelState{}}};
  state.kernels["good.max"].options["algorithm"].values = {{3, {5, 0}}};
  ASSERT_TRUE(save_shard(path, state).ok());
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    EXPECT_NE(changed.find(from), std::string::npos) << text;
    changed.replace(changed.find(from), from.size(), to);
    std::ofstream(path) << changed;
    return load_shard(path);
  };
  const std::size_t begin = text.find("\"options\""), end = text.find("\"pass\"");
  const auto earlier = with(text.substr(begin, end - begin), "");
  ASSERT_TRUE(earlier.ok()) << earlier.error().message;
  EXPECT_TRUE((*earlier)->kernels.at("good.max").options.empty());
  EXPECT_EQ((*with("3", "3"))->kernels.at("good.max").options, state.kernels["good.max"].options);
  for (const auto& [from, to] :
       {std::pair("\"values\"", "\"valued\""), {"\"others\": [", "\"others\": [1,"}, {"     [", "     [1,"}}) {
    const auto broken = with(from, to);
    ASSERT_FALSE(broken.ok()) << to;
    EXPECT_THAT(broken.error().message, HasSubstr("remove the file to begin this shard anew")) << to;
  }
}

}  // namespace
}  // namespace negzero::campaign
