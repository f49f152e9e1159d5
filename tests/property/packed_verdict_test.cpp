// Verdicts survive the pipe, and what is no verdict is an error.

#include <string>

#include <gtest/gtest.h>

#include <negzero/property/packed_verdict.hpp>

namespace negzero::property {
namespace {

using operation::Verdict;
using operation::VerdictKind;

TEST(Pack, RoundTripsEveryVerdict) {
  Verdict fail{.kind = VerdictKind::Fail, .margin = 0.5};
  fail.failure = operation::Failure{.kind = operation::FailureClass::WrongZeroSign,
                                    .rule = "zero.sign",
                                    .direction = operation::Direction::TooLow,
                                    .message = "not UTF-8: \xff",
                                    .element = 3,
                                    .coordinates = {1, 2},
                                    .observed = 0xfedcba9876543210,
                                    .observed_text = "a",
                                    .permitted_text = "b",
                                    .failing_elements = 9,
                                    .permitted_under = {"flushed", "compensated"}};
  const Verdict back = unpack(pack(fail));
  EXPECT_EQ(back.kind, fail.kind);
  EXPECT_EQ(back.margin, fail.margin);
  EXPECT_EQ(back.failure->observed, fail.failure->observed);
  EXPECT_EQ(back.failure->coordinates, fail.failure->coordinates);
  EXPECT_EQ(back.failure->kind, fail.failure->kind);
  EXPECT_EQ(back.failure->rule, fail.failure->rule);
  EXPECT_EQ(back.failure->failing_elements, 9);
  EXPECT_EQ(back.failure->permitted_under, fail.failure->permitted_under);
  const Verdict pass{.kind = VerdictKind::Pass, .margin = 0.25};
  EXPECT_EQ(unpack(pack(pass)).kind, VerdictKind::Pass);
  EXPECT_EQ(unpack(pack(pass)).margin, 0.25);
  const Verdict suspicious{.kind = VerdictKind::Pass, .warning = "a lane reads another, which takes no part"};
  EXPECT_EQ(unpack(pack(suspicious)).kind, VerdictKind::Pass);
  EXPECT_EQ(unpack(pack(suspicious)).warning, suspicious.warning);
}

TEST(Pack, WhatItDidNotMakeIsAnError) {
  EXPECT_EQ(unpack("").kind, VerdictKind::Error);
  EXPECT_EQ(unpack("short").kind, VerdictKind::Error);
  std::string cut = pack(Verdict{.kind = VerdictKind::Refused, .reason = "why"});
  cut.resize(cut.size() - 2);
  EXPECT_EQ(unpack(cut).kind, VerdictKind::Error);
}

}  // namespace
}  // namespace negzero::property
