// `negzero depth`: what is found of shipped kernels is what their sources say, and what has no order is said to have
// none.

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

int log2_of(int n) { return n <= 1 ? 0 : std::bit_width(static_cast<unsigned>(n - 1)); }
int div_up(int a, int b) { return (a + b - 1) / b; }

/// The depth of so many terms, as one reads it from the kernel's source.
struct ExpectedDepth {
  std::string kernel;
  std::function<int(int)> depth;
  std::string formula;
};

const std::vector<ExpectedDepth> kExpectedDepths{
    // One multiply and n - 1 additions of one thread's loop, whatever is tiled around it.
    {"gemm.naive.f32", [](int k) { return k; }, "k"},
    {"gemm.tiled.f32", [](int k) { return k; }, "k"},
    {"gemm.tiled.f64", [](int k) { return k; }, "k"},
    {"gemm.tiled.bf16", [](int k) { return k; }, "k"},
    {"gemm.tiled.f16", [](int k) { return k; }, "k"},
    {"gemm.tiled.f16_acc_f16", [](int k) { return k; }, "k"},
    {"gemm.shared_b.f32", [](int k) { return k; }, "k"},
    {"gemm.column_major.f32", [](int k) { return k; }, "k"},
    {"gemm.grouped.naive.f32", [](int k) { return k; }, "k"},
    {"gemm.grouped.tiled.bf16", [](int k) { return k; }, "k"},
    // Slices of max(16, k / 16) terms, then a chain of slices.
    {"gemm.split_k.f32", [](int k) { return std::max(16, div_up(k, 16)) + div_up(k, std::max(16, div_up(k, 16))) - 1; },
     "min(k, 16) + ceil_div(k, 16) - 1"},
    // 256 threads, each a chain, then a tree.
    {"reduce.sum.tree.f32", [](int n) { return div_up(n, 256) - 1 + log2_of(std::min(n, 256)); },
     "ceil_div(columns, 256) + ceil_log2(min(columns, 256)) - 1"},
    {"reduce.sum.shuffle.f32", [](int n) { return div_up(n, 256) - 1 + log2_of(std::min(n, 256)); },
     "ceil_div(columns, 256) + ceil_log2(min(columns, 256)) - 1"},
    {"reduce.sum.shuffle.f16", [](int n) { return div_up(n, 256) - 1 + log2_of(std::min(n, 256)); },
     "ceil_div(columns, 256) + ceil_log2(min(columns, 256)) - 1"},
    // Eight threads a column, and a tree of three levels.
    {"reduce.sum_middle.tiled.f32", [](int n) { return div_up(n, 8) - 1 + 3; },
     "ceil_div(columns, 8) + ceil_log2(min(columns, 8)) - 1"},
    {"reduce.sum_batch.chain.f32", [](int n) { return n - 1; }, "batch - 1"},
    {"scan.inclusive.chain.f32", [](int n) { return n - 1; }, "columns - 1"},
    {"scan.exclusive.chain.f32", [](int n) { return n - 2; }, "columns - 2"},
};

