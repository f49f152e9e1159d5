// Kernels of a CUDA file with optional inputs: right ones pass, and ones that are wrong only without an input are
// found.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "on_fake.hpp"
#include "program.hpp"

namespace negzero::cli_test::optional_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Adds a bias where there is one. `reads`: also where there is none. `stale`: something else is added then.
constexpr const char* kNorm = R"(#include <cmath>
#include <cstdint>
__device__ float stale_bias = 1;
template <bool reads, bool stale>
__device__ void add(const float* x, const float* bias, float* y, int rows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * n) return;
  float value = 2 * x[i];
  if (reads || bias != nullptr) value += bias[i % n];
  if (stale && bias == nullptr) value += stale_bias;
  y[i] = value;
}
__global__ void right(const float* x, const float* bias, float* y, int rows, int n) {
  add<false, false>(x, bias, y, rows, n);
}
__global__ void reads(const float* x, const float* bias, float* y, int rows, int n) {
  add<true, false>(x, bias, y, rows, n);
}
__global__ void stale(const float* x, const float* bias, float* y, int rows, int n) {
  add<false, true>(x, bias, y, rows, n);
}
__global__ void reference(const double* x, const double* bias, double* y, int rows, int n) {
  for (int i = 0; i < rows * n; ++i) y[i] = 2 * x[i] + (bias != nullptr ? bias[i % n] : 0);
}
/// Sums of the elements of each row, or of as many as `lengths` says. `wrong`: all but one where it says nothing.
template <bool wrong>
__global__ void sums(const float* x, const int* lengths, float* y, int rows, int n, long long stride) {
  for (int row = threadIdx.x; row < rows; row += 32) {
    const int most = lengths != nullptr ? lengths[row * stride] : wrong ? n - 1 : n;
    float sum = 0;
    for (int i = 0; i < most; ++i) sum += x[row * n + i];
    y[row] = sum;
  }
}
__global__ void right_sums(const double* x, const int* lengths, double* y, double* y_scale, int rows, int n) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0, size = 0;
    for (int i = 0; i < (lengths != nullptr ? lengths[row] : n); ++i) sum += x[row * n + i], size += fabs(x[row * n + i]);
    y[row] = sum;
    y_scale[row] = size * (n + 16);
  }
}
)";

class Optional : public CompilesFiles {
 protected:
  Ran check_norm(const std::string& function, const std::vector<std::string>& more = {}) {
    write(path_, kNorm);
    write(directory_ / "x.nz",
          "kernel ref\noperation ref: y[rows, n] <- x[rows, n], bias?[n]\nformats y=F64 x=F64 bias=F64\n"
          "launch reference<<<1, 1>>>(x, bias, y, rows, n);\n\n"
          "kernel norm\noperation norm: y[rows, n] <- x[rows, n], bias?[n]\nlimits rows >= 1, n >= 1\n"
          "values x -9..9, bias -9..9\nreference ref\nerror y ulps=4\nlaunch " +
              function + "<<<(rows * n + 63) / 64, 64>>>(x, bias, y, rows, n);\n");
    return checked("norm", more);
  }
  Ran check_sums(const std::string& wrong) {
    write(path_, kNorm);
    write(directory_ / "x.nz",
          "kernel ref\noperation ref: y[rows], y_scale[rows] <- x[rows, n], lengths?[rows] <= n\n"
          "formats y=F64 y_scale=F64 x=F64\nlaunch right_sums<<<1, 1>>>(x, lengths, y, y_scale, rows, n);\n\n"
          "kernel sums\noperation sums: y[rows] <- x[rows, n], lengths?[rows] <= n\nlimits rows >= 1, n >= 1\n"
          "values x 1..9\nreference ref\nerror y ulps=1 relative=1e-6\nlaunch sums<" +
              wrong + "><<<1, 32>>>(x, lengths, y, rows, n, lengths_stride0);\n");
    return checked("sums", {});
  }
  [[nodiscard]] std::string found_case(const Ran& ran) const { return ran.json()["kernels"][0]["findings"][0]["case"]; }

  std::string path_ = directory_ / "x.cu";

 private:
  Ran checked(const std::string& kernel, const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "check",         path_, kernel, "--cases", "300", "--executor", "host", "--save", directory_ / "found",
        "--shrink-time", "2s"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(Optional, ARightKernelPassesWithAndWithout) {
  const Ran norm = check_norm("right");
  EXPECT_EQ(norm.code, 0) << norm.out << norm.err;
  const Ran sums = check_sums("false");
  EXPECT_EQ(sums.code, 0) << sums.out << sums.err;
}

TEST_F(Optional, AReadThroughNullIsFound) {
  const Ran ran = check_norm("reads");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("without bias"), HasSubstr("rows 1, n 1"), Not(HasSubstr("reference.error"))));
}

