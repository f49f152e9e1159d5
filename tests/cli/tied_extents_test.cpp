// Lines whose extents are tied, from a CUDA file to a finding: a convolution, a pooling with a stride, a sparse
// product.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTiedFile =
    R"(__global__ void conv(const float* x, const float* w, float* y, int rows, int n, int k, int o) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= rows * o) return;
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += x[i / o * n + i % o + j] * w[j];
  y[i] = sum;
}
__global__ void conv_right(const double* x, const double* w, double* y, double* y_scale, int rows, int n, int k, int o) {
  for (int i = 0; i < rows * o; ++i) {
    double sum = 0, size = 0;
    for (int j = 0; j < k; ++j) sum += x[i / o * n + i % o + j] * w[j], size += fabs(x[i / o * n + i % o + j] * w[j]);
    y[i] = sum;
    y_scale[i] = size * (k + 4);
  }
}
__global__ void pool(const float* x, float* y, int n, int o, int width, int stride) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= o) return;
  float best = -INFINITY;
  for (int j = 0; j < width; ++j) best = fmaxf(best, x[i * stride + j]);
  y[i] = best;
}
__global__ void pool_right(const double* x, double* y, int n, int o, int width, int stride) {
  for (int i = 0; i < o; ++i) {
    double best = -INFINITY;
    for (int j = 0; j < width; ++j) best = fmax(best, x[i * stride + j]);
    y[i] = best;
  }
}
__global__ void csr(const float* v, const int* column, const int* ends, const float* x, float* y, int rows) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (int j = ends[i]; j < ends[i + 1]; ++j) sum += v[j] * x[column[j]];
  y[i] = sum;
}
__global__ void csr_right(const double* v, const int* column, const int* ends, const double* x, double* y, double* y_scale, int rows) {
  for (int i = 0; i < rows; ++i) {
    double sum = 0, size = 0;
    for (int j = ends[i]; j < ends[i + 1]; ++j) sum += v[j] * x[column[j]], size += fabs(v[j] * x[column[j]]);
    y[i] = sum;
    y_scale[i] = size * (ends[i + 1] - ends[i] + 4);
  }
}
)";

constexpr const char* kTiedDeclared = R"(kernel    conv_right
operation conv_right: y[rows, o], y_scale[rows, o] <- x[rows, n], w[k] with o = n - k + 1, k <= n
formats   x=F64 w=F64 y=F64 y_scale=F64
launch    conv_right<<<1, 1>>>(x, w, y, y_scale, rows, n, k, o);

kernel    pool_right
operation pool_right: y[o] <- x[n] with o = (n - width) / stride + 1, width <= n
formats   x=F64 y=F64
launch    pool_right<<<1, 1>>>(x, y, n, o, width, stride);

kernel    csr_right
operation csr_right: y[rows], y_scale[rows] <- v[entries], column[entries] < columns, ends[rows + 1] <= entries ascending, x[columns]
formats   v=F64 x=F64 y=F64 y_scale=F64
launch    csr_right<<<1, 1>>>(v, column, ends, x, y, y_scale, rows);

kernel    conv
operation conv: y[rows, o] <- x[rows, n], w[k] with o = n - k + 1, k <= n
values    x -1e4..1e4, w -1e4..1e4
reference conv_right
error     y ulps=1 relative=1.2e-7
launch    if (rows * o > 0) conv<<<(rows * o + 63) / 64, 64>>>(x, w, y, rows, n, k, o);

kernel    pool
operation pool: y[o] <- x[n] with o = (n - width) / stride + 1, width <= n
reference pool_right
error     y ulps=0
launch    pool<<<(o + 63) / 64, 64>>>(x, y, n, o, width, stride);

kernel    csr
operation csr: y[rows] <- v[entries], column[entries] < columns, ends[rows + 1] <= entries ascending, x[columns]
limits    rows >= 1
values    x -1e4..1e4, v -1e4..1e4
reference csr_right
error     y ulps=1 relative=1.2e-7
launch    csr<<<(rows + 63) / 64, 64>>>(v, column, ends, x, y, rows);
)";

class TiedExtents : public CompilesFiles {
 protected:
  TiedExtents() { write(directory_ / "tied.nz", kTiedDeclared); }

  Ran check(const std::string& kernel, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        "check", file_, kernel, "--cases", "300", "--json", "--save", directory_ / "found", "--executor", "host"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  std::string file_ = directory_ / "tied.cu";
};

TEST_F(TiedExtents, AreCleanWhereTheKernelIsRight) {
  write(file_, kTiedFile);
  for (const char* const kernel : {"conv", "pool", "csr"}) {
    const Ran ran = check(kernel);
    EXPECT_EQ(ran.code, 0) << kernel << ran.err << ran.out;
    EXPECT_GT(ran.json()["kernels"][0]["pass"], 250) << kernel;
  }
  EXPECT_EQ(check("conv", {"--extents", "o=5"}).code, 0);
  const Ran none = check("conv", {"--extents", "k=9,n=5"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("the line wants k <= n"));
}

TEST_F(TiedExtents, AreFoundAndShrunkWhereItIsWrong) {
  std::string file = replaced(kTiedFile, "j < k; ++j) sum += x", "j < k - (o > 2); ++j) sum += x");
  file = replaced(file, "fmaxf(best, x[i * stride", "fmaxf(best, x[i * (stride > 3 ? 3 : stride)");
  write(file_, replaced(file, "j < ends[i + 1]; ++j) sum", "j < ends[i + 1] - (i == 4); ++j) sum"));
  const std::pair<const char*, const char*> smallest[] = {
      {"conv", "conv  rows 1, o 3, n 3, k 1"}, {"pool", "o 2, n 5, width 1, stride 4"}, {"csr", "rows 5, entries 1, "}};
  for (const auto& [kernel, extents] : smallest) {
    const Ran ran = check(kernel);
    ASSERT_EQ(ran.code, 1) << kernel << ran.err << ran.out;
    const nlohmann::json finding = ran.json()["kernels"][0]["findings"][0];
    const Ran shown = run({"show", finding["case"].get<std::string>()});
    EXPECT_THAT(shown.out, HasSubstr(extents)) << kernel;
    EXPECT_EQ(run({"replay", finding["case"], "--kernels", file_, "--executor", "host"}).code, 1) << kernel;
  }
}

}  // namespace
}  // namespace negzero::cli_test
