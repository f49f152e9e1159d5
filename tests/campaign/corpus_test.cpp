// The parts of a search: the corpus and its folder, ways of making cases, the file of a shard, cases made again.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/campaign/arms.hpp>
#include <negzero/campaign/corpus.hpp>
#include <negzero/campaign/flights.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/campaign/searched.hpp>
#include <negzero/campaign/shard_file.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/limits.hpp>

#include "kernels.hpp"
#include "processes.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using ::testing::HasSubstr;

Corpus corpus_in(const Directory& directory, Watch watch = Watch::Auto) {
  return {directory.path(), *kernel_named("good.max"), {.watch = watch}};
}

TEST(Corpus, WhatARunShowedIsOnRecordForItsBuild) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  const Shown shown{.features = {7, 1u << 30, 3}, .took_us = 1234};
  corpus.count(shown.features);
  ASSERT_TRUE(corpus.keep(max_case({1, 2}), shown).ok());
  const std::vector<std::string> files = *corpus_in(directory).unknown_files();
  ASSERT_EQ(files.size(), 1u) << "the record is no case";
  EXPECT_EQ(corpus_in(directory).recorded(files[0]), shown);
  EXPECT_FALSE(corpus_in(directory, Watch::Never).recorded(files[0])) << "another way to run it shows other features";
  EvaluationOptions options;
  const std::string build = build_of(*kernel_named("good.max"), options);
  EXPECT_NE(build_of(*kernel_named("good.other"), options), build);
  EXPECT_FALSE(load_shown(files[0], "0123456789abcdef"));
  EXPECT_FALSE(load_shown(files[0], "")) << "of a program that cannot be read nothing is known";
  const std::string path = shown_path(files[0]);
  const std::string good = file_text(path);
  for (const std::string& bad : {std::string(), std::string("{"), good.substr(0, good.size() / 2),
                                 std::string(good).replace(good.find("7,"), 1, "-7"),
                                 std::string(good).replace(good.find("\"version\":1"), 11, "\"version\":2")}) {
    std::ofstream(path, std::ios::trunc) << bad;
    EXPECT_FALSE(corpus_in(directory).recorded(files[0])) << bad;
  }
}

/// build_of() in a process of its own: one process asks for each program once.
std::string build_elsewhere(const kernel::Kernel& kernel) {
  int ends[2];
  if (::pipe(ends) != 0) return "";
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::string build = build_of(kernel, {});
    const bool written = ::write(ends[1], build.data(), build.size()) == static_cast<ssize_t>(build.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  char text[64];
  const ssize_t size = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

TEST(Corpus, AnotherBuildOfAModuleIsAChangeOfWhatItMayImport) {
  const Directory directory;
  const std::string module = directory.path() + "/mine.py", helper = directory.path() + "/helper.py";
  std::ofstream(module) << "import helper";
  kernel::Kernel kernel = *kernel_named("good.max");
  kernel.build.program = {module};
  const std::string alone = build_elsewhere(kernel);
  EXPECT_EQ(alone.size(), 16u);
  EXPECT_EQ(build_elsewhere(kernel), alone);
  std::ofstream(helper) << "first";
  const std::string first = build_elsewhere(kernel);
  EXPECT_NE(first, alone);
  std::ofstream(helper) << "other";
  EXPECT_NE(build_elsewhere(kernel), first);
  std::ofstream(directory.path() + "/notes.txt") << "words";
  std::ofstream(helper) << "first";
  EXPECT_EQ(build_elsewhere(kernel), first);
}

TEST(Corpus, AFeatureIsNewOnce) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  EXPECT_TRUE(corpus.count({1, 2}));
  EXPECT_FALSE(corpus.count({2, 1}));
  EXPECT_FALSE(corpus.count({1}));
  EXPECT_TRUE(corpus.count({1, 3}));
  EXPECT_EQ(corpus.features(), 3u);
}

TEST(Corpus, MadeUpCodeIsNewUpToALimit) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  const auto code = [](std::uint32_t value) { return feature::Feature{feature::Kind::Code, value}.number(); };
  for (std::uint32_t i = 0; i < Corpus::kMostFeatures; ++i) EXPECT_TRUE(corpus.count({code(i)}));
  EXPECT_EQ(corpus.code_blocks(), Corpus::kMostFeatures / 8) << "eight counts of each";
  EXPECT_FALSE(corpus.count({code(Corpus::kMostFeatures)}));
  EXPECT_FALSE(corpus.count({code(0)}));
  EXPECT_TRUE(corpus.count({1})) << "of values";
  EXPECT_EQ(corpus.features(), Corpus::kMostFeatures + 1);
}

