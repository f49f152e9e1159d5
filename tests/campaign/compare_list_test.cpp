// Lists of pairs: which pairs they name, what is wrong with them, and what becomes of each pair.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/compare_list.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using Outcome = ComparedPair::Outcome;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A kernel that takes more rows than any other of the tests.
const bool many_rows =
    kernel::registry().add({.name = "wide.many_rows",
                            .operation = "reduce.max",
                            .contract = {.zero_sign = contract::ZeroSign::Ieee},
                            .limits = {.formats = {{number::FormatId::F32, number::FormatId::F32}},
                                       .extents = {{"rows", {.min = 17, .max = 20}}, {"columns", {.max = 64}}}},
                            .launch = [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                              on_device(stream, [&] { select_rows(reduce_args(args), false); });
                              return LaunchResult::launched();
                            }});

const bool paired[] = {add_max("left.a.f32", {}),  add_max("left.b.f32", {}),  add_max("left.only.f32", {}),
                       add_max("right.a.f32", {}), add_max("right.b.f32", {}), add_max("right.other.f32", {})};

/// A machine without a GPU.
base::Result<kernel::Where> on_host(const std::optional<std::string>& executor) {
  if (executor == "cuda") return base::Error{base::ErrorKind::Unavailable, "no GPU"};
  const auto named = kernel::where_named(executor.value_or("host"));
  if (!named) return base::usage_error("the executor after @ is host, watched or cuda");
  return *named;
}

base::Result<PairList> read(const std::string& text) {
  const Directory directory;
  std::ofstream(directory / "pairs.txt") << text;
  return read_pairs(directory / "pairs.txt", on_host);
}

/// "left.a.f32 right.a.f32 :3", a text a pair.
std::vector<std::string> texts_of(const PairList& list) {
  std::vector<std::string> texts;
  for (const KernelPair& pair : list.pairs) {
    texts.push_back(pair.first->name + " " + pair.second->name + " :" + std::to_string(pair.line));
  }
  return texts;
}

TEST(CompareNames, ALineIsAPairAndAStarHasTheSameTextOnBothSides) {
  const auto list = read(
      "# two that promise the same\n"
      "\n"
      "good.max\tgood.other@host   # a comment\r\n"
      "left.*.f32 right.*.f32\n"
      "  left.a.f32   right.a.f32 \n"
      "right.a.f32 left.a.f32");
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_THAT(texts_of(*list), ElementsAre("good.max good.other :3", "left.a.f32 right.a.f32 :4",
                                           "left.b.f32 right.b.f32 :4", "right.a.f32 left.a.f32 :6"))
      << "a pair that comes again is there once";
  ASSERT_EQ(list->alone.size(), 2u);
  EXPECT_EQ(list->alone[0].kernel, "left.only.f32");
  EXPECT_EQ(list->alone[0].partner, "right.only.f32");
  EXPECT_EQ(list->alone[0].line, 4u);
  EXPECT_EQ(list->alone[1].kernel, "right.other.f32");
}

TEST(CompareNames, ALineThatMakesNoSenseIsAnErrorWithItsPlaceItsTextAndACure) {
  const auto wrong = [](const std::string& line) {
    const auto list = read("good.max good.other\n\n" + line + "\ngood.other good.max\n");
    EXPECT_FALSE(list.ok()) << line;
    if (list.ok()) return base::Error{};
    EXPECT_THAT(list.error().message, AllOf(HasSubstr("--list /"), HasSubstr("pairs.txt, line 3: "))) << line;
    return list.error();
  };
  EXPECT_THAT(wrong("good.max").message, AllOf(HasSubstr("good.max: one word"), HasSubstr("write a pair a line")));
  EXPECT_THAT(wrong("good.max good.other bad.hangs").message, HasSubstr("good.max good.other bad.hangs: 3 words"));
  EXPECT_THAT(wrong("good.max good.othr").message,
              AllOf(HasSubstr("'good.othr' is not known"), HasSubstr("good.other")));
  EXPECT_THAT(wrong("good.max@gpu good.other").message, HasSubstr("good.max@gpu: the executor after @ is host"));
  EXPECT_THAT(wrong("good.max@ good.other").message, HasSubstr("the executor after @ is host"));
  EXPECT_THAT(wrong("left.*@gpu right.*").message, HasSubstr("left.*@gpu: the executor after @ is host"));
  EXPECT_THAT(wrong("left.* right.a.f32").message, HasSubstr("only one side has a *"));
  EXPECT_THAT(wrong("left.*.* right.*.*").message, HasSubstr("left.*.*: a pattern has one *"));
  EXPECT_THAT(wrong("left.? right.?").message, HasSubstr("left.?: a pattern has a * and no ?"));
  EXPECT_THAT(wrong("no.such.* right.*").message, HasSubstr("no kernel matches 'no.such.*'"));
  EXPECT_THAT(wrong("left.only.* right.*").message, AllOf(HasSubstr("no pair"), HasSubstr("right.f32")));
  EXPECT_EQ(wrong("no.such.* right.*").kind, base::ErrorKind::Undecided) << "as `check` has it";
  EXPECT_EQ(wrong("good.max good.othr").kind, base::ErrorKind::Usage);
  EXPECT_EQ(wrong("left.*@cuda right.*").kind, base::ErrorKind::Unavailable);
}

