// Launches in the forms that published files have, and what is none.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/source/launches.hpp>

namespace negzero::source {
namespace {

/// The text with its edits, then its notes.
std::string changed(std::string_view text) {
  const Prepared found = launch_edits(text, tokens_of(text));
  std::string result = edited(text, found.edits);
  for (const std::string& note : found.notes) result += "\n" + note;
  return result;
}

/// "[" for the text before a kernel, "|" for what parts it from its configuration.
std::string in_short(std::string_view text) {
  std::string result = changed(text);
  const auto shorten = [&](std::string_view from, std::string_view to) {
    for (std::size_t at; (at = result.find(from)) != std::string::npos;) result.replace(at, from.size(), to);
  };
  shorten("::negzero::launch_of([=](auto... nz_a) { ", "[");
  shorten("(nz_a...); }, ", "|");
  return result;
}

TEST(Launches, AreCalls) {
  EXPECT_EQ(changed("k<<<grid, block>>>(x, n);"),
            "::negzero::launch_of([=](auto... nz_a) { k(nz_a...); }, grid, block)(x, n);");
}

TEST(Launches, InEveryForm) {
  const std::pair<const char*, const char*> forms[] = {
      {"k<<<1, 32, 0, stream>>>();", "[k|1, 32, 0, stream)();"},
      {"if (n > 0) k<float, 4><<<g, b>>>(x);", "if (n > 0) [k<float, 4>|g, b)(x);"},
      {"k<A<B<C>>><<<g, b>>>(x);", "[k<A<B<C>>>|g, b)(x);"},
      {"k<A<B>><<<g, b>>>(x);", "[k<A<B>>|g, b)(x);"},
      {"k<(a > b), f(x, y)><<<g, b>>>(x);", "[k<(a > b), f(x, y)>|g, b)(x);"},
      {"ns::k<<<g, b>>>(x);", "[ns::k|g, b)(x);"},
      {"::ns::S<T>::k<<<g, b>>>(x);", "[::ns::S<T>::k|g, b)(x);"},
      {"return ::k<<<g, b>>>(x);", "return [::k|g, b)(x);"},
      {"S<T>::template k<4><<<g, b>>>(x);", "[S<T>::template k<4>|g, b)(x);"},
      {"t[i]<<<g, b>>>(x);", "[t[i]|g, b)(x);"},
      {"t[i][f(j)].k<<<g, b>>>(x);", "[t[i][f(j)].k|g, b)(x);"},
      {"config.kernel<<<g, b>>>(x);", "[config.kernel|g, b)(x);"},
      {"self->kernels[0]; (*f)<<<g, b>>>(x);", "self->kernels[0]; [(*f)|g, b)(x);"},
      {"NAME(k, 4)<<<g, b>>>(x);", "[NAME(k, 4)|g, b)(x);"},
      {"k<<<dim3(n / 32, (m + 1) >> 5), dim3{32, 8}>>>(x);", "[k|dim3(n / 32, (m + 1) >> 5), dim3{32, 8})(x);"},
      {"else k<<<g, b>>>(x);", "else [k|g, b)(x);"},
      {"k<<<g, b>>>(f<<<1, 1>>>(y));", "[k|g, b)([f|1, 1)(y));"},
      {"k\n  <<<g,\n     b>>>\n  (x);", "[k\n  |g,\n     b)\n  (x);"},
      {"#define RUN(k, ...) k<<<g, b>>>(__VA_ARGS__)\n", "#define RUN(k, ...) [k|g, b)(__VA_ARGS__)\n"},
      {"#define RUN(k) \\\n  k<T><<<g, \\\n b>>>(x)\n", "#define RUN(k) \\\n  [k<T>|g, \\\n b)(x)\n"},
      {"k /* <<< */ <<<g, b>>> // >>>\n (x);", "[k /* <<< */ |g, b) // >>>\n (x);"},
  };
  for (const auto& [before, after] : forms) EXPECT_EQ(in_short(before), after);
}

TEST(Launches, WhatIsNoneStays) {
  for (const char* text :
       {"puts(\"k<<<1, 2>>>(x)\");", "// k<<<1, 2>>>(x);\n", "a << 3 >> 2;", "A<B<C>> x;", "A<B<C<D>>> x;"}) {
    EXPECT_EQ(changed(text), text);
  }
}

TEST(Launches, MistakesAreNotedAndStay) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"f();\n  <<<g, b>>>(x);", "line 2, column 3: there is no kernel before '<<<'"},
      {"k<<<g, b;\n>>>(x);", "line 1, column 2: '<<<' has no '>>>'"},
      {"k<<<g, b>>> x;", "line 1, column 9: '>>>' has no arguments in parentheses behind it"},
      {"#define A k<<<g\nb>>>(x)", "line 1, column 12: '<<<' has no '>>>'"},
  };
  for (const auto& [text, note] : mistakes) EXPECT_EQ(changed(text), std::string(text) + "\n" + note);
  EXPECT_EQ(in_short("k<<<g; f<<<1, 2>>>(x);"), "k<<<g; [f|1, 2)(x);\nline 1, column 2: '<<<' has no '>>>'");
}

TEST(Launches, InBranchesOfAnIf) {
  EXPECT_EQ(in_short("k<<<g, b\n#ifdef S\n, 0, s\n#endif\n>>>(x);"), "[k|g, b\n#ifdef S\n, 0, s\n#endif\n)(x);");
  EXPECT_EQ(in_short("#if 0\nf <<<< don't\n#else\nk<<<g, b>>>(x);\n#endif"),
            "#if 0\nf <<<< don't\n#else\n[k|g, b)(x);\n#endif");
}

TEST(Edits, KnowWhereAPlaceWas) {
  const std::string_view text = "int a; k<<<g, b>>>(x, y);";
  const std::vector<Edit> edits = launch_edits(text, tokens_of(text)).edits;
  const std::string after = edited(text, edits);
  for (const std::string_view word : {"int", "a;", "k", "g,", "x,", "y"}) {
    const std::size_t there = after.find(word == "k" ? "k(nz_a" : word == "a;" ? "a;" : word);
    EXPECT_EQ(place_before(edits, there), text.find(word)) << word;
  }
  EXPECT_EQ(place_before(edits, after.size()), text.size());
  EXPECT_EQ(place_before(edits, after.find("nz_a) {")), text.find("k<")) << "inside a replacement: where it begins";
}

}  // namespace
}  // namespace negzero::source
