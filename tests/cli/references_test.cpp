// References that are not good to the error which is declared of them accuse no kernel.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The loss of two logits of which the first is the label. `cancels` adds the maximum before it takes it away again;
/// `good` never adds it.
constexpr const char* kLoss = R"(__global__ void loss(const float* x, float* y, int rows, float times) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= rows) return;
  const float most = fmaxf(x[2 * i], x[2 * i + 1]);
  y[i] = times * (logf(expf(x[2 * i] - most) + expf(x[2 * i + 1] - most)) + (most - x[2 * i]));
}
template <bool kCancels>
__global__ void reference(const double* x, double* y, double* y_scale, int rows) {
  for (int i = 0; i < rows; ++i) {
    const double most = fmax(x[2 * i], x[2 * i + 1]);
    const double sum = log(exp(x[2 * i] - most) + exp(x[2 * i + 1] - most));
    y[i] = kCancels ? (most + sum) - x[2 * i] : sum + (most - x[2 * i]);
    y_scale[i] = fabs(sum) + fabs(most - x[2 * i]) + 1;
  }
}
)";

class References : public CompilesFiles {
 protected:
  /// A check of the kernel, which multiplies by `times`, against one of the references.
  Ran check(const std::string& cancels, const std::string& times) {
    write(directory_ / "x.cu", kLoss);
    write(directory_ / "x.nz",
          "kernel ref\noperation ref: y[rows], y_scale[rows] <- x[rows, two] each rows\nlimits two = 2\n"
          "formats y=F64 y_scale=F64 x=F64\nlaunch reference<" +
              cancels +
              "><<<1, 1>>>(x, y, y_scale, rows);\n\n"
              "kernel loss\noperation loss: y[rows] <- x[rows, two] each rows\nlimits rows >= 1, two = 2\n"
              "values x -1e30..1e30\nreference ref\nerror y ulps=4 relative=1e-6\nlaunch loss<<<(rows + 63) / 64, "
              "64>>>(x, y, rows, " +
              times + ");\n");
    return run({"check", directory_ / "x.cu", "loss", "--cases", "300", "--executor", "host", "--save",
                directory_ / "found", "--shrink-time", "1s"});
  }
};

TEST_F(References, ThatCancelAreSaidAndAccuseNoKernel) {
  const Ran cancels = check("true", "1");
  EXPECT_EQ(cancels.code, 0) << cancels.out << cancels.err;
  EXPECT_THAT(cancels.out, AllOf(HasSubstr("the reference is not good to its error at "),
                                 HasSubstr("rounded downward ref gives "), HasSubstr("values not judged")));
  const Ran good = check("false", "1");
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_THAT(good.out, ::testing::Not(HasSubstr("not good to its error")));
}

TEST_F(References, ThatAreGoodElsewhereStillFindWhatIsWrong) {
  for (const char* const cancels : {"true", "false"}) {
    const Ran ran = check(cancels, "1.01f");
    EXPECT_EQ(ran.code, 1) << cancels << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("reference.error"));
  }
}

/// Steps of an eighth, ties to even or up.
constexpr const char* kSteps = R"(template <bool kUp> __global__ void steps(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = (kUp ? floorf(x[i] * 8 + 0.5f) : rintf(x[i] * 8)) / 8;
}
__global__ void reference(const double* x, double* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = rint(x[i] * 8) / 8;
}
)";

TEST_F(References, ThatRoundToStepsLoseNoElementAtTies) {
  write(directory_ / "x.cu", kSteps);
  const std::string line =
      "\noperation steps: y[n] <- x[n]\nlimits n >= 1\nvalues x -100..100\nreference ref\nerror y ulps=1\n"
      "launch steps<";
  write(directory_ / "x.nz",
        "kernel ref\noperation ref: y[n] <- x[n]\nformats y=F64 x=F64\nlaunch reference<<<1, 1>>>(x, y, n);\n\n"
        "kernel even" +
            line +
            "false><<<(n + 63) / 64, 64>>>(x, y, n);\n\n"
            "kernel up" +
            line + "true><<<(n + 63) / 64, 64>>>(x, y, n);\n");
  const auto check = [&](const std::string& kernel) {
    return run({"check", directory_ / "x.cu", kernel, "--cases", "300", "--executor", "host", "--save",
                directory_ / "found", "--shrink-time", "1s"});
  };
  const Ran even = check("even"), up = check("up");
  EXPECT_EQ(even.code, 0) << even.out << even.err;
  EXPECT_EQ(up.code, 1) << up.out << up.err;
  EXPECT_THAT(up.out, HasSubstr("reference.error"));
  EXPECT_THAT(even.out + up.out,
              ::testing::Not(::testing::AnyOf(HasSubstr("not good to its error"), HasSubstr("values not judged"))));
}

}  // namespace
}  // namespace negzero::cli_test
