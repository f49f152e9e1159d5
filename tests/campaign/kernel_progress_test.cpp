// Results that come in any order are counted in the order of their cases.

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/campaign/kernel_progress.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using ::testing::HasSubstr;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

KernelProgress progress_of(std::uint64_t cases) {
  return KernelProgress(GeneratedCases(*kernel_named("good.max"), 1, cases, {}));
}

/// What a case does, by a letter: pass, vacuous, refused, error, wrong value, crash (of its process), bad launch (of
/// the same class, and the process lives on), hang.
Reply reply_of(std::uint64_t index, char letter) {
  Reply reply{.index = index, .strategy = "special", .verdict = {}};
  Verdict& verdict = reply.verdict;
  const auto fail = [&](FailureClass kind, verdict::Rule rule) {
    verdict.kind = VerdictKind::Fail;
    verdict.failure = verdict::Failure{.kind = kind, .rule = rule};
  };
  switch (letter) {
    case 'p':
      verdict = {.kind = VerdictKind::Pass, .failure = {}, .reason = {}, .margin = 0.25};
      break;
    case 'v':
      verdict.kind = VerdictKind::Vacuous;
      break;
    case 'r':
      verdict.kind = VerdictKind::Refused;
      break;
    case 'w':
      fail(FailureClass::WrongValue, "select.value");
      break;
    case 'c':
      fail(FailureClass::Crash, "run.crash");
      break;
    case 'b':
      fail(FailureClass::Crash, "run.launch");
      break;
    case 'h':
      fail(FailureClass::Hang, "run.hang");
      break;
    default:
      verdict = {.kind = VerdictKind::Error, .failure = {}, .reason = "ours"};
  }
  return reply;
}

KernelProgress after(const std::string& letters, const std::vector<std::size_t>& order) {
  KernelProgress progress = progress_of(letters.size());
  for (const std::size_t i : order) progress.add(reply_of(i, letters[i]));
  return progress;
}

