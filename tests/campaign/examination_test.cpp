// What is watched, what runs again and in which build: the table of examination.hpp, by a claim that notes what it is
// asked.

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/examination.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/source.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/run/watched_size.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using kernel::Place;
using operation::Case;
using property::Repeat;
using ::testing::ElementsAre;
using verdict::Verdict;
using verdict::VerdictKind;

/// A question of one case.
struct Asked {
  kernel::Where build;
  Repeat repeat;
  std::uint64_t index;  ///< of the case
  friend bool operator==(const Asked&, const Asked&) = default;
};
void PrintTo(const Asked& asked, std::ostream* to) {
  *to << kernel::name(asked.build) << " repeat " << static_cast<int>(asked.repeat) << " case " << asked.index;
}
std::vector<Asked> notes;

Verdict verdict_of(const std::string& word) {
  if (word == "refused") return {.kind = VerdictKind::Refused};
  if (word == "vacuous") return {.kind = VerdictKind::Vacuous};
  if (word == "hang") {
    return {.kind = VerdictKind::Fail, .failure = verdict::Failure{.kind = verdict::FailureClass::Hang}};
  }
  if (word == "fail") return {.kind = VerdictKind::Fail, .failure = verdict::Failure{.rule = "sum.exact"}};
  return {.kind = VerdictKind::Pass};
}

/// Words: the verdict of a plain run, and of a watched one. In-process, so that the notes are seen here.
const bool noting = add_claim("noted", [](const Question& question) {
  const bool is_watched = question.kernel.build.watched;
  for (const Case& value : question.cases) notes.push_back({question.kernel.where(), question.how.repeat, value.index});
  return std::vector<Verdict>(question.cases.size(), verdict_of(question.words.at(is_watched ? 1 : 0)));
});

bool add_build(const std::string& name, kernel::Where where) {
  kernel::Kernel kernel = *campaign_test::kernel_named("good.max");
  kernel.name = name;
  kernel.place = where.place;
  kernel.build = {.watched = where.watched, .coverage = where.watched};
  kernel.limits.extents["columns"].max = kernel.limits.extents["rows"].max = 1 << 20;
  return kernel::registry().add(std::move(kernel));
}
const bool builds[] = {add_build("examined.all", Place::Host), add_build("examined.all", {Place::Host, true}),
                       add_build("examined.all", Place::Device), add_build("examined.plain", Place::Host)};

Case numbered(std::uint64_t index, std::int64_t columns = 2) {
  Case value = max_case(std::vector<float>(static_cast<std::size_t>(columns), 1.0f));
  value.index = index;
  return value;
}
const std::int64_t kLarge = 1 << 20;

struct How {
  Watch watch = Watch::Auto;
  Repeat repeat = Repeat::Always;
  std::string verdicts = "pass pass";
  std::string kernel = "examined.all";
  Place place = Place::Host;
  feature::Depth features = feature::Depth::Setting;
};

std::vector<Reply> examine(decltype(Request::source) source, const How& how) {
  notes.clear();
  Setup setup;
  setup.place = how.place;
  Examination examination(setup, true);
  std::vector<Reply> replies;
  examination.examine({.kernel = how.kernel,
                       .claim = "noted " + how.verdicts,
                       .watch = how.watch,
                       .repeat = how.repeat,
                       .features = how.features,
                       .source = std::move(source)},
                      [&](std::vector<Reply> some) {
                        std::ranges::move(some, std::back_inserter(replies));
                        return true;
                      });
  return replies;
}

std::vector<Reply> examine(const Case& value, const How& how) {
  const auto bytes = case_file::write(value);
  return examine(WholeCases{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())}, how);
}

const auto kPlain = [](Repeat repeat) { return Asked{Place::Host, repeat, 7}; };
const auto kWatched = [](Repeat repeat) { return Asked{{Place::Host, true}, repeat, 7}; };

