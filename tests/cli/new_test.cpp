// `new FILE.cu`: what is measured, what is guessed, and what a finding of a guess is worth.

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Operations that are measured; each is launched as its author does.
constexpr const char* kFile = R"(
__global__ void largest(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = in[row * columns];
  for (int j = 1; j < columns; ++j) best = fmaxf(best, in[row * columns + j]);
  out[row] = best;
}
__global__ void total(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(out, in[i]);
}
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= M || j >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[i * K + k] * B[k * N + j];
  C[i * N + j] = sum;
}
__global__ void update(const float* A, const float* B, float* C, int M, int N, int K, float alpha, float beta) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= M || j >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[i * K + k] * B[k * N + j];
  C[i * N + j] = alpha * sum + beta * C[i * N + j];
}
__global__ void leaky(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0.01f * x[i];
}
void run_largest(const float* in, float* out, int rows, int columns, cudaStream_t s) {
  largest<<<(rows + 63) / 64, 64, 0, s>>>(in, out, rows, columns);
}
void run_total(const float* in, float* out, int n) { total<<<1, 128>>>(in, out, n); }
void run_product(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
void run_update(const float* A, const float* B, float* C, int M, int N, int K, float alpha, float beta) {
  update<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K, alpha, beta);
}
void run_leaky(const float* x, float* y, int n) { leaky<<<(n + 255) / 256, 256>>>(x, y, n); }
)";

/// Sizes of every use: of batches, twice an extent, compared with elements, and of more threads than a block may have.
constexpr const char* kSizes = R"(
__global__ void batches(const float* a, const float* b, float* c, int m, int n, int k) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x, t = blockIdx.z;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[(t * m + i) * k + l] * b[(t * k + l) * n + j];
  c[(t * m + i) * n + j] = sum;
}
__global__ void gate(const float* x, float* y, int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < half) y[i] = x[i] / (1 + expf(-x[i])) * x[half + i];
}
__global__ void count(const int* x, int* y, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] == value) atomicAdd(y, 1);
}
__global__ void largest_window(const float* x, float* y, int n, int window) {
  float best = -INFINITY;
  for (int first = 0; first == 0 || first + window <= n; ++first) {
    float sum = 0;
    for (int i = 0; i < window; ++i) sum += x[first + i];
    best = fmaxf(best, sum);
  }
  *y = best;
}
__global__ void backwards(const float* x, float* y) { y[blockDim.x - 1 - threadIdx.x] = x[threadIdx.x]; }
__global__ void half_backwards(float* x, int n) {
  const int i = threadIdx.x;
  const float other = x[n - 1 - i];
  x[n - 1 - i] = x[i];
  x[i] = other;
}
void run_batches(const float* a, const float* b, float* c, int batch, int m, int n, int k) {
  batches<<<dim3((n + 15) / 16, (m + 15) / 16, batch), dim3(16, 16)>>>(a, b, c, m, n, k);
}
void run_gate(const float* x, float* y, int n) { gate<<<(n / 2 + 127) / 128, 128>>>(x, y, n / 2); }
void run_count(const int* x, int* y, int n, int value) { count<<<(n + 127) / 128, 128>>>(x, y, n, value); }
void run_largest_window(const float* x, float* y, int n, int window) { largest_window<<<1, 1>>>(x, y, n, window); }
void run_backwards(const float* x, float* y, int n) { backwards<<<1, n>>>(x, y); }
void run_half_backwards(float* x, int n) { half_backwards<<<1, n / 2>>>(x, n); }
)";