TEST(Corpus, WhatIsKeptIsAFileThatAnotherCorpusFinds) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  EXPECT_TRUE(corpus.unknown_files()->empty());
  const operation::Case value = max_case({1, 2, 3});
  ASSERT_TRUE(corpus.keep(value, {.features = {1}}).ok());
  ASSERT_TRUE(corpus.keep(value, {.features = {1}}).ok()) << "the same case is the same file";
  EXPECT_TRUE(corpus.unknown_files()->empty()) << "it knows its own";
  Corpus other = corpus_in(directory);
  const auto files = other.unknown_files();
  ASSERT_EQ(files->size(), 1u);
  EXPECT_TRUE(other.unknown_files()->empty());
  const auto again = case_file::load(files->front());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->kernel, "good.max");
  EXPECT_FALSE(again->contract.empty());
  EXPECT_EQ(file_of(*again), file_of(value));
}

TEST(Corpus, ACaseThatAnotherShardWroteIsOneEntry) {
  const Directory directory;
  Corpus corpus = corpus_in(directory), other = corpus_in(directory);
  const operation::Case value = max_case({1, 2, 3});
  ASSERT_TRUE(other.keep(value, {.features = {1}}).ok());
  const std::string file = corpus.unknown_files()->at(0);
  corpus.count({1});
  ASSERT_TRUE(corpus.keep(value, {.features = {1}}, file).ok());
  corpus.count({2});
  ASSERT_TRUE(corpus.keep(value, {.features = {2}}).ok()) << "it was drawn here too, and showed something else";
  EXPECT_EQ(corpus.size(), 1u);
  EXPECT_EQ(*corpus.minimise(), 0u);
  EXPECT_EQ(corpus.features(), 2u) << "of both runs";
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(Searched, AFileThatWasReadHalfWrittenIsReadAgain) {
  const Directory directory;
  const kernel::Kernel& kernel = *kernel_named("good.max");
  FuzzOptions options;
  options.folder = directory.path();
  Searched searched(kernel, options);
  const std::string folder = searched.corpus().directory(), path = folder + "/ours.safetensors";
  std::filesystem::create_directories(folder);
  const std::string whole = file_of(max_case({1, 2, 3}));
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);
  const auto cases_found = [&] {
    EXPECT_TRUE(searched.find_files().ok());
    return searched.has_files() ? std::get<WholeCases>(searched.next(1, 10).source).size() : 0;
  };
  EXPECT_EQ(cases_found(), 0u);
  ASSERT_TRUE(searched.problem());
  EXPECT_THAT(searched.problem()->message, HasSubstr(path));
  EXPECT_EQ(cases_found(), 0u) << "nothing has changed";
  EXPECT_TRUE(searched.problem());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << whole;
  EXPECT_EQ(cases_found(), 1u);
  EXPECT_FALSE(searched.problem()) << searched.problem()->message;
  EXPECT_EQ(cases_found(), 0u) << "it is known now";
}

TEST(Corpus, RareFeaturesMakeParents) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  const operation::Case common = max_case({1}), rare = max_case({2});
  corpus.count({7});
  ASSERT_TRUE(corpus.keep(rare, {.features = {7}}).ok());
  for (int i = 0; i < 50; ++i) corpus.count({8});
  ASSERT_TRUE(corpus.keep(common, {.features = {8}}).ok());
  base::Random random(1);
  int drawn = 0;
  for (int i = 0; i < 200; ++i) drawn += corpus.parents(1, random).front() == file_of(rare) ? 1 : 0;
  EXPECT_GT(drawn, 180);
  EXPECT_LT(drawn, 200) << "the common one is drawn too";
  EXPECT_EQ(corpus.parents(50, random).size(), 2u) << "each once";
}

