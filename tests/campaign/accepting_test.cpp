// Findings that a ledger accepts: they are found and reported, hide no other one, and are missed where they are gone.

#include <fstream>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/accepting.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/case_file/case_file.hpp>

#include "checking.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using verdict::FailureClass;
using verdict::Ledger;
using verdict::LedgerEntry;
using verdict::RunsAt;

/// Two faults of one class, by two rules: a wrapper that throws, and a process that ends.
[[maybe_unused]] const bool registered = add_max("bad.throws_or_aborts", [](const ReduceArgs& args) {
  if (args.rows > 3) throw std::runtime_error("no table");
  if (args.columns > 40) std::abort();
});

LedgerEntry by_class(std::string kernel, FailureClass kind, RunsAt place = RunsAt::Anywhere) {
  return {.kernel = std::move(kernel), .kind = kind, .place = place, .reason = "known", .link = "o/r#1"};
}
LedgerEntry by_rule(std::string kernel, verdict::Rule rule, RunsAt place = RunsAt::Anywhere) {
  return {.kernel = std::move(kernel), .rule = rule, .place = place, .reason = "known", .link = "o/r#1"};
}
LedgerFile ledger_with(std::vector<LedgerEntry> entries) { return {"known.json", Ledger(std::move(entries))}; }

CheckReport check_with(const std::vector<std::string>& names, std::vector<LedgerEntry> entries, std::uint64_t cases,
                       const Directory& directory) {
  CheckOptions options = options_in(directory, cases);
  options.accepted = ledger_with(std::move(entries));
  Listener listener;
  return run_check(names, options, listener);
}

/// "wrong_value by select.value", with a + where it is accepted.
std::vector<std::string> findings_of(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) {
    lines.push_back(std::string(finding.accepted ? "+" : "") + std::string(verdict::name(finding.failure.kind)) +
                    " by " + std::string(finding.failure.rule.id()));
  }
  return lines;
}

TEST(Accepted, AFindingIsFoundShrunkSavedAndNoReasonToFail) {
  const Directory directory;
  const CheckReport report =
      check_with({"bad.writes_behind"}, {by_class("bad.*", FailureClass::OutOfBoundsAccess)}, 300, directory);
  const KernelReport& kernel = report.kernels.at(0);
  EXPECT_THAT(findings_of(kernel.findings), ElementsAre("+out_of_bounds_access by run.guard"));
  const Finding& finding = kernel.findings.front();
  EXPECT_EQ(finding.accepted, (Acceptance{.number = 1, .reason = "known", .link = "o/r#1"}));
  EXPECT_GT(kernel.fail, 100u);
  EXPECT_EQ(kernel.accepted, kernel.fail);
  EXPECT_FALSE(kernel.fails());
  EXPECT_EQ(kernel.cases, 300u) << "the search goes on";
  EXPECT_TRUE(case_file::load(finding.case_path).ok());
  EXPECT_THAT(report.ledger.stale, IsEmpty());
}

TEST(Accepted, WithoutALedgerEveryFindingIsAReasonToFail) {
  const Directory directory;
  const CheckReport report = check_with({"bad.writes_behind", "good.max"}, {}, 300, directory);
  EXPECT_TRUE(report.kernels[0].fails());
  EXPECT_FALSE(report.kernels[1].fails());
}

TEST(Accepted, AClassHidesNoOther) {
  const Directory directory, plain;
  const auto race = by_class("*", FailureClass::OutOfBoundsAccess);
  const CheckReport report = check_with({"bad.both"}, {race}, 300, directory);
  const CheckReport without = check_with({"bad.both"}, {}, 300, plain);
  EXPECT_THAT(findings_of(report.kernels[0].findings),
              UnorderedElementsAre("+out_of_bounds_access by run.guard", "wrong_value by select.value",
                                   "wrong_special_value by select.value", "wrong_zero_sign by zero.sign"));
  EXPECT_EQ(findings_of(report.kernels[0].findings).front(), "+out_of_bounds_access by run.guard");
  EXPECT_TRUE(report.kernels[0].fails());
  EXPECT_EQ(summary(report), summary(without)) << "all else is as it would be";
}

