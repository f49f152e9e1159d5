// threadIdx and its like: where they are CUDA's, and where a file uses the words for things of its own.

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/source/device_words.hpp>

namespace negzero::source {
namespace {

/// "T", "B", "D" and "G" for the four calls.
std::string in_short(std::string_view text) {
  std::string result = edited(text, device_word_edits(text, tokens_of(text)).edits);
  for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>("::negzero::thread_index()", "T"),
                                 {"::negzero::block_index()", "B"},
                                 {"::negzero::block_dim()", "D"},
                                 {"::negzero::grid_dim()", "G"}}) {
    for (std::size_t at; (at = result.find(from)) != std::string::npos;) result.replace(at, from.size(), to);
  }
  return result;
}

TEST(DeviceWords, AreCalls) {
  const std::string text = "void k() { int i = blockIdx.x * blockDim.x + threadIdx.x; }";
  EXPECT_EQ(
      edited(text, device_word_edits(text, tokens_of(text)).edits),
      "void k() { int i = ::negzero::block_index().x * ::negzero::block_dim().x + ::negzero::thread_index().x; }");
  for (const auto& [before, after] : {
           std::pair("void k() { f(gridDim, threadIdx.x * blockDim.x); }", "void k() { f(G, T.x * D.x); }"),
           {"void k() { return threadIdx.x; }", "void k() { return T.x; }"},
           {"void k() { return ::threadIdx.x; }", "void k() { return T.x; }"},
           {"void k() { a = b * blockIdx.x; (void)blockIdx; }", "void k() { a = b * B.x; (void)B; }"},
           {"void k() { a[b[0] & threadIdx.x]; b = a && blockIdx.x; }", "void k() { a[b[0] & T.x]; b = a && B.x; }"},
           {"void k() { int a, b = f(c, blockDim.x); int c = d, e = gridDim.x; }",
            "void k() { int a, b = f(c, D.x); int c = d, e = G.x; }"},
           {"void k() { if (a > threadIdx.x) b; A<int> c = threadIdx.y; }",
            "void k() { if (a > T.x) b; A<int> c = T.y; }"},
           {"#define ID (blockIdx.x * \\\n blockDim.x)\n", "#define ID (B.x * \\\n D.x)\n"},
       }) {
    EXPECT_EQ(in_short(before), after);
  }
}

TEST(DeviceWords, AUnitThatDeclaresOneKeepsIt) {
  for (const char* declaration :
       {"dim3 gridDim(4);", "const dim3 gridDim = f();", "dim3 const gridDim{4};", "auto gridDim = 4;",
        "dim3 a, gridDim;", "dim3 a(1, 2), gridDim(3);", "const dim3& gridDim = a;", "A<B<C>> gridDim;",
        "std::vector<int> &gridDim = a;", "for (int* gridDim = a;;);", "dim3* gridDim;"}) {
    const std::string unit = "void f() { " + std::string(declaration) + " k(gridDim); ";
    EXPECT_EQ(in_short(unit + "threadIdx; }\nvoid g() { gridDim; }"), unit + "T; }\nvoid g() { G; }");
  }
  for (const char* text :
       {"void f(dim3 gridDim) { gridDim; }", "void f(int a, const dim3 &gridDim) { gridDim; }",
        "void f(const dim3*, dim3* gridDim);", "struct S { dim3 gridDim, blockDim; int f() { return gridDim.x; } };",
        "S::S(dim3 g) : gridDim(g) { }", "void f(S s, S* t) { s.gridDim; t->gridDim; S::gridDim; S<T>::blockDim; }",
        "// gridDim\n", "#define F(gridDim) gridDim\n", "#define F dim3 gridDim(4); f(gridDim)\n",
        "int warpSize_ = warpSize;", "#define S #gridDim a##gridDim\n"}) {
    EXPECT_EQ(in_short(text), text);
  }
}

}  // namespace
TEST(DeviceWords, NoinlineIsAnAttribute) {
  const std::string_view text =
      "__noinline__ void f(); __attribute__((__noinline__)) void g();\n#define NI __noinline__\n";
  EXPECT_EQ(edited(text, device_word_edits(text, tokens_of(text)).edits),
            "__attribute__((noinline)) void f(); __attribute__((__noinline__)) void g();\n"
            "#define NI __attribute__((noinline))\n");
}

}  // namespace negzero::source
