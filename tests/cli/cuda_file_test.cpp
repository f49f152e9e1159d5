// `check FILE.cu`: a file as its author wrote it, from its text to a finding at its line.

#include <cstdlib>
#include <filesystem>
#include <string>

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

/// Shared memory, a launch in a launcher, a template, a constant, and host code that no host compiler here reads.
constexpr const char* kFile = R"(#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cstdio>

__constant__ float scale[1] = {1.0f};

template <int kThreads>
__global__ void row_sums(const float* __restrict__ x, float* y, int columns) {
  __shared__ __align__(16) float partial[kThreads], *unused;
  extern __shared__ float dynamic[];
  float sum = 0.0f;
  for (int j = threadIdx.x; j < columns; j += blockDim.x) sum += x[blockIdx.x * columns + j];
  partial[threadIdx.x] = sum * scale[0];
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) dynamic[0] = partial[0], y[blockIdx.x] = dynamic[0];
}

void launch_row_sums(const float* x, float* y, int rows, int columns) {
  dim3 gridDim(rows);
  row_sums<32><<<gridDim, 32, sizeof(float)>>>(x, y, columns);
  if (cudaGetLastError() != cudaSuccess) exit(1);
}

int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  return 0;
}
)";

constexpr const char* kDeclaration = R"(kernel    file.row_sums
operation reduce.sum
limits    rows >= 1
launch    launch_row_sums(x, y, rows, columns);
)";

/// A folder with a CUDA file, its declaration and a cache of its own.
class CudaFile : public CompilesFiles {
 protected:
  CudaFile() {
    write(directory_ / "sums.cu", kFile);
    write(directory_ / "sums.nz", kDeclaration);
  }

  Ran check(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"check",  directory_ / "sums.cu", "--cases", "100", "--executor", "host",
                                   "--save", directory_ / "found"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(CudaFile, IsCheckedAsItIs) {
  const Ran first = check();
  EXPECT_EQ(first.code, 0) << first.err << first.out;
  EXPECT_THAT(first.err, AllOf(HasSubstr("compiling "),
                               HasSubstr("left out, as host code that does not compile here: main (sums.cu:28)"),
                               HasSubstr("taken as empty, as no such header is here: cublas_v2.h")));
  const Ran second = check();
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.err, Not(HasSubstr("compiling ")));
}

TEST_F(CudaFile, AFindingNamesTheAuthorsLine) {
  write(directory_ / "sums.cu", replaced(kFile, "  __syncthreads();\n  for", "\n  for"));
  const Ran ran = check();
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("race"), HasSubstr("sums.cu:16"), HasSubstr("--kernels " + (directory_ / "sums.cu"))));
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "found")) {
    if (const std::string path = entry.path();
        path.ends_with(".case.safetensors") && path.find("race.") != std::string::npos)
      found = entry.path();
  }
  const std::vector<std::string> replay{"replay", found, "--kernels", directory_ / "sums.cu", "--executor", "host"};
  const Ran before = run(replay);
  EXPECT_NE(before.code, 3) << before.err;
  EXPECT_THAT(before.out, HasSubstr("race")) << before.err;
  EXPECT_THAT(check({"--shrink-time", "0s"}).err, AllOf(HasSubstr("0 of "), HasSubstr("; still there: ")));
  write(directory_ / "sums.cu", kFile);
  EXPECT_THAT(run(replay).err, HasSubstr("compiling "));
  const Ran mended = check();
  EXPECT_EQ(mended.code, 0) << mended.err << mended.out;
  EXPECT_THAT(mended.err, AllOf(HasSubstr(" old finding"), HasSubstr(" gone"), Not(HasSubstr("still there"))));
}

