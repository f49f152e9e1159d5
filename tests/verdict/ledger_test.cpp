// The ledger of known findings: what its reader refuses, what an entry accepts, and which entries are stale.

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/verdict/ledger.hpp>

namespace negzero::verdict {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using enum RunsAt;

base::Result<Ledger> ledger_of(const std::string& text) { return parse_ledger(text, "known.json"); }

/// The error of a ledger with these entries, each as the members of an object.
std::string error_of(const std::vector<std::string>& entries) {
  std::string list;
  for (const std::string& entry : entries) list += (list.empty() ? "{" : ", {") + entry + "}";
  const auto ledger = ledger_of(R"({"version": 1, "accepted": [)" + list + "]}");
  return ledger ? "" : ledger.error().message;
}

const std::string kWhy = R"("reason": "stores of equal values", "link": "owner/repo#12")";
const std::string kRace = R"("kernel": "gemm.*", "class": "data_race", )" + kWhy;

LedgerEntry by_class(std::string kernel, FailureClass kind, RunsAt place = Anywhere) {
  return {.kernel = std::move(kernel), .kind = kind, .place = place, .reason = "r", .link = "o/r#1"};
}
LedgerEntry by_rule(std::string kernel, Rule rule, RunsAt place = Anywhere) {
  return {.kernel = std::move(kernel), .rule = rule, .place = place, .reason = "r", .link = "o/r#1"};
}

TEST(LedgerReader, ReadsEveryField) {
  const auto ledger = ledger_of(R"({"version": 1, "accepted": [
    {"kernel": "gemm.mine.*", "class": "data_race", "place": "watched", "reason": "stores of equal values",
     "link": "https://github.com/owner/repo/issues/12"},
    {"kernel": "test_sum[f16]", "rule": "sum.exact", "reason": "r", "link": "owner/re.po-2#1"}]})");
  ASSERT_TRUE(ledger.ok()) << ledger.error().message;
  EXPECT_THAT(ledger->entries(), ElementsAre(LedgerEntry{.kernel = "gemm.mine.*",
                                                         .kind = FailureClass::DataRace,
                                                         .rule = "",
                                                         .place = Watched,
                                                         .reason = "stores of equal values",
                                                         .link = "https://github.com/owner/repo/issues/12"},
                                             LedgerEntry{.kernel = "test_sum[f16]",
                                                         .kind = std::nullopt,
                                                         .rule = "sum.exact",
                                                         .place = Anywhere,
                                                         .reason = "r",
                                                         .link = "owner/re.po-2#1"}));
  EXPECT_THAT(ledger_of(R"({"version": 1, "accepted": []})")->entries(), IsEmpty());
}