// A wrong value on plain numbers mostly explains a wrong infinity: not where it is accepted and the other is not.
TEST(Accepted, WhatIsAcceptedExplainsNothingElse) {
  const Directory directory, plain;
  const CheckReport without = check_with({"bad.skips_last"}, {}, 300, plain);
  const CheckReport report = check_with({"bad.skips_last"}, {by_class("*", FailureClass::WrongValue)}, 300, directory);
  const auto special_cases = [](const CheckReport& of) {
    std::uint64_t cases = 0;
    for (const Finding& finding : of.kernels[0].findings) {
      if (finding.failure.kind == FailureClass::WrongSpecialValue) cases += finding.failing_cases;
    }
    return cases;
  };
  EXPECT_GT(special_cases(report), special_cases(without));
  EXPECT_TRUE(report.kernels[0].fails());
  for (const Finding& finding : report.kernels[0].findings) {
    EXPECT_EQ(finding.accepted.has_value(), finding.failure.kind == FailureClass::WrongValue);
  }
}

TEST(Accepted, ARuleHidesNoOtherOfItsClass) {
  const Directory directory, plain;
  const CheckReport without = check_with({"bad.throws_or_aborts"}, {}, 300, plain);
  EXPECT_EQ(without.kernels[0].findings.size(), 1u) << "one cause, as far as classes tell";
  const CheckReport report = check_with({"bad.throws_or_aborts"}, {by_rule("bad.*", "run.launch")}, 300, directory);
  EXPECT_THAT(findings_of(report.kernels[0].findings),
              ::testing::UnorderedElementsAre("crash by run.crash", "+crash by run.launch"));
  EXPECT_TRUE(report.kernels[0].fails());
  EXPECT_THAT(report.ledger.stale, IsEmpty());
}

TEST(Accepted, AnEntryWithoutItsFindingIsStale) {
  const Directory directory;
  const CheckReport report =
      check_with({"good.max", "bad.skips_last"},
                 {by_class("bad.*", FailureClass::WrongValue), by_class("good.max", FailureClass::Hang),
                  by_class("good.max", FailureClass::WrongValue, RunsAt::Cuda), by_rule("good.other", "run.hang"),
                  by_rule("*.skips_last", "run.guard", RunsAt::Host)},
                 200, directory);
  EXPECT_THAT(report.ledger.stale,
              ElementsAre("accepted finding #2 (good.max, hang) did not occur: fixed? remove it from known.json",
                          "accepted finding #5 (*.skips_last, run.guard, host) did not occur: fixed? remove it from "
                          "known.json"));
}

TEST(Accepted, NoEntryIsStaleWhereTheRunEndedEarly) {
  const Directory directory;
  CheckOptions options = options_in(directory, 300);
  options.accepted = ledger_with({by_class("*", FailureClass::Hang)});
  Listener listener;
  bool stop = false;
  listener.at_case = [&](std::uint64_t done) { stop = done > 20; };
  EXPECT_THAT(run_check({"good.max"}, options, listener, [&] { return stop; }).ledger.stale, IsEmpty());
  // Five crashes, and no more cases.
  EXPECT_THAT(check_with({"bad.always_exits"}, {by_class("*", FailureClass::Hang)}, 100, directory).ledger.stale,
              IsEmpty());
  // One that was given up may be the one that it is about.
  EXPECT_THAT(
      check_with({"good.max", "bad.always_exits"}, {by_class("*", FailureClass::Hang)}, 100, directory).ledger.stale,
      IsEmpty());
}

TEST(Accepted, AKernelWithAnAcceptedCrashIsNotRun) {
  const Directory directory;
  const CheckReport report =
      check_with({"bad.always_aborts", "good.max"}, {by_class("bad.*", FailureClass::Crash)}, 50, directory);
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].name, "good.max");
  ASSERT_EQ(report.ledger.not_run.size(), 1u);
  EXPECT_EQ(report.ledger.not_run[0].kernel, "bad.always_aborts");
  EXPECT_FALSE(report.ledger.not_run[0].watched_only);
  EXPECT_EQ(report.ledger.not_run[0].accepted.to_string(), "accepted finding #1: known (o/r#1)");
  EXPECT_THAT(report.ledger.stale, IsEmpty());
  const CheckReport alone = check_with({"bad.always_aborts"}, {by_rule("bad.*", "run.crash")}, 50, directory);
  EXPECT_THAT(alone.kernels, IsEmpty());
  EXPECT_FALSE(alone.decided()) << "never a pass";
  const CheckReport elsewhere =
      check_with({"bad.always_aborts"}, {by_class("*", FailureClass::Crash, RunsAt::Cuda)}, 50, directory);
  EXPECT_TRUE(elsewhere.kernels.at(0).fails()) << "it is about another place";
}