TEST(Examination, AGivenCaseRunsPlainlyAndWatchedWhereThatPasses) {
  for (const Repeat repeat : {Repeat::Never, Repeat::Some, Repeat::Always}) {
    for (const std::string plain : {"pass", "vacuous"}) {
      const auto replies = examine(numbered(7), {.repeat = repeat, .verdicts = plain + " pass"});
      EXPECT_THAT(notes, ElementsAre(kPlain(repeat), kWatched(Repeat::Never))) << plain;
      EXPECT_EQ(replies.at(0).verdict.kind, verdict_of(plain).kind) << "the plain run's verdict";
      EXPECT_FALSE(replies.at(0).watched);
    }
    for (const std::string plain : {"fail", "refused"}) {
      const auto replies = examine(numbered(7), {.repeat = repeat, .verdicts = plain + " pass"});
      EXPECT_THAT(notes, ElementsAre(kPlain(repeat))) << plain;
      EXPECT_EQ(replies.at(0).verdict.kind, verdict_of(plain).kind);
    }
  }
}

TEST(Examination, SaysHowLargeTheTensorsOfACaseAre) {
  const auto given = examine(numbered(7, 3), {});
  EXPECT_EQ(given.at(0).shape, "x 1x3, y 1");
  EXPECT_EQ(given.at(0).elements, 4u);
  for (const Reply& reply : examine(GeneratedRange{1, 0, 20, {}}, {})) {
    const Case value = GeneratedCases(*kernel_named("examined.all"), 1, 20, {}).at(reply.index);
    const auto& reduce = operation::view<operation::Reduce>(value.operation);
    EXPECT_EQ(reply.elements, static_cast<std::uint64_t>(reduce.rows * reduce.columns + reduce.rows)) << reply.shape;
  }
}

TEST(Examination, AFailureOfTheWatchIsTheVerdict) {
  const auto replies = examine(numbered(7), {.verdicts = "pass fail"});
  EXPECT_EQ(replies.at(0).verdict.kind, VerdictKind::Fail);
  EXPECT_TRUE(replies.at(0).watched);
  EXPECT_EQ(examine(numbered(7), {.verdicts = "pass refused"}).at(0).verdict.kind, VerdictKind::Pass);
}

TEST(Examination, AGivenCaseIsWatchedAloneOrNeverWhereThatIsAsked) {
  for (const Repeat repeat : {Repeat::Never, Repeat::Always}) {
    const auto alone = examine(numbered(7), {.watch = Watch::Always, .repeat = repeat, .verdicts = "fail pass"});
    EXPECT_THAT(notes, ElementsAre(kWatched(repeat)));
    EXPECT_TRUE(alone.at(0).watched);
    EXPECT_EQ(alone.at(0).verdict.kind, VerdictKind::Pass);
    const auto plainly = examine(numbered(7), {.watch = Watch::Never, .repeat = repeat});
    EXPECT_THAT(notes, ElementsAre(kPlain(repeat)));
    EXPECT_FALSE(plainly.at(0).watched);
  }
}

TEST(Examination, ALargeGivenCaseIsWatchedWhereThatIsAsked) {
  const Case large = numbered(7, kLarge);
  ASSERT_FALSE(run::is_small_enough_to_watch(large.operation, run::kMostWatchedAlone));
  EXPECT_TRUE(examine(large, {}).at(0).too_large);
  EXPECT_THAT(notes, ElementsAre(kPlain(Repeat::Always)));
  examine(large, {.watch = Watch::Always});
  EXPECT_THAT(notes, ElementsAre(kWatched(Repeat::Always)));
}

TEST(Examination, AKernelWithNoWatchedBuildIsNeverWatched) {
  for (const Watch watch : {Watch::Auto, Watch::Always, Watch::Never}) {
    EXPECT_FALSE(examine(numbered(7), {.watch = watch, .kernel = "examined.plain"}).at(0).watched);
    EXPECT_THAT(notes, ElementsAre(kPlain(Repeat::Always)));
  }
}