TEST(CompareNames, AListMayBeginWithAByteOrderMark) {
  const auto list = read("\xEF\xBB\xBFgood.max good.other\r\n");
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_THAT(texts_of(*list), ElementsAre("good.max good.other :1"));
}

TEST(CompareNames, AListWithoutAPairIsNoPass) {
  for (const std::string text : {"", "\n\n", "# good.max good.other\n"}) {
    const auto list = read(text);
    ASSERT_FALSE(list.ok());
    EXPECT_EQ(list.error().kind, base::ErrorKind::Undecided);
  }
  EXPECT_EQ(read(std::string("good.max\0good.other", 19)).error().kind, base::ErrorKind::Usage);
  const auto none = read_pairs("/no/such/list", on_host);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("--list /no/such/list"));
}

/// Compares the pairs of a text; `stop` is asked with the number of pairs that have ended.
base::Result<CompareListReport> compared(
    const std::string& text, CompareOptions options = {.cases = 40},
    const std::function<bool(std::size_t)>& stop = [](std::size_t) { return false; }) {
  const Directory directory;
  if (options.save_dir == "findings") options.save_dir = directory.path();
  options.evaluation.timeout_ms = 100;
  options.evaluation.shrink_time_ms = 1000;
  const auto list = read(text);
  EXPECT_TRUE(list.ok()) << list.error().message;
  std::size_t ended = 0;
  const CompareListListener listener{.on_start = [] {},
                                     .on_progress = [](std::size_t, std::uint64_t) {},
                                     .on_pair = [&](const ComparedPair&) { ++ended; }};
  return compare_list(
      *list, options, [&](kernel::Place) { return base::Result<EvaluationOptions>(options.evaluation); }, listener,
      [&] { return stop(ended); });
}

std::vector<Outcome> outcomes_of(const CompareListReport& report, bool bitwise = false) {
  std::vector<Outcome> outcomes;
  for (const ComparedPair& pair : report.pairs) outcomes.push_back(pair.outcome(bitwise));
  return outcomes;
}

TEST(CompareList, EachPairHasItsOutcomeAndOnlyWhatWasComparedIsAPass) {
  const auto report = compared(
      "good.max good.other\n"
      "good.max bad.skips_last\n"
      "good.max wide.many_rows\n"
      "good.other bad.aborts\n"
      "good.other good.max\n");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_THAT(outcomes_of(*report), ElementsAre(Outcome::Identical, Outcome::Finding, Outcome::Undecided,
                                                Outcome::Finding, Outcome::Identical));
  EXPECT_EQ(report->pairs[0].report.identical, 40u);
  EXPECT_EQ(report->pairs[2].report.refused, 40u) << "every case lies outside the limits of the second";
  EXPECT_THAT(report->pairs[2].report.refusal, HasSubstr("wide.many_rows@host"));
  EXPECT_FALSE(report->interrupted);
}