TEST(Accepted, ACrashOfWatchedRunsAloneLeavesThePlainOnes) {
  EvaluationOptions options;
  const Ledger ledger({by_class("good.max", FailureClass::Crash, RunsAt::Watched)});
  const Accepting accepting(ledger, *kernel_named("good.max"), options);
  EXPECT_FALSE(accepting.not_run());
  EXPECT_EQ(watch_unless(accepting.not_watched().has_value(), Watch::Auto), Watch::Never);
  LedgerOutcome outcome;
  EXPECT_EQ(without_quarantined({kernel_named("good.max")}, {"known.json", ledger}, options, outcome).size(), 1u);
  ASSERT_EQ(outcome.not_run.size(), 1u);
  EXPECT_TRUE(outcome.not_run[0].watched_only);
  options.watch = Watch::Always;
  EXPECT_TRUE(Accepting(ledger, *kernel_named("good.max"), options).not_run()) << "there is no other run";
  EXPECT_EQ(watch_unless(Accepting().not_watched().has_value(), Watch::Auto), Watch::Auto);
}

/// Lines of a file that has "y = 1;" at its line 1, and so on.
std::vector<std::string> texts_of_lines(const kernel::Kernel&, const std::vector<operation::SourceLine>& lines) {
  std::vector<std::string> texts;
  for (const operation::SourceLine& line : lines) texts.push_back("y=" + std::to_string(line.line) + ";");
  return texts;
}

verdict::Failure race_at(const char* lines, FailureClass kind = FailureClass::DataRace) {
  return {.kind = kind, .rule = "run.race", .message = lines};
}

TEST(Accepted, AnEntryAtALineAcceptsWhatNamesIt) {
  LedgerEntry entry = by_class("good.*", FailureClass::DataRace);
  entry.at = "y = 7;";
  const Accepting accepting(Ledger({entry}), *kernel_named("good.max"), {}, texts_of_lines);
  const verdict::Failure seven = race_at("at x.cu:7 and at x.cu:9"), eight = race_at("at x.cu:8 and at x.cu:9");
  EXPECT_TRUE(accepting.of(seven));
  EXPECT_FALSE(accepting.of(eight));
  EXPECT_TRUE(accepting.of(eight, "watched: at x.cu:7")) << "what the watch says of it";
  EXPECT_FALSE(accepting.of(race_at("")));
  EXPECT_FALSE(accepting.of(race_at("at x.cu:7", FailureClass::UninitialisedRead)));
  EXPECT_FALSE(Accepting(Ledger({entry}), *kernel_named("good.max"), {}).of(seven)) << "no line can be read";

  const Cause known = accepting.cause(seven, kFinite), other = accepting.cause(eight, kFinite);
  EXPECT_EQ(known.to_string(), "data_race.finite.at");
  EXPECT_EQ(other.to_string(), "data_race.finite");
  EXPECT_TRUE(accepting.accepts(known));
  EXPECT_FALSE(accepting.accepts(other));
  EXPECT_EQ(cause_of(known.to_string()), known);
  EXPECT_FALSE(cause_of("data_race.finite.at.at").has_value());
  EXPECT_FALSE(located(known, seven).may_explain(located(other, eight))) << "though both are of line 9";
  EXPECT_FALSE(accepting.may_shrink(seven, eight));
  EXPECT_FALSE(accepting.may_shrink(eight, seven));
  EXPECT_TRUE(accepting.may_shrink(eight, race_at("at x.cu:6 and at x.cu:9")));

  const LedgerFile file = ledger_with({entry});
  const auto stale_after = [&](const verdict::Failure& failure) {
    const KernelRun run{"good.max", true, true, {accepting.occurrence(failure)}};
    return stale_entries(file, {&run, 1}, kernel::Place::Host);
  };
  EXPECT_THAT(stale_after(seven), IsEmpty());
  EXPECT_THAT(stale_after(eight),
              ElementsAre("accepted finding #1 (good.*, data_race, at y = 7;) did not occur: fixed? remove it from "
                          "known.json"));
}