TEST(LedgerReader, NamesTheEntryTheKeyTheValueAndTheCure) {
  const struct {
    std::string entry, error;
  } kCases[] = {
      {R"("kernel": "x", "class": "data_rase", )" + kWhy,
       R"(field class = "data_rase" is no class of failures; did you mean "data_race"? known: wrong_value, )"},
      {R"("kernel": "x", "rule": "run.rase", )" + kWhy,
       R"(field rule = "run.rase" is no rule; did you mean "run.race"? `negzero list rules` has them)"},
      {R"("kernel": "x", "place": "device", "class": "crash", )" + kWhy,
       R"(field place = "device" is no place; give host, watched or cuda, or leave it out)"},
      {R"("kernel": "x", "place": "", "class": "crash", )" + kWhy, R"(field place = "" is no place; give host)"},
      {R"("kernel": "x", )" + kWhy, "field class is missing, and so is rule; copy one of them"},
      {R"("rule": "run.race", )" + kRace, "field rule stands beside class; keep the one that is meant"},
      {R"("class": "crash", )" + kWhy, "field kernel is missing; name a kernel or a test"},
      {R"("kernel": " ", "class": "crash", )" + kWhy, R"(field kernel = " " is empty; name a kernel or a test)"},
      {R"("kernel": 3, "class": "crash", )" + kWhy, "field kernel is not a string"},
      {R"("kernel": "x", "class": 3, )" + kWhy, "field class is not a string"},
      {R"("kernel": "x", "class": "crash", "link": "o/r#1")", "field reason is missing; say in a sentence why"},
      {R"("kernel": "x", "class": "crash", "reason": "", "link": "o/r#1")", R"(field reason = "" is empty; say)"},
      {R"("kernel": "x", "class": "crash", "reason": "r")", "field link is missing; give the URL of the issue"},
      {R"("kernel": "x", "class": "crash", "reason": "r", "link": "")", R"(field link = "" is empty; give the URL)"},
      {R"("kernel": "x", "class": "data_race", "at": " ", )" + kWhy,
       R"(field at = " " is empty; copy the text of a line that the finding names, or leave it out for all of them)"},
      {R"("kernel": "x", "class": "data_race", "at": 12, )" + kWhy, "field at is not a string"},
      {R"("kernel": "x", "class": "crash", "at": "x = 1;", )" + kWhy, "field at stands in an entry about crashes"},
      {R"("kernel": "x", "rule": "run.crash", "at": "x = 1;", )" + kWhy, "field at stands in an entry about crashes"},
      {R"("kernels": "x", "class": "crash", )" + kWhy, R"(unknown field "kernels"; valid: kernel, class, rule, place)"},
  };
  for (const auto& [entry, error] : kCases) {
    EXPECT_THAT(error_of({kRace, entry}), AllOf(StartsWith("known.json: accepted finding #2: "), HasSubstr(error)));
  }
  EXPECT_EQ(error_of({kRace}), "");
}

TEST(LedgerReader, TakesLinksAndNothingElseForLinks) {
  const auto error_with = [](const std::string& link) {
    return error_of({R"("kernel": "x", "class": "hang", "reason": "r", "link": ")" + link + "\""});
  };
  for (const char* link : {"https://x", "http://host/p?q#f", "owner/repo#1", "a-b/c.d_e#4294967296"}) {
    EXPECT_EQ(error_with(link), "") << link;
  }
  for (const char* none :
       {"later", "https://", "ftp://host/x", "https://a b", "owner/repo", "owner/repo#", "#12", "owner/repo#0",
        "owner/repo#x", "/repo#1", "owner/#1", "a/b/c#1", "owner/repo#1 ", "JIRA-1", "a#1/b"}) {
    EXPECT_THAT(error_with(none), HasSubstr("is no link; give an http(s) URL, or an issue as owner/repo#12")) << none;
  }
}

TEST(LedgerReader, RefusesWhatIsNoLedger) {
  const struct {
    const char *text, *error;
  } kCases[] = {
      {"", "known.json: it does not start with { or [; a ledger is "},
      {"[]", "known.json is not an object"},
      {"{", "known.json: it is not JSON"},
      {R"({"accepted": []})", "known.json: field version is missing"},
      {R"({"version": 2, "accepted": []})", "known.json: field version = 2 is unknown; give 1"},
      {R"({"version": 1})", "known.json: field accepted is missing"},
      {R"({"version": 1, "accepted": {}})", "known.json: field accepted is no list; give a list of entries"},
      {R"({"version": 1, "accepted": [3]})", "known.json: accepted finding #1 is not an object"},
      {R"({"version": 1, "version": 1, "accepted": []})", R"(the key "version" stands twice in one object)"},
      {R"({"version": 1, "accepted": [[[[[[[[[[]]]]]]]]]]})", "it nests deeper than 8 levels"},
      {R"({"version": 1, "accepted": [], "accept": []})", R"(unknown field "accept"; valid: version, accepted)"},
  };
  for (const auto& [text, error] : kCases) {
    const auto ledger = ledger_of(text);
    ASSERT_FALSE(ledger.ok()) << text;
    EXPECT_EQ(ledger.error().kind, base::ErrorKind::Usage);
    EXPECT_THAT(ledger.error().message, HasSubstr(error));
  }
}

TEST(LedgerReader, RefusesAnEntryThatSaysWhatAnotherSays) {
  EXPECT_EQ(error_of({kRace, R"("kernel": "gemm.*", "class": "hang", )" + kWhy, kRace}),
            "known.json: accepted finding #3 (gemm.*, data_race) names what #1 names; remove one of them");
  EXPECT_EQ(error_of({kRace, kRace + R"(, "place": "cuda")"}), "") << "another place";
}

TEST(LedgerEntry, AcceptsItsKernelsItsClassAndItsPlaceAlone) {
  const LedgerEntry race = by_class("gemm.mine.*", FailureClass::DataRace);
  EXPECT_TRUE(race.accepts({"gemm.mine.f32", FailureClass::DataRace, "run.race", Watched}));
  EXPECT_TRUE(race.accepts({"gemm.mine.f32", FailureClass::DataRace, "", Cuda}));
  EXPECT_FALSE(race.accepts({"gemm.other.f32", FailureClass::DataRace, "run.race", Watched}));
  EXPECT_FALSE(race.accepts({"gemm.mine.f32", FailureClass::WrongValue, "run.race", Watched}));
  EXPECT_FALSE(race.accepts({"gemm.mine.f32", std::nullopt, "run.race", Watched})) << "its class is not known";
  const LedgerEntry exact = by_rule("*", "sum.exact");
  EXPECT_TRUE(exact.accepts({"x", FailureClass::WrongValue, "sum.exact", Host}));
  EXPECT_TRUE(exact.accepts({"x", std::nullopt, "sum.exact"}));
  EXPECT_FALSE(exact.accepts({"x", FailureClass::WrongValue, "sum.hull", Host}));
  EXPECT_FALSE(exact.accepts({"x", FailureClass::WrongValue, "", Host}));
}

TEST(LedgerReader, TakesEntriesOfOneClassAtDifferentLines) {
  const auto at = [](const std::string& text) { return kRace + R"(, "at": ")" + text + "\""; };
  EXPECT_EQ(error_of({kRace, at("x = 1;"), at("x = 2;")}), "");
  EXPECT_EQ(error_of({at("x = 1;"), at("  x=1 ;")}),
            "known.json: accepted finding #2 (gemm.*, data_race, at   x=1 ;) names what #1 names; remove one of them");
}

