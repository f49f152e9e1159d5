// The plans of cases: a table of requests and cases, at every boundary.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/campaign/looks.hpp>
#include <negzero/run/watched_size.hpp>

namespace negzero::campaign {
namespace {

using feature::Depth;
using kernel::Place;
using operation::Expectation;
using operation::Operation;
using property::Repeat;
using verdict::FailureClass;
using verdict::VerdictKind;

/// A case of so many elements.
Operation of_work(std::int64_t work) { return operation::Reduce{.rows = 1, .columns = work}; }

constexpr std::int64_t kSmall = 10, kForCode = 1 << 12, kUsual = run::kMostWatched, kAlone = run::kMostWatchedAlone;

// Numbers of cases of seed 1.
constexpr std::uint64_t kFirst = 0, kEighth = 7;  ///< state is looked for at the first eight
constexpr std::uint64_t kOrdinary = 8;
constexpr std::uint64_t kChosen = 10;  ///< one in twenty
constexpr std::uint64_t kMany = 178;   ///< one in a hundred: state is looked for by many launches

/// What cases are drawn for.
const generate::Request kDrawnFor{
    .operation = "gemm",
    .limits = {.formats = {{number::FormatId::F32, number::FormatId::F32, number::FormatId::F32}}}};
/// The first case of a risky shape, at which state is not looked for.
std::uint64_t risky() {
  std::uint64_t index = kOrdinary;
  while (!generate::is_risky(kDrawnFor, 1, index)) ++index;
  return index;
}

/// A case of a request, and the plan for it.
struct Row {
  const char* what = "";
  const char* plan = "";
  std::uint64_t index = kOrdinary;
  std::int64_t work = kSmall;
  Watch watch = Watch::Auto;
  Builds builds{.watched = true};
  Depth features = Depth::Setting;
  Repeat repeat = Repeat::Some;
  std::string claim = kConformance;
};

Looks looks_of(const Row& row, decltype(Request::source) source, const generate::Request* drawn_for = nullptr) {
  const Request request{.claim = row.claim,
                        .watch = row.watch,
                        .repeat = row.repeat,
                        .features = row.features,
                        .source = std::move(source)};
  return looks_of(request, row.builds, drawn_for, row.index, of_work(row.work));
}

constexpr Builds kPlainOnly{}, kDevice{.place = Place::Device};

TEST(Looks, OfCasesOfAStream) {
  const std::uint64_t kRisky = risky();
  const Row rows[] = {
      {"most", "plain(some), blame watched"},
      {"small enough to look for state", "plain(some), launches 2, blame watched", kFirst},
      {"the last of the first", "plain(some), launches 2, blame watched", kEighth},
      {"for state too large", "plain(some)", kEighth, kUsual + 1},
      {"for state just not too large", "plain(some), launches 2, blame watched", kEighth, kUsual},
      {"one in a hundred", "plain(some), launches 4, blame watched", kMany},
      {"for many launches too large", "plain(some)", kMany, kUsual + 1},

      {"one in twenty", "watched(never), why chance, blame watched", kChosen},
      {"just not too large", "watched(never), why chance, blame watched", kChosen, kUsual},
      {"too large", "plain(some), why chance, too large", kChosen, kUsual + 1},
      {"by risk", "watched(never), why risk, blame watched", kRisky},
      {"by risk and small", "watched(never), why risk, blame watched", kRisky, kUsual},
      {"by risk and perhaps slow", "watched(never), hangs: plain(some), why risk", kRisky, kUsual + 1},
      {"by risk and just not too large", "watched(never), hangs: plain(some), why risk", kRisky, kAlone},
      {"by risk and too large", "plain(some), why risk, too large", kRisky, kAlone + 1},

      {"asked", "watched(never), why asked, blame watched", kOrdinary, kSmall, Watch::Always},
      {"asked, at the first", "watched(never), why asked, blame watched", kFirst, kSmall, Watch::Always},
      {"asked and perhaps slow", "watched(never), hangs: plain(some), why asked", kOrdinary, kAlone, Watch::Always},
      {"asked and too large", "plain(some), why asked, too large", kOrdinary, kAlone + 1, Watch::Always},
      {"never", "plain(some), blame launches", kChosen, kSmall, Watch::Never},
      {"never, by risk", "plain(some)", kRisky, kAlone + 1, Watch::Never},
      {"for a given case", "plain(some), blame watched", kOrdinary, kSmall, Watch::First},

      {"no watched build", "plain(some), blame launches", kChosen, kSmall, Watch::Always, kPlainOnly},
      {"no watched build, too large", "plain(some)", kRisky, kAlone + 1, Watch::Always, kPlainOnly},
      {"a GPU", "plain(some), launches 4, blame launches", kMany, kSmall, Watch::Auto, kDevice},

      {"code",
       "watched(some), why code, blame watched",
       kOrdinary,
       kForCode,
       Watch::Auto,
       {.watched = true},
       Depth::Code},
      {"code too large",
       "plain(some), blame watched",
       kOrdinary,
       kForCode + 1,
       Watch::Auto,
       {.watched = true},
       Depth::Code},
      {"code and state",
       "plain(some), launches 2, blame watched",
       kEighth,
       kSmall,
       Watch::Auto,
       {.watched = true},
       Depth::Code},
      {"code and many launches",
       "plain(some), launches 4, blame watched",
       kMany,
       kSmall,
       Watch::Auto,
       {.watched = true},
       Depth::Code},
      {"code by chance",
       "watched(some), why chance, blame watched",
       kChosen,
       kUsual,
       Watch::Auto,
       {.watched = true},
       Depth::Code},
      {"code asked",
       "watched(some), why asked, blame watched",
       kEighth,
       kSmall,
       Watch::Always,
       {.watched = true},
       Depth::Code},
      {"code and never",
       "plain(some), blame launches",
       kOrdinary,
       kSmall,
       Watch::Never,
       {.watched = true},
       Depth::Code},
      {"code without a watched build", "plain(some), blame launches", kOrdinary, kSmall, Watch::Auto, kPlainOnly,
       Depth::Code},
      {"sums", "plain(some), blame watched", kOrdinary, kSmall, Watch::Auto, {.watched = true}, Depth::Sums},

      {"another claim",
       "plain(some)",
       kFirst,
       kSmall,
       Watch::Auto,
       {.watched = true},
       Depth::Setting,
       Repeat::Some,
       "metamorphic run_twice"},
      {"repeat",
       "plain(always), blame watched",
       kOrdinary,
       kSmall,
       Watch::Auto,
       {.watched = true},
       Depth::Setting,
       Repeat::Always},
      {"no repeat",
       "watched(never), hangs: plain(never), why risk",
       kRisky,
       kAlone,
       Watch::Auto,
       {.watched = true},
       Depth::Setting,
       Repeat::Never},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(looks_of(row, GeneratedRange{.seed = 1}, &kDrawnFor).to_string(), row.plan) << row.what;
  }
}

TEST(Looks, OfChangedCases) {
  const ChangedRange changed{.numbers = {.seed = 1}};
  const Row rows[] = {
      {"most", "plain(never), blame watched", kOrdinary, kSmall},
      {"one in twenty", "watched(never), why chance, blame watched", kChosen, kUsual},
      {"no shape of them is risky", "plain(never), blame watched", risky(), kSmall},
      {"state", "plain(never), launches 2, blame watched", kFirst, kSmall},
  };
  for (Row row : rows) {
    row.repeat = Repeat::Never;
    EXPECT_EQ(looks_of(row, changed).to_string(), row.plan) << row.what;
  }
}

TEST(Looks, OfWholeCases) {
  const Row rows[] = {
      {"small", "plain(always), passes: watched(never), why asked", kChosen},
      {"just not too large", "plain(always), passes: watched(never), why asked", kFirst, kAlone},
      {"too large", "plain(always), passes: watched(never), why asked, too large", kFirst, kAlone + 1},
      {"asked", "watched(always), why asked", kFirst, kSmall, Watch::Always},
      {"asked, however large", "watched(always), why asked", kFirst, kAlone + 1, Watch::Always},
      {"first", "watched(always), passes: plain(always), why asked", kFirst, kAlone + 1, Watch::First},
      {"never", "plain(always)", kFirst, kSmall, Watch::Never},
      {"no watched build", "plain(always)", kFirst, kSmall, Watch::Auto, kPlainOnly},
      {"no watched build, asked", "plain(always)", kFirst, kSmall, Watch::Always, kPlainOnly},
      {"no watched build, first", "plain(always)", kFirst, kSmall, Watch::First, kPlainOnly},
      {"a GPU", "plain(always)", kMany, kSmall, Watch::Always, kDevice},
      {"code",
       "plain(always), passes: watched(never), why asked",
       kOrdinary,
       kSmall,
       Watch::Auto,
       {.watched = true},
       Depth::Code},
  };
  for (Row row : rows) {
    row.repeat = Repeat::Always;
    EXPECT_EQ(looks_of(row, WholeCases{}).to_string(), row.plan) << row.what;
  }
}

TEST(Looks, OneInTwentyIsWatchedAndOneInAHundredIsAmongManyLaunches) {
  constexpr std::uint64_t kCases = 20000;
  const auto chosen = [&](std::uint64_t seed, auto&& is_one) {
    std::vector<std::uint64_t> result;
    for (std::uint64_t index = kOrdinary; index < kCases; ++index) {
      if (is_one(looks_of({.index = index}, GeneratedRange{.seed = seed}))) result.push_back(index);
    }
    return result;
  };
  const auto is_watched = [](const Looks& looks) { return looks.first.watched; };
  const auto is_among_many = [](const Looks& looks) { return !looks.launches.empty(); };
  EXPECT_NEAR(static_cast<double>(chosen(1, is_watched).size()), kCases / 20.0, 100);
  EXPECT_NEAR(static_cast<double>(chosen(1, is_among_many).size()), kCases / 100.0, 45);
  EXPECT_EQ(chosen(2, is_watched), chosen(2, is_watched));
  EXPECT_NE(chosen(1, is_watched), chosen(2, is_watched));
  EXPECT_NE(chosen(1, is_among_many), chosen(2, is_among_many));
}

TEST(Looks, ALargeCaseOfAGpuIsAmongFewLaunches) {
  const auto count = [](std::int64_t work, Place place) {
    const Request request{.source = GeneratedRange{.seed = 1}};
    return operation::launches(looks_of(request, {.place = place}, nullptr, 293, of_work(work)).launches);
  };
  EXPECT_EQ(count(kSmall, Place::Device), count(kSmall, Place::Host));
  EXPECT_EQ(count(kUsual, Place::Host), count(kSmall, Place::Host));
  EXPECT_EQ(count(kUsual, Place::Device), 4u);
}

TEST(Looks, ArePrintedAndCompared) {
  const Looks looks = looks_of({.index = kMany}, GeneratedRange{.seed = 1});
  EXPECT_EQ(testing::PrintToString(looks), looks.to_string());
  EXPECT_EQ(looks, looks_of({.index = kMany}, GeneratedRange{.seed = 1}));
  EXPECT_NE(looks, looks_of({.index = kOrdinary}, GeneratedRange{.seed = 1}));
}

verdict::Failure failure(FailureClass kind, const char* rule) {
  return {.kind = kind, .rule = verdict::Rule::named(rule)};
}

TEST(AskingFor, AFailureIsAskedForAsItShows) {
  const auto asked = [](FailureClass kind, const char* rule) {
    const Asking asking = asking_for(failure(kind, rule));
    return std::pair(asking.watch, asking.repeat);
  };
  EXPECT_EQ(asked(FailureClass::WrongValue, "sum.exact"), std::pair(Watch::Never, Repeat::Never));
  EXPECT_EQ(asked(FailureClass::DataRace, "run.race"), std::pair(Watch::Always, Repeat::Never));
  EXPECT_EQ(asked(FailureClass::NotDeterministic, "run.repeat"), std::pair(Watch::Never, Repeat::Always));
  EXPECT_EQ(asked(FailureClass::Hang, "run.hang"), std::pair(Watch::Never, Repeat::Always));
  EXPECT_EQ(asked(FailureClass::Crash, "run.crash"), std::pair(Watch::Never, Repeat::Always));
}

TEST(AskingFor, ARequestHasItsOwnTimeLimitOrThatOfTheOptions) {
  kernel::Kernel kernel;
  kernel.name = "k";
  const EvaluationOptions options{.timeout_ms = 7, .watch = Watch::Always};
  const Request plain = request_of(kernel, kToCompare, options);
  EXPECT_EQ(
      plain,
      (Request{
          .kernel = "k", .watch = Watch::Never, .repeat = Repeat::Always, .timeout_ms = 7, .source = WholeCases{}}));
  Asking fresh = asking_for_values(true);
  fresh.timeout_ms = 3;
  EXPECT_TRUE(request_of(kernel, fresh, options).fresh);
  EXPECT_EQ(request_of(kernel, fresh, options).timeout_ms, 3u);
}

TEST(WatchFor, WhatWasSeenWatchedIsWatchedAndWhatFailedPlainlyIsRunSoFirst) {
  const Expectation race{"k", "watched", VerdictKind::Fail, {}, ""}, wrong{"k", "host", VerdictKind::Fail, {}, ""},
      right{"k", "host", VerdictKind::Pass, {}, ""};
  for (const Watch asked : {Watch::Auto, Watch::Always, Watch::Never}) {
    EXPECT_EQ(watch_for(std::nullopt, asked), asked);
    EXPECT_EQ(watch_for(race, asked), Watch::Always);
    EXPECT_EQ(watch_for(right, asked), asked);
    EXPECT_EQ(watch_for(wrong, asked), asked == Watch::Always ? Watch::Auto : asked);
    EXPECT_EQ(watch_for_known(race, asked), asked == Watch::Auto ? Watch::First : asked);
    EXPECT_EQ(watch_for_known(wrong, asked), asked);
    EXPECT_EQ(watch_for_known(std::nullopt, asked), asked);
  }
}

TEST(MayExplain, TheWatchIsAskedAboutWhatAPlainRunSawWithoutAPlace) {
  const verdict::Failure crash = failure(FailureClass::Crash, "run.crash");
  const Builds watched{.watched = true};
  EXPECT_TRUE(may_explain(crash, Watch::Auto, watched, of_work(kUsual)));
  EXPECT_TRUE(may_explain(crash, Watch::Always, watched, of_work(kUsual)));
  EXPECT_FALSE(may_explain(crash, Watch::Never, watched, of_work(kUsual)));
  EXPECT_FALSE(may_explain(crash, Watch::Auto, watched, of_work(kUsual + 1)));
  EXPECT_FALSE(may_explain(crash, Watch::Auto, {}, of_work(kSmall)));
  for (const FailureClass kind : {FailureClass::WrongValue, FailureClass::Stateful, FailureClass::NotDeterministic}) {
    EXPECT_FALSE(may_explain(failure(kind, "sum.exact"), Watch::Auto, watched, of_work(kSmall)));
  }
  EXPECT_FALSE(may_explain(failure(FailureClass::OutOfBoundsAccess, "run.race"), Watch::Auto, watched, of_work(kSmall)))
      << "the watch has said it all";
}

}  // namespace
}  // namespace negzero::campaign