TEST_F(Optional, AValueThatIsWrongOnlyWithoutIsFoundAndShown) {
  const Ran ran = check_norm("stale", {"--json"});
  ASSERT_EQ(ran.code, 1) << ran.out << ran.err;
  const std::string file = found_case(ran);
  const Ran shown = run({"show", file});
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("norm  rows 1, n 1, without bias  (F32 -> F32)"), Not(HasSubstr("bias F32["))));
  const Ran replayed = run({"replay", file, "--kernels", path_, "--executor", "host"});
  EXPECT_EQ(replayed.code, 1) << replayed.out << replayed.err;

  const Ran cuda = run({"export", file, "--kernels", path_, "--executor", "host"});
  EXPECT_EQ(cuda.code, 0) << cuda.err;
  EXPECT_THAT(cuda.out, AllOf(HasSubstr("float* const bias = nullptr;"), Not(HasSubstr("bias_memory"))));
  EXPECT_EQ(run_on_fake(cuda.out, directory_).code, 1) << "it shows the failure";
  write(path_, replaced(contents(path_), "value += stale_bias", "value += 0"));
  EXPECT_EQ(run_on_fake(cuda.out, directory_).code, 0) << "and a mended kernel none";
  write(path_, replaced(contents(path_), "value += 0", "value += stale_bias"));
  const Ran numpy = run({"export", file, "--kernels", path_, "--executor", "host", "--format", "py"});
  EXPECT_EQ(numpy.code, 0) << numpy.err;
  EXPECT_THAT(numpy.out, AllOf(HasSubstr("\nbias = None\n"), HasSubstr("assert not wrong")));
}

TEST_F(Optional, CountsMayBeAbsent) {
  const Ran ran = check_sums("true");
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("rows 1, n 1, without lengths"), HasSubstr("reference.error")));
}

TEST_F(Optional, AReferenceHasTheSame) {
  write(path_, kNorm);
  write(directory_ / "x.nz",
        "kernel ref\noperation ref: y[rows, n] <- x[rows, n], bias[n]\nformats y=F64 x=F64 bias=F64\n"
        "launch reference<<<1, 1>>>(x, bias, y, rows, n);\n\n"
        "kernel norm\noperation norm: y[rows, n] <- x[rows, n], bias?[n]\nreference ref\nerror y ulps=4\n"
        "launch right<<<(rows * n + 63) / 64, 64>>>(x, bias, y, rows, n);\n");
  const Ran ran = run({"check", path_, "norm", "--executor", "host"});
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(ran.out + ran.err, HasSubstr("it has bias[n], and the kernel bias?[n]"));
}

TEST_F(Optional, ListsSayWhichAre) {
  write(path_, kNorm);
  write(directory_ / "x.nz",
        "kernel norm\noperation norm: y[rows, n] <- x[rows, n], bias?[n]\n"
        "launch right<<<(rows * n + 63) / 64, 64>>>(x, bias, y, rows, n);\n");
  const Ran cases = run({"list", "cases", "norm", "--kernels", path_, "--cases", "20"});
  EXPECT_EQ(cases.code, 0) << cases.err;
  EXPECT_THAT(cases.out, HasSubstr(" without bias  strides x ("));
  const Ran kernels = run({"list", "kernels", "--kernels", path_, "--json"});
  EXPECT_THAT(kernels.out, HasSubstr("bias?[n]"));
}

TEST_F(Optional, TensorsOfTorchAreOptionalOnes) {
  write(path_, R"(#include <torch/extension.h>
__global__ void add(const float* x, const float* bias, float* y, int rows, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < rows * n) y[i] = x[i] + (bias != nullptr ? bias[i % n] : 1.0f);
}
torch::Tensor linear(torch::Tensor x, c10::optional<torch::Tensor> bias) {
  auto y = torch::empty_like(x);
  const int rows = x.size(0), n = x.size(1);
  const float* pointer = bias.has_value() ? bias->data_ptr<float>() : nullptr;
  add<<<(rows * n + 63) / 64, 64>>>(x.data_ptr<float>(), pointer, y.data_ptr<float>(), rows, n);
  return y;
}
__global__ void right(const double* x, const double* bias, double* y, int rows, int n) {
  for (int i = 0; i < rows * n; ++i) y[i] = x[i] + (bias != nullptr ? bias[i % n] : 0);
}
)");
  write(directory_ / "x.nz",
        "kernel ref\noperation ref: y[rows, n] <- x[rows, n], bias?[n]\nformats y=F64 x=F64 bias=F64\n"
        "launch right<<<1, 1>>>(x, bias, y, rows, n);\n\n"
        "kernel linear\noperation linear: y[rows, n] <- x[rows, n], bias?[n]\nlimits rows >= 1, n >= 1\n"
        "values x 1..9, bias 1..9\nreference ref\nerror y ulps=4\ntorch y = linear(x, bias);\n");
  const Ran ran = run({"check", path_, "linear", "--cases", "100", "--executor", "host", "--save", directory_ / "found",
                       "--shrink-time", "1s"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("without bias"), HasSubstr("reference.error")));
}

}  // namespace
}  // namespace negzero::cli_test::optional_test