TEST(CompareList, CasesWithoutAResultCompareNothing) {
  const CompareOptions none{.cases = 20, .mix = {.extents = {{"rows", {0, 0, 1}}}}};
  const auto report = compared("good.max good.other\n", none);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->pairs[0].report.identical, 20u);
  EXPECT_EQ(report->pairs[0].report.without_results, 20u);
  EXPECT_THAT(outcomes_of(*report), ElementsAre(Outcome::Undecided));
  const auto some = compared("good.max good.other\n", {.cases = 20, .mix = {.extents = {{"rows", {1, 4, 1}}}}});
  EXPECT_EQ(some->pairs[0].report.without_results, 0u);
  EXPECT_THAT(outcomes_of(*some), ElementsAre(Outcome::Identical));
}

TEST(CompareList, ThePairsBehindAStopOrAFirstFindingAreNotRun) {
  const std::string text = "good.max good.other\ngood.max bad.skips_last\ngood.other good.max\n";
  const auto stopped = compared(text, {.cases = 40}, [](std::size_t ended) { return ended == 1; });
  ASSERT_TRUE(stopped.ok());
  EXPECT_TRUE(stopped->interrupted);
  EXPECT_THAT(outcomes_of(*stopped), ElementsAre(Outcome::Identical, Outcome::NotRun, Outcome::NotRun));
  EXPECT_EQ(stopped->pairs[2].report.first, "good.other@host") << "it is listed all the same";
  const auto first = compared(text, {.cases = 40, .first_finding = true});
  ASSERT_TRUE(first.ok());
  EXPECT_THAT(outcomes_of(*first), ElementsAre(Outcome::Identical, Outcome::Finding, Outcome::NotRun));
}

TEST(CompareList, APairThatAnEndInterruptsIsNoPass) {
  int asked = 0;
  const auto report =
      compared("good.max good.other\n", {.cases = 1'000'000}, [&](std::size_t) { return ++asked > 20; });
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->pairs[0].report.identical, 0u);
  EXPECT_THAT(outcomes_of(*report), ElementsAre(Outcome::Interrupted));
}

TEST(CompareList, WhatCannotBeComparedIsKnownBeforeAnythingRuns) {
  bool ran = false;
  const auto refused = [&](const std::string& text, const CompareOptions& options = {.cases = 5}) {
    const auto report = compared(text, options, [&](std::size_t) { return ran = true, false; });
    EXPECT_FALSE(report.ok());
    return report.ok() ? base::Error{} : report.error();
  };
  EXPECT_THAT(refused("good.max good.other\ngood.max good.max\n").message,
              AllOf(HasSubstr(", line 2: good.max good.max: "), HasSubstr("with itself")));
  EXPECT_THAT(refused("good.max good.other\ngood.max bad.varies\n").message,
              AllOf(HasSubstr(", line 2: "), HasSubstr("only kernels of one operation")));
  EXPECT_THAT(refused("good.max good.other\n", {.cases = 5, .mix = {.weights = {{"no_such", 1}}}}).message,
              AllOf(HasSubstr(", line 1: "), HasSubstr("no_such")));
  EXPECT_EQ(refused("good.max good.other\n", {.cases = 5, .save_dir = "/proc/no/such"}).kind,
            base::ErrorKind::Infrastructure);
  EXPECT_FALSE(ran);
}

TEST(CompareList, APairThatCannotRunIsAnErrorAndTheOthersRun) {
  const auto list = read("good.max good.other\ngood.other good.max\n");
  ASSERT_TRUE(list.ok());
  const Directory directory;
  int asked = 0;
  const auto report = compare_list(
      *list, {.cases = 10, .save_dir = directory.path()},
      [&](kernel::Place) {
        return asked++ == 0 ? base::Result<EvaluationOptions>(base::infrastructure_error("no process"))
                            : base::Result<EvaluationOptions>(EvaluationOptions{});
      },
      {[] {}, [](std::size_t, std::uint64_t) {}, [](const ComparedPair&) {}}, [] { return false; });
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(outcomes_of(*report), ElementsAre(Outcome::Error, Outcome::Identical));
  EXPECT_EQ(report->pairs[0].error->message, "no process");
}

TEST(CompareList, OutcomesHaveNames) {
  EXPECT_EQ(name(Outcome::Identical), "identical");
  EXPECT_EQ(name(Outcome::NotRun), "not_run");
}

}  // namespace
}  // namespace negzero::campaign
