// The rows of flushing_test.cpp, by the rows of the table Flushing (numerics.md section 2): operands, results that must
// be permitted, and the nearest ones that must be refused.

#pragma once

#include <cstdint>
#include <vector>

#include <negzero/number/format.hpp>

namespace negzero::oracle_cross::flushing_rows {

using number::FormatId;
using Words = std::vector<std::uint64_t>;

constexpr FormatId kF64 = FormatId::F64, kF32 = FormatId::F32, kF16 = FormatId::F16, kBF16 = FormatId::BF16,
                   kE4M3 = FormatId::F8_E4M3, kE5M2 = FormatId::F8_E5M2, kI32 = FormatId::I32;
constexpr std::uint64_t kOne = 0x3f800000;

/// One sum, selection or conversion of words of one format.
struct Flushed {
  const char* operation;
  FormatId x, y;
  Words a;
  Words b;  ///< gemm: the other factors
  const char* contract;
  Words permitted, refused;
  std::uint64_t alpha = kOne, beta = 0, c = 0;  ///< gemm: scalars of F32, and C; scatter: the initial value
  std::int64_t element = 0;                     ///< of the output
  Words unreached{};                            ///< in the hull of what is permitted, and yet nothing gives them
};

#define FLUSH "\"subnormal_inputs\":\"flush\",\"subnormal_results\":\"flush\""
#define NARROW "\"wider\":false,"

// An element, scalar or C that F32 arithmetic takes, and F32 on to F64; results in F32 or in 8 bits.
inline const std::vector<Flushed> kF32Arithmetic{
    {"gemm", kF32, kF32, {1}, {kOne}, "{" FLUSH "}", {0}, {1}},
    {"gemm", kF32, kF32, {1}, {kOne}, "{}", {1}, {0}},
    {"gemm", kF32, kF32, {0x20000000}, {0x1f800000}, "{" NARROW R"("subnormal_results":"flush"})", {0}, {0x00400000}},
    {"gemm",
     kF32,
     kF32,
     {0x20000000},
     {0x1f800000},
     R"({"subnormal_results":"either"})",
     {0, 0x00400000},
     {0x00400001}},
    {"reduce.sum", kF32, kF32, {0x00400000, 0x00400000}, {}, "{" FLUSH "}", {0}, {0x00800000, 0x00400000}},
    {"reduce.sum",
     kF32,
     kF32,
     {0x00c00000, 0x80800000},
     {},
     "{" NARROW R"("subnormal_results":"flush"})",
     {0},
     {0x00400000}},
    {"reduce.sum", kF32, kF32, {0x80c00000, 0x00800000}, {}, "{" NARROW FLUSH "}", {0x80000000}, {0x80400000}},
    {"gemm", kBF16, kF32, {1}, {0x3f80}, "{" FLUSH "}", {0}, {0x00010000}},
    {"reduce.sum", kBF16, kF32, {0x40, 0x40}, {}, "{" FLUSH "}", {0}, {0x00800000, 0x00400000}},
    {"reduce.sum",
     kF32,
     kF64,
     {0x00400000, 0x00400000},
     {},
     R"({"accumulate":"F64",)" NARROW FLUSH "}",
     {0},
     {0x3810000000000000, 0x3800000000000000}},
    {"reduce.mean", kF32, kF32, {0x00400000, 0x00400000}, {}, "{" FLUSH "}", {0}, {0x00400000}},
    {"reduce.mean", kF32, kF32, {0x00800000, 0}, {}, "{" NARROW R"("subnormal_results":"flush"})", {0}, {0x00400000}},
    {"reduce.mean", kF32, kF32, {1}, {}, "{" FLUSH "}", {0}, {1}},
    {"reduce.sum", kE5M2, kE5M2, {1, 1}, {}, R"({"accumulate":"F8_E5M2",)" NARROW FLUSH "}", {0}, {1, 2}},
    // Scalars: alpha acts as 0, or A and B are not read; beta acts as 0, or C is not read.
    {"gemm", kF32, kF32, {0x4e800000}, {0x4e800000}, "{" FLUSH "}", {0}, {0x1c800000}, 0x00080000},
    {"gemm", kF32, kF32, {0x4e800000}, {0x4e800000}, "{}", {0x1c800000}, {0}, 0x00080000},
    {"gemm",
     kF32,
     kF32,
     {0x7fc00000},
     {kOne},
     "{" FLUSH "}",
     {0x40000000, 0x7fffffff},
     {0x3fffffff, 0},
     0x00080000,
     kOne,
     0x40000000},
    {"gemm", kF32, kF32, {0}, {kOne}, "{" FLUSH "}", {0}, {0x0d800000}, kOne, 0x00080000, 0x4e800000},
    {"gemm", kF32, kF32, {kOne}, {kOne}, "{" FLUSH "}", {kOne, 0x7fffffff}, {0x3f800001}, kOne, 0x00080000, 0x7fc00000},
    // C.
    {"gemm", kF32, kF32, {0}, {kOne}, "{" FLUSH "}", {0}, {0x00800000}, kOne, 0x40000000, 0x00400000},
};

// F16 and F8 are normal in F32: nothing touches them.
inline const std::vector<Flushed> kUntouched{
    {"scan.inclusive", kF16, kF32, {1, 1}, {}, "{" FLUSH "}", {0x33800000}, {0, 0x80000000}, kOne, 0, 0, 0},
    {"scan.inclusive", kF16, kF32, {1, 1}, {}, "{" FLUSH "}", {0x34000000}, {0, 0x33800000}, kOne, 0, 0, 1},
    {"gemm", kF16, kF32, {1}, {0x3c00}, "{" FLUSH "}", {0x33800000}, {0, 0x80000000}},
    {"gemm", kE4M3, kF32, {0x07}, {0x38}, "{" FLUSH "}", {0x3c600000}, {0, 0x80000000}},
    {"gemm", kE5M2, kF32, {0x01}, {0x3c}, "{" FLUSH "}", {0x37800000}, {0, 0x80000000}},
    {"gemm", kF16, kF16, {1}, {0x3c00}, "{" FLUSH "}", {1}, {0, 2}},
    {"reduce.sum", kF16, kF32, {1, 0x8003}, {}, "{" FLUSH "}", {0xb4000000}, {0, 0x80000000, 0x33800000}},
    {"reduce.mean", kF16, kF32, {1}, {}, "{" FLUSH "}", {0x33800000}, {0}},
    {"reduce.mean", kF16, kF32, {2, 2}, {}, "{" FLUSH "}", {0x34000000}, {0}},
    {"gemm", kF16, kF16, {0}, {0x3c00}, "{" FLUSH "}", {2}, {0, 1}, kOne, 0x40000000, 1},
    {"reduce.max", kF16, kF16, {1}, {}, "{" FLUSH "}", {1}, {0}},
    {"reduce.max", kF16, kF16, {1, 0}, {}, "{" FLUSH "}", {1}, {0}},
    {"reduce.argmax", kF16, kI32, {0, 1}, {}, "{" FLUSH "}", {1}, {0}},
};

// F16, BF16 and F64 arithmetic: zero or kept, each number by itself.
inline const std::vector<Flushed> kOpen{
    {"reduce.sum", kF16, kF16, {1, 2}, {}, R"({"accumulate":"F16",)" NARROW FLUSH "}", {3, 0, 1, 2}, {4, 0x8001}},
    {"reduce.sum", kBF16, kBF16, {1, 2}, {}, R"({"accumulate":"BF16",)" NARROW FLUSH "}", {3, 0, 1, 2}, {4, 0x8001}},
    {"reduce.sum", kF64, kF64, {1, 2}, {}, R"({"accumulate":"F64",)" NARROW FLUSH "}", {3, 0, 1, 2}, {4}},
    {"reduce.sum", kF16, kF16, {1, 2}, {}, R"({"accumulate":"F16",)" NARROW R"("zero_sign":"ieee"})", {3}, {0, 1, 2}},
    {"gemm", kBF16, kBF16, {2}, {0x3f80}, R"({"accumulate":"BF16",)" NARROW FLUSH "}", {2, 0}, {3}},
    {"reduce.mean",
     kF16,
     kF16,
     {1},
     {},
     R"({"accumulate":"F16","mean":"terms","start":"first_term",)" NARROW R"("subnormal_inputs":"flush"})",
     {1, 0},
     {2}},
    {"reduce.mean",
     kF64,
     kF64,
     {0x8000000000000001},
     {},
     R"({"accumulate":"F64","mean":"terms","order":"ascending",)" NARROW R"("subnormal_inputs":"flush"})",
     {0x8000000000000001, 0x8000000000000000},
     {0x8000000000000002}},
    {"scatter.add", kF16, kF16, {1}, {}, R"({"accumulate":"F16",)" NARROW FLUSH "}", {2, 0}, {3}, kOne, 0, 1},
    {"scatter.add", kF32, kF32, {0x00400000}, {}, "{" FLUSH "}", {0}, {0x00800000, 0x00400000}, kOne, 0, 0x00400000},
};

// A wider accumulator may hold what F32 cannot, and its store may keep it.
inline const std::vector<Flushed> kWider{
    {"gemm", kF32, kF32, {0x20000000}, {0x1f800000}, R"({"subnormal_results":"flush"})", {0, 0x00400000}, {0x00400001}},
    {"reduce.sum", kF32, kF32, {0x80c00000, 0x00800000}, {}, "{" FLUSH "}", {0x80000000, 0x80400000}, {0x80400001}},
    {"reduce.sum", kF32, kF32, {0x00400000, 0x00400000}, {}, "{" FLUSH "}", {0}, {0x00800000, 0x00400000}},
    {"reduce.sum", kE5M2, kE5M2, {1, 1}, {}, R"({"accumulate":"F8_E5M2",)" FLUSH "}", {0, 2}, {0x10, 0x90}},
    {"gemm", kE5M2, kE5M2, {1}, {0x3c}, R"({"accumulate":"F8_E5M2",)" FLUSH "}", {0, 1}, {0x10, 0x90}},
};

// The rounding of a factor keeps subnormals (nothing between 0 and the least normal number is reached, though the hull
// has it), which are then taken as any are; tensor cores keep.
inline const std::vector<Flushed> kFactors{
    {"gemm",
     kF32,
     kF32,
     {0x007fffff},
     {kOne},
     R"({"multiplicand":"tf32_nearest_even",)" FLUSH "}",
     {0x00800000, 0},
     {0x00800001},
     kOne,
     0,
     0,
     0,
     {0x007fffff, 0x007fe000}},
    {"gemm", kF32, kF32, {0x007fffff}, {kOne}, R"({"multiplicand":"bf16",)" FLUSH "}", {0x00800000, 0}, {0x00800001}},
    {"gemm", kF32, kF32, {0x00012000}, {kOne}, R"({"multiplicand":"tf32_truncate",)" FLUSH "}", {0}, {0x00012000}},
    {"gemm", kF32, kF32, {0x33800000}, {kOne}, R"({"multiplicand":"f16",)" FLUSH "}", {0x33800000}, {0}},
    {"gemm",
     kBF16,
     kF32,
     {1},
     {0x7180},
     R"({"tensor_core":"only","subnormal_inputs":"flush"})",
     {0x2f000000},
     {0, 0x80000000}},
    {"gemm", kBF16, kF32, {1}, {0x7180}, R"({"tensor_core":"may",)" FLUSH "}", {0x2f000000, 0}, {0x2f000001}},
    {"gemm", kF16, kF32, {1}, {0x3c00}, R"({"tensor_core":"may",)" FLUSH "}", {0x33800000}, {0}},
    {"gemm",
     kBF16,
     kF32,
     {0x0080},
     {0x3f00},
     R"({"tensor_core":"only",)" FLUSH "}",
     {0x00400000},
     {0x00c00010, 0x80400010}},
};

// One element that nothing is added to or compared with; C at K = 0.
inline const std::vector<Flushed> kAlone{
    {"reduce.sum", kF32, kF32, {1}, {}, "{" FLUSH "}", {1, 0}, {2}},
    {"reduce.sum", kF32, kF32, {1}, {}, R"({"start":"first_term",)" FLUSH "}", {1, 0}, {2}},
    {"reduce.sum", kF32, kF32, {1}, {}, R"({"start":"plus_zero",)" FLUSH "}", {0}, {1}},
    {"reduce.max", kF32, kF32, {1}, {}, R"({"subnormal_results":"flush"})", {1, 0}, {2}},
    {"reduce.max", kF32, kF32, {1}, {}, R"({"start":"plus_zero",)" FLUSH "}", {0}, {1}},
    {"reduce.sum", kF16, kF32, {1}, {}, "{" FLUSH "}", {0x33800000}, {0}},
    {"gemm", kF32, kF32, {}, {}, "{" FLUSH "}", {1, 0}, {2}, kOne, kOne, 1},
    {"gemm", kF32, kF32, {}, {}, "{" FLUSH "}", {0}, {2}, kOne, 0x40000000, 1},
    {"gemm", kF16, kF16, {}, {}, "{" FLUSH "}", {1}, {0, 2}, kOne, kOne, 1},
    {"scatter.add", kF32, kF32, {}, {}, "{" FLUSH "}", {1}, {0, 2}, kOne, 0, 1},
};

// Conversions and stores of sums.
#define THROUGH_F32 "\"intermediate\":[{\"format\":\"F32\",\"rounding\":\"nearest_even\"}],"
inline const std::vector<Flushed> kConversions{
    {"convert", kF32, kF16, {0x33800000}, {}, "{" FLUSH "}", {1}, {0, 2}},
    {"convert", kF32, kBF16, {0x00010000}, {}, "{" FLUSH "}", {1, 0}, {2}},
    {"convert", kF32, kE5M2, {0x37800000}, {}, "{" FLUSH "}", {1}, {0, 2}},
    {"convert", kF32, kE4M3, {0xbb000000}, {}, "{" FLUSH "}", {0x81}, {0x80, 0}},
    {"convert", kBF16, kF32, {1}, {}, "{" FLUSH "}", {0x00010000, 0}, {0x00020000, 1}},
    {"convert", kF16, kF32, {1}, {}, "{" FLUSH "}", {0x33800000}, {0}},
    {"convert", kF32, kF64, {0x80080000}, {}, "{" FLUSH "}", {0x8000000000000000}, {0xb7d0000000000000}},
    {"convert", kF64, kF32, {0x37d0000000000000}, {}, "{" FLUSH "}", {0}, {0x00080000}},
    {"convert", kF64, kF32, {0x37d0000000000000}, {}, R"({"subnormal_inputs":"flush"})", {0x00080000}, {0}},
    {"convert", kF64, kF64, {0x37d0000000000000}, {}, "{" THROUGH_F32 FLUSH "}", {0}, {0x37d0000000000000}},
    {"convert",
     kF64,
     kF64,
     {0x37d0000000000000},
     {},
     "{" THROUGH_F32 R"("subnormal_inputs":"either","subnormal_results":"either"})",
     {0, 0x37d0000000000000},
     {1}},
    {"gemm", kF32, kF16, {0x33800000}, {kOne}, "{" FLUSH "}", {1}, {0, 2}},
    {"gemm", kF32, kE5M2, {0x37800000}, {kOne}, "{" FLUSH "}", {1}, {0, 2}},
    {"gemm",
     kF64,
     kF32,
     {0x37d0000000000000},
     {0x3ff0000000000000},
     R"({"accumulate":"F64",)" FLUSH "}",
     {0x00080000, 0},
     {0x00080001}},
};

// Selections in F32 order flushed numbers; others may.
inline const std::vector<Flushed> kSelections{
    {"reduce.max", kF32, kF32, {1, 0x80000000}, {}, R"({"subnormal_results":"flush"})", {0}, {1, 0x80000000}},
    {"reduce.max", kF32, kF32, {1, 0}, {}, R"({"subnormal_inputs":"flush"})", {1, 0}, {2}},
    {"reduce.max", kF32, kF32, {1, 2}, {}, R"({"subnormal_inputs":"flush"})", {1, 2, 0}, {3}},
    {"reduce.max", kF32, kF32, {1, 2}, {}, "{}", {2}, {0, 1}},
    {"reduce.max", kF32, kF32, {1, 2}, {}, "{" FLUSH "}", {0}, {1, 2}},
    {"reduce.min", kF32, kF32, {1, 0x80000001}, {}, R"({"subnormal_inputs":"flush"})", {0x80000001, 0x80000000}, {1}},
    {"reduce.max", kF32, kF32, {kOne, 1}, {}, "{" FLUSH "}", {kOne}, {0, 1}},
    {"reduce.argmax", kF32, kI32, {0, 1}, {}, R"({"ties":"first",)" FLUSH "}", {0}, {1}},
    {"reduce.argmax", kF32, kI32, {0, 1}, {}, R"({"ties":"first"})", {1}, {0}},
    {"reduce.argmax", kBF16, kI32, {0, 1}, {}, R"({"ties":"first",)" FLUSH "}", {0, 1}, {2}},
    {"reduce.argmax", kF16, kI32, {0, 1}, {}, R"({"accumulate":"F16","ties":"first",)" FLUSH "}", {0, 1}, {2}},
    {"reduce.max", kBF16, kBF16, {1, 2}, {}, "{" FLUSH "}", {2, 1, 0}, {3}},
    {"reduce.max", kF16, kF16, {1, 2}, {}, R"({"accumulate":"F16",)" FLUSH "}", {2, 1, 0}, {3}},
    {"reduce.max", kF64, kF64, {1, 2}, {}, R"({"accumulate":"F64",)" FLUSH "}", {2, 1, 0}, {3}},
    {"reduce.max", kE5M2, kE5M2, {1, 2}, {}, "{" FLUSH "}", {2}, {0, 1}},
};

#undef FLUSH
#undef NARROW
#undef THROUGH_F32

}  // namespace negzero::oracle_cross::flushing_rows
