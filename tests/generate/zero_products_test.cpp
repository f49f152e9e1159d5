// 0 * Inf and 0 * NaN in a Gemm: as often as it takes to fail a kernel that skips zeros, whatever the seed.

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using number::FormatId;

std::vector<double> doubles_of(const tensor::Tensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.element_count()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = number::to_double(tensor.format(), tensor.get(static_cast<std::int64_t>(i)));
  }
  return values;
}

/// Whether a kernel that skips the products whose a (or b) is zero gives a number for some result that is NaN.
struct Seen {
  bool a = false, b = false;
};

Seen seen_by(const operation::Case& value) {
  const auto& gemm = operation::view<operation::Gemm>(value.operation);
  const double alpha = number::to_double(number::format(gemm.alpha.format), gemm.alpha.bits);
  const double beta = number::to_double(number::format(gemm.beta.format), gemm.beta.bits);
  Seen seen;
  // Sums of all cases would take minutes; the few that are larger may only make the counts smaller.
  if (alpha == 0 || !std::isfinite(alpha) || gemm.batch * gemm.m * gemm.n * gemm.k > 100000) return seen;
  const std::vector<double> a = doubles_of(value.tensors.at("a")), b = doubles_of(value.tensors.at("b"));
  const std::vector<double> c = doubles_of(value.tensors.at("c"));
  for (std::int64_t at = 0; at < gemm.batch * gemm.m * gemm.n; ++at) {
    const std::int64_t row = at / gemm.n, batch = row / gemm.m, column = at % gemm.n;
    if (beta != 0 && !std::isfinite(beta * c[static_cast<std::size_t>(at)])) continue;
    double sum = 0, without_a = 0, without_b = 0;
    for (std::int64_t k = 0; k < gemm.k; ++k) {
      const double left = a[static_cast<std::size_t>(row * gemm.k + k)];
      const double right = b[static_cast<std::size_t>((batch * gemm.k + k) * gemm.n + column)];
      sum += left * right;
      if (left != 0) without_a += left * right;
      if (right != 0) without_b += left * right;
    }
    if (!std::isnan(sum)) continue;
    seen.a = seen.a || !std::isnan(without_a);
    seen.b = seen.b || !std::isnan(without_b);
  }
  return seen;
}

TEST(ZeroProducts, FailKernelsThatSkipZerosInOneCaseOfAHundred) {
  constexpr int kCases = 1000;
  for (const Request& request : {gemm_request(FormatId::F32, FormatId::F32, FormatId::F32),
                                 gemm_request(FormatId::F16, FormatId::F32, FormatId::F16),
                                 gemm_request(FormatId::F8_E4M3, FormatId::F32, FormatId::F16)}) {
    for (const std::uint64_t seed : {1, 2, 3, 1000}) {
      SCOPED_TRACE(seed);
      int skipped_a = 0, skipped_b = 0;
      for (std::uint64_t index = 0; index < kCases; ++index) {
        const Plan plan = draw(request, seed, index);
        // The other strategies have next to no zeros against specials.
        if (plan.strategy != "special") continue;
        const Seen seen = seen_by(expand(request, plan));
        skipped_a += seen.a ? 1 : 0;
        skipped_b += seen.b ? 1 : 0;
      }
      EXPECT_GE(skipped_a, kCases / 100);
      EXPECT_GE(skipped_b, kCases / 100);
    }
  }
}

}  // namespace
}  // namespace negzero::generate