TEST(Examination, AGpuWatchesNothing) {
  for (const Watch watch : {Watch::Auto, Watch::Always, Watch::Never}) {
    for (const Repeat repeat : {Repeat::Never, Repeat::Some, Repeat::Always}) {
      examine(numbered(7), {.watch = watch, .repeat = repeat, .place = Place::Device});
      EXPECT_THAT(notes, ElementsAre(Asked{Place::Device, repeat, 7}));
      examine(GeneratedRange{1, 0, 100, {}}, {.watch = watch, .repeat = repeat, .place = Place::Device});
      ASSERT_EQ(notes.size(), 100u);
      for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(notes[i], (Asked{Place::Device, repeat, i}));
    }
  }
}

/// Notes by their case; every case must have exactly one.
std::vector<Asked> one_each(std::uint64_t cases) {
  std::vector<Asked> sorted = notes;
  std::ranges::sort(sorted, {}, &Asked::index);
  EXPECT_EQ(sorted.size(), cases);
  for (std::uint64_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i].index, i);
  return sorted;
}

TEST(Examination, OneGeneratedCaseInTwentyIsWatchedAloneAndTheSameOnesForASeed) {
  constexpr std::uint64_t kCases = 2000;
  const auto watched = [&](std::uint64_t seed, const std::string& verdicts) {
    const auto replies = examine(GeneratedRange{seed, 0, kCases, {}}, {.repeat = Repeat::Some, .verdicts = verdicts});
    const std::vector<Asked> asked = one_each(kCases);
    std::vector<std::uint64_t> result;
    for (std::uint64_t i = 0; i < kCases; ++i) {
      const bool is_watched = asked.at(i).build.watched;
      EXPECT_EQ(asked[i].repeat, is_watched ? Repeat::Never : Repeat::Some) << i;
      EXPECT_EQ(replies.at(i).index, i);
      EXPECT_EQ(replies[i].watched, is_watched) << i;
      EXPECT_EQ(replies[i].verdict.kind, verdict_of(is_watched ? "pass" : verdicts.substr(0, 4)).kind);
      if (is_watched) result.push_back(i);
    }
    return result;
  };
  const auto first = watched(1, "pass pass");
  EXPECT_GT(first.size(), kCases / 24);
  EXPECT_LT(first.size(), kCases / 8) << "with those of shapes at which kernels err";
  EXPECT_EQ(watched(1, "fail pass"), first) << "whatever comes of them";
  EXPECT_NE(watched(2, "pass pass"), first);
}

TEST(Examination, TheFirstOfEachRiskyShapeIsWatchedThoughItIsLarge) {
  constexpr std::uint64_t kCases = 1000;
  const auto replies = examine(GeneratedRange{3, 0, kCases, {}}, {.repeat = Repeat::Some});
  const kernel::Kernel& kernel = *kernel::registry().find("examined.all", Place::Host);
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  std::uint64_t risky = 0, large = 0, too_large = 0;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    if (!generate::is_risky(request, 3, i)) continue;
    const operation::Operation operation = generate::make_case(request, 3, i).operation;
    const bool is_small = run::is_small_enough_to_watch(operation, run::kMostWatchedAlone);
    EXPECT_EQ(replies.at(i).watched, is_small) << i;
    EXPECT_EQ(replies[i].too_large, !is_small) << i;
    ++risky;
    large += is_small && !run::is_small_enough_to_watch(operation) ? 1 : 0;
    too_large += is_small ? 0 : 1;
  }
  EXPECT_GE(risky, 6u);
  EXPECT_GE(large, 1u) << "rows past 16 bits";
  EXPECT_EQ(too_large, 0u) << "this kernel has none";
}

/// Why a case of a stream is watched, with Watch::Auto and for no code.
Looks::Why why_of(const generate::Request& drawn_for, std::uint64_t seed, std::uint64_t index) {
  const Request request{.source = GeneratedRange{.seed = seed}};
  return looks_of(request, {.watched = true}, &drawn_for, index, numbered(0).operation).why;
}

/// Rows of that many columns.
GeneratedRange wide(std::int64_t columns) {
  return {1, 0, 200, {.extents = {{"rows", {1, 1}}, {"columns", {columns, columns}}}}};
}

