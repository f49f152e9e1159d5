// Headers of CUDA, CUB, cuRAND, libcu++ and PyTorch: files of tests/cli/headers, as authors would write them, whose
// launchers compare what their kernels give with numbers that they know without the headers' words.

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The exit code of a check that found nothing and judged no values, as the operation has no definition.
constexpr int kNoFinding = 4;

class Headers : public CompilesFiles, public ::testing::WithParamInterface<const char*> {
 protected:
  Ran check(const std::string& file, const std::vector<std::string>& flags = {}) {
    write(directory_ / "words.nz", "kernel words\noperation words: x[n] <- t[n] each n\nlaunch run(t, x, n);\n");
    std::vector<std::string> words{"check", file,     directory_ / "words.nz", "--executor", "host", "--cases",
                                   "4",     "--save", directory_ / "found",    "--"};
    words.insert(words.end(), flags.begin(), flags.end());
    return run(words);
  }
};

TEST_P(Headers, GiveWhatTheyShould) {
  const std::string file = std::string(NEGZERO_SOURCE_DIR) + "/tests/cli/headers/" + GetParam();
  const Ran right = check(file);
  EXPECT_EQ(right.code, kNoFinding) << right.out << right.err;
  EXPECT_THAT(right.err, Not(HasSubstr("left out")));
  // The same with other numbers: what is compared can differ.
  const Ran wrong = check(file, {"-DNEGZERO_WRONG"});
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
}
INSTANTIATE_TEST_SUITE_P(Files, Headers,
                         ::testing::Values("cub_collectives.cu", "random_words.cu", "words_of_cuda.cu",
                                           "words_of_torch.cu"));

TEST_F(Headers, CubsStorageThatIsUsedAgainWithoutABarrierIsARace) {
  const std::string file = directory_ / "again.cu";
  const std::string text = R"(#include <cub/cub.cuh>
__global__ void k(const float* t, float* x, int n) {
  using Block = cub::BlockReduce<float, 64>;
  __shared__ Block::TempStorage storage;
  const float first = Block(storage).Sum(1.0f);
  __syncthreads();
  const float second = Block(storage).Sum(2.0f);
  if (threadIdx.x == 0 && first + second != 192) __trap();
  for (int i = threadIdx.x; i < n; i += 64) x[i] = t[i];
}
void run(const float* t, float* x, int n) { k<<<1, 64>>>(t, x, n); }
)";
  write(file, text);
  EXPECT_EQ(check(file).code, kNoFinding);
  write(file, replaced(text, "  __syncthreads();\n", ""));
  const Ran ran = check(file);
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("race"));
}

TEST_F(Headers, ADefinitionOverridesAVersion) {
  const std::string file = directory_ / "version.cu";
  write(file,
        "#include <cuda.h>\n#if CUDART_VERSION != 11080 || CUDA_VERSION != 11080\n#error \"not overridden\"\n#endif\n"
        "__global__ void k(const float* t, float* x, int n) {\n"
        "  for (int i = threadIdx.x; i < n; i += 32) x[i] = t[i]; }\n"
        "void run(const float* t, float* x, int n) { k<<<1, 32>>>(t, x, n); }\n");
  EXPECT_EQ(check(file, {"-DCUDART_VERSION=11080", "-DCUDA_VERSION=11080"}).code, kNoFinding);
  const Ran ran = check(file);
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("not overridden"));
}

TEST_F(Headers, AToolkitOnTheCompilersPathChangesNothing) {
  write(directory_ / "cuComplex.h", "#error \"a toolkit's\"\n");
  write(directory_ / "cuda_occupancy.h", "#error \"a toolkit's\"\n");
  std::filesystem::create_directory(directory_ / "crt");
  write(directory_ / "crt/host_runtime.h", "");
  write(directory_ / "cuda_runtime.h", "#error \"a toolkit's\"\n");
  ::setenv("CPATH", directory_.path().c_str(), 1);
  std::filesystem::create_directory(directory_ / "of_author");
  write(directory_ / "of_author/file.cu",
        "#include <cuComplex.h>\n#include <cuda_occupancy.h>\n__global__ void k(const float* t, float* x, int n) {\n"
        "  for (int i = threadIdx.x; i < n; i += 32) x[i] = cuCrealf(make_cuComplex(t[i], 1)); }\n"
        "void run(const float* t, float* x, int n) { k<<<1, 32>>>(t, x, n); }\n");
  const Ran ran = check(directory_ / "of_author/file.cu");
  ::unsetenv("CPATH");
  EXPECT_EQ(ran.code, kNoFinding) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("cuda_occupancy.h"));
}

}  // namespace
}  // namespace negzero::cli_test