TEST(Accepted, RulesAreToldApartWhereAnEntryIsAboutOne) {
  const auto of = [](const LedgerEntry& entry) { return Accepting(Ledger({entry}), *kernel_named("good.max"), {}); };
  const auto cause = [](const Accepting& accepting, FailureClass kind, verdict::Rule rule) {
    return accepting.cause(kind, kFinite, rule).rule.id();
  };
  const Accepting exact = of(by_rule("good.*", "sum.exact")), race = of(by_rule("good.*", "run.race"));
  const Accepting other = of(by_rule("bad.*", "sum.exact")), kind = of(by_class("*", FailureClass::WrongValue));
  const Accepting watched = of(by_class("*", FailureClass::OutOfBoundsAccess, RunsAt::Watched));
  EXPECT_EQ(cause(exact, FailureClass::WrongValue, "sum.any_order"), "sum.any_order");
  EXPECT_EQ(cause(exact, FailureClass::WrongValue, "select.value"), "");
  EXPECT_EQ(cause(other, FailureClass::WrongValue, "sum.exact"), "");
  EXPECT_EQ(cause(kind, FailureClass::WrongValue, "sum.exact"), "");
  EXPECT_EQ(cause(watched, FailureClass::OutOfBoundsAccess, "run.guard"), "run.guard");
  EXPECT_EQ(cause(watched, FailureClass::Hang, "run.hang"), "");
  EXPECT_TRUE(watched.of({.kind = FailureClass::OutOfBoundsAccess, .rule = "run.bounds"}));
  EXPECT_FALSE(watched.of({.kind = FailureClass::OutOfBoundsAccess, .rule = "run.guard"})) << "a plain run saw it";

  const auto may = [](const Accepting& accepting, verdict::Rule from, verdict::Rule to) {
    return accepting.may_shrink({.rule = from}, {.rule = to});
  };
  EXPECT_TRUE(may(exact, "sum.any_order", "sum.exact")) << "it sharpens";
  EXPECT_FALSE(may(exact, "select.value", "sum.exact"));
  EXPECT_FALSE(may(exact, "sum.exact", "select.value"));
  EXPECT_TRUE(may(exact, "select.value", "select.empty"));
  EXPECT_FALSE(may(race, "run.guard", "run.bounds"));
  EXPECT_TRUE(may(race, "run.race", "run.race"));
  EXPECT_TRUE(may(kind, "run.guard", "run.bounds"));
  EXPECT_TRUE(exact.may_shrink({.rule = "sum.exact"}, {.kind = FailureClass::Stateful, .rule = "run.state"}));
}

class Rules final : public FuzzListener {
 public:
  std::set<verdict::Rule> met;  ///< of failures that it was told of

  void on_progress(const FuzzPoint&, std::uint64_t, const BeingShrunk&) override {}
  void on_failure(const std::string&, const verdict::Failure& failure, const std::string&) override {
    met.insert(failure.rule);
  }
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const Finding&) override {}
};

FuzzReport fuzz_with(const std::vector<std::string>& names, std::vector<LedgerEntry> entries, std::uint64_t cases,
                     const Directory& directory, Rules* rules = nullptr, std::uint64_t seed = 1) {
  FuzzOptions options;
  options.seed = seed;
  options.folder = directory.path();
  options.cases = cases;
  options.evaluation.jobs = 2;
  options.evaluation.shrink_time_ms = 20000;
  options.accepted = ledger_with(std::move(entries));
  Rules listener;
  const auto report = fuzz(kernels(names), options, rules == nullptr ? listener : *rules, [] { return false; });
  EXPECT_TRUE(report.ok()) << report.error().message;
  return *report;
}