TEST(LedgerEntry, AtALineItAcceptsFindingsThatNameThatLineAlone) {
  LedgerEntry race = by_class("*", FailureClass::DataRace);
  const auto accepts = [&](std::vector<std::string> lines) {
    return race.accepts({"x", FailureClass::DataRace, "run.race", Watched, std::move(lines)});
  };
  EXPECT_TRUE(accepts({}));
  race.at = " x[i]  = 1;\t";
  EXPECT_TRUE(accepts({"x[i]=1;"}));
  EXPECT_TRUE(accepts({"y=x[0];", "x[i]=1;"})) << "either access";
  EXPECT_FALSE(accepts({"x[i]=1;}"})) << "the whole line";
  EXPECT_FALSE(accepts({"y=x[0];"}));
  EXPECT_FALSE(accepts({})) << "its lines are not known";
  EXPECT_FALSE(race.accepts({"x", FailureClass::Hang, "run.hang", Watched, {"x[i]=1;"}}));
}

TEST(LedgerEntry, APlaceIsWhereItRan) {
  const auto accepts = [](RunsAt entry, RunsAt finding) {
    return by_class("x", FailureClass::Hang, entry).accepts({"x", FailureClass::Hang, "run.hang", finding});
  };
  for (const RunsAt place : {Anywhere, Host, Watched, Cuda}) {
    EXPECT_TRUE(accepts(Anywhere, place));
    EXPECT_EQ(accepts(Host, place), place == Host || place == Watched) << "watched runs are on the host";
    EXPECT_EQ(accepts(Watched, place), place == Watched);
    EXPECT_EQ(accepts(Cuda, place), place == Cuda);
  }
}

