// What tensors of a launch point to.

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/source/declaration.hpp>
#include <negzero/source/glue.hpp>
#include <negzero/source/pointees.hpp>

namespace negzero::source {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kFile = R"(
template <typename T, int n> __global__ void any(int m, const T* x) {}
__global__ void of_half(const at::Half* __restrict__ x, c10::BFloat16* y) {}
namespace author { void of_words(unsigned int* x, const uint64_t* y, unsigned char* z) {} }
void twice(__half* x) {}
void twice(at::Half* x, int n) {}
void of_floats(float4* x, unsigned* y) {}
void by_value(unsigned x) {}
void of_codes(const std::uint8_t* x, __nv_fp4x2_storage_t* y, signed char* z) {}
void of_storage(__nv_fp8_storage_t* x, __nv_fp6_storage_t* y) {}
void of_pairs(const float2* x, const cuDoubleComplex* y, half2* z) {}
void of_complex(const thrust::complex<float>* x, std::complex<double>* y) {}
)";

std::string pointee(const std::string& tensor, const std::string& format, const std::string& statement) {
  return pointee_of(tensor, format, statement, functions_called(kFile, std::span(&statement, 1)));
}

TEST(Pointees, AreThoseThatTheFunctionsTake) {
  const std::string launch = "of_half<<<dim3(n, m), 64>>>(x, y);";
  EXPECT_EQ(pointee("x", "F16", launch), "at::Half");
  EXPECT_EQ(pointee("y", "BF16", launch), "c10::BFloat16");
  const std::string call = "if (n > 0) author::of_words(x, y, z);";
  EXPECT_EQ(pointee("x", "I32", call), "unsigned int");
  EXPECT_EQ(pointee("y", "I64", call), "uint64_t");
  EXPECT_EQ(pointee("z", "F8_E4M3", call), "unsigned char");
  for (const char* const narrow : {"U8", "I8", "BOOL"}) EXPECT_EQ(pointee("z", narrow, call), "unsigned char");
  EXPECT_EQ(pointee("z", "I16", call), "std::int16_t") << "of another width";
}

TEST(Pointees, HoldElementsBelowAByte) {
  const std::string call = "of_codes(x, y, z);";
  for (const char* const narrow : {"U4", "I4", "F4", "F6_E2M3", "F6_E3M2", "F8_E8M0"}) {
    EXPECT_EQ(pointee("x", narrow, call), "std::uint8_t");
    EXPECT_EQ(pointee("w", narrow, call), "std::uint8_t") << "where nothing says more";
  }
  EXPECT_EQ(pointee("y", "F4", call), "__nv_fp4x2_storage_t");
  EXPECT_EQ(pointee("z", "I4", call), "signed char");
  const std::string storage = "of_storage(x, y);";
  for (const char* const eight : {"F8_E4M3", "F8_E5M2", "F8_E8M0"})
    EXPECT_EQ(pointee("x", eight, storage), "__nv_fp8_storage_t");
  EXPECT_EQ(pointee("y", "F6_E3M2", storage), "__nv_fp6_storage_t");
}

TEST(Pointees, OfComplexNumbersAreTwoElements) {
  const std::string pairs = "of_pairs<<<1, n>>>(x, y, z);", complex = "of_complex<<<1, n>>>(x, y);";
  EXPECT_EQ(pointee("x", "F32", pairs), "float2");
  EXPECT_EQ(pointee("y", "F64", pairs), "cuDoubleComplex");
  EXPECT_EQ(pointee("z", "F16", pairs), "half2");
  EXPECT_EQ(pointee("x", "F64", pairs), "double") << "of another width";
  EXPECT_EQ(pointee("x", "F32", complex), "thrust::complex<float>");
  EXPECT_EQ(pointee("y", "F64", complex), "std::complex<double>");
}

TEST(Pointees, OfTemplatesAreTheirArguments) {
  EXPECT_EQ(pointee("x", "F16", "any<at::Half, 3><<<n, f(1, 2)>>>(g(n, 1), x);"), "at::Half");
  EXPECT_EQ(pointee("x", "F16", "any<__half, 3><<<n, 1>>>(n, x);"), "__half");
  EXPECT_EQ(pointee("x", "F16", "any<<<n, 1>>>(n, x);"), "__half");
}

TEST(Pointees, StayWhereTheElementsAreOthers) {
  EXPECT_EQ(pointee("x", "BF16", "of_half<<<n, 64>>>(x, y);"), "__nv_bfloat16");
  EXPECT_EQ(pointee("x", "F32", "of_floats(x, y);"), "float");
  EXPECT_EQ(pointee("y", "F32", "of_floats(x, y);"), "float");
  EXPECT_EQ(pointee("x", "I32", "by_value(x);"), "int");
  // Another argument than its name, a name that is none of a function, overloads of which either may be called.
  EXPECT_EQ(pointee("x", "F16", "of_half<<<n, 64>>>(x + 1, y);"), "__half");
  EXPECT_EQ(pointee("x", "F16", "half_of<<<n, 64>>>(x, y);"), "__half");
  EXPECT_EQ(pointee("x", "F16", "twice(x);"), "__half");
  EXPECT_EQ(pointee("x", "F16", "of_half<<<n, 64>>>(x"), "__half");
}

TEST(Pointees, AreInTheCodeOfBothExecutors) {
  for (const bool is_for_gpu : {false, true}) {
    const auto declared = read_declarations(
        "kernel k\noperation one: y[n] <- x[n]\nformats x=F16 y=BF16\nlaunch of_half<<<n, 1>>>(x, y);\n", "x.nz");
    const std::string statement = declared->kernels.at(0).launch.text;
    const auto functions = functions_called(kFile, std::span(&statement, 1));
    const auto glue = glue_for({}, "x.nz", declared->kernels, functions, is_for_gpu);
    ASSERT_TRUE(glue.ok()) << glue.error().message;
    EXPECT_THAT(*glue, AllOf(HasSubstr("at::Half* const x = negzero_args.operand(\"x\").as<at::Half>();"),
                             HasSubstr("c10::BFloat16* const y =")));
  }
}

}  // namespace
}  // namespace negzero::source