TEST_F(CudaFile, ADeclarationAcceptsFindings) {
  write(directory_ / "sums.cu", replaced(kFile, "  __syncthreads();\n  for", "\n  for"));
  const auto checked_with = [&](const std::string& kind) {
    const std::string why = " reason=\"kept\" link=owner/repo#12\n";
    write(directory_ / "sums.nz",
          kDeclaration + ("accept class=uninitialised_read" + why) + "accept class=" + kind + why);
    return check({"--watch", "always", "--shrink-time", "0s"});
  };
  const Ran accepted = checked_with("data_race");
  EXPECT_EQ(accepted.code, 0) << accepted.err << accepted.out;
  EXPECT_THAT(accepted.out, HasSubstr("by entry #2: kept (owner/repo#12)"));
  const Ran stale = checked_with("hang");
  EXPECT_EQ(stale.code, 1) << stale.err;
  EXPECT_THAT(stale.err, HasSubstr("did not occur: fixed? remove it from " + (directory_ / "sums.nz")));
}

TEST_F(CudaFile, AnErrorOfTheDeviceHasTheAuthorsLineAndColumn) {
  write(directory_ / "sums.cu",
        replaced(kFile, "  if (threadIdx.x == 0) dynamic", "  if (threadIdx.x == 0 && blockDim.x > q) dynamic"));
  const Ran ran = check();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("sums.cu:19:40: "), HasSubstr("q"),
                             HasSubstr("   19 |   if (threadIdx.x == 0 && blockDim.x > q) dynamic")));
}

TEST_F(CudaFile, ALauncherThatTheDeclarationNamesMustCompile) {
  write(directory_ / "sums.cu", replaced(kFile, "if (cudaGetLastError()", "cublasHandle_t h; if (cudaGetLastError()"));
  const Ran ran = check();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("sums.nz:4:11: "), HasSubstr("launch_row_sums")));
}

TEST_F(CudaFile, WhyALauncherIsGoneIsSaid) {
  write(directory_ / "sums.cu", replaced(kFile, "(x, y, columns);\n  if", "(x, y, nope);\n  if"));
  const Ran ran = check();
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("launch_row_sums (sums.cu:22) was left out: "), HasSubstr("sums.cu:24:54: ")));
  write(directory_ / "sums.nz", replaced(kDeclaration, "launch    launch_row_sums(x, y, rows, columns);",
                                         "launch    int a = 1;  row_sums<32><<<rows, 32, nope>>>(x, y, columns);"));
  EXPECT_THAT(check().err, HasSubstr("sums.nz:4:48: "));
}

/// A class that a type is missing from, what uses the class, and what uses that.
constexpr const char* kChain = R"(struct Plan { cublasLtHandle_t handle; };
struct Plans { Plan all[2]; };
void launch_all(const float* x, float* y, int rows, int columns, Plans* = nullptr) { launch_row_sums(x, y, rows, columns); }
int main() {)";

TEST_F(CudaFile, TheFirstCauseIsSaidAndNotTheLast) {
  write(directory_ / "sums.cu", replaced(kFile, "int main() {", kChain));
  EXPECT_THAT(check().err, AllOf(HasSubstr("note: Plan (sums.cu:28) was left out: "), HasSubstr("cublasLtHandle_t"),
                                 Not(HasSubstr("note: Plans (")), Not(HasSubstr("note: launch_all ("))));
  write(directory_ / "sums.nz", replaced(kDeclaration, "launch_row_sums", "launch_all"));
  const Ran ran = check();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("launch_all (sums.cu:30) was left out: "),
                             HasSubstr("Plan (sums.cu:28) was left out: "), HasSubstr("cublasLtHandle_t")));
}

TEST_F(CudaFile, WithoutADeclarationTheCureIsNamed) {
  std::filesystem::remove(directory_ / "sums.nz");
  const Ran ran = check();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("has no declaration"), HasSubstr("negzero new ")));
  EXPECT_EQ(run({"new", directory_ / "sums.cu"}).code, 0);
  EXPECT_THAT(contents(directory_ / "sums.nz"),
              AllOf(HasSubstr("kernel    row_sums\n"), HasSubstr("launch    launch_row_sums(x, y, rows, columns);\n")));
  EXPECT_EQ(check().code, 0);
  EXPECT_EQ(run({"new", directory_ / "sums.cu", "--guess", "--force"}).code, 0);
  write(directory_ / "sums.nz", replaced(contents(directory_ / "sums.nz"), "launch ", "# launch ") +
                                    "launch ?"
                                    "??\n");
  EXPECT_THAT(check().err, AllOf(HasSubstr("sums.nz:"), HasSubstr("is still to be filled in")));
  EXPECT_EQ(run({"new", directory_ / "sums.cu"}).code, 2) << "the one that is there must stay";
  EXPECT_THAT(run({"new", directory_ / "sums.cu", "--kernel", "row_sum"}).err, HasSubstr("did you mean \"row_sums\"?"));
}