TEST(Examination, AGeneratedCaseThatIsTooLargeToBeWatchedSaysSo) {
  const kernel::Kernel& kernel = *kernel::registry().find("examined.all", Place::Host);
  for (const std::int64_t columns : {run::kMostWatched, run::kMostWatched + 1}) {
    const GeneratedRange range = wide(columns);
    const generate::Request request{kernel.operation, kernel.limits, kernel.contract, range.mix};
    std::uint64_t chosen = 0;
    for (const Reply& reply : examine(range, {})) {
      const Looks::Why why = why_of(request, 1, reply.index);
      const bool is_small = why == Looks::Why::ByRisk || columns <= run::kMostWatched;
      EXPECT_EQ(reply.watched, why != Looks::Why::Never && is_small) << reply.index;
      EXPECT_EQ(reply.too_large, why != Looks::Why::Never && !is_small) << reply.index;
      chosen += why == Looks::Why::ByChance ? 1 : 0;
    }
    EXPECT_GT(chosen, 3u);
  }
  for (const std::int64_t columns : {run::kMostWatchedAlone, run::kMostWatchedAlone + 1}) {
    for (const Reply& reply : examine(wide(columns), {.watch = Watch::Always})) {
      EXPECT_EQ(reply.watched, columns == run::kMostWatchedAlone);
      EXPECT_EQ(reply.too_large, columns != run::kMostWatchedAlone);
    }
  }
  for (const Reply& reply : examine(wide(run::kMostWatchedAlone + 1), {.kernel = "examined.plain"})) {
    EXPECT_FALSE(reply.too_large) << "no build of it is watched";
  }
}

TEST(Examination, ALargeGivenCaseThatFailsPlainlyWasNotTooLarge) {
  EXPECT_FALSE(examine(numbered(7, kLarge), {.verdicts = "fail pass"}).at(0).too_large);
  EXPECT_FALSE(examine(numbered(7, kLarge), {.watch = Watch::Always}).at(0).too_large);
  EXPECT_FALSE(examine(numbered(7, kLarge), {.watch = Watch::Never}).at(0).too_large);
}

TEST(Examination, ALargeCaseWhoseWatchedRunTakesTooLongGetsTheVerdictOfAPlainOne) {
  const kernel::Kernel& kernel = *kernel::registry().find("examined.all", Place::Host);
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  std::uint64_t large = 0, hung = 0;
  for (const Reply& reply :
       examine(GeneratedRange{3, 0, 1000, {}}, {.repeat = Repeat::Some, .verdicts = "pass hang"})) {
    hung += reply.verdict.kind == VerdictKind::Fail ? 1 : 0;
    if (!generate::is_risky(request, 3, reply.index)) continue;
    if (run::is_small_enough_to_watch(generate::make_case(request, 3, reply.index).operation)) continue;
    EXPECT_EQ(reply.verdict.kind, VerdictKind::Pass) << reply.index;
    EXPECT_FALSE(reply.watched);
    EXPECT_TRUE(reply.too_large);
    EXPECT_THAT(notes, ::testing::Contains((Asked{{Place::Host, true}, Repeat::Never, reply.index})));
    EXPECT_THAT(notes, ::testing::Contains((Asked{Place::Host, Repeat::Some, reply.index})));
    ++large;
  }
  EXPECT_GE(large, 1u);
  EXPECT_GE(hung, 20u) << "a small case has no excuse";
}

TEST(Examination, SmallCasesAreWatchedForTheCodeThatTheyCover) {
  constexpr std::uint64_t kCases = 1000, kFirst = 8;
  constexpr std::int64_t kSmall = 1 << 12;
  const How how{.repeat = Repeat::Some, .features = feature::Depth::Code};
  examine(GeneratedRange{1, 0, kCases, {}}, how);
  const kernel::Kernel& kernel = *kernel::registry().find("examined.all", Place::Host);
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  std::uint64_t small = 0, small_watched = 0, large = 0, large_watched = 0;
  for (const Asked& asked : one_each(kCases)) {
    EXPECT_EQ(asked.repeat, Repeat::Some);
    const bool is_watched = asked.build.watched;
    if (asked.index < kFirst) {
      const bool is_drawn = why_of(request, 1, asked.index) != Looks::Why::Never;
      EXPECT_EQ(is_watched, is_drawn) << "state is looked for there";
      continue;
    }
    const bool is_small = run::is_small_enough_to_watch(generate::make_case(request, 1, asked.index).operation, kSmall);
    ++(is_small ? small : large);
    if (is_watched) ++(is_small ? small_watched : large_watched);
  }
  EXPECT_GT(small, kCases / 4);
  EXPECT_GT(small_watched, small - small / 30) << "all but one in a hundred, at which state is looked for";
  EXPECT_GT(large, 20u);
  EXPECT_LT(large_watched, large / 8) << "one in twenty, as of others";
  for (const Watch watch : {Watch::Never, Watch::Always}) {
    examine(GeneratedRange{1, 0, kCases, {}}, {.watch = watch, .features = feature::Depth::Code});
    const auto is_watched = [](const Asked& asked) { return asked.build.watched; };
    EXPECT_EQ(std::ranges::any_of(notes, is_watched), watch == Watch::Always);
  }
}