KernelProgress after(const std::string& letters) {
  std::vector<std::size_t> order(letters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return after(letters, order);
}

TEST(KernelProgress, BatchesCoverTheCasesOnce) {
  KernelProgress progress = progress_of(70);
  std::uint64_t at = 0;
  while (const auto batch = progress.next(32)) {
    EXPECT_EQ(batch->begin, at);
    EXPECT_LE(batch->end - batch->begin, 32u);
    at = batch->end;
  }
  EXPECT_EQ(at, 70u);
}

TEST(KernelProgress, CountsEachVerdict) {
  const KernelReport report = after("ppvrewwp").report();
  EXPECT_EQ(report.cases, 8u);
  EXPECT_EQ(report.pass, 3u);
  EXPECT_EQ(report.vacuous, 1u);
  EXPECT_EQ(report.refused, 1u);
  EXPECT_EQ(report.error, 1u);
  EXPECT_EQ(report.fail, 2u);
  EXPECT_EQ(report.worst_margin, 0.25);
  EXPECT_EQ(report.strategies.at("special"), 8u);
  EXPECT_EQ(report.note, "case 4: ours");
}

TEST(KernelProgress, KeepsOneWarningOfEachLineOfSource) {
  const std::string barrier = "barrier at k.cu:7 in block (0,0,0): 30 threads had exited",
                    shuffle = "__shfl_xor_sync at k.cu:9 with mask 0x0000ffff in block (1,0,0): lane 0 reads lane 16",
                    sync = "__syncwarp at k.cu:9 with mask 0x0000ffff in block (1,0,0): lane 20 is not in its own mask";
  KernelProgress progress = progress_of(4);
  const std::vector<std::vector<std::string>> of_cases = {
      {}, {barrier, shuffle}, {"barrier at k.cu:7 in block (3,0,0): 2 threads had exited"}, {shuffle, sync, "odd"}};
  for (std::size_t i = 0; i < of_cases.size(); ++i) {
    Reply reply = reply_of(i, 'p');
    reply.verdict.warnings = of_cases[i];
    progress.add(reply);
  }
  EXPECT_THAT(progress.report().warned,
              ::testing::ElementsAre("case 1: " + barrier, "case 1: " + shuffle, "case 3: " + sync, "case 3: odd"));
  EXPECT_EQ(progress.report().warnings, 3u);
}

TEST(KernelProgress, KeepsTheWorstMarginOfEachStrategyAndSize) {
  KernelProgress progress = progress_of(7);
  std::uint64_t index = 0;
  const auto add = [&](char letter, const std::string& strategy, std::uint64_t elements, double margin) {
    Reply reply = reply_of(index, letter);
    reply.strategy = strategy;
    reply.elements = elements;
    reply.shape = "shape " + std::to_string(index++);
    reply.verdict.margin = margin;
    progress.add(reply);
  };
  add('p', "tie", 16, 0.25);
  add('p', "tie", 16, 0.5);
  add('p', "tie", 16, 0.5);
  add('w', "tie", 16, 0.9);
  add('p', "tie", 17, 0);
  add('p', "bits", std::uint64_t{1} << 40, 0.125);
  add('v', "bits", 65536, 0.75);
  const auto& margins = progress.report().margins;
  ASSERT_EQ(margins.size(), 2u);
  const WorstMargin& small = margins.at("tie")[0];
  EXPECT_EQ(small.cases, 4u);
  EXPECT_EQ(small.fail, 1u);
  EXPECT_EQ(small.margin, 0.5) << "a failing case has no margin";
  EXPECT_EQ(small.index, 1u) << "the first of equals";
  EXPECT_EQ(small.shape, "shape 1");
  EXPECT_EQ(margins.at("tie")[1].shape, "shape 4") << "a margin of 0 is one";
  EXPECT_EQ(margins.at("bits")[4].margin, 0.125);
  EXPECT_EQ(margins.at("bits")[3].cases, 1u);
  EXPECT_EQ(margins.at("bits")[3].shape, "") << "nothing passed";
}

TEST(KernelProgress, NothingDecidedIsNoPass) {
  EXPECT_FALSE(after("vre").report().decided());
  EXPECT_TRUE(after("vp").report().decided());
  EXPECT_TRUE(after("vw").report().decided());
}

TEST(KernelProgress, TheFirstFailureOfAClassIsItsCandidate) {
  const KernelProgress progress = after("pwpcww", {5, 4, 3, 2, 1, 0});
  EXPECT_EQ(progress.failures().size(), 2u);
  EXPECT_EQ(progress.failures().at({FailureClass::WrongValue}).index, 1u);
  EXPECT_EQ(progress.failures().at({FailureClass::WrongValue}).count, 3u);
  EXPECT_EQ(progress.failures().at({FailureClass::Crash}).index, 3u);
}

TEST(KernelProgress, GivesUpAfterFiveCrashesOrHangs) {
  for (const std::string letters : {"ccccc", "hhhhh"}) {
    KernelProgress progress = after("p" + letters + "pppp");
    EXPECT_TRUE(progress.given_up()) << letters;
    EXPECT_EQ(progress.report().cases, 6u) << "what comes later is not counted";
    EXPECT_THAT(progress.report().note, HasSubstr("given up after 6 cases"));
    EXPECT_FALSE(progress.next(32));
  }
  for (const std::string letters : {"ccccpppp", "hhhhcccc", "wwwwwwww", "eeeeeeee", "bbbbbbbb"}) {
    EXPECT_FALSE(after(letters).given_up()) << letters;
  }
}

TEST(KernelProgress, ResultsBehindAGapWaitForIt) {
  KernelProgress progress = progress_of(10);
  progress.add(reply_of(2, 'w'));
  progress.add(reply_of(1, 'p'));
  EXPECT_EQ(progress.report().cases, 0u);
  progress.add(reply_of(0, 'p'));
  EXPECT_EQ(progress.report().cases, 3u);
  progress.add(reply_of(7, 'w'));
  EXPECT_EQ(progress.report().cases, 3u);
  progress.finish();
  EXPECT_EQ(progress.report().cases, 4u) << "after a stop, nothing that ran is lost";
  EXPECT_EQ(progress.failures().at({FailureClass::WrongValue}).count, 2u);
}

RC_GTEST_PROP(KernelProgress, TheOrderOfArrivalDoesNotMatter, ()) {
  const auto letters = *rc::gen::container<std::string>(
      rc::gen::weightedElement<char>({{8, 'p'}, {3, 'w'}, {1, 'v'}, {1, 'c'}, {1, 'h'}}));
  std::vector<std::size_t> order(letters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  const KernelProgress straight = after(letters), shuffled = after(letters, order);
  RC_ASSERT(straight.given_up() == shuffled.given_up());
  RC_ASSERT(straight.report().cases == shuffled.report().cases);
  RC_ASSERT(straight.report().pass == shuffled.report().pass);
  RC_ASSERT(straight.report().fail == shuffled.report().fail);
  RC_ASSERT(straight.report().note == shuffled.report().note);
  RC_ASSERT(straight.failures().size() == shuffled.failures().size());
  for (const auto& [kind, candidate] : straight.failures()) {
    RC_ASSERT(shuffled.failures().at(kind).index == candidate.index);
    RC_ASSERT(shuffled.failures().at(kind).count == candidate.count);
  }
}

/// Of each case the words that permit it; "!word" was tried and does not, and what is not named was not tried.
TEST(KernelProgress, AHintExplainsEveryFailingCaseOfItsClassOnWhichItWasTried) {
  const auto left = [](std::vector<std::vector<std::string>> hints) {
    KernelProgress progress = progress_of(hints.size() + 1);
    std::uint64_t index = 0;
    for (std::vector<std::string>& words : hints) {
      Reply reply = reply_of(index++, 'w');
      for (std::string& each : words) {
        if (each.starts_with('!')) {
          reply.verdict.failure->not_under.push_back(each.substr(1));
        } else {
          reply.verdict.failure->permitted_under.push_back({each, 0, each.find(" and ") != std::string::npos});
        }
      }
      progress.add(reply);
    }
    progress.add(reply_of(index, 'c'));  // Of another class: it says nothing about these.
    std::vector<std::string> kept;
    for (const auto& hint : progress.failures().at({FailureClass::WrongValue}).verdict.failure->permitted_under) {
      kept.push_back(hint.words);
    }
    return kept;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(left({{"flushed", "compensated"}}), (Words{"flushed", "compensated"}));
  EXPECT_EQ(left({{"flushed", "compensated"}, {"compensated", "!flushed"}}), Words{"compensated"});
  EXPECT_EQ(left({{"compensated", "!flushed"}, {"flushed", "compensated"}}), Words{"compensated"});
  EXPECT_EQ(left({{"flushed"}, {"!flushed"}, {"flushed"}}), Words{});
  EXPECT_EQ(left({{"flushed"}, {}, {"!compensated"}}), Words{"flushed"}) << "too large, or nothing rejected there";
  EXPECT_EQ(left({{}, {"flushed"}, {"compensated"}}), (Words{"flushed", "compensated"}));
  EXPECT_EQ(left({{"a and b", "c"}, {"c"}}), Words{"c"}) << "pairs are tried where no word explains all";
  EXPECT_EQ(left({{"c"}, {"a and b"}}), Words{"c"});
  EXPECT_EQ(left({{"a and b"}, {}, {"a and b"}}), Words{"a and b"}) << "nothing was tried in the second";
}

}  // namespace
}  // namespace negzero::campaign