TEST(Accepted, ASearchKnowsItsFindingsByTheLedgerOfToday) {
  const Directory directory;
  const LedgerEntry entry = by_class("bad.*", FailureClass::OutOfBoundsAccess);
  const FuzzReport first = fuzz_with({"bad.writes_behind"}, {entry}, 400, directory);
  EXPECT_THAT(findings_of(first.kernels[0].findings), ElementsAre("+out_of_bounds_access by run.guard"));
  EXPECT_FALSE(first.kernels[0].has_new());
  EXPECT_THAT(first.ledger.stale, IsEmpty());
  const FuzzReport again = fuzz_with({"bad.writes_behind"}, {entry}, 100, directory);
  EXPECT_THAT(again.kernels[0].findings, IsEmpty());
  EXPECT_THAT(again.kernels[0].known, IsEmpty());
  ASSERT_EQ(again.kernels[0].known_accepted.size(), 1u);
  EXPECT_EQ(again.kernels[0].known_accepted[0].first, first.kernels[0].findings[0].case_path);
  EXPECT_FALSE(again.kernels[0].has_new());
  const FuzzReport without = fuzz_with({"bad.writes_behind"}, {}, 100, directory);
  EXPECT_EQ(without.kernels[0].known.size(), 1u);
  EXPECT_TRUE(without.kernels[0].has_new());
}

TEST(Accepted, ASearchTellsRulesApartInAFolderThatDidNot) {
  const Directory directory;
  const std::vector<std::string> names = {"bad.throws_or_aborts"};
  // A seed whose first finding keeps its rule when it is shrunk.
  constexpr std::uint64_t kSeed = 2;
  const FuzzReport without = fuzz_with(names, {}, 200, directory, nullptr, kSeed);
  ASSERT_EQ(without.kernels[0].findings.size(), 1u);
  const verdict::Rule first = without.kernels[0].findings[0].failure.rule;
  const verdict::Rule other = first == "run.launch" ? verdict::Rule("run.crash") : verdict::Rule("run.launch");
  Rules rules;
  const FuzzReport report = fuzz_with(names, {by_rule("bad.*", "run.launch")}, 400, directory, &rules, kSeed);
  EXPECT_THAT(rules.met, ElementsAre(other)) << "the other one is known";
  std::set<verdict::Rule> fresh;
  for (const Finding& finding : report.kernels[0].findings) {
    fresh.insert(finding.failure.rule);
    EXPECT_EQ(finding.accepted.has_value(), finding.failure.rule == "run.launch");
    const auto value = case_file::load(finding.case_path);
    ASSERT_TRUE(value.ok()) << finding.case_path;
    EXPECT_EQ(value->found->rule, finding.failure.rule.id()) << "no other finding's file";
  }
  EXPECT_THAT(fresh, ElementsAre(other));
  EXPECT_EQ(report.kernels[0].known.size(), first == "run.launch" ? 0u : 1u);
  EXPECT_EQ(report.kernels[0].known_accepted.size(), first == "run.launch" ? 1u : 0u);
}

TEST(Accepted, ASearchMissesWhatDidNotOccurAndRunsNoQuarantine) {
  const Directory directory;
  const std::vector<LedgerEntry> entries = {by_class("good.*", FailureClass::Hang),
                                            by_class("bad.*", FailureClass::Crash)};
  const FuzzReport report = fuzz_with({"good.max", "bad.always_exits"}, entries, 200, directory);
  EXPECT_THAT(report.ledger.stale,
              ElementsAre("accepted finding #1 (good.*, hang) did not occur: fixed? remove it from known.json"));
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].cases, 200u);
  ASSERT_EQ(report.ledger.not_run.size(), 1u);
  EXPECT_EQ(report.ledger.not_run[0].kernel, "bad.always_exits");
  const FuzzReport nothing = fuzz_with({"bad.always_exits"}, entries, 200, directory);
  EXPECT_THAT(nothing.kernels, IsEmpty());
}

TEST(LedgerFile, IsReadWithTheRulesOfTheOracle) {
  const Directory directory;
  const auto load = [&](const std::string& rule) {
    std::ofstream(directory / "known.json") << R"({"version": 1, "accepted": [{"kernel": "x", "rule": ")" << rule
                                            << R"(", "reason": "r", "link": "o/r#1"}]})";
    return load_ledger(directory / "known.json");
  };
  ASSERT_TRUE(load("run.race").ok());
  EXPECT_EQ(load("run.race")->path, directory / "known.json");
  EXPECT_EQ(load("run.race")->ledger.entries().size(), 1u);
  const auto unknown = load("run.rase");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message,
              HasSubstr("known.json: accepted finding #1: field rule = \"run.rase\" is no rule; did you mean"));
  const auto missing = load_ledger(directory / "nothing.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, base::ErrorKind::Usage);
  EXPECT_THAT(missing.error().message, HasSubstr("nothing.json"));
}

}  // namespace
}  // namespace negzero::campaign
