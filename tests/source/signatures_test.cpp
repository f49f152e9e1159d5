// Signatures of kernels in the forms that published files have.

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/source/signatures.hpp>

namespace negzero::source {
namespace {

/// "name<kind name=value>(type|element|name pc)@line;", p: a pointer, c: const.
std::string kernels(std::string_view text) {
  std::string result;
  for (const KernelSignature& kernel : kernels_of(text, tokens_of(text))) {
    result += kernel.name;
    for (const TemplateParameter& parameter : kernel.templates) {
      result += "<" + parameter.kind + " " + parameter.name + "=" + parameter.value + ">";
    }
    for (const KernelParameter& parameter : kernel.parameters) {
      result += "(" + parameter.type + "|" + parameter.element + "|" + parameter.name + " " +
                (parameter.is_pointer ? "p" : "") + (parameter.is_const ? "c" : "") + ")";
    }
    result += "@" + std::to_string(kernel.line) + ";";
  }
  return result;
}

TEST(Signatures, OfKernelsInEveryForm) {
  const std::pair<const char*, const char*> forms[] = {
      {"__global__ void k() { }", "k@1;"},
      {"__global__ void k(void) { }", "k@1;"},
      {"static __global__ void\nk() { }", "k@2;"},
      {"void __global__ k() { }", "k@1;"},
      {"extern \"C\" __global__ void k() { }", "k@1;"},
      {"extern \"C\" { __global__ void k() { } }", "k@1;"},
      {"__global__ __launch_bounds__(256, 2) void k() { }", "k@1;"},
      {"__global__ void __launch_bounds__(N * (4)) k() { }", "k@1;"},
      {"__attribute__((noinline)) [[gnu::x(1)]] __global__ void k() { }", "k@1;"},
      {"namespace a { namespace b::c {\n__global__ void k() { } } }", "a::b::c::k@2;"},
      {"namespace { __global__ void k() { } }", "k@1;"},
      {"__global__ void k() { } __global__ void l() { }", "k@1;l@1;"},
      {"template <typename T, int N = (4 > 3) ? 1 : 2, class U = A<B, C>> __global__ void k() { }",
       "k<typename T=><int N=(4 > 3) ? 1 : 2><typename U=A<B, C>>@1;"},
      {"template <bool, typename... Ts, template <class> class X, typename A::B n> __global__ void k() { }",
       "k<bool =><typename... Ts=><template <class> typename X=><typename A::B n=>@1;"},
      {"template <typename T> requires (sizeof(T) > 1) __global__ void k() { }", "k<typename T=>@1;"},
  };
  for (const auto& [text, expected] : forms) EXPECT_EQ(kernels(text), expected) << text;
}

TEST(Signatures, OfParametersInEveryForm) {
  const std::pair<const char*, const char*> forms[] = {
      {"int n", "(int|int|n )"},
      {"const int n", "(const int|int|n c)"},
      {"float* x", "(float*|float|x p)"},
      {"const float* __restrict__ x", "(const float* __restrict__|float|x pc)"},
      {"float const *const x", "(float const *const|float|x pc)"},
      {"float *const __restrict x", "(float *const __restrict|float|x p)"},
      {"unsigned long long *x", "(unsigned long long *|unsigned long long|x p)"},
      {"unsigned const int x[]", "(unsigned const int[]|unsigned int|x pc)"},
      {"float x[4][N]", "(float[4][N]|float|x p)"},
      {"float **x", "(float **|float|x p)"},
      {"const std::uint8_t *x", "(const std::uint8_t *|std::uint8_t|x pc)"},
      {"const A<B, C>& x", "(const A<B, C>&|A<B, C>|x c)"},
      {"typename A<T>::B x = A<T>::f(1, 2)", "(typename A<T>::B|A<T>::B|x )"},
      {"const __grid_constant__ S s", "(const __grid_constant__ S|S|s c)"},
      {"struct S s", "(struct S|S|s )"},
      {"unsigned int, float*, T", "(unsigned int|unsigned int| )(float*|float| p)(T|T| )"},
      {"int n = 4, float a = f(1, 2)", "(int|int|n )(float|float|a )"},
      {"Ts... xs", "(Ts...|Ts...|xs )"},
      {"float4 *a, /* b */ half\nb", "(float4 *|float4|a p)(half|half|b )"},
  };
  for (const auto& [text, expected] : forms) {
    EXPECT_EQ(kernels("__global__ void k(" + std::string(text) + ") { }"), "k" + std::string(expected) + "@1;");
  }
}

TEST(Signatures, WhatIsLeftOut) {
  for (const char* text :
       {"__global__ void k(int n);", "__device__ void k() { }", "#define K(n) __global__ void n() { }\nK(k)\n",
        "template <> __global__ void k<int>(int n) { }", "template __global__ void k<int>(int n);",
        "__global__ void k(int (*f)(int)) { }", "// __global__ void k() { }", "__global__ void k() {"}) {
    EXPECT_EQ(kernels(text), "") << text;
  }
}

}  // namespace
}  // namespace negzero::source
