// Causes: what is special about a case, which failures a finding explains, and that check reports each cause.

#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/cause.hpp>
#include <negzero/generate/generate.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using verdict::FailureClass;

constexpr float kInf = std::numeric_limits<float>::infinity(), kNanValue = std::numeric_limits<float>::quiet_NaN();

TEST(Cause, IsToldByWhatTheKernelMayRead) {
  const contract::Contract contract;
  EXPECT_EQ(specials_of(max_case({1, -0.0f}), contract), kFinite);
  EXPECT_EQ(specials_of(max_case({1, -kInf}), contract), kInfinity);
  EXPECT_EQ(specials_of(max_case({kNanValue}), contract), kNan);
  EXPECT_EQ(specials_of(max_case({kInf, kNanValue}), contract), kAllSpecials);
}

TEST(Cause, MayExplainWhatHasAllThatItTakes) {
  const Cause nan{FailureClass::WrongValue, kNan}, finite{FailureClass::WrongValue};
  EXPECT_TRUE(nan.may_explain({FailureClass::WrongValue, kNan}));
  EXPECT_TRUE(nan.may_explain({FailureClass::WrongValue, kAllSpecials}));
  EXPECT_FALSE(nan.may_explain({FailureClass::WrongValue, kInfinity}));
  EXPECT_FALSE(nan.may_explain(finite));
  EXPECT_FALSE(nan.may_explain({FailureClass::WrongZeroSign, kNan}));
  EXPECT_TRUE(finite.may_explain(nan));
  EXPECT_FALSE(finite.may_explain({FailureClass::WrongValue, kNan, "sum.exact"})) << "rules are told apart";
}

TEST(Cause, OtherSpecialsGo) {
  operation::Case value = max_case({kInf, kNanValue, -kInf, 3});
  operation::Case nan = value;
  keep_specials(nan, {}, kNan);
  EXPECT_EQ(specials_of(nan, {}), kNan);
  EXPECT_EQ(nan.tensors.at("x").get(1), value.tensors.at("x").get(1));
  EXPECT_EQ(nan.tensors.at("x").get(0), number::one(number::format(number::FormatId::F32)));
  EXPECT_EQ(nan.tensors.at("x").get(3), value.tensors.at("x").get(3));
  keep_specials(nan, {}, kFinite);
  EXPECT_EQ(specials_of(nan, {}), kFinite);
  keep_specials(value, {}, kAllSpecials);
  EXPECT_EQ(specials_of(value, {}), kAllSpecials);
}

TEST(Cause, TextIsReadBack) {
  std::set<std::string> texts;
  for (std::uint8_t kind = 0; kind <= static_cast<std::uint8_t>(FailureClass::Stateful); ++kind) {
    for (std::uint8_t specials = 0; specials <= kAllSpecials; ++specials) {
      const Cause cause{static_cast<FailureClass>(kind), static_cast<Specials>(specials)};
      EXPECT_TRUE(texts.insert(cause.to_string()).second);
      EXPECT_EQ(cause_of(cause.to_string()), cause);
      const Cause of_rule{cause.kind, cause.specials, "sum.exact"};
      EXPECT_EQ(of_rule.to_string(), cause.to_string() + ".sum.exact");
      EXPECT_EQ(cause_of(of_rule.to_string()), of_rule);
    }
  }
  for (const char* none : {"", "wrong_value", "wrong_value.some", "wrong_value.finite.", "x.wrong_value.finite"}) {
    EXPECT_EQ(cause_of(none), std::nullopt) << none;
  }
  const std::string newer = "data_race.finite.run.of_another_version";
  ASSERT_TRUE(cause_of(newer));
  EXPECT_EQ(cause_of(newer)->to_string(), newer) << "its files are known again";
}

TEST(Cause, PoisonAloneMakesNoOther) {
  operation::Case nan = max_case({1}), large = nan;
  large.poison = operation::Poison::Large;
  large.seed = 7;
  EXPECT_TRUE(differ_by_poison(nan, FailureClass::WrongSpecialValue, large, FailureClass::WrongValue));
  EXPECT_FALSE(differ_by_poison(nan, FailureClass::WrongSpecialValue, nan, FailureClass::WrongValue));
  EXPECT_FALSE(differ_by_poison(nan, FailureClass::DataRace, large, FailureClass::WrongValue));
  operation::Case other = max_case({2});
  other.poison = operation::Poison::Large;
  EXPECT_FALSE(differ_by_poison(nan, FailureClass::WrongSpecialValue, other, FailureClass::WrongValue));
}

class NoNews final : public CheckListener {
 public:
  void on_progress(const CheckPoint&) override {}
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const Finding&) override {}
};

CheckReport check_one(const char* name, const Directory& directory, bool finite) {
  CheckOptions options;
  options.cases = 600;
  options.save_dir = directory.path();
  options.mix.finite = finite;
  options.evaluation.jobs = 2;
  options.evaluation.watch = Watch::Never;
  NoNews listener;
  const auto report = check({kernel_named(name)}, options, listener, [] { return false; });
  EXPECT_TRUE(report.ok()) << report.error().message;
  return *report;
}

/// bad.two_causes drops a NaN, and begins a maximum at 0.
TEST(Cause, ADroppedNanHidesNoOther) {
  const Directory directory;
  const CheckReport report = check_one("bad.two_causes", directory, false);
  std::set<std::pair<FailureClass, Specials>> causes;
  const contract::Contract& contract = kernel_named("bad.two_causes")->contract;
  for (const Finding& finding : report.kernels.front().findings) {
    causes.insert({finding.failure.kind, specials_of(finding.shrunk, contract)});
  }
  EXPECT_EQ(causes.size(), report.kernels.front().findings.size()) << "each once";
  EXPECT_TRUE(causes.contains({FailureClass::WrongSpecialValue, kNan}));
  EXPECT_TRUE(causes.contains({FailureClass::WrongSpecialValue, kFinite})) << "0 for a row of nothing";
  EXPECT_TRUE(causes.contains({FailureClass::WrongValue, kFinite})) << "0 for a row of negative numbers";
  EXPECT_EQ(specials_of(report.kernels.front().findings.front().shrunk, contract), kFinite)
      << "what fails on plain numbers comes first";
}

TEST(Cause, FiniteDrawsNothingElse) {
  const Directory directory;
  const CheckReport report = check_one("bad.two_causes", directory, true);
  const contract::Contract& contract = kernel_named("bad.two_causes")->contract;
  ASSERT_FALSE(report.kernels.front().findings.empty());
  for (const Finding& finding : report.kernels.front().findings) {
    EXPECT_EQ(specials_of(finding.shrunk, contract), kFinite);
  }
  generate::Request request{"reduce.max", {}, contract, {.finite = true}};
  for (std::uint64_t index = 0; index < 500; ++index) {
    ASSERT_EQ(specials_of(generate::make_case(request, 1, index), contract), kFinite) << index;
  }
}

}  // namespace
}  // namespace negzero::campaign
