// Lines of four, five and six dimensions, from a CUDA file to a finding that is shrunk, replayed, shown and exported.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "on_fake.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Four: a bias of a channel. Five: the greatest along the last. Six: all dimensions in reverse, by their strides.
constexpr const char* kDimensionsFile = R"(#define AT blockIdx.x * 64 + threadIdx.x
#define STRIDES(t) long long t##0, long long t##1, long long t##2, long long t##3, long long t##4, long long t##5
__global__ void biased(const float* x, const float* bias, float* y, int n, int c, int h, int w) {
  const int i = AT;
  if (i < n * c * h * w) y[i] = x[i] + bias[i / (h * w) % c];
}
__global__ void most(const float* x, float* y, int outer, int e) {
  const int i = AT;
  if (i >= outer) return;
  float best = -INFINITY;
  for (int j = 0; j < e; ++j) best = fmaxf(best, x[i * e + j]);
  y[i] = best;
}
__global__ void reversed(const float* x, float* y, int a, int b, int c, int d, int e, int f, STRIDES(x), STRIDES(y)) {
  int at = AT;
  if (at >= a * b * c * d * e * f) return;
  const long long l = at % f, m = (at /= f) % e, n = (at /= e) % d, o = (at /= d) % c, p = (at /= c) % b, q = at / b;
  y[q * y0 + p * y1 + o * y2 + n * y3 + m * y4 + l * y5] = x[l * x0 + m * x1 + n * x2 + o * x3 + p * x4 + q * x5];
}
__global__ void biased_right(const double* x, const double* bias, double* y, int n, int c, int h, int w) {
  for (int i = 0; i < n * c * h * w; ++i) y[i] = x[i] + bias[i / w / h % c];
}
__global__ void most_right(const double* x, double* y, int outer, int e) {
  for (int i = 0; i < outer; ++i) {
    y[i] = -INFINITY;
    for (int j = 0; j < e; ++j) y[i] = fmax(y[i], x[i * e + j]);
  }
}
__global__ void reversed_right(const double* x, double* y, int a, int b, int c, int d, int e, int f) {
  for (int i = 0; i < a; ++i)
    for (int j = 0; j < b; ++j)
      for (int k = 0; k < c; ++k)
        for (int l = 0; l < d; ++l)
          for (int m = 0; m < e; ++m)
            for (int n = 0; n < f; ++n)
              y[((((i * b + j) * c + k) * d + l) * e + m) * f + n] = x[((((n * e + m) * d + l) * c + k) * b + j) * a + i];
}
)";

constexpr const char* kDimensionsDeclared = R"(kernel    biased_right
operation biased_right: y[n, c, h, w] <- x[n, c, h, w], bias[c]
formats   x=F64 bias=F64 y=F64
launch    biased_right<<<1, 1>>>(x, bias, y, n, c, h, w);

kernel    most_right
operation most_right: y[a, b, c, d] <- x[a, b, c, d, e]
formats   x=F64 y=F64
launch    most_right<<<1, 1>>>(x, y, a * b * c * d, e);

kernel    reversed_right
operation reversed_right: y[a, b, c, d, e, f] <- x[f, e, d, c, b, a]
formats   x=F64 y=F64
launch    reversed_right<<<1, 1>>>(x, y, a, b, c, d, e, f);

kernel    biased
operation biased: y[n, c, h, w] <- x[n, c, h, w], bias[c]
reference biased_right
error     y ulps=0
launch    if (n * c * h * w > 0) biased<<<(n * c * h * w + 63) / 64, 64>>>(x, bias, y, n, c, h, w);

kernel    most
operation most: y[a, b, c, d] <- x[a, b, c, d, e]
reference most_right
error     y ulps=0
launch    if (a * b * c * d > 0) most<<<(a * b * c * d + 63) / 64, 64>>>(x, y, a * b * c * d, e);

kernel    reversed
operation reversed: y[a, b, c, d, e, f] <- x[f, e, d, c, b, a]
layout    any
reference reversed_right
error     y ulps=0
launch    if (a * b * c * d * e * f > 0) reversed<<<(a * b * c * d * e * f + 63) / 64, 64>>>(x, y, a, b, c, d, e, f, x_stride0, x_stride1, x_stride2, x_stride3, x_stride4, x_stride5, y_stride0, y_stride1, y_stride2, y_stride3, y_stride4, y_stride5);
)";