TEST(Corpus, OfCasesThatShowAsMuchTheQuickOneIsDrawnMore) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  const operation::Case quick = max_case({1}), slow = max_case({2});
  corpus.count({7, 8});
  ASSERT_TRUE(corpus.keep(quick, {{7}, 100}).ok());
  ASSERT_TRUE(corpus.keep(slow, {{8}, 1700}).ok());
  base::Random random(1);
  int drawn = 0;
  for (int i = 0; i < 1000; ++i) drawn += corpus.parents(1, random).front() == file_of(quick) ? 1 : 0;
  EXPECT_NEAR(drawn, 900, 40) << "200 us against 1,800, with what a case costs besides";
}

TEST(Corpus, ParentsKeepUpWithWhatRunsShow) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  const operation::Case one = max_case({1}), other = max_case({2});
  corpus.count({7, 8});
  ASSERT_TRUE(corpus.keep(one, {{7}}).ok());
  ASSERT_TRUE(corpus.keep(other, {{8}}).ok());
  base::Random random(1);
  const auto share_of_one = [&] {
    int drawn = 0;
    for (int i = 0; i < 200; ++i) drawn += corpus.parents(1, random).front() == file_of(one) ? 1 : 0;
    return drawn;
  };
  EXPECT_NEAR(share_of_one(), 100, 30);
  for (int i = 0; i < 50; ++i) corpus.count({7});
  EXPECT_LT(share_of_one(), 20);
}

TEST(Corpus, MinimisingKeepsEveryFeatureAndTheSmallCases) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  const operation::Case small = max_case({1}), large = max_case(std::vector<float>(64, 1)), own = max_case({3, 4});
  corpus.count({1, 2, 3});
  ASSERT_TRUE(corpus.keep(large, {.features = {1, 2}}).ok());
  ASSERT_TRUE(corpus.keep(small, {.features = {1, 2}}).ok());
  ASSERT_TRUE(corpus.keep(own, {.features = {2, 3}}).ok());
  EXPECT_EQ(*corpus.minimise(), 1u);
  Corpus left = corpus_in(directory);
  std::set<std::string> files;
  const auto found = left.unknown_files();
  for (const std::string& path : *found) files.insert(file_of(*case_file::load(path)));
  EXPECT_EQ(files, (std::set<std::string>{file_of(small), file_of(own)}));
  EXPECT_EQ(*corpus.minimise(), 0u);
}

TEST(Corpus, FeaturesThatWereNotCountedKeepNoCase) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  corpus.count({1});
  ASSERT_TRUE(corpus.keep(max_case({1}), {.features = {1}}).ok());
  ASSERT_TRUE(corpus.keep(max_case({2, 3}), {.features = {1, 2}}).ok()) << "2 is one too many";
  EXPECT_EQ(*corpus.minimise(), 1u);
  EXPECT_EQ(corpus.features(), 1u);
}

TEST(Corpus, OfFewThatStayTheMostTellingDo) {
  const Directory directory;
  Corpus corpus = corpus_in(directory);
  const Features shown[] = {{1, 2}, {1, 2, 3}, {3}, {4}, {1, 2, 3}};
  // The last is a larger file than the second.
  const operation::Case cases[] = {max_case({1}), max_case({2}), max_case({3}), max_case({4}),
                                   max_case(std::vector<float>(100, 5))};
  for (std::size_t i = 0; i < 5; ++i) {
    corpus.count(shown[i]);
    ASSERT_TRUE(corpus.keep(cases[i], {.features = shown[i]}).ok());
  }
  EXPECT_EQ(*corpus.minimise(1), 4u);
  EXPECT_EQ(corpus.features(), 3u) << "what is gone is not known any more";
  Corpus again = corpus_in(directory);
  const auto files = again.unknown_files();
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(file_of(*case_file::load(files->front())), file_of(cases[1]));
  EXPECT_EQ(*corpus.minimise(9), 0u);
}

