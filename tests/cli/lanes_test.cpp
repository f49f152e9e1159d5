// `check FILE.cu` on lanes that come together, halves that are added by their words, and vectors off their alignment:
// what is found, at which line, and what is only warned of.

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Sums of rows by warps of 32 lanes, which ask for the mask of their shuffles: all of a warp, or in a branch half of
/// it. The shuffle is line 10, the first call line 5, the second line 6.
constexpr const char* kSums = R"(template <bool kHalf>
__global__ void sums(const float* x, float* y, int n) {
  float sum = 0;
  for (int j = threadIdx.x; j < n; j += 32) sum += x[size_t(blockIdx.x) * n + j];
  /* before */ unsigned mask = __activemask();
  if (kHalf && threadIdx.x < 16) mask = __activemask();
  if (kHalf) mask = __shfl_sync(~0u, mask, 0);
  for (int d = 16; d > 0; d /= 2) {
    float other = 0;
    if (mask >> threadIdx.x & 1) other = __shfl_xor_sync(mask, sum, d);
    sum += other;
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
)";
constexpr const char* kSumsDeclared = R"(kernel    whole
operation reduce.sum
limits    rows >= 1
launch    sums<false><<<rows, 32>>>(x, y, columns);
kernel    half
operation reduce.sum
limits    rows >= 1
launch    sums<true><<<rows, 32>>>(x, y, columns);
)";

/// Adds halves by a compare and swap of the word around each, as PyTorch's gpuAtomicAdd of __half does. The swap is
/// line 10; KEPT is what it leaves of the other half.
constexpr const char* kHalves = R"(#include <cuda_fp16.h>
__device__ void add_half(__half* address, __half value) {
  const bool upper = ((size_t)address & 2) != 0;
  unsigned* word = (unsigned*)((char*)address - ((size_t)address & 2));
  unsigned old = *word, assumed;
  do {
    assumed = old;
    const unsigned short now = upper ? old >> 16 : old & 0xffff;
    const unsigned sum = __half_as_ushort(__hadd(__ushort_as_half(now), value));
    old = atomicCAS(word, assumed, upper ? KEPT(old & 0xffff) | sum << 16 : KEPT(old & 0xffff0000) | sum);
  } while (assumed != old);
}
__global__ void add(const __half* x, const int* index, __half* out, int updates, int destinations) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < updates && index[i] >= 0 && index[i] < destinations) add_half(out + index[i], x[i]);
}
__global__ void clear(__half* y, int count, int columns, long long stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i / columns * stride + i % columns] = __float2half(0.0f);
}
__global__ void rows(const __half* x, long long x_stride, __half* y, long long y_stride, int count, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) add_half(y + i / columns * y_stride + i % columns, x[i / columns * x_stride + i % columns]);
}
)";
constexpr const char* kHalvesDeclared = R"(kernel    add
operation scatter.add
formats   x=F16
limits    updates >= 1
launch    add<<<(updates + 127) / 128, 128>>>(x, index, out, updates, destinations);
kernel    rows
operation copied: y[r, c] <- x[r, c] each r, c
formats   x=F16 y=F16
limits    r >= 1, c >= 1
layout    x row_major near
layout    y row_major near
launch    clear<<<(r * c + 127) / 128, 128, 0, stream>>>(y, r * c, c, y_stride0);
          rows<<<(r * c + 127) / 128, 128, 0, stream>>>(x, x_stride0, y, y_stride0, r * c, c);
)";

/// Copies vectors of 16 bytes one element off their alignment, in line 4.
constexpr const char* kVectors = R"(__global__ void copy(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  for (int j = i; j < n; j += 32) y[j] = x[j];
  if (4 * i + 4 < n) reinterpret_cast<float4*>(y + 1)[i] = reinterpret_cast<const float4*>(x + 1)[i];
}
)";
constexpr const char* kVectorsDeclared = R"(kernel    copy
operation copied: y[n] <- x[n] each n
limits    n >= 1
launch    copy<<<1, 32>>>(x, y, n);
)";

class Lanes : public CompilesFiles {
 protected:
  Ran check(const std::string& cuda, const std::string& declaration, std::vector<std::string> more = {}) {
    write(directory_ / "file.cu", cuda);
    write(directory_ / "file.nz", declaration);
    std::vector<std::string> words{"check",  directory_ / "file.cu", "--cases",       "300", "--executor", "host",
                                   "--save", directory_ / "found",   "--shrink-time", "5s"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t times = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++times;
    return times;
  }
};

TEST_F(Lanes, ThatComeTogetherBehindASyncwarpPassWithoutAWarning) {
  const Ran ran = check(replaced(kSums, "/* before */", "__syncwarp();"), kSumsDeclared, {"whole"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, Not(HasSubstr("warning")));
}

TEST_F(Lanes, ThatComeTogetherByLuckAreWarnedOfOnceACall) {
  const Ran ran = check(kSums, kSumsDeclared, {"whole"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_EQ(count(ran.out, "relies on convergence that CUDA does not promise"), 1u) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("__activemask at file.cu:5 relies on"));
  const Ran json = check(kSums, kSumsDeclared, {"half", "--json"});
  EXPECT_EQ(json.code, 1) << json.err;
  const nlohmann::json kernel = json.json()["kernels"][0];
  std::vector<std::string> all{kernel["warning"]};
  for (const std::string text : kernel["more_warnings"]) all.push_back(text);
  EXPECT_THAT(all, ::testing::UnorderedElementsAre(HasSubstr("__activemask at file.cu:5 relies on"),
                                                   HasSubstr("__activemask at file.cu:6 relies on"),
                                                   HasSubstr("__shfl_xor_sync at file.cu:10 with mask 0x0000ffff")));
}

TEST_F(Lanes, AFindingThatAShuffleMakesNamesItFirst) {
  const Ran ran = check(kSums, kSumsDeclared, {"half"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("claim      __shfl_xor_sync at file.cu:10 with mask 0x0000ffff[^\n]*: lane [0-9]+ "
                                     "reads lane [0-9]+, which takes no part\\. "));
  EXPECT_THAT(ran.out, ContainsRegex("\n[^\n]*file.cu:10: wrong_")) << "the line that it is known by";
}

TEST_F(Lanes, HalvesAddedByTheirWordsAreOneWarning) {
  const Ran ran = check(replaced(kHalves, "\n", "\n#define KEPT(bits) (bits)\n#line 2\n"), kHalvesDeclared,
                        {"--allow-not-judged", "--watch", "always"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("add       300 cases      300 pass"), HasSubstr("2 kernels, 600 cases")));
  EXPECT_EQ(count(ran.out, "atomicCAS at file.cu:10 of the word around "), 2u) << "one a kernel: " << ran.out;
}

TEST_F(Lanes, WhatASwapChangesBesideItsHalfIsFound) {
  const std::string spoils = replaced(kHalves, "\n", "\n#define KEPT(bits) 0\n#line 2\n");
  for (const char* const kernel : {"add", "rows"}) {
    const Ran ran = check(spoils, kHalvesDeclared, {kernel});
    EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("out_of_bounds_access"));
    EXPECT_THAT(ran.out, ContainsRegex("atomic of 4 bytes at file.cu:10 by thread"));
  }
}

TEST_F(Lanes, AVectorOffItsAlignmentIsFoundAtItsLineThoughItCrashes) {
  const Ran ran = check(kVectors, kVectorsDeclared);
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("run.misaligned"), HasSubstr("claim      misaligned: "),
                             HasSubstr(" of 16 bytes at file.cu:4 by thread"), Not(HasSubstr("rule       run.crash"))));
}

}  // namespace
}  // namespace negzero::cli_test
