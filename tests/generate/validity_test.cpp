// Every case is valid and inside the limits of the kernel that it was asked for.

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using testing::HasSubstr;

TEST(Validity, CasesAreValidAndInsideTheLimits) {
  int number = 0;
  for (const Request& request : all_requests()) {
    SCOPED_TRACE(request.operation + " request " + std::to_string(number++));
    ASSERT_TRUE(validate(request).ok()) << validate(request).error().message;
    for (std::uint64_t index = 0; index < 200; ++index) {
      const operation::Case value = make_case(request, 7, index);
      SCOPED_TRACE(value.strategy + " index " + std::to_string(index));
      EXPECT_EQ(operation::name(value.operation), request.operation);
      const base::Status status = operation::validate(value);
      ASSERT_TRUE(status.ok()) << status.error().message;
      const auto reason = operation::outside(request.limits, value.operation, value.layouts, value.in_place);
      ASSERT_FALSE(reason.has_value()) << *reason;
    }
  }
}

TEST(Validity, AnInputThatMayLieInTheOutputDoesSoInHalfOfTheCases) {
  Request request = gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.in_place = {.input = "c"};
  int in_place = 0;
  for (std::uint64_t index = 0; index < 400; ++index) in_place += make_case(request, 3, index).in_place == "c" ? 1 : 0;
  EXPECT_GT(in_place, 150);
  EXPECT_LT(in_place, 250);
  request.limits.in_place.always = true;
  for (std::uint64_t index = 0; index < 400; ++index) EXPECT_EQ(make_case(request, 3, index).in_place, "c");
}

}  // namespace
}  // namespace negzero::generate