TEST(Depth, OfShippedKernelsIsWhatTheirSourcesSay) {
  for (const ExpectedDepth& each : kExpectedDepths) {
    SCOPED_TRACE(each.kernel);
    const Ran ran = run({"depth", each.kernel, "--executor", "host", "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const auto found = ran.json()["kernels"][0];
    EXPECT_EQ(found["kernel"], each.kernel);
    EXPECT_EQ(found["executor"], "host");
    EXPECT_EQ(found["is_deterministic"], true);
    ASSERT_EQ(found["lengths"].size(), 3u);
    for (const auto& at : found["lengths"]) EXPECT_EQ(at["depth"], each.depth(at["length"])) << at;
    EXPECT_EQ(found["line"]["depth"], each.formula);
    EXPECT_EQ(found["formula"]["is_exact"], true);
  }
}

TEST(Depth, DrawsTheTreeAndPrintsTheLineToPaste) {
  const Ran ran = run({"depth", "reduce.sum.tree.f32", "--lengths", "4096", "--executor", "host", "--tree"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("reduce.sum.tree.f32 on host\n  columns  depth\n     4096     23  (rows=32,"));
  EXPECT_THAT(ran.out,
              HasSubstr("pairs, 8 levels, of 256 parts alike; the first:\n      chain of 16: x[0, 256 .. 3840]"));
  EXPECT_THAT(ran.out, HasSubstr("\ncontract: {\"depth\":"));
}

TEST(Depth, ExtentsAndFormatsAreThoseThatAreAskedFor) {
  const Ran ran = run({"depth", "gemm.naive.f32", "--extents", "m=5,n=3,k=40", "--executor", "host", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto found = ran.json()["kernels"][0];
  ASSERT_EQ(found["lengths"].size(), 1u);
  EXPECT_EQ(found["lengths"][0]["depth"], 40);
  EXPECT_THAT(found["lengths"][0]["shape"], HasSubstr("m=5, n=3, k=40, F32 x F32 x F32"));
}

TEST(Depth, AtomicsAddInNoOrderThatRepeats) {
  const Ran ran = run({"depth", "scatter.add.f32", "--executor", "host"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.out, HasSubstr("no tree: sums differ from run to run"));
  EXPECT_THAT(ran.out, HasSubstr("contract: {\"depth\":\"updates - 1\"}"));
}

TEST(Depth, WhatHasNoOrderIsSaidInOneSentence) {
  const std::pair<std::vector<std::string>, std::string> kWrong[] = {
      {{"reduce.max.ignore.f32"}, "reduce.max selects an element, and adds nothing"},
      {{"convert.f16_f32"}, "convert has no sum over an extent"},
      {{"softmax.online.f32"}, "does not say what is summed"},
      {{}, "name a kernel, as in `negzero depth gemm.naive.f32`"},
      {{"gemm.naive.f32", "--extents", "q=5"}, "gemm has no such extent; it has batch, m, n, k"},
      {{"gemm.naive.f32", "--extents", "m"}, "--extents m: write NAME=VALUE"},
      {{"gemm.naive.f32", "--extents", "m=x"}, "--extents m=x: "},
      {{"gemm.naive.f32", "--lengths", "1"}, "k=1: a sum of fewer than 2 terms has no order"},
      {{"gemm.naive.f32", "--lengths", "8,-1"}, "--lengths -1: "},
      {{"gemm.naive.f32", "--formats", "F31"}, "--formats F31: no such format"},
      {{"gemm.naive.f32", "--formats", "F32"}, "--formats: 1 of them"},
      {{"gemm.naive.f32", "--formats", "F16,F16,F16"}, "gemm.naive.f32 does not take "},
  };
  for (const auto& [words, message] : kWrong) {
    std::vector<std::string> arguments{"depth"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(message));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_EQ(run({"depth", "no.such.kernel"}).code, 4);
}

TEST(Depth, OneOfSeveralKernelsWithoutAnOrderIsNoFailure) {
  EXPECT_EQ(run({"depth", "scatter.add.f32", "gemm.naive.f32", "--executor", "host"}).code, 0);
  EXPECT_EQ(run({"depth", "scatter.add.f32", "scatter.add.f64", "--executor", "host"}).code, 4);
}

TEST(Depth, OfSeveralKernelsThoseWithoutASumAreSaidAndLeftOut) {
  const Ran ran = run({"depth", "reduce.*_middle*", "--executor", "host", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(ran.json()["kernels"].size(), 1u);
  EXPECT_EQ(ran.json()["kernels"][0]["kernel"], "reduce.sum_middle.tiled.f32");
  EXPECT_THAT(ran.err, HasSubstr("reduce.max_middle.f32: reduce.max_middle selects an element"));
}

/// Two chains, of the even and the odd terms, and their sum.
constexpr const char* kTwoChains = R"(__global__ void row_sums(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float even = 0.0f, odd = 0.0f;
  for (int j = 0; j < columns; j += 2) even += x[row * columns + j];
  for (int j = 1; j < columns; j += 2) odd += x[row * columns + j];
  y[row] = even + odd;
}
)";
constexpr const char* kTwoChainsDeclared = R"(kernel    mine.row_sums
operation reduce.sum
limits    columns >= 1
launch    row_sums<<<(rows + 63) / 64, 64>>>(x, y, rows, columns);
)";

class DepthOfAFile : public CompilesFiles {};

TEST_F(DepthOfAFile, IsThatOfTheTextOfItsAuthor) {
  write(directory_ / "sums.cu", kTwoChains);
  write(directory_ / "sums.nz", kTwoChainsDeclared);
  const Ran ran = run({"depth", directory_ / "sums.cu", "--executor", "host", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto found = ran.json()["kernels"][0];
  EXPECT_EQ(found["kernel"], "mine.row_sums");
  EXPECT_EQ(found["line"]["depth"], "ceil_div(columns, 2) + ceil_log2(min(columns, 2)) - 1");
  for (const auto& at : found["lengths"]) EXPECT_EQ(at["depth"], div_up(at["length"], 2));
}

/// Sixteen products at once by tensor cores; products of numbers so narrow that both factors make M; a mean of halves;
/// and a sum whose order depends on the number of rows.
constexpr const char* kFourSums = R"(#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
using namespace nvcuda;
__global__ void tensor_core(const __half* a, const __half* b, float* d, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int at = 0; at < k; at += 16) {
    wmma::load_matrix_sync(left, a + at, k);
    wmma::load_matrix_sync(right, b + at * 16, 16);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}
__global__ void narrow(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, float* d, int m, int n, int k) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= m * n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += float(a[at / n * k + i]) * float(b[i * n + at % n]);
  d[at] = sum;
}
__global__ void means(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float low = 0.0f, high = 0.0f;
  for (int i = 0; i < columns / 2; ++i) low += x[row * columns + i];
  for (int i = columns / 2; i < columns; ++i) high += x[row * columns + i];
  y[row] = (low + high) / columns;
}
__global__ void by_rows(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 0; i < columns; ++i) sum += x[row * columns + (rows == 1 ? columns - 1 - i : i)];
  y[row] = sum;
}
)";
constexpr const char* kFourSumsDeclared = R"(kernel    mine.tensor_core
operation gemm
formats   a=F16 b=F16 d=F32
limits    batch = 1, m = 16, n = 16, k % 16, k >= 16, alpha = one, beta = zero
layout    align 32
contract  tensor_core=only
launch    tensor_core<<<1, 32>>>((const __half*)a, (const __half*)b, d, k);

kernel    mine.narrow
operation gemm
formats   a=F8_E4M3 b=F8_E4M3 d=F32
limits    batch = 1, alpha = one, beta = zero
launch    narrow<<<(m * n + 63) / 64, 64>>>(a, b, d, m, n, k);

kernel    mine.means
operation reduce.mean
launch    means<<<(rows + 63) / 64, 64>>>(x, y, rows, columns);

kernel    mine.by_rows
operation reduce.sum
launch    by_rows<<<(rows + 63) / 64, 64>>>(x, y, rows, columns);
)";

TEST_F(DepthOfAFile, CountsAStepOfTensorCoresAsOneAndSaysWhereShapesMatter) {
  write(directory_ / "four.cu", kFourSums);
  write(directory_ / "four.nz", kFourSumsDeclared);
  std::map<std::string, nlohmann::json> found;
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"mine.tensor_core", "--tree", "--lengths", "96,256,400"},
        {"mine.narrow", "mine.means", "mine.by_rows"}}) {
    std::vector<std::string> words{"depth", directory_ / "four.cu", "--executor", "host", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run(words);
    ASSERT_EQ(ran.code, 0) << ran.err;
    const auto document = ran.json();
    for (const auto& each : document["kernels"]) found[each["kernel"]] = each;
  }
  ASSERT_EQ(found.size(), 4u);
  const auto& cores = found["mine.tensor_core"];
  EXPECT_EQ(cores["formula"]["text"], "ceil_div(k, 16) + 1");
  EXPECT_EQ(cores["line"], nlohmann::json({{"tensor_core", "only"}})) << "a depth does not bound what steps truncate";
  EXPECT_EQ(cores["lengths"][0]["fused"], 17);
  EXPECT_EQ(cores["lengths"][0]["depth"], 96 / 16 + 1);
  EXPECT_THAT(std::string(cores["lengths"][0]["tree"]), HasSubstr("chain of 5 steps of 17 at once"));
  EXPECT_EQ(found["mine.narrow"]["line"]["depth"], "k");
  EXPECT_EQ(found["mine.narrow"]["lengths"][2]["length"], 500) << "1000 have no room beside M";
  for (const auto& at : found["mine.means"]["lengths"]) EXPECT_EQ(at["depth"], static_cast<int>(at["length"]) / 2);
  EXPECT_EQ(found["mine.means"]["same_shape"], false);
  const auto& shapes = found["mine.by_rows"]["other_shapes"];
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0]["is_same"], false);
  EXPECT_THAT(std::string(shapes[0]["shape"]), HasSubstr("rows=1, "));
  EXPECT_EQ(shapes[1]["is_same"], true);
}

}  // namespace
}  // namespace negzero::cli_test