TEST(LedgerEntry, ACrashIsAQuarantine) {
  EXPECT_TRUE(by_class("x", FailureClass::Crash).is_quarantine());
  EXPECT_TRUE(by_rule("x", "run.crash").is_quarantine());
  EXPECT_FALSE(by_class("x", FailureClass::Hang).is_quarantine());
  EXPECT_FALSE(by_rule("x", "run.race").is_quarantine());
  const Ledger ledger({by_class("a", FailureClass::Hang), by_class("*", FailureClass::Crash, Cuda),
                       by_rule("a", "run.crash", Watched), by_rule("b", "run.crash", Host)});
  EXPECT_EQ(ledger.quarantining("a", Cuda), 1u);
  EXPECT_EQ(ledger.quarantining("a", Host), std::nullopt);
  EXPECT_EQ(ledger.quarantining("a", Watched), 2u);
  EXPECT_EQ(ledger.quarantining("b", Host), 3u);
  EXPECT_EQ(ledger.quarantining("b", Watched), 3u);
}

TEST(Ledger, TheFirstEntryAccepts) {
  const Ledger ledger({by_class("a", FailureClass::Hang), by_class("*", FailureClass::Hang)});
  EXPECT_EQ(ledger.accepting({"a", FailureClass::Hang}), 0u);
  EXPECT_EQ(ledger.accepting({"b", FailureClass::Hang}), 1u);
  EXPECT_EQ(ledger.accepting({"b", FailureClass::Crash}), std::nullopt);
}

TEST(Ledger, AnEntryIsStaleWhereItsKernelRanAndItDidNotOccur) {
  const Ledger ledger({by_class("a.*", FailureClass::Hang), by_class("b", FailureClass::DataRace, Watched),
                       by_class("a.x", FailureClass::Crash)});
  const KnownBy hang{"a.y", FailureClass::Hang, "run.hang", Host};
  const auto stale = [&](const std::vector<KnownBy>& findings, const std::vector<RanThere>& ran) {
    return ledger.stale(findings, ran);
  };
  EXPECT_THAT(stale({}, {}), IsEmpty()) << "nothing ran";
  EXPECT_THAT(stale({}, {{"c", Host}}), IsEmpty()) << "nothing that an entry is about";
  EXPECT_THAT(stale({}, {{"a.x", Host}}), ElementsAre(0)) << "and no quarantine is stale";
  EXPECT_THAT(stale({hang}, {{"a.x", Host}, {"a.y", Host}}), IsEmpty()) << "it occurred in one of its kernels";
  EXPECT_THAT(stale({{"a.y", FailureClass::Crash, "run.crash", Host}}, {{"a.y", Host}}), ElementsAre(0));
  EXPECT_THAT(stale({}, {{"b", Host}}), IsEmpty()) << "not where it may run";
  EXPECT_THAT(stale({}, {{"b"}}), IsEmpty()) << "it is not known where";
  EXPECT_THAT(stale({}, {{"b", Host}, {"b", Watched}}), ElementsAre(1));
  EXPECT_THAT(stale({}, {{"b", Watched, false}}), IsEmpty()) << "it ended early";
  const Ledger races({by_rule("b", "run.equal_stores"), by_rule("b", "run.race")});
  const std::vector<RanThere> watched = {{"b", Watched}};
  EXPECT_THAT(races.stale(std::vector{KnownBy{"b", FailureClass::DataRace, "run.race", Watched}}, watched), IsEmpty())
      << "it ended its launches, and may have hidden the stores";
  EXPECT_THAT(races.stale(std::vector{KnownBy{"b", FailureClass::DataRace, "run.equal_stores", Watched}}, watched),
              ElementsAre(1))
      << "they end none";
  EXPECT_THAT(stale({}, {{"a.x", Host}, {"a.y", Host, false}}), IsEmpty()) << "the other one did";
}

TEST(Ledger, TwoEntriesThatNameOneFindingAreBothInUse) {
  const Ledger ledger({by_class("a", FailureClass::DataRace), by_rule("*", "run.race")});
  const KnownBy race[] = {{"a", FailureClass::DataRace, "run.race", Watched}};
  const RanThere ran[] = {{"a", Watched}};
  EXPECT_THAT(ledger.stale(race, ran), IsEmpty());
}

}  // namespace
}  // namespace negzero::verdict
