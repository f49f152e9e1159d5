// The failure that a file is known for: which one it is, and that it is looked for as it was seen.

#include <gtest/gtest.h>

#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/known_failure.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using operation::Case;
using operation::Expectation;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

const Expectation kRace{"bad.races", "watched", VerdictKind::Fail, FailureClass::DataRace, "run.race"};
const Expectation kWrong{"bad.races", "host", VerdictKind::Fail, FailureClass::WrongValue, "sum.exact"};

Verdict failing(const Expectation& what) {
  return {.kind = VerdictKind::Fail,
          .failure = verdict::Failure{.kind = *what.failure_class, .rule = verdict::Rule::named(what.rule)}};
}

/// A kernel with a watched build.
const bool registered_races[] = {add_max("bad.races", {}), [] {
                                   kernel::Kernel watched = *campaign_test::kernel_named("good.max");
                                   watched.name = "bad.races";
                                   watched.build.watched = true;
                                   return kernel::registry().add(std::move(watched));
                                 }()};

TEST(Seen, AFailureOfTheWatchWasSeenWatched) {
  EXPECT_EQ(seen("bad.races", kernel::Place::Host, failing(kRace)), kRace);
  EXPECT_EQ(seen("bad.races", kernel::Place::Host, failing(kWrong)), kWrong);
  EXPECT_EQ(seen("k", kernel::Place::Device, {.kind = VerdictKind::Pass}),
            (Expectation{"k", "cuda", VerdictKind::Pass, {}, ""}));
  EXPECT_EQ(describe(kRace), "fail (data_race) by run.race");
}

TEST(KnownFailure, IsOneOfThatKernelHere) {
  Case value = max_case({1});
  const auto known = [&](const std::string& kernel, kernel::Place place = kernel::Place::Host) {
    return known_failure(value, kernel, place);
  };
  EXPECT_EQ(known("bad.races"), std::nullopt);
  value.found = kRace;
  EXPECT_EQ(known("bad.races"), kRace);
  EXPECT_EQ(known("good.max"), std::nullopt) << "nothing is known of another kernel";
  EXPECT_EQ(known("bad.races", kernel::Place::Device), std::nullopt) << "nor of another executor";
  value.expect = {{"bad.races", "*", VerdictKind::Pass, {}, ""}};
  EXPECT_EQ(known("bad.races"), kRace) << "an expected pass is no failure";
  value.expect.push_back(kWrong);
  EXPECT_EQ(known("bad.races"), kWrong) << "what is expected comes first";
}

/// A race is there for the watch where the claim's word is "races"; a plain run always gives a wrong value.
const bool plants = add_claim("planted", [](const Question& question) {
  const bool is_watched = question.kernel.build.watched;
  const bool races = question.words.front() == "races";
  const Verdict verdict = !is_watched ? failing(kWrong) : races ? failing(kRace) : Verdict{.kind = VerdictKind::Pass};
  return std::vector<Verdict>(question.cases.size(), verdict);
});

/// The failure that look_for() comes back with; none for a pass.
std::optional<Expectation> found(const std::optional<Expectation>& known, Watch watch, bool races = true) {
  Evaluator evaluator({}, races ? "planted races" : "planted nothing");
  const auto verdict = look_for(known, evaluator, max_case({1}), *campaign_test::kernel_named("bad.races"), watch, {});
  EXPECT_TRUE(verdict.ok());
  if (verdict->kind == VerdictKind::Pass) return std::nullopt;
  return seen("bad.races", kernel::Place::Host, *verdict);
}

TEST(LookFor, WhatWasSeenWatchedIsLookedForWatched) {
  EXPECT_EQ(found(kRace, Watch::Auto), kRace);
  EXPECT_EQ(found(kRace, Watch::Auto, false), kWrong) << "mended in part";
  EXPECT_EQ(found(kWrong, Watch::Auto), kWrong);
  EXPECT_EQ(found(std::nullopt, Watch::Auto), kWrong);
}

TEST(LookFor, AFlagHasTheLastWord) {
  EXPECT_EQ(found(kRace, Watch::Never), kWrong);
  EXPECT_EQ(found(kWrong, Watch::Always), kRace);
  EXPECT_EQ(found(kRace, Watch::Always, false), std::nullopt);
}

}  // namespace
}  // namespace negzero::campaign
