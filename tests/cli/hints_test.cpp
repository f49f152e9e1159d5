// Hints of a check: the true word leads where the cases are of every kind, of every size, and many.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;

/// A GEMM by the rules of BLAS that departs in one way: 1, factors of TF32, cut off; 2, one rounding of the sum to F16;
/// 3, one of the result.
constexpr const char* kGemm = R"(#include <cuda_fp16.h>
__device__ float tf32(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }
template <int kHow>
__global__ void gemm(const float* a, const float* b, const float* c, float* d, int m, int n, int k, float alpha, float beta) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  if (i >= m || j >= n) return;
  float sum = 0;
  if (alpha != 0) {
    for (int l = 0; l < k; ++l) {
      const float x = a[i * k + l], y = b[l * n + j];
      sum += kHow == 1 ? tf32(x) * tf32(y) : x * y;
    }
  }
  if (kHow == 2) sum = __half2float(__float2half(sum));
  float result = k == 0 || alpha == 0 ? 0.0f : alpha * sum;
  if (beta != 0) result += beta * c[i * n + j];
  d[i * n + j] = kHow == 3 ? __half2float(__float2half(result)) : result;
}
)";

class Hints : public CompilesFiles {
 protected:
  /// The first hint of each finding, without what it means.
  std::vector<std::string> first_hints(const std::string& how) {
    write(directory_ / "x.cu", kGemm);
    write(directory_ / "x.nz",
          "kernel g\noperation gemm\nlimits batch = 1, m >= 1, n >= 1\nlaunch gemm<" + how +
              "><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, d, m, n, k, alpha, beta);\n");
    const Ran ran = run({"check", directory_ / "x.cu", "--cases", "60", "--executor", "host", "--watch", "never",
                         "--save", directory_ / "found", "--shrink-time", "1s"});
    EXPECT_EQ(ran.code, 1) << ran.err;
    std::vector<std::string> hints;
    const std::string kHint = "  hint       permitted under ";
    for (std::size_t at = ran.out.find("\nFAIL", 0), from = 0; from != std::string::npos; from = at) {
      at = ran.out.find("\nFAIL", from + 1);
      const std::string finding = ran.out.substr(from, at == std::string::npos ? at : at - from);
      const std::size_t hint = finding.find(kHint);
      hints.push_back(hint == std::string::npos
                          ? "none"
                          : finding.substr(hint + kHint.size(), finding.find(':', hint) - hint - kHint.size()));
    }
    return hints;
  }
};

TEST_F(Hints, NameTheTruthOfEveryFindingOfADeparture) {
  const struct {
    const char *how, *word;
  } rows[] = {
      {"1", "multiplicand \"tf32_truncate\""}, {"2", "intermediate [\"F16\"]"}, {"3", "intermediate [\"F16\"]"}};
  for (const auto& row : rows) {
    EXPECT_THAT(first_hints(row.how),
                ::testing::AllOf(::testing::Not(::testing::IsEmpty()), ::testing::Each(HasSubstr(row.word))))
        << row.how;
  }
}

}  // namespace
}  // namespace negzero::cli_test