TEST(Arms, WhatPaysIsTakenMoreAndNothingIsForgotten) {
  Arms arms({{.name = "pays", .weight = 1}, {.name = "pays not", .weight = 1}, {.name = "heavy", .weight = 2}});
  base::Random random(1);
  const auto shares = [&] {
    std::vector<int> taken(3);
    for (int i = 0; i < 4000; ++i) ++taken[arms.choose(random, [](std::size_t) { return true; }).place];
    return taken;
  };
  const std::vector<int> before = shares();
  EXPECT_NEAR(before[0], before[1], 200);
  EXPECT_NEAR(before[2], 2000, 200);
  for (int i = 0; i < 500; ++i) {
    arms.count({0}, i % 4 == 0, 10);
    arms.count({1, true}, false, 10);
    arms.count({2}, false, 10);
  }
  const std::vector<int> after = shares();
  EXPECT_GT(after[0], 3000);
  EXPECT_GT(after[1], 0);
  EXPECT_EQ(arms.all()[0].kept, 125u);
  for (int i = 0; i < 20000; ++i) arms.count({0, true}, false, 10);
  EXPECT_LT(shares()[0], 1500) << "what paid long ago";
  const auto usable = [](std::size_t place) { return place == 1; };
  for (int i = 0; i < 100; ++i) EXPECT_EQ(arms.choose(random, usable).place, 1u);
}

TEST(Arms, WhatPaysAsOftenInLessTimeIsTakenMore) {
  Arms arms({{.name = "quick"}, {.name = "slow"}});
  base::Random random(1);
  for (int i = 0; i < 500; ++i) {
    arms.count({0}, i % 4 == 0, 10);
    arms.count({1, true}, i % 4 == 0, 50);
  }
  int quick = 0;
  for (int i = 0; i < 1000; ++i) quick += arms.choose(random, [](std::size_t) { return true; }).place == 0 ? 1 : 0;
  EXPECT_GT(quick, 750);
  EXPECT_LT(quick, 900);
}

TEST(Arms, AFifthOfTheTimeGoesByWeightAlone) {
  Arms arms({{.name = "quick"}, {.name = "slow"}});
  base::Random random(1);
  std::uint64_t even_us = 0, all_us = 0;
  for (int i = 0; i < 20000; ++i) {
    const Arms::Choice choice = arms.choose(random, [](std::size_t) { return true; });
    const std::uint64_t took_us = choice.place == 0 ? 10 : 1000;
    all_us += took_us;
    even_us += choice.even ? took_us : 0;
    arms.count(choice, choice.place == 0, took_us);
  }
  EXPECT_NEAR(static_cast<double>(even_us) / static_cast<double>(all_us), 1.0 / Arms::kEvenOneIn, 0.01);
}

TEST(Flights, ATaskLeavesWithItsLastReplyOrTheLastThatIsWanted) {
  Flights<std::string> flights;
  const auto first = flights.begin("first", 2), second = flights.begin("second", 9);
  ASSERT_TRUE(first && second);
  flights.answered(*first, true);
  EXPECT_EQ(flights.at(*first), "first");
  EXPECT_EQ(flights.size(), 2u);
  flights.answered(*first, true);
  EXPECT_EQ(flights.size(), 1u);
  EXPECT_EQ(flights.at(*second), "second");
  flights.answered(*second, false);
  EXPECT_EQ(flights.size(), 0u) << "the other eight never come";
}

TEST(Flights, ATaskWithoutCasesIsNotUnderWay) {
  Flights<int> flights;
  EXPECT_FALSE(flights.begin(1, 0));
  EXPECT_EQ(flights.size(), 0u);
  EXPECT_EQ(flights.begin(2, 1), 0u);
  EXPECT_EQ(flights.next(), 1u);
}

TEST(ShardFile, OfManyPointsSomeAreKeptAndTheLast) {
  std::vector<FuzzPoint> points;
  for (std::uint64_t i = 1; i <= 5000; ++i) {
    add_point(points, {.elapsed_ms = i, .cases = 2 * i});
    ASSERT_EQ(points.back().elapsed_ms, i);
    ASSERT_LE(points.size(), 1024u);
  }
  EXPECT_GT(points.size(), 400u);
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &FuzzPoint::elapsed_ms));
}

ShardState some_state() {
  ShardState state{
      .seed = ~std::uint64_t{0}, .elapsed_ms = 61000, .points = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}, .kernels = {}};
  KernelState kernel;
  std::uint64_t number = 100;
  for (auto member : {&FuzzedKernel::cases, &FuzzedKernel::pass, &FuzzedKernel::vacuous, &FuzzedKernel::fail,
                      &FuzzedKernel::refused, &FuzzedKernel::error, &FuzzedKernel::watched}) {
    kernel.*member = number++;
  }
  kernel.arms.all() = {{.name = "exact", .next = 64, .cases = 60, .kept = 3}, {.name = "changed", .next = 32}};
  state.kernels.emplace("good.max", kernel);
  return state;
}

