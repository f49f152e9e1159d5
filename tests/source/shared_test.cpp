// Declarations of shared memory in the forms that published files have, and uses of those outside functions.

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/source/shared.hpp>

namespace negzero::source {
namespace {

/// The text with its edits, then its notes.
std::string changed(std::string_view text) {
  const Prepared found = shared_edits(text, tokens_of(text));
  std::string result = edited(text, found.edits);
  for (const std::string& note : found.notes) result += "\n" + note;
  return result;
}

void shorten(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
}

/// "$x" for a type's name, "N(x)" and "D(x)" for what makes a reference, "TAG(x)", "U(x)" and "DU(x)" outside
/// functions.
std::string in_short(std::string text) {
  for (const auto& [from, to] : {std::pair("negzero_type_", "$"),
                                 {"NEGZERO_DYNAMIC_SHARED_OF", "DU"},
                                 {"NEGZERO_DYNAMIC_SHARED_NAME", "D"},
                                 {"NEGZERO_SHARED_NAME", "N"},
                                 {"NEGZERO_SHARED_TAG", "TAG"},
                                 {"NEGZERO_SHARED_OF", "U"}}) {
    shorten(text, from, to);
  }
  return text;
}

std::string in_a_function(std::string_view text) {
  const std::string head = "__global__ void k() { ";
  return in_short(changed(head + std::string(text) + " }")).substr(head.size());
}

TEST(Shared, DeclarationsAreTypes) {
  EXPECT_EQ(changed("void k() { __shared__ float tile[16][17], *p; }"),
            "void k() { typedef float negzero_type_tile[16][17], *negzero_type_p; NEGZERO_SHARED_NAME(tile); "
            "NEGZERO_SHARED_NAME(p); }");
  EXPECT_EQ(changed("void k() { extern __shared__ float s[]; }"),
            "void k() {  typedef float negzero_type_s[]; NEGZERO_DYNAMIC_SHARED_NAME(s); }");
}

TEST(Shared, InEveryForm) {
  const std::pair<const char*, const char*> forms[] = {
      {"__shared__ int n;", "typedef int $n; N(n);"},
      {"static __shared__ int n;", " typedef int $n; N(n);"},
      {"__shared__ static int n;", "typedef  int $n; N(n);"},
      {"float __shared__ x[4];", "float typedef $x[4]; N(x);"},
      {"volatile __shared__ int n;", "volatile typedef int $n; N(n);"},
      {"const __shared__ int *const p;", "const typedef int *const $p; N(p);"},
      {"unsigned long long __shared__ n;", "unsigned long long typedef $n; N(n);"},
      {"extern __shared__ char *p[];", " typedef char *$p[]; D(p);"},
      {"extern volatile __shared__ int v[];", " volatile typedef int $v[]; D(v);"},
      {"__shared__ extern int v[];", "typedef  int $v[]; D(v);"},
      {"extern __shared__ int a[], b[];", " typedef int $a[], $b[]; D(a); D(b);"},
      {"extern __shared__ uint8_t s[][16];", " typedef uint8_t $s[][16]; D(s);"},
      {"alignas(16) __shared__ float x[4];", "__attribute__((aligned(16))) typedef float $x[4]; N(x);"},
      {"__shared__ alignas(alignof(T)) T x[4];", "typedef __attribute__((aligned(alignof(T)))) T $x[4]; N(x);"},
      {"__shared__ alignas(16)static T x;", "typedef __attribute__((aligned(16))) T $x; N(x);"},
      {"extern __shared__ __align__(16) char s[];", " typedef __align__(16) char $s[]; D(s);"},
      {"__align__(16) __shared__ char s[2];", "__align__(16) typedef char $s[2]; N(s);"},
      {"__shared__ __attribute__((aligned(8))) char s[2];", "typedef __attribute__((aligned(8))) char $s[2]; N(s);"},
      {"__shared__ char s[2] __attribute__((aligned(8)));", "typedef char $s[2] __attribute__((aligned(8))); N(s);"},
      {"__shared__ char s __attribute__((aligned(8)));", "typedef char $s __attribute__((aligned(8))); N(s);"},
      {"[[maybe_unused]] __shared__ int n;", " typedef int $n; N(n);"},
      {"__shared__ [[maybe_unused]] int n [[maybe_unused]] [3];", "typedef  int $n  [3]; N(n);"},
      {"__shared__ struct { int a; float b[2]; } s;", "typedef struct { int a; float b[2]; } $s; N(s);"},
      {"struct { int a; } __shared__ s;", "struct { int a; } typedef $s; N(s);"},
      {"__shared__ union { int a; float b; } u[2], *v;", "typedef union { int a; float b; } $u[2], *$v; N(u); N(v);"},
      {"__shared__ struct S { int a, b; } s, t[2];", "typedef struct S { int a, b; } $s, $t[2]; N(s); N(t);"},
      {"__shared__ struct S : B<int, 2> { } s;", "typedef struct S : B<int, 2> { } $s; N(s);"},
      {"__shared__ struct S s;", "typedef struct S $s; N(s);"},
      {"__shared__ struct S s {};", "typedef struct S $s ; N(s);"},
      {"__shared__ typename Reduce::TempStorage t;", "typedef typename Reduce::TempStorage $t; N(t);"},
      {"__shared__ cub::BlockReduce<float, 128>::TempStorage t;",
       "typedef cub::BlockReduce<float, 128>::TempStorage $t; N(t);"},
      {"__shared__ typename R<T, N>::template In<A<B<int>>>::T t, u;",
       "typedef typename R<T, N>::template In<A<B<int>>>::T $t, $u; N(t); N(u);"},
      {"__shared__ A<(x > 3), sizeof(T)> a;", "typedef A<(x > 3), sizeof(T)> $a; N(a);"},
      {"__shared__ float x[(A && B) ? 4 : 8], y[N < 4 ? 1 : N >> 2];",
       "typedef float $x[(A && B) ? 4 : 8], $y[N < 4 ? 1 : N >> 2]; N(x); N(y);"},
      {"__shared__ T x[sizeof(A<B, C>) / sizeof(int)][f(1, 2)];",
       "typedef T $x[sizeof(A<B, C>) / sizeof(int)][f(1, 2)]; N(x);"},
      {"__shared__ decltype(a + b) x[2];", "typedef decltype(a + b) $x[2]; N(x);"},
      {"__shared__ int n = {};", "typedef int $n  ; N(n);"},
      {"__shared__ S s{}, t[2] = { };", "typedef S $s, $t[2]  { }; N(s); N(t);"},
      {"__shared__ float\n    a[4],  // first\n    b[4];",
       "typedef float\n    $a[4],  // first\n    $b[4]; N(a); N(b);"},
      {"__shared__ float a[\n#ifdef A\n 4\n#else\n 8\n#endif\n];",
       "typedef float $a[\n#ifdef A\n 4\n#else\n 8\n#endif\n]; N(a);"},
      {"if (x) { __shared__ int n; n = 0; }", "if (x) { typedef int $n; N(n); n = 0; }"},
      {"switch (n) { case 1: __shared__ int m; }", "switch (n) { case 1: typedef int $m; N(m); }"},
      {"auto f = [&](__shared__ float* p) { };", "auto f = [&]( float* p) { };"},
  };
  for (const auto& [before, after] : forms) {
    // The one form in which braces have a blank between them.
    std::string expected = std::string(after) + " }";
    shorten(expected, "$t[2]  { }", "$t[2]   ");
    EXPECT_EQ(in_a_function(before), expected);
  }
}

TEST(Shared, InMacros) {
  const std::pair<const char*, const char*> forms[] = {
      {"#define TILE(T, n) __shared__ T n[4]\n", "#define TILE(T, n) typedef T $##n[4]; N(n)\n"},
      {"#define TILE(T, n) __shared__ T n[4];\n", "#define TILE(T, n) typedef T $##n[4]; N(n);\n"},
      {"#define TILE(T, n) __shared__ T n[4]  // four\n", "#define TILE(T, n) typedef T $##n[4]; N(n)  // four\n"},
      {"#define TILES(n) \\\n  __shared__ int n##_a[4], \\\n    n##_b; \\\n  f(n##_a)\n",
       "#define TILES(n) \\\n  typedef int $##n##_a[4], \\\n    $##n##_b; N(n##_a); N(n##_b); \\\n  f(n##_a)\n"},
      {"#define DYNAMIC(T) \\\n extern __shared__ T s[]\n", "#define DYNAMIC(T) \\\n  typedef T $##s[]; D(s)\n"},
      {"#define SHMEM __shared__\nvoid k() { SHMEM int n; }",
       "#define SHMEM __shared__\nvoid k() { typedef int $n; N(n); }"},
      {"#define SH static __shared__ __align__(16)\n#define SH2 volatile SH\nvoid k() { SH2 int n; }",
       "#define SH static __shared__ __align__(16)\n#define SH2 volatile SH\n"
       "void k() { typedef volatile __align__(16) int $n; N(n); }"},
      {"#define DYN extern __shared__ alignas(16)\nvoid k() { DYN int n[]; }",
       "#define DYN extern __shared__ alignas(16)\nvoid k() { typedef __attribute__((aligned(16))) int $n[]; D(n); }"},
  };
  for (const auto& [before, after] : forms) EXPECT_EQ(in_short(changed(before)), after);
}

TEST(Shared, WhatIsNoneStays) {
  for (const char* text : {"// __shared__ float x;\n", "/* __shared__ int n; */", "puts(\"__shared__ int n;\");",
                           "#ifdef __shared__\n#endif\n", "#define __shared__\n", "#define __shared__ static\n",
                           "#undef __shared__\n", "#define NAME(x) #x \" __shared__\"\n",
                           "#if 0\n__shared__ it isn't;\n#endif\n", "#pragma x __shared__ int n;\n"}) {
    EXPECT_EQ(changed(text), text);
  }
}

TEST(Shared, MistakesAreNotedAndStay) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"__shared__ int n = 3;", "line 2, column 18: shared memory cannot have an initialiser"},
      {"__shared__ int n{3};", "line 2, column 17: shared memory cannot have an initialiser"},
      {"__shared__ int n = {1, 2};", "line 2, column 18: shared memory cannot have an initialiser"},
      {"__shared__ int (*f)(int);", "line 2, column 16: no initialiser and no function can be in shared memory"},
      {"__shared__ x;", "line 2, column 12: there is no type before this"},
      {"__shared__ struct S { int a; };", "line 2, column 31: there is no name before this that can be read"},
      {"__shared__ int a, 3;", "line 2, column 19: a declaration of shared memory cannot have this"},
      {"__shared__ int a", "line 2, column 18: this declaration has a bracket without its partner"},
  };
  for (const auto& [text, note] : mistakes) {
    const std::string whole = "void k() {\n" + std::string(text) + " }";
    EXPECT_EQ(changed(whole), whole + "\n" + note);
  }
  EXPECT_EQ(in_short(changed("#define S(...) __shared__ int __VA_ARGS__;\nvoid k() { __shared__ int n; }")),
            "#define S(...) __shared__ int __VA_ARGS__;\nvoid k() { typedef int $n; N(n); }\n"
            "line 1, column 42: there is no name before this that can be read");
}