TEST_F(CudaFile, DeclaresItselfInComments) {
  std::filesystem::remove(directory_ / "sums.nz");
  std::string lines;
  for (const char* line : {"kernel file.row_sums", "operation reduce.sum", "limits rows >= 1",
                           "launch launch_row_sums(x, y, rows, columns);"}) {
    lines += std::string("// negzero: ") + line + "\n";
  }
  write(directory_ / "sums.cu", kFile + lines);
  const Ran ran = check();
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
}

TEST_F(CudaFile, ALauncherMayHaveMemoryOfItsOwn) {
  const auto with_scratch = [&](const std::string& count) {
    const std::string text = replaced(kFile, "  row_sums<32><<<gridDim, 32, sizeof(float)>>>(x, y, columns);",
                                      "  float* scratch;\n  cudaMalloc(&scratch, (" + count +
                                          ") * sizeof(float));\n"
                                          "  row_sums<32><<<gridDim, 32, sizeof(float)>>>(x, scratch, columns);\n"
                                          "  cudaMemcpy(y, scratch, rows * sizeof(float), cudaMemcpyDeviceToDevice);\n"
                                          "  cudaFree(scratch);");
    write(directory_ / "sums.cu", text);
    return check({"--watch", "always"});
  };
  const Ran right = with_scratch("rows");
  EXPECT_EQ(right.code, 0) << right.err << right.out;
  const Ran wrong = with_scratch("rows - 1 + (rows == 1)");
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("out of bounds"));
}

TEST_F(CudaFile, ALaunchHasTheStridesOfItsTensors) {
  write(directory_ / "sums.cu",
        "__global__ void gemm(const float* a, const float* b, float* d, int m, int n, int k, int ldb) {\n"
        "  const int at = blockIdx.x * blockDim.x + threadIdx.x, i = at / n, j = at % n;\n"
        "  if (i >= m) return;\n"
        "  float sum = 0;\n"
        "  for (int t = 0; t < k; ++t) sum += a[i * k + t] * b[j * ldb + t];\n"
        "  d[at] = sum;\n}\n");
  const auto checked_with = [&](const std::string& ldb) {
    write(directory_ / "sums.nz",
          "kernel gemm\noperation gemm\nlimits batch = 1, m >= 1, n >= 1, alpha = one, beta = zero\n"
          "layout b column_major near\nlaunch gemm<<<(m * n + 63) / 64, 64>>>(a, b, d, m, n, k, " +
              ldb + ");\n");
    return run({"check", directory_ / "sums.cu", "--cases", "1000", "--executor", "host", "--shrink-time", "0s",
                "--save", directory_ / "found"});
  };
  const Ran right = checked_with("b_stride2");
  EXPECT_EQ(right.code, 0) << right.err << right.out;
  const Ran wrong = checked_with("k");
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("wrong_value"), HasSubstr("reads the padding of b")));
}

