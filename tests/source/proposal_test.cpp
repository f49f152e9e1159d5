// What a kernel's parameters come to: a declaration that is ready, or questions.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/source/declaration.hpp>
#include <negzero/source/proposal.hpp>

namespace negzero::source {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A proposal, its file, and how many questions that has.
struct Whole : Proposal {
  std::string text{};
  std::size_t questions = 0;
};

Whole of(const char* text, const std::string& kernel = "") {
  auto proposal = propose(text, "/p/x.cu", kernel);
  EXPECT_TRUE(proposal.ok()) << proposal.error().message;
  if (!proposal) return {};
  std::vector<std::string> texts;
  for (const Proposed& each : proposal->declarations) texts.push_back(each.text);
  const std::string file = file_of(*proposal, "/p/x.cu", texts);
  return {*std::move(proposal), file, questions_in(file)};
}

TEST(Proposal, OfAGemmIsReady) {
  const Whole proposal =
      of("__global__ void sgemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float "
         "*C) {}");
  EXPECT_EQ(proposal.questions, 0u);
  EXPECT_THAT(proposal.text, AllOf(HasSubstr("operation gemm\nformats   a=F32 b=F32 d=F32\n"),
                                   HasSubstr("in_place  c\n"), HasSubstr("(m, n, k, alpha, a, b, beta, d);")));
  const auto declared = read_declarations(proposal.text, "x.nz");
  EXPECT_TRUE(declared.ok()) << declared.error().message;
}

TEST(Proposal, OfStreamsAndLeadingDimensionsIsReady) {
  const Whole gemm =
      of("__global__ void k(float* c) {}\n"
         "void sgemm(int m, int n, int k, const float* A, int lda, const float* B, int ldb, float* C, int ldc, "
         "cudaStream_t s) { k<<<1, 1, 0, s>>>(C); }");
  EXPECT_EQ(gemm.questions, 0u);
  EXPECT_THAT(gemm.text, AllOf(HasSubstr("layout    row_major near\n"), HasSubstr("guessed   launch, limits"),
                               HasSubstr("sgemm(m, n, k, a, a_stride1, b, b_stride1, d, d_stride1, stream);")));
  const Whole rows =
      of("__global__ void k(float* c) {}\n"
         "void soft(const float* x, float* y, int n, cudaStream_t s) { k<<<1, 1, 0, s>>>(y); }");
  EXPECT_EQ(rows.questions, 0u);
  EXPECT_THAT(rows.text, AllOf(HasSubstr("soft(x, y, n, stream);"), Not(HasSubstr("launch, limits"))));
  for (const Whole& each : {gemm, rows}) EXPECT_TRUE(read_declarations(each.text, "x.nz").ok());
}

TEST(Proposal, OfOneWithoutBetaLimitsIt) {
  EXPECT_THAT(
      of("__global__ void mm(const half* a, const half* b, float* c, int m, int n, int k) {}").text,
      AllOf(HasSubstr("formats   a=F16 b=F16 d=F32\nlimits    batch = 1, m >= 1, n >= 1, alpha = one, beta = zero\n"),
            HasSubstr("guessed   launch, limits, operation\n"), HasSubstr("(a, b, d, m, n, k);")));
}

TEST(Proposal, OfFunctionsOfTensors) {
  const Whole proposal =
      of("__global__ void k(float* y, int n) {}\n"
         "torch::Tensor matmul_cuda(torch::Tensor A, const torch::Tensor& B) { return A; }\n"
         "at::Tensor scaled(at::Tensor x, float y) { k<<<1, 1>>>(x.data_ptr<float>(), 1); return x; }\n"
         "void add_f32(torch::Tensor a, torch::Tensor b, torch::Tensor c) {}\n"
         "torch::Tensor pool(torch::Tensor x, int size);\nint helper(int n) { return n; }\n");
  EXPECT_EQ(proposal.questions, 0u);
  EXPECT_THAT(proposal.names, ::testing::ElementsAre("matmul_cuda", "scaled", "add_f32"));
  EXPECT_THAT(
      proposal.text,
      AllOf(HasSubstr("beta = zero, m >= 1, n >= 1\ntorch     d = matmul_cuda(a, b);\n"),
            HasSubstr("operation scaled: yy[n] <- x[n], y each n\n"), HasSubstr("torch     yy = scaled(x, y);\n"),
            HasSubstr("operation add_f32: c[n] <- a[n], b[n] each n\n"), HasSubstr("torch     add_f32(a, b, c);\n")));
  const auto declared = read_declarations(proposal.text, "x.nz");
  EXPECT_TRUE(declared.ok()) << declared.error().message;
  const Whole asked = of("torch::Tensor pool(torch::Tensor x, int size) { return x; }");
  EXPECT_EQ(asked.questions, 1u);
  EXPECT_THAT(asked.text, HasSubstr("y = pool(x, \?\?\?);"));
}

TEST(Proposal, OfOptionalTensors) {
  const Whole proposal =
      of("__global__ void k(float* y, int n) {}\n"
         "torch::Tensor linear(torch::Tensor x, const c10::optional<torch::Tensor>& bias, std::optional<at::Tensor> y) "
         "{ return x; }\n");
  EXPECT_EQ(proposal.questions, 0u);
  EXPECT_THAT(proposal.text, AllOf(HasSubstr("operation linear: yy[n] <- x[n], bias?[n], y?[n] each n\n"),
                                   HasSubstr("torch     yy = linear(x, bias, y);\n")));
  EXPECT_TRUE(read_declarations(proposal.text, "x.nz").ok());
}

TEST(Proposal, OfRowsAndOfElements) {
  const Whole rows = of("__global__ void soft(const float* x, float* y, int rows, int cols) {}");
  EXPECT_THAT(rows.text, AllOf(HasSubstr("operation soft: y[rows, cols] <- x[rows, cols] each rows\n"),
                               HasSubstr("soft<<<rows, 256>>>(x, y, rows, cols);")));
  const Whole elements = of("namespace a { __global__ void relu(float* y, const float* x, float slope, int n) {} }");
  EXPECT_THAT(elements.text, AllOf(HasSubstr("operation relu: y[n] <- x[n], slope each n\n"),
                                   HasSubstr("a::relu<<<(n + 255) / 256, 256>>>(y, x, slope, n);")));
  for (const Whole& each : {rows, elements}) {
    const auto declared = read_declarations(each.text, "x.nz");
    EXPECT_TRUE(declared.ok()) << declared.error().message;
  }
}

TEST(Proposal, AsksWhatNamesDoNotSay) {
  const Whole proposal =
      of("template <typename T, int N>\n__global__ void k(T* p, Config c) {}\nk<float, 4><<<1, 2>>>(p, c);");
  EXPECT_EQ(proposal.questions, 3u);
  EXPECT_THAT(proposal.text, AllOf(HasSubstr("# x.cu:2\n# launched by line 3: k<float, 4><<<1, 2>>>(p, c);\n"),
                                   HasSubstr("launch    k<?"
                                             "?"
                                             "?, ?"
                                             "?"
                                             "?>")));
  EXPECT_FALSE(read_declarations(proposal.text, "x.nz").ok());
}

TEST(Proposal, OneOfSeveral) {
  const char* const text = "__global__ void first(float* x, int n) {}\n__global__ void second(float* x, int n) {}";
  EXPECT_EQ(of(text).declarations.size(), 2u);
  EXPECT_EQ(of(text, "second").declarations.size(), 1u);
  EXPECT_THAT(propose(text, "x.cu", "secnd").error().message, HasSubstr("did you mean"));
  EXPECT_THAT(propose("int x;", "x.cu", "").error().message, HasSubstr("defines no kernel"));
}

TEST(Proposal, IsOfTheFunctionThatLaunches) {
  const char* const text =
      "__global__ void first(const float* x, float* y, int n) {}\n__global__ void second(float* y, int n) {}\n"
      "template <int N> __global__ void third(float* y) {}\n__global__ void alone(float* y, int n) {}\n"
      "void helper(float* y, int n) { second<<<1, n>>>(y, n); third<4><<<1, 1>>>(y); }\n"
      "extern \"C\" void solve(const float* x, float* y, int N) { first<<<1, N>>>(x, y, N); helper(y, N); }\n"
      "int main() { solve(nullptr, nullptr, 1); }\n";
  const Whole proposal = of(text);
  ASSERT_EQ(proposal.declarations.size(), 2u);
  EXPECT_EQ(proposal.declarations[0].name, "solve");
  EXPECT_THAT(proposal.declarations[0].kernels, ::testing::ElementsAre("first", "second", "third"));
  EXPECT_EQ(proposal.declarations[1].name, "alone");
  EXPECT_THAT(proposal.text,
              AllOf(HasSubstr("# x.cu:6: it launches first, second, third\n"), HasSubstr("launch    solve(x, y, n);\n"),
                    HasSubstr("guessed   limits, operation\n"), HasSubstr("alone<<<(n + 255) / 256, 256>>>(y, n);")));
  EXPECT_EQ(of(text, "second").declarations.front().name, "solve") << "a kernel is run by what launches it";
}

}  // namespace
}  // namespace negzero::source