TEST(Shared, OutsideFunctionsEachUseChanges) {
  const std::pair<const char*, const char*> forms[] = {
      {"extern __shared__ float s[];\nvoid k() { f(s + 1, p.s, p->s, ::s[2]); }",
       " typedef float $s[];\nvoid k() { f(DU(s) + 1, p.s, p->s, DU(s)[2]); }"},
      {"__shared__ int n;\nvoid k() { n = sizeof(n) * n; return n; }",
       "typedef int $n; TAG(n);\nvoid k() { U(n) = sizeof(U(n)) * U(n); return U(n); }"},
      {"static __shared__ int a[2], b;\nvoid k() { a[b] = 1; }",
       " typedef int $a[2], $b; TAG(a); TAG(b);\nvoid k() { U(a)[U(b)] = 1; }"},
      {"namespace a { extern \"C\" { extern __shared__ int s[]; } void k() { s[0] = 1; } }",
       "namespace a { extern \"C\" {  typedef int $s[]; } void k() { DU(s)[0] = 1; } }"},
      {"#ifdef __cplusplus\nextern \"C\" {\n#endif\nextern __shared__ int s[];\nvoid k() { s[0]; }\n",
       "#ifdef __cplusplus\nextern \"C\" {\n#endif\n typedef int $s[];\nvoid k() { DU(s)[0]; }\n"},
      {"template <class T> struct M { __device__ T* p() { extern __shared__ T s[]; return s; } };",
       "template <class T> struct M { __device__ T* p() {  typedef T $s[]; D(s); return s; } };"},
      {"struct M { static __shared__ int n; int f() { return n; } };\nint g(int n) { return n; }",
       "struct M {  typedef int $n; TAG(n); int f() { return U(n); } };\nint g(int n) { return n; }"},
      {"void f(float s) { s; }\nextern __shared__ float s[];\nvoid g(float* s) { s; }\nvoid h() { float a, s; s; }\n"
       "void k() { s; }",
       "void f(float s) { s; }\n typedef float $s[];\nvoid g(float* s) { s; }\nvoid h() { float a, s; s; }\n"
       "void k() { DU(s); }"},
      {"extern __shared__ int s[];\nvoid f() { extern __shared__ int s[]; s[0]; }\nvoid k() { s[0]; }",
       " typedef int $s[];\nvoid f() {  typedef int $s[]; D(s); s[0]; }\nvoid k() { DU(s)[0]; }"},
      {"extern __shared__ int s[];\n#define AT(i) s[i]\n#define OF(s) s\nvoid k() { AT(0); }",
       " typedef int $s[];\n#define AT(i) DU(s)[i]\n#define OF(s) s\nvoid k() { AT(0); }"},
      {"#if A\nvoid k(int a) {\n#else\nvoid k(float a) {\n#endif\n__shared__ int n; n; }\nvoid f() { n; }",
       "#if A\nvoid k(int a) {\n#else\nvoid k(float a) {\n#endif\ntypedef int $n; N(n); n; }\nvoid f() { n; }"},
      {"extern __shared__ int s[];\nvoid k() { a::s[0]; }",
       " typedef int $s[];\nvoid k() { a::s[0]; }\n"
       "line 2, column 15: shared memory at namespace scope must be used without a scope"},
  };
  for (const auto& [before, after] : forms) EXPECT_EQ(in_short(changed(before)), after);
}

}  // namespace
}  // namespace negzero::source