TEST_F(CudaFile, PointersAreOfTheTypeThatTheFunctionTakes) {
  write(directory_ / "sums.cu",
        "#include <torch/extension.h>\n"
        "__global__ void halves(const at::Half* x, c10::BFloat16* y, const unsigned char* bytes, uint8_t* copied,\n"
        "                       int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = static_cast<float>(x[i]), copied[i] = bytes[i];\n}\n"
        "__global__ void gather(const unsigned* at, unsigned long long* y, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = at[i];\n}\n"
        "void run_gather(const unsigned* at, unsigned long long* y, int n) { gather<<<n, 1>>>(at, y, n); }\n");
  const std::string declaration =
      "kernel halves\noperation halves: y[n], copied[n] <- x[n], bytes[n] each n\n"
      "formats y=BF16 copied=F8_E4M3 x=F16 bytes=F8_E4M3\nlimits n >= 1, n <= 4096\n"
      "launch halves<<<(n + 63) / 64, 64>>>(x, y, bytes, copied, n);\n"
      "kernel gather\noperation gather: y[n] < m <- at[n] < m each n\nformats y=I64\nlimits n >= 1, n <= 4096\n"
      "launch run_gather(at, y, n);\n";
  write(directory_ / "sums.nz", declaration);
  const Ran right = check();
  EXPECT_THAT(right.out, AllOf(HasSubstr("halves"), HasSubstr("gather"), Not(HasSubstr("FAIL")))) << right.err;
  write(directory_ / "sums.nz", replaced(declaration, "x=F16", "x=F32"));
  const Ran wrong = check();
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("sums.nz:5:"), HasSubstr("reinterpret_cast<const c10::")));
}

TEST_F(CudaFile, APointerToOtherElementsNamesTheCure) {
  write(directory_ / "sums.cu",
        "__global__ void k(const unsigned char* x, float4* y, int n) { if (threadIdx.x < n) y[0].x = x[0]; }\n"
        "void run(const unsigned char* x, float4* y, int n) { k<<<1, 32>>>(x, y, n); }\n"
        "void plain(float* x, float* y) {}\nvoid either(float2* x) {}\nvoid either(int* x) {}\n");
  const auto said_of = [&](const std::string& launch) {
    write(directory_ / "sums.nz", "kernel k\noperation k: y[n] <- x[n]\nlaunch " + launch + "\n");
    const Ran ran = check();
    EXPECT_EQ(ran.code, 2) << ran.out;
    return ran.err;
  };
  EXPECT_THAT(
      said_of("run(x, y, n);"),
      AllOf(HasSubstr("sums.nz:3:"), HasSubstr("name its format in `formats`, or, where the bytes are those that "
                                               "it takes, write reinterpret_cast<const unsigned char")));
  EXPECT_THAT(said_of("either(x);"), ContainsRegex("write reinterpret_cast<float2 ?[*]>"));
  EXPECT_THAT(said_of("k<<<1, 32>>>(x, y, n);"), ContainsRegex("write reinterpret_cast<const unsigned char ?[*]>"));
  EXPECT_THAT(said_of("plain(x, 2.5f);"), AllOf(HasSubstr("sums.nz:3:"), Not(HasSubstr("reinterpret_cast"))));
}

TEST_F(CudaFile, OfTheTreeIsCheckedByItsPath) {
  const Ran faulty = run({"check", NEGZERO_SOURCE_DIR "/kernels/faulty/A1_max_by_value_sign.cu", "--cases", "200",
                          "--executor", "host", "--save", directory_ / "found"});
  EXPECT_EQ(faulty.code, 1) << faulty.err;
  EXPECT_THAT(faulty.out, AllOf(HasSubstr("faulty.A1.max_by_value_sign"), HasSubstr("twin.A1.max_by_sign_bit")));
  const Ran softmax =
      run({"check", NEGZERO_SOURCE_DIR "/kernels/softmax/three_pass.cu", "--cases", "10", "--executor", "host"});
  EXPECT_EQ(softmax.code, 0) << softmax.err << softmax.out;
  EXPECT_THAT(softmax.out, AllOf(HasSubstr("softmax.three_pass.f32"), Not(HasSubstr("reference.f64  "))));
}