TEST(ShardFile, IsReadAsItWasWritten) {
  const Directory directory;
  const std::string path = shard_path(directory.path(), {.number = 2, .count = 4});
  EXPECT_THAT(path, HasSubstr("/shards/2-of-4.json"));
  EXPECT_FALSE(load_shard(path)->has_value());
  const ShardState state = some_state();
  ASSERT_TRUE(save_shard(path, state).ok());
  const auto loaded = load_shard(path);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const ShardState& again = **loaded;
  EXPECT_EQ(again.seed, state.seed);
  EXPECT_EQ(again.elapsed_ms, state.elapsed_ms);
  EXPECT_EQ(again.points, state.points);
  const KernelState &before = state.kernels.at("good.max"), &after = again.kernels.at("good.max");
  for (auto member : {&FuzzedKernel::cases, &FuzzedKernel::pass, &FuzzedKernel::vacuous, &FuzzedKernel::fail,
                      &FuzzedKernel::refused, &FuzzedKernel::error, &FuzzedKernel::watched}) {
    EXPECT_EQ(after.*member, before.*member);
  }
  ASSERT_EQ(after.arms.all().size(), 2u);
  const auto exact = std::ranges::find(after.arms.all(), "exact", &Arm::name);
  EXPECT_EQ(exact->next, 64u);
  EXPECT_EQ(exact->cases, 60u);
  EXPECT_EQ(exact->kept, 3u);
}

TEST(ShardFile, WhatIsNoneIsAnErrorThatNamesIt) {
  const Directory directory;
  const std::string path = directory / "1-of-1.json";
  ASSERT_TRUE(save_shard(path, some_state()).ok());
  std::ifstream file(path);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  int refused = 0;
  for (std::size_t end = 0; end < good.size() - 2; end += 7) {
    std::ofstream(path, std::ios::trunc) << good.substr(0, end);
    const auto loaded = load_shard(path);
    if (loaded) continue;
    EXPECT_THAT(loaded.error().message, HasSubstr("1-of-1.json"));
    ++refused;
  }
  EXPECT_GT(refused, 50);
  for (const auto& [from, to] :
       {std::pair{"\"version\": 2", "\"version\": 3"}, {"\"cases\": 100", "\"cases\": -1"}, {"\"pass\"", "\"past\""}}) {
    std::string bad = good;
    ASSERT_NE(bad.find(from), std::string::npos) << from;
    bad.replace(bad.find(from), std::string_view(from).size(), to);
    std::ofstream(path, std::ios::trunc) << bad;
    EXPECT_FALSE(load_shard(path).ok()) << to;
  }
  const auto folder = load_shard(directory.path());
  ASSERT_FALSE(folder.ok()) << "it opens as a file does, and cannot be read";
  EXPECT_THAT(folder.error().message, HasSubstr("cannot be read"));
}

Request children(std::uint64_t begin, std::uint64_t end, std::vector<std::string> parents) {
  ChangedRange changed;
  changed.numbers = {.seed = 9, .begin = begin, .end = end};
  changed.parents = std::move(parents);
  Request request{.kernel = "good.max"};
  request.source = std::move(changed);
  return request;
}

TEST(RequestedCases, ChildrenAreTheSameWhereverTheyAreMade) {
  const kernel::Kernel& kernel = *kernel_named("good.max");
  const std::vector<std::string> parents{file_of(max_case({1, 2, 3})), "no case", file_of(max_case({-1}))};
  const Request all = children(10, 60, parents), some = children(30, 60, parents);
  const RequestedCases every(all, kernel), later(some, kernel);
  std::set<std::string> different;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto child = every.at(i);
    ASSERT_TRUE(child.ok()) << child.error().message;
    EXPECT_TRUE(operation::validate(*child).ok());
    EXPECT_FALSE(operation::outside(kernel.limits, child->operation, child->layouts, child->in_place));
    different.insert(file_of(*child));
    EXPECT_TRUE(i < 20 || *later.at(i - 20) == *child);
  }
  EXPECT_GT(different.size(), 40u);
  const Request none = children(0, 1, {"no case"});
  EXPECT_FALSE(RequestedCases(none, kernel).at(0).ok());
}

}  // namespace
}  // namespace negzero::campaign