TEST(Examination, AGeneratedCaseIsLookedAtTheSameInWhateverRange) {
  const auto whole = [] {
    examine(GeneratedRange{1, 0, 300, {}}, {.repeat = Repeat::Some});
    return one_each(300);
  }();
  examine(GeneratedRange{1, 123, 200, {}}, {.repeat = Repeat::Some});
  ASSERT_EQ(notes.size(), 77u);
  for (const Asked& asked : notes) EXPECT_EQ(asked, whole.at(asked.index));
}

TEST(Examination, GeneratedCasesAreAllWatchedOrNoneWhereThatIsAsked) {
  examine(GeneratedRange{1, 0, 400, {}}, {.watch = Watch::Never, .repeat = Repeat::Some});
  for (const Asked& asked : one_each(400)) EXPECT_EQ(asked, (Asked{Place::Host, Repeat::Some, asked.index}));
  examine(GeneratedRange{1, 0, 400, {}}, {.watch = Watch::Always, .repeat = Repeat::Some});
  const kernel::Kernel& kernel = *kernel::registry().find("examined.all", Place::Host);
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  for (const Asked& asked : one_each(400)) {
    const bool small =
        run::is_small_enough_to_watch(generate::make_case(request, 1, asked.index).operation, run::kMostWatchedAlone);
    EXPECT_EQ(asked.build, kernel::Where(Place::Host, small)) << asked.index;
  }
}

int launches = 0;
const bool counting = add_max("examined.counting", [](const ReduceArgs&) { ++launches; });

constexpr std::uint64_t kFirstAndMore = 300;
/// Launches that each of the first cases of a stream takes, in-process.
std::vector<int> launches_of(std::uint64_t cases, std::uint64_t seed, const std::string& claim = kConformance) {
  std::vector<int> result;
  Examination examination({}, true);
  for (std::uint64_t i = 0; i < cases; ++i) {
    launches = 0;
    const Request request{.kernel = "examined.counting", .claim = claim, .source = GeneratedRange{seed, i, i + 1, {}}};
    examination.examine(request, [](const std::vector<Reply>&) { return true; });
    result.push_back(launches);
  }
  return result;
}

TEST(Examination, StateIsLookedForAtTheFirstCasesAndAtOneInAHundred) {
  constexpr std::size_t kFirst = 8, kCases = 2000;
  const std::vector<int> each = launches_of(kCases, 1);
  for (std::size_t i = 0; i < kFirst; ++i) EXPECT_GE(each[i], 3) << i << ": once, and twice in a row";
  const auto is_long = [](int count) { return count >= 1 + 4; };
  // A second time where the output looks like poison.
  for (std::size_t i = kFirst; i < kCases; ++i) EXPECT_TRUE(each[i] <= 2 || is_long(each[i])) << i;
  const auto drawn = std::ranges::count_if(each, is_long);
  EXPECT_GT(drawn, 10);
  EXPECT_LT(drawn, 35);
  EXPECT_EQ(launches_of(kCases, 1), each) << "the same for a seed";
  EXPECT_NE(launches_of(kCases, 2), each);
}

