// The table of rules, and ids that the compiler and strangers look up in it.

#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <negzero/verdict/rule.hpp>

namespace negzero::verdict {
namespace {

TEST(Rules, HaveOneRowEach) {
  std::set<std::string_view> ids;
  for (const RuleRow& row : kRuleTable) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_FALSE(row.claim.empty() || row.source.empty()) << row.id;
    EXPECT_NE(row.id.find('.'), std::string_view::npos) << row.id << " has no family";
    const auto rule = Rule::parse(row.id);
    ASSERT_TRUE(rule) << row.id;
    EXPECT_EQ(rule->id(), row.id);
    EXPECT_EQ(rule->claim(), row.claim);
    EXPECT_EQ(&kRuleTable[rule->place()], &row);
    EXPECT_EQ(rule->only_watched(), row.only_watched);
    // How a launch ends is of one class; what a value breaks depends on the value.
    EXPECT_EQ(rule->kind(), row.kind);
    EXPECT_TRUE(row.kind || rule->family() != "run") << row.id;
  }
  EXPECT_EQ(judging_rules().data(), kRuleTable);
  for (const RuleRow& row : kRuleTable) {
    const std::string_view family = Rule::named(row.id).family();
    EXPECT_EQ(Rule::named(row.id).is_judging(), family != "compare" && family != "replay" && family != "meta")
        << row.id;
  }
}

TEST(Rules, AreNoneWhereNoRowHasTheirId) {
  for (const std::string_view text : {"", "sum.nonsense", "sum", "sum.exact ", "SUM.EXACT"}) {
    EXPECT_FALSE(Rule::parse(text)) << text;
  }
  EXPECT_TRUE(Rule().is_none());
  EXPECT_TRUE(Rule("").is_none());
  EXPECT_EQ(Rule().id(), "");
  EXPECT_EQ(Rule().family(), "");
  EXPECT_FALSE(Rule().only_watched());
  EXPECT_FALSE(Rule().kind());
  EXPECT_FALSE(Rule().is_judging());
}

TEST(Rules, OfAnotherVersionKeepTheirIds) {
  const Rule newer = Rule::named("sum.newer"), other = Rule::named("run.other");
  EXPECT_EQ(newer.id(), "sum.newer");
  EXPECT_EQ(newer.family(), "sum");
  EXPECT_EQ(newer, Rule::named("sum.newer"));
  EXPECT_NE(newer, other);
  EXPECT_LT(other, newer);
  EXPECT_FALSE(newer.is_none());
  EXPECT_FALSE(newer.is_judging());
  EXPECT_GT(newer.place(), std::size(kRuleTable));
  EXPECT_TRUE(newer.claim().empty() && newer.source().empty());
  EXPECT_EQ(Rule::named("sum.exact"), Rule("sum.exact"));
  EXPECT_TRUE(Rule::named("").is_none());
}

// A file must not fill the memory of the process that reads it.
TEST(Rules, OfOtherVersionsAreSoMany) {
  bool any_none = false;
  for (int i = 0; i < 2000; ++i) any_none = any_none || Rule::named("many." + std::to_string(i)).is_none();
  EXPECT_TRUE(any_none);
  EXPECT_EQ(Rule::named("many.0").id(), "many.0");
}

TEST(Rules, AreComparedAndOrderedByTheirIds) {
  constexpr Rule kExact("sum.exact"), kRacing("run.race");
  static_assert(kExact == "sum.exact" && kExact != kRacing && kRacing < kExact);
  EXPECT_TRUE(kRacing.only_watched());
  EXPECT_FALSE(kExact.only_watched());
  EXPECT_EQ(kRacing.kind(), FailureClass::DataRace);
  EXPECT_FALSE(kExact.kind());
  EXPECT_EQ(kExact.family(), "sum");
  std::ostringstream text;
  text << kExact;
  EXPECT_EQ(text.str(), "sum.exact");
}

}  // namespace
}  // namespace negzero::verdict
