// Specials of several inputs meet at one index, in one row, in one group.

#include <string>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using number::FormatId;

/// Two partial results of attention with the logarithms of their sums of weights: an empty part has -inf there.
Request merge_request() {
  Request request;
  request.operation =
      operation::signature_of("merge: y[h, s, d] <- va[h, s, d], vb[h, s, d], la[h, s], lb[h, s]").value()->identity();
  request.limits.formats = {{5, FormatId::F32}};
  return request;
}

/// Whether two inputs have -inf at one index.
bool both_empty(const operation::Case& value) {
  const tensor::Tensor &a = value.tensors.at("la"), &b = value.tensors.at("lb");
  const std::uint64_t empty = number::infinity(number::format(FormatId::F32), true);
  for (std::int64_t i = 0; i < a.element_count(); ++i) {
    if (a.get(i) == empty && b.get(i) == empty) return true;
  }
  return false;
}

TEST(Coincide, TwoEmptyPartsMeetWithinThreeHundredCases) {
  const Request request = merge_request();
  ASSERT_TRUE(validate(request).ok());
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    int met = 0;
    for (std::uint64_t index = 0; index < 300; ++index) met += both_empty(make_case(request, seed, index)) ? 1 : 0;
    EXPECT_GE(met, 2) << seed;
  }
}

TEST(Coincide, OpposedInfinitiesMeetInTheTermsOfAGemm) {
  const Request request = gemm_request(FormatId::F32, FormatId::F32, FormatId::F32);
  const number::Format& format = number::format(FormatId::F32);
  int same = 0, opposed = 0;
  for (std::uint64_t index = 0; index < 5000; ++index) {
    const operation::Case value = make_case(request, 1, index);
    if (value.strategy != "special") continue;
    const auto gemm = operation::view<operation::Gemm>(value.operation);
    bool has_same = false, has_opposed = false;
    for (std::int64_t i = 0; i < gemm.batch * gemm.m * gemm.k; ++i) {
      const std::uint64_t a = value.tensors.at("a").get(i);
      if (gemm.n == 0 || !number::is_infinity(format, a)) continue;
      const std::int64_t batch = i / (gemm.m * gemm.k), k = i % gemm.k;
      const std::uint64_t b = value.tensors.at("b").get((batch * gemm.k + k) * gemm.n);
      has_same = has_same || a == b;
      has_opposed = has_opposed || (a ^ format.sign_mask()) == b;
    }
    same += has_same ? 1 : 0;
    opposed += has_opposed ? 1 : 0;
  }
  EXPECT_GE(same, 8);
  EXPECT_GE(opposed, 4);
}

TEST(Coincide, StaysAmongTheValuesOfAnInput) {
  Request request = merge_request();
  request.limits.values["la"] = {-100, 100};
  for (std::uint64_t index = 0; index < 300; ++index) {
    EXPECT_FALSE(operation::outside(request.limits, make_case(request, 1, index))) << index;
  }
}

}  // namespace
}  // namespace negzero::generate