TEST(Examination, StateIsLookedForByNoOtherClaimAndAtNoGivenCase) {
  for (const int count : launches_of(kFirstAndMore, 1, "metamorphic run_twice")) EXPECT_LE(count, 2);
  launches = 0;
  Examination examination({}, true);
  WholeCases files;
  for (std::uint64_t i = 0; i < kFirstAndMore; ++i) {
    const auto bytes = case_file::write(numbered(i));
    files.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  examination.examine({.kernel = "examined.counting", .source = files}, [](const std::vector<Reply>&) { return true; });
  EXPECT_EQ(launches, static_cast<int>(kFirstAndMore));
}

TEST(Examination, WhatEndsItsProcessAmongOthersIsLookedForAtEachOfThem) {
  Examination examination({}, false);
  std::uint64_t stateful = 0;
  // State is looked for at none of these.
  examination.examine({.kernel = "bad.ends_at_third", .source = GeneratedRange{1, 8, 30, {}}},
                      [&](const std::vector<Reply>& replies) {
                        for (const Reply& reply : replies) {
                          if (!reply.verdict.failure) continue;
                          EXPECT_EQ(reply.verdict.failure->kind, verdict::FailureClass::Stateful);
                          EXPECT_EQ(reply.history, (operation::History{{.times = 2}})) << reply.index;
                          ++stateful;
                        }
                        return true;
                      });
  EXPECT_GE(stateful, 1u);
}

TEST(Examination, WhatIsNoRequestIsAnErrorEach) {
  const auto unknown = examine(GeneratedRange{1, 5, 8, {}}, {.kernel = "examined.nothing"});
  ASSERT_EQ(unknown.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(unknown[i].index, 5 + i);
    EXPECT_EQ(unknown[i].verdict.kind, VerdictKind::Error);
  }
  Examination examination({}, true);
  examination.examine({.kernel = "examined.nothing", .source = GeneratedRange{1, 0, 1, {}}},
                      [](const std::vector<Reply>& replies) {
                        EXPECT_EQ(replies.at(0).verdict.kind, VerdictKind::Error);
                        return true;
                      });
  const auto broken = examine(WholeCases{"no case", ""}, {});
  ASSERT_EQ(broken.size(), 2u);
  for (const Reply& reply : broken) EXPECT_EQ(reply.verdict.kind, VerdictKind::Error);
  EXPECT_TRUE(notes.empty());
}

TEST(Examination, FeaturesAreAsDeepAsTheRequestSays) {
  int seen_rules = 0;
  for (const auto depth :
       {feature::Depth::Setting, feature::Depth::Elements, feature::Depth::Sums, feature::Depth::Code}) {
    Examination examination({}, true);
    examination.examine({.kernel = "good.max", .features = depth, .source = GeneratedRange{1, 0, 60, {}}},
                        [&](const std::vector<Reply>& replies) {
                          for (const Reply& reply : replies) {
                            std::set<feature::Kind> kinds;
                            for (const std::uint32_t number : reply.features)
                              kinds.insert(feature::feature_of(number)->kind);
                            EXPECT_EQ(kinds.count(feature::Kind::Extent), 1u);
                            EXPECT_EQ(kinds.count(feature::Kind::Spread), depth >= feature::Depth::Elements ? 1u : 0u);
                            // A case without rows has no result that a rule gives.
                            const bool has_rule = kinds.count(feature::Kind::Rule) != 0;
                            EXPECT_TRUE(depth >= feature::Depth::Sums || !has_rule);
                            seen_rules += has_rule ? 1 : 0;
                          }
                          return true;
                        });
  }
  EXPECT_GT(seen_rules, 40);
}

TEST(Examination, RunsThatWereStoppedEmitNoMore) {
  notes.clear();
  Examination examination({}, true);
  std::size_t replies = 0;
  examination.examine(
      {.kernel = "examined.plain", .claim = "noted pass pass", .source = GeneratedRange{1, 0, 1000, {}}},
      [&](const std::vector<Reply>& some) {
        replies += some.size();
        return replies < 40;
      });
  EXPECT_GE(replies, 40u);
  EXPECT_LT(replies, 100u);
}

}  // namespace
}  // namespace negzero::campaign