TEST_F(CudaFile, IsFuzzedToo) {
  const Ran ran = run(
      {"fuzz", directory_ / "sums.cu", "--folder", directory_ / "campaign", "--cases", "100", "--executor", "host"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("file.row_sums"));
}

TEST_F(CudaFile, AKernelMayBeLaunchedThroughAVariable) {
  const std::string direct = "row_sums<32><<<gridDim, 32, sizeof(float)>>>";
  write(directory_ / "sums.cu",
        replaced(kFile, direct,
                 "auto one = rows % 3 == 0 ? row_sums<32> : &row_sums<64>;\n"
                 "  struct { decltype(one) kernel; } pair[2] = {{one}, {row_sums<32>}};\n"
                 "  const auto run = [=](auto kernel, auto... a) { kernel<<<gridDim, 32, sizeof(float)>>>(a...); };\n"
                 "  if (rows % 3 == 1) return run(pair[1].kernel, x, y, columns);\n"
                 "  pair[1].kernel<<<gridDim, 32, sizeof(float)>>>"));
  const Ran ran = check({"--watch", "always"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
}

TEST_F(CudaFile, AThreadMayWaitForAnotherByAVolatile) {
  write(directory_ / "sums.cu",
        "#include <nowhere_at_all.h>\n"
        "__device__ volatile int ready[1024];\n__device__ int ticket;\n"
        "__global__ void chain(float* y, int n) {\n"
        "  const int i = atomicAdd(&ticket, 1);\n"
        "  if (i > 0) while (ready[i - 1] == 0) {}\n"
        "  y[i] = 1;\n  __threadfence();\n  ready[i] = 1;\n}\n"
        "__global__ void clear(int n) {\n  ticket = 0;\n  for (int i = 0; i < n; ++i) ready[i] = 0;\n}\n");
  write(directory_ / "sums.nz",
        "kernel k\noperation chain: y[n] <- t each n\nlimits n >= 1, n <= 512\n"
        "launch clear<<<1, 1>>>(n); chain<<<n, 1>>>(y, n);\n");
  const Ran ran = check({"--watch", "never", "--extents", "n=200:500", "--timeout", "5s"});
  EXPECT_EQ(ran.code, 4) << ran.err << ran.out;  // No value is judged.
  EXPECT_THAT(ran.out, Not(HasSubstr("FAIL")));
  EXPECT_THAT(ran.err, HasSubstr("taken as empty, as no such header is here: nowhere_at_all.h"));
}

TEST_F(CudaFile, WhatTheHostHasNotIsAnErrorAndNoFinding) {
  write(directory_ / "sums.cu",
        "__global__ void child(float* y) { *y = 0; }\n"
        "__global__ void parent(float* y) { child<<<1, 1>>>(y); }\n");
  write(directory_ / "sums.nz",
        "kernel k\noperation one: y[n] <- t each n\nlimits n = 1\nlaunch parent<<<1, 1>>>(y);\n");
  for (const char* watch : {"never", "always"}) {
    const Ran ran = check({"--watch", watch});
    EXPECT_EQ(ran.code, 3) << ran.err << ran.out;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("100 error"), HasSubstr("the host executor has no dynamic parallelism")));
  }
}

TEST_F(CudaFile, OwnSpellingOfSharedMemoryNamesTheCure) {
  write(directory_ / "sums.cu",
        replaced(kFile, "extern __shared__ float dynamic[];", "NEGZERO_DYNAMIC_SHARED(float, dynamic);"));
  const Ran ran = check();
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("sums.cu:10: NEGZERO_DYNAMIC_SHARED is for files that register their kernels "
                                 "themselves; with a declaration write CUDA: __shared__"));
}

TEST_F(CudaFile, FlagsFollowTwoDashes) {
  write(directory_ / "sums.cu", replaced(kFile, "sum * scale[0]", "sum * SCALE"));
  EXPECT_EQ(check().code, 2);
  const Ran ran = check({"--", "-DSCALE=1.0f"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_EQ(check({"--", "-DSCALE=2.0f"}).code, 1);
  EXPECT_THAT(check({"--", "--frob"}).err, HasSubstr("does not know nvcc's flag --frob"));
  const Ran behind = run({"check", directory_ / "sums.cu", "--frob", "--", "--json"});
  EXPECT_EQ(behind.code, 2);
  EXPECT_EQ(behind.out, "") << "what follows is the compiler's, and asks for no document";
}

TEST_F(CudaFile, OneThatIsNotThereIsNamed) {
  const Ran ran = run({"check", directory_ / "none.cu"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("none.cu"));
}

}  // namespace
}  // namespace negzero::cli_test