class ManyDimensions : public CompilesFiles {
 protected:
  ManyDimensions() {
    write(file_, kDimensionsFile);
    write(directory_ / "many.nz", kDimensionsDeclared);
  }

  Ran check(const std::string& kernel) {
    return run({"check", file_, kernel, "--cases", "300", "--executor", "host", "--json", "--save", findings_,
                "--shrink-time", "20s"});
  }
  /// One of the kernel's findings, of a check that has some.
  std::string finding(const std::string& kernel) {
    const Ran ran = check(kernel);
    EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
    const nlohmann::json findings = ran.json()["kernels"][0]["findings"];
    for (const nlohmann::json& each : findings) {
      if (each["class"] == "wrong_value") return each["case"];
    }
    ADD_FAILURE() << ran.out;
    return "";
  }

  std::string file_ = directory_ / "many.cu", findings_ = directory_ / "found";
};

TEST_F(ManyDimensions, AreCleanWhereTheKernelIsRight) {
  for (const char* const kernel : {"biased", "most", "reversed"}) {
    const Ran ran = check(kernel);
    EXPECT_EQ(ran.code, 0) << kernel << ran.err << ran.out;
    EXPECT_GT(ran.json()["kernels"][0]["pass"], 200) << kernel << ran.out;
  }
}

TEST_F(ManyDimensions, AreFoundShrunkReplayedShownAndExportedWhereItIsWrong) {
  struct Wrong {
    const char *kernel, *right, *wrong, *shape;
    std::string found{}, code{};
  };
  Wrong all[] = {{"biased", "i / (h * w) % c", "i / h % c", "x F32[1, 2, 1, 2]"},
                 {"most", "int j = 0; j < e", "int j = 1; j < e", "x F32[1, 1, 1, 1, 2]"},
                 {"reversed", "o * x3 + p * x4 +", "p * x3 + o * x4 +", "x F32[1, 1, 1, "}};
  const auto with = [&](std::vector<std::string> words) {
    const std::vector<std::string> here{"--kernels", file_, "--executor", "host"};
    words.insert(words.end(), here.begin(), here.end());
    return run(words);
  };
  std::string file = kDimensionsFile;
  for (const Wrong& each : all) file = replaced(file, each.right, each.wrong);
  write(file_, file);
  for (Wrong& each : all) {
    each.found = finding(each.kernel);
    const Ran shown = run({"show", each.found});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr(each.shape)) << each.kernel;
    EXPECT_EQ(with({"replay", each.found}).code, 1) << each.kernel;
    const std::string small = directory_ / "small.safetensors";
    EXPECT_EQ(with({"shrink", each.found, "-o", small}).code, 1) << each.kernel;
    EXPECT_EQ(with({"replay", small}).code, 1) << each.kernel;
    const Ran code = with({"export", each.found}), script = with({"export", each.found, "--format", "py"});
    EXPECT_EQ(code.code, 0) << code.err;
    EXPECT_EQ(script.code, 0) << script.err;
    each.code = code.out;
    EXPECT_EQ(run_on_fake(each.code, directory_).code, 1) << each.kernel << each.code;
    const std::string page = directory_ / "page.html";
    EXPECT_EQ(run({"check", file_, each.kernel, "--executor", "host", "--cases", "300", "--save", findings_, "--report",
                   page})
                  .code,
              1);
    EXPECT_THAT(contents(page), HasSubstr("<table class=\"map\">")) << each.kernel;
  }
  write(file_, kDimensionsFile);
  for (const Wrong& each : all) {
    EXPECT_EQ(with({"replay", each.found}).code, 0) << each.kernel;
    const Said mended = run_on_fake(each.code, directory_);
    EXPECT_EQ(mended.code, 0) << each.kernel << mended.text;
  }
}

TEST_F(ManyDimensions, OneMoreThanThereMayBeIsNamedWithItsColumn) {
  write(directory_ / "many.nz",
        "kernel biased\noperation seven: y[n] <- x[n], z[a, b, c, d, e, f, g]\nlaunch biased<<<1, 1>>>();\n");
  const Ran ran = check("biased");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("many.nz:2: "), HasSubstr("', column 22: 7 dimensions of tensor z, and at most 6 "
                                                        "are allowed")));
}

}  // namespace
}  // namespace negzero::cli_test