class NewDeclaration : public CompilesFiles {
 protected:
  /// The declaration of a file.
  std::string proposed(const std::string& file) {
    write(directory_ / "x.cu", file);
    const Ran ran = run({"new", directory_ / "x.cu", "--force"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return contents(directory_ / "x.nz");
  }
  Ran check(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"check",  directory_ / "x.cu",  "--cases",       "100", "--executor", "host",
                                   "--save", directory_ / "found", "--shrink-time", "1s"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(NewDeclaration, HasLaunchersLengthsAndOperationsThatWereMeasured) {
  const std::string text = proposed(kFile);
  EXPECT_THAT(text, AllOf(HasSubstr("# measured: reduce.max agrees with 9 of 9 runs\n"),
                          HasSubstr("launch    run_largest(x, y, rows, columns, stream);\n"),
                          HasSubstr("launch    cudaMemset(y, 0, sizeof(*y)); run_total(x, y, columns);\n"),
                          HasSubstr("limits    rows = 1, columns >= 1\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("launch    run_product(a, b, d, m, n, k);\n"),
                          HasSubstr("in_place  c\ncontract  scalars=formula\n"),
                          HasSubstr("map<negzero::reference::LeakyRelu><<<1, 1>>>(y, nullptr, n, x);\n"),
                          Not(HasSubstr("guessed")),
                          Not(HasSubstr("?"
                                        "?"
                                        "?"))));
  const Ran ran = check();
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

TEST_F(NewDeclaration, SizesAreExtentsOrMultiplesOrValuesAndHaveLimits) {
  const std::string text = proposed(kSizes);
  EXPECT_THAT(text, AllOf(HasSubstr("launch    run_batches(a, b, d, batch, m, n, k);\n"),
                          HasSubstr("operation gate: y[n] <- x[n, two]\n"), HasSubstr("limits    n >= 1, two = 2\n"),
                          HasSubstr("launch    run_gate(x, y, 2 * n);\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("value is 3 in each case\n"), HasSubstr("run_count(x, y, n, 3);\n"),
                          HasSubstr("negzero::reference::count_equal<<<1, 1>>>(y, nullptr, n, 3, x);\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("limits    n >= 3, one = 1\n"), HasSubstr("run_largest_window(x, y, n, 3);\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("limits    n >= 1, n <= 1024\n"), HasSubstr("limits    n >= 2, n <= 2049\n"),
                          Not(HasSubstr("guessed"))));
  EXPECT_EQ(check({"largest_window"}).code, 4) << "its values are not judged";
  const Ran ran = check();
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

/// What small sizes and zeros hide: an output for each block, what an output held, a launch that is made up.
constexpr const char* kHidden[] = {
    R"(__global__ void sums(const float* x, float* y, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  for (int d = 128; d; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
void run(const float* x, float* y, int n) { sums<<<(n + 255) / 256, 256>>>(x, y, n); }
)",
    R"(__global__ void update(const float* x, float* y, int n, float a) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = a * x[i] + 3 * y[i];
}
void run(const float* x, float* y, int n, float a) { update<<<(n + 255) / 256, 256>>>(x, y, n, a); }
)",
    R"(__global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0);
}
)"};

TEST_F(NewDeclaration, WhatSmallSizesAndZerosHideIsNotMeasured) {
  EXPECT_THAT(proposed(kHidden[0]), AllOf(HasSubstr("# guessed: reduce.sum agrees with 9 of 9 runs; "),
                                          HasSubstr("guessed   limits, operation\n")));
  EXPECT_THAT(proposed(kHidden[1]), AllOf(HasSubstr("; no known operation gives these results"),
                                          Not(HasSubstr("cudaMemset")), Not(HasSubstr("guessed"))));
  EXPECT_THAT(proposed(kHidden[2]), HasSubstr("guessed   launch, limits, operation\n"));
  EXPECT_THAT(proposed(replaced(kHidden[2], "* 128", "* 256")), HasSubstr("guessed   launch\n"));
  EXPECT_EQ(check().code, 0);
}

TEST_F(NewDeclaration, MeasuringEndsWithItsTime) {
  write(directory_ / "x.cu", kSizes);
  const Ran ran = run({"new", directory_ / "x.cu", "--time", "1ms"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(contents(directory_ / "x.nz"),
              AllOf(HasSubstr("# not measured: there was no time for more runs; --time gives more\n"),
                    HasSubstr("guessed   limits, operation\n")));
}

TEST_F(NewDeclaration, AFaultIsFoundByWhatWasMeasured) {
  EXPECT_THAT(proposed(replaced(kFile, "float best = in[row * columns];", "float best = 0;")),
              AllOf(HasSubstr("# guessed: reduce.max agrees with "), HasSubstr("guessed   operation\n")));
  const Ran ran = check({"largest"});
  EXPECT_EQ(ran.code, 4) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("select.value"), HasSubstr("rests on a guess: operation"),
                             HasSubstr("resting on a guess")));
  const Ran told = check({"largest", "--json"});
  EXPECT_EQ(told.code, 4);
  EXPECT_EQ(nlohmann::json::parse(told.out)["kernels"][0]["findings"][0]["guessed"],
            nlohmann::json::parse(R"(["operation"])"));
  write(directory_ / "x.nz", replaced(contents(directory_ / "x.nz"), "guessed   operation\n", ""));
  EXPECT_EQ(check({"largest"}).code, 1) << "deleting the line confirms";
}

TEST_F(NewDeclaration, WhatItsInputsDecideIsNotMeasured) {
  const std::string text = proposed(
      "__global__ void gather(const float* x, const int* at, float* y, int n, int m) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[at[i]];\n}\n"
      "void run(const float* x, const int* at, float* y, int n, int m) { gather<<<(n + 63) / 64, 64>>>(x, at, y, n, "
      "m); "
      "}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("# not measured: what it reads or writes depends on what its inputs hold\n"),
                          HasSubstr("guessed   limits, operation\n")));
}

TEST_F(NewDeclaration, GuessedNamesWhatADeclarationHas) {
  write(directory_ / "x.cu", kFile);
  write(directory_ / "x.nz", "kernel k\noperation reduce.sum\nguessed launches\nlaunch run_total(x, y, columns);\n");
  const Ran ran = check();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("x.nz:3: guessed: 'launches'"), HasSubstr("did you mean \"launch\"")));
}

}  // namespace
}  // namespace negzero::cli_test
