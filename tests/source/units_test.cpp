// Declarations at namespace scope: what is one, what it is called, and what is left of a text without it.

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/source/left_out.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {
namespace {

using ::testing::ElementsAre;

/// "scope::name: text", with a star for a device's and two for a kernel.
std::vector<std::string> units(std::string_view text) {
  std::vector<std::string> result;
  for (const Unit& unit : units_of(text, tokens_of(text)).units) {
    const std::string stars = unit.is_kernel ? "**" : unit.is_device ? "*" : "";
    const std::string scope = unit.scope.empty() ? "" : unit.scope + "::";
    result.push_back(stars + scope + unit.name + ": " + std::string(text.substr(unit.begin, unit.end - unit.begin)));
  }
  return result;
}

std::string without(std::string_view text, std::size_t unit) {
  return edited(text, left_out(text, units_of(text, tokens_of(text)).units.at(unit)));
}

TEST(Units, AreDeclarations) {
  EXPECT_THAT(
      units("#include <x>\n// a\nint a; static float b[2] = {1, 2};\nvoid f(int x) { if (x) { } }\nint g();"),
      ElementsAre("a: int a;", "b: static float b[2] = {1, 2};", "f: void f(int x) { if (x) { } }", "g: int g();"));
  EXPECT_THAT(
      units("struct S { int f() { return 1; } } s; enum class E : int { A, B }; class C; union alignas(8) U { };"),
      ElementsAre("S: struct S { int f() { return 1; } } s;", "E: enum class E : int { A, B };", "C: class C;",
                  "U: union alignas(8) U { };"));
  EXPECT_THAT(
      units("template <class T, int N = (1 > 0)> T f(T x) { return x; } template <typename T> struct A<T*> { };"),
      ElementsAre("f: template <class T, int N = (1 > 0)> T f(T x) { return x; }",
                  "A: template <typename T> struct A<T*> { };"));
  EXPECT_THAT(units("S::S(int x) : a{x}, b(x), C<int>{} { } int S::operator()(int x) const { } S& S::operator=(S) { }"),
              ElementsAre("S: S::S(int x) : a{x}, b(x), C<int>{} { }", "operator: int S::operator()(int x) const { }",
                          "operator: S& S::operator=(S) { }"));
  EXPECT_THAT(
      units("struct S f(struct T x) { } struct S g() const { } auto h() -> int { } void t() try { } catch (...) { }"),
      ElementsAre("f: struct S f(struct T x) { }", "g: struct S g() const { }", "h: auto h() -> int { }",
                  "t: void t() try { } catch (...) { }"));
  EXPECT_THAT(
      units("using A = B<C>; typedef struct { int x; } T; auto f = [](int x) { return x; }; using namespace std;"),
      ElementsAre("A: using A = B<C>;", "T: typedef struct { int x; } T;", "f: auto f = [](int x) { return x; };",
                  "std: using namespace std;"));
  EXPECT_THAT(units("INSTANTIATE(float)\nTEST(A, b) { f(); }\nstatic_assert(true, \"\"); namespace a = b::c;"),
              ElementsAre("INSTANTIATE: INSTANTIATE(float)", "TEST: TEST(A, b) { f(); }",
                          "static_assert: static_assert(true, \"\");", "a: namespace a = b::c;"));
  EXPECT_THAT(units("struct __align__(16) S { int x; }; struct ALIGNED(8) T { int x; }; int x{3}, y{4};"),
              ElementsAre("S: struct __align__(16) S { int x; };", "T: struct ALIGNED(8) T { int x; };",
                          ::testing::EndsWith(": int x{3}, y{4};")));
}

TEST(Units, RequirementsAreOfWhatFollows) {
  EXPECT_THAT(units("template <class T>\nrequires requires { typename T::A; }\nstruct S<T> { };\n"
                    "template <class T>\n  requires requires(T x) { x.f(); }\nvoid f(T x) { }\nint a;"),
              ElementsAre("S: template <class T>\nrequires requires { typename T::A; }\nstruct S<T> { };",
                          "f: template <class T>\n  requires requires(T x) { x.f(); }\nvoid f(T x) { }", "a: int a;"));
}

TEST(Units, NamespacesAreEntered) {
  EXPECT_THAT(units("namespace a { namespace b::c { int x; } namespace { int y; } } extern \"C\" { int z; }"
                    "inline namespace v1 { int u; } extern \"C\" int w; int v;"),
              ElementsAre("a::b::c::x: int x;", "a::y: int y;", "z: int z;", "v1::u: int u;", "w: extern \"C\" int w;",
                          "v: int v;"));
}

TEST(Units, OfADevice) {
  EXPECT_THAT(units("__device__ int f() { } __global__ void k() { } extern \"C\" __global__ void __launch_bounds__(32) "
                    "l(int* x) { } __constant__ float c[2]; struct S { __device__ int f(); };"),
              ElementsAre("*f: __device__ int f() { }", "**k: __global__ void k() { }",
                          "**l: extern \"C\" __global__ void __launch_bounds__(32) l(int* x) { }",
                          "*c: __constant__ float c[2];", "*S: struct S { __device__ int f(); };"));
  EXPECT_THAT(units("#define HD __host__ __device__\n#define HDI HD inline\n#define KERNEL(n) __global__ void n()\n"
                    "HDI int f() { }\nKERNEL(k) { }\nint g() { }"),
              ElementsAre("*f: HDI int f() { }", "**KERNEL: KERNEL(k) { }", "g: int g() { }"));
  EXPECT_THAT(units("void f() { auto l = [] __device__ (int x) { }; }"),
              ElementsAre("f: void f() { auto l = [] __device__ (int x) { }; }"));
}

TEST(Units, BranchesOfAnIf) {
  EXPECT_THAT(units("#if A\nvoid f(int a) {\n#else\nvoid f(float a) {\n#endif\n}\nint x;"),
              ElementsAre("f: void f(int a) {\n#else\nvoid f(float a) {\n#endif\n}", "x: int x;"));
  EXPECT_THAT(units("#if A\nint f() { }\n#else\nint g() { }\n#endif\n"),
              ElementsAre("f: int f() { }", "g: int g() { }"));
  EXPECT_THAT(units("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint x;\n#ifdef __cplusplus\n}\n#endif\nint y;"),
              ElementsAre("x: int x;", "y: int y;"));
  EXPECT_THAT(units("void f() {\n#if A\nif (a) {\n#elif B\nif (b) {\n#else\n{\n#endif\n} }\nint x;"),
              ElementsAre(::testing::StartsWith("f: "), "x: int x;"));
  EXPECT_THAT(units("#if 0\n{ it isn't\n#else\nint x;\n#endif\nint y;"), ElementsAre("x: int x;", "y: int y;"));
}

TEST(Units, WhatCannotBeReadEndsTheList) {
  EXPECT_THAT(units("int x; void f() { ( int y;"), ElementsAre("x: int x;"));
  EXPECT_THAT(units("int x; } int y; ) int z;"), ElementsAre("x: int x;", "y: int y;"));
  EXPECT_THAT(units("int x"), ElementsAre());
}

TEST(Units, BodiesAreOfFunctionsAndMembers) {
  const std::string_view text =
      "int f() { a } struct S { public: S() : x{1} { b } struct T { int g() { c } }; int x; };";
  std::vector<std::string> bodies;
  for (const Extent& body : units_of(text, tokens_of(text)).bodies) {
    bodies.emplace_back(text.substr(body.begin, body.end - body.begin));
  }
  EXPECT_THAT(bodies, ElementsAre("{ a }", "{ b }", "{ c }"));
}

TEST(LeftOut, KeepsLinesAndConditionals) {
  EXPECT_EQ(without("int x; void f(int a,\n  int b) { // c\n}\nint y;", 1), "int x; \n\n\nint y;");
  EXPECT_EQ(without("void f() {\n#if A\n  a;\n#else  // b\n  b;\n#endif\n#pragma unroll\n#define C \\\n 1\n}", 0),
            "\n#if A\n\n#else  // b\n\n#endif\n\n#define C \\\n 1\n");
  EXPECT_EQ(without("#if A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}", 0), "#if A\n\n#else\n\n#endif\n");
  EXPECT_EQ(without("auto s = R\"(a\n#if\n)\"; /* b\n */ int x;", 0), "\n\n /* b\n */ int x;");
  EXPECT_EQ(without("int a[] = { /* b\r\n#if */ 1\r\n};\r\n", 0), "\r\n\r\n\r\n");
}

}  // namespace
}  // namespace negzero::source
