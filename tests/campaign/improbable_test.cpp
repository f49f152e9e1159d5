// When a kernel's errors are improbable: how many cases beyond, of how many, and of which lengths.

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/campaign/improbable.hpp>
#include <negzero/campaign/kernel_progress.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

void add(RandomErrorCases& cases, int count, double squares, std::int64_t terms) {
  for (int i = 0; i < count; ++i) cases.add({squares, terms});
}

TEST(Improbable, TakesTwentyCases) {
  RandomErrorCases cases;
  EXPECT_EQ(cases.improbable(), std::nullopt);
  add(cases, 19, 1000, 4096);
  EXPECT_EQ(cases.improbable(), std::nullopt);
  EXPECT_EQ(cases.all(), (Improbable{0, 19, 19}));
  add(cases, 1, 0, 4096);
  EXPECT_EQ(cases.improbable(), (Improbable{4096, 20, 19}));
}

TEST(Improbable, OneCaseWithHugeErrorsDecidesNothing) {
  RandomErrorCases cases;
  add(cases, 1, 1e300, 4096);
  add(cases, 99, 0.5, 4096);
  EXPECT_EQ(cases.improbable(), std::nullopt);
}

TEST(Improbable, TakesFiveCasesAndOneInSixteenMore) {
  for (const int beyond : {5, 6}) {
    RandomErrorCases cases;
    add(cases, beyond, 36.1, 64);
    add(cases, 20 - beyond, 36, 64);
    EXPECT_EQ(cases.improbable().has_value(), beyond == 6) << "36 is not beyond";
  }
  for (const int beyond : {66, 67}) {
    RandomErrorCases cases;
    add(cases, beyond, 36.1, 64);
    add(cases, 1000 - beyond, 1, 64);
    EXPECT_EQ(cases.improbable().has_value(), beyond == 67);
  }
}

TEST(Improbable, AFaultOfLongSumsIsNotLostAmongShortOnes) {
  RandomErrorCases cases;
  add(cases, 10'000, 0.1, 1000);
  add(cases, 20, 0.1, 2047);
  add(cases, 20, 500, 2048);
  EXPECT_EQ(cases.improbable(), (Improbable{2048, 20, 20}));
  EXPECT_EQ(cases.all(), (Improbable{0, 10'040, 20}));
}

TEST(Improbable, OnlyPassingCasesCount) {
  KernelProgress progress(GeneratedCases(*campaign_test::kernel_named("good.max"), 1, 4, {}));
  using enum verdict::VerdictKind;
  std::uint64_t index = 0;
  for (const verdict::VerdictKind kind : {Pass, Pass, Vacuous, Pass}) {
    verdict::Verdict verdict{.kind = kind};
    if (index != 0) verdict.random_errors = {.squares = 40, .terms = 64};
    progress.add({.index = index++, .strategy = "normal", .verdict = verdict});
  }
  EXPECT_EQ(progress.report().random_errors.all(), (Improbable{0, 2, 2}));
}

TEST(Improbable, IsASentence) {
  EXPECT_THAT(to_string(Improbable{2048, 24, 22}),
              ::testing::AllOf(::testing::StartsWith("improbable: "),
                               ::testing::HasSubstr("in 22 of 24 passing cases with 2048 or more")));
}

}  // namespace
}  // namespace negzero::campaign
