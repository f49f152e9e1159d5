// Results that contracts permit and once were refused, and wrong ones that once passed: one row an edge of a rule.

#include <gtest/gtest.h>

#include "legal_rows.hpp"

namespace negzero::oracle::testing {
namespace {

// An accumulator that truncates is a unit's: what scales, divides and adds C behind it rounds to nearest.
const std::vector<LegalRow> kEpilogues{
    {"C behind a truncated sum", R"({"accumulate_rounding":"toward_zero","wider":false})",
     "gemm F16 F32 3c00*3c00 beta 3f800000 c 33c00000", "3f800000 3f800001", "3f7fffff 3f800002"},
    {"the same, wider", R"({"accumulate_rounding":"toward_zero"})",
     "gemm F32 F32 40b00000*3f800000 beta 3e99999a c 40c8672b", "40ec1ef3 40ec1ef4", "40ec1ef2 40ec1ef5"},
    {"in F64 behind BF16",
     R"({"accumulate":"BF16","accumulate_rounding":"toward_zero","order":"ascending","contraction":"fused","alpha":"operand","beta":"epilogue"})",
     "gemm BF16 BF16 9fa5*a07f beta bf400000 c 5f01", "dec1 dec2", "dec0 dec3"},
    {"a division", R"({"accumulate_rounding":"toward_zero","wider":false})",
     "reduce.mean F32 F32 3f800000 3f800000 00000000", "3f2aaaaa 3f2aaaab", "3f2aaaa9 3f2aaaac"},
};

// Kahan's last compensation is subtracted at the end, or not.
const std::vector<LegalRow> kCompensated{
    {"F16", R"({"accumulate":"F16","compensated":true,"wider":false})", "reduce.sum F16 F16 4c4d 5347", "54b6 54b7",
     "54b5 54b8"},
    {"F32", R"({"compensated":true})", "reduce.sum F32 F32 3f0f57cb 3fd5bd71", "400eb4ab 400eb4ac",
     "400eb4aa 400eb4ad"},
    {"E5M2", R"({"accumulate":"F8_E5M2","compensated":true,"wider":false})", "reduce.sum E5M2 E5M2 3d 43", "44 45",
     "43 46"},
};

// C starts the first block, or is a term of the outer sum.
const std::vector<LegalRow> kBlocks{
    {"blocks of two", R"({"accumulate":"F16","promote":{"every":2,"format":"F32"},"start":"c","wider":false})",
     "gemm F16 F16 35b0*bd49 3de5*b000 beta 3f800000 c 4401", "42b3 42b4", "42b2 42b5"},
    {"one chain",
     R"({"accumulate":"F16","promote":{"every":2,"format":"F32"},"order":"ascending","start":"c","wider":false,"contraction":"separate"})",
     "gemm F16 F16 35b0*bd49 3de5*b000 beta 3f800000 c 4401", "42b3 42b4", "42b2 42b5"},
};

// alpha = -1 in an operand is a multiplication, which flushes.
const std::vector<LegalRow> kFolded{
    {"F32", R"({"wider":false,"alpha":"operand","subnormal_results":"flush"})",
     "gemm F32 F32 00080000*5d800000 alpha bf800000", "00000000 80000000 9c800000", "9c800001"},
    {"before tensor cores",
     R"({"tensor_core":"may","unit":"ampere","contraction":"separate","alpha":"operand","subnormal_results":"either"})",
     "gemm BF16 F16 8000*7f00 8060*7f7f alpha bf800000", "0000 41fa", "41fb"},
    {"alpha = 1 where nothing says that it multiplies", R"({"tensor_core":"only","subnormal_inputs":"flush"})",
     "gemm BF16 F32 0001*7180", "2f000000", "00000000"},
    {"alpha = 1 in an operand", R"({"tensor_core":"only","subnormal_inputs":"flush","alpha":"operand"})",
     "gemm BF16 F32 0001*7180", "2f000000 00000000", ""},
};

// alpha on partial sums meets infinities, zeros and overflows before they are added.
const std::vector<LegalRow> kPartial{
    {"infinite alpha, a product that underflows", R"({"accumulate":"F16","wider":false,"alpha":"partial"})",
     "gemm F16 F16 3c00*3c00 0001*0001 alpha 7f800000", "7c00 7e00", "fc00 7bff"},
    {"infinite alpha, one sign", R"({"accumulate":"F16","wider":false,"alpha":"partial"})",
     "gemm F16 F16 3c00*3c00 3c00*3c00 alpha ff800000", "fc00", "7c00 7e00"},
    {"an infinite term, the other overflows once it is scaled",
     R"({"accumulate":"F8_E5M2","wider":false,"alpha":"partial"})", "gemm E5M2 E5M2 fc*bc bf*77 alpha 3fa00000",
     "7c 7e", "fc"},
    {"an infinite term, nothing overflows", R"({"accumulate":"F8_E5M2","wider":false,"alpha":"partial"})",
     "gemm E5M2 E5M2 fc*bc bf*3c alpha 3fa00000", "7c", "7e fc"},
    {"beta * C overflows as it starts the chain",
     R"({"accumulate":"F8_E5M2","wider":false,"alpha":"partial","contraction":"fused","start":"c"})",
     "gemm E5M2 E5M2 5b*5b alpha 3fa00000 beta 40000000 c fa", "7c fc 7e", ""},
    {"signs of zero", R"({"wider":false,"alpha":"partial","zero_sign":"ieee"})",
     "gemm F32 F32 3f800000*00000000 3f800000*80000000 alpha bf800000 beta 3f800000 c 80000000", "80000000",
     "00000001"},
};

// A lane without an element adds +0, which flushes what it meets.
const std::vector<LegalRow> kZeros{
    {"E4M3", R"({"accumulate":"F8_E4M3","wider":false,"subnormal_inputs":"flush","contraction":"fused"})",
     "gemm E4M3 E4M3 1f*18", "00 04", "05 84"},
    {"F16", R"({"accumulate":"F16","wider":false,"subnormal_inputs":"flush","contraction":"fused"})",
     "gemm F16 F16 1400*1400", "0000 0010", "0011 8010"},
    {"the root of a sum", R"({"subnormal_inputs":"flush"})", "reduce.sum F32 F32 00c00000 80800000",
     "00000000 00400000", "00400001"},
    {"either", R"({"accumulate":"F8_E5M2","wider":false,"subnormal_inputs":"either"})", "reduce.sum E5M2 E5M2 06 84",
     "00 02", "03"},
    {"a chain has no idle lane",
     R"({"subnormal_inputs":"flush","order":"ascending","wider":false,"start":"first_term"})",
     "reduce.sum F32 F32 00c00000 80800000", "00400000", "00000000"},
};

// A sum inside a mean that may overflow need not.
const std::vector<LegalRow> kMeans{
    {"BF16", R"({"wider":false,"mean_may_overflow":true})", "reduce.mean BF16 F32 ff30 ff17 ff0b", "ff1b5556 ff800000",
     "ff1b5557 7f800000"},
    {"it may not", R"({"wider":false})", "reduce.mean BF16 F32 ff30 ff17 ff0b", "ff1b5556", "ff800000"},
};

// A wider accumulator clamps once.
const std::vector<LegalRow> kIntegers{
    {"in a chain", R"({"order":"ascending","accumulate":"I32","integer_overflow":"saturate"})",
     "reduce.sum I32 I32 7fffffff 1 80000000", "00000000 ffffffff", "00000001"},
    {"not wider", R"({"order":"ascending","accumulate":"I32","integer_overflow":"saturate","wider":false})",
     "reduce.sum I32 I32 7fffffff 1 80000000", "ffffffff", "00000000"},
};

const std::vector<LegalRow> kSpecials{
    {"C in an accumulator without infinities", R"({"accumulate":"F8_E4M3","beta":"leaf"})",
     "gemm E4M3 F16 38*38 38*38 beta 3d800000 c e001", "7e00", ""},
    {"an infinite beta behind an accumulator that does not hold C", R"({"accumulate":"F8_E5M2","order":"ascending"})",
     "gemm E5M2 F32 18*a1 beta ff800000 c 9fffffff", "7f800000", "ff800000"},
    {"a NaN cut to TF32 is an infinity of its sign", R"({"multiplicand":"tf32_truncate"})",
     "gemm F32 F32 7f800001*3f800000", "7f800000 7fc00000", "ff800000"},
    {"a NaN made by an intermediate format", R"({"intermediate":["F8_E4M3"]})", "convert F32 I32 447a0000",
     "80000000 00000000", "7fffffff"},
    {"an intermediate format has a grid", R"({"intermediate":["F16"]})", "gemm F32 F32 3f800000*3f800001", "3f800000",
     "3f801000 3f800001"},
    {"a selection among two ends", R"({"subnormal_inputs":"either"})", "reduce.max F32 F32 007fffff",
     "007fffff 00000000", "00000005 80000000"},
};

// Each addition is in the declared format or in a wider one: slices in F16 that are added in F32.
const std::vector<LegalRow> kWidths{
    {"products", R"({"accumulate":"F16"})", "gemm F16 F32 41f1*32ed bef2*3c00", "bf8bf000", "bf8ba000"},
    {"a scan", R"({"accumulate":"F16"})", "scan.inclusive F16 F32 ba41 bd9d 39fb", "bfb81000 bfb80000", "bfb90000"},
    {"F32 and F64", "{}", "gemm F32 F32 c0890008*3e5d744e 3f04168c*be5d744e bf802000*40efbc2f", "c1089585 c1089586",
     "c1089587"},
    {"elements that are loaded, then averaged", R"({"accumulate":"F16","mean":"terms"})",
     "reduce.mean F32 F32 bfc81100 3fe63d15 bfc08488", "bed84000", ""},
    {"one accumulator", R"({"accumulate":"F16","wider":false})", "gemm F16 F32 41f1*32ed bef2*3c00", "bf8c0000",
     "bf8bf000"},
    {"a chain has one", R"({"accumulate":"F16","order":"ascending","contraction":"fused"})",
     "scan.inclusive F16 F32 ba41 bd9d 39fb", "bfb80000", "bfb81000"},
};

// The results of few terms, and nothing between them.
const std::vector<LegalRow> kFew{
    {"fused", R"({"wider":false,"contraction":"fused"})", "gemm F32 F32 c0400000*bfac4d8b 3ff64fda*bfdb9eb4",
     "3f3c9538 3f3c953a", "3f3c9539"},
    {"separate", R"({"wider":false,"contraction":"separate"})",
     "gemm F32 F32 bf48b4ed*3f800000 407f3381*bfc44f00 40f40000*3f88f940", "3fa14950 3fa14952", "3fa14951"},
    {"a chain", R"({"wider":false,"order":"ascending"})", "gemm F32 F32 c0c9dba4*3f800000 40c4cf58*3fa8245d",
     "3fe2b1a0 3fe2b1a3", "3fe2b1a1 3fe2b1a2"},
    {"C behind an exact sum", R"({"wider":false,"alpha":"epilogue","beta":"epilogue"})",
     "gemm F32 F32 c036aa5b*3f800000 beta c0690000 c bf2f7bb6", "beb79610 beb79613", "beb79611 beb79612"},
    {"a product in F16 or in a wider format", R"({"accumulate":"F16"})", "gemm F16 F32 4064*3b4a", "40000000 400003a0",
     "40000001 4000039f"},
    {"a sum in F32 that is stored to F16 before the next addition", R"({"accumulate":"F16"})",
     "reduce.sum F32 F32 3f800000 3a000001 3a800000", "3f802000 3f804000 3f803000", "3f801fff 3f802001"},
    {"both infinities, which meet at once", R"({"accumulate":"F16","wider":false,"contraction":"separate"})",
     "gemm F16 F16 7bff*4400 fbff*4200", "7fff", "7c00 fc00 7bfa"},
    {"one overflow among numbers", R"({"accumulate":"F16","wider":false})", "scan.inclusive F16 F16 7b53 7b53 fb53",
     "7b53 7c00", "7b57 7e00"},
    {"a product that may be flushed", R"({"subnormal_inputs":"either"})", "gemm F32 F32 007fffff*3f800000",
     "00000000 007fffff", "00000005"},
};

// Tensor cores: 16384 + 1 in steps, with another unit's F, or in two slices.
const std::vector<LegalRow> kSteps{
    {"Hopper", R"({"tensor_core":"only","unit":"hopper"})", "gemm E4M3 F32 70*70 38*38", "46800000 46800200",
     "467fd400 467fffff 46800001 46800100 46800400"},
    {"Ada, in one slice", R"({"tensor_core":"only","unit":"ada","slices":1})", "gemm E4M3 F32 70*70 38*38", "46800000",
     "46800200 467fffff"},
    {"any unit", R"({"tensor_core":"only"})", "gemm E4M3 F32 70*70 38*38", "46800000 46800200", "46800100"},
    {"C in a step", R"({"tensor_core":"only","unit":"ada","slices":1,"beta":"leaf"})",
     "gemm E4M3 F32 70*70 38*38 beta 3f800000 c 40800000", "46800800", "46800400 46800a00 46801000"},
    {"C in a step of another slice", R"({"tensor_core":"only","unit":"hopper","beta":"leaf"})",
     "gemm E4M3 F32 70*70 38*38 beta 3f800000 c 40800000", "46800800 46800a00", "46800400 46801000"},
    {"of one sign", R"({"tensor_core":"only","unit":"hopper","subnormal_results":"flush"})", "gemm BF16 F32 1c80*1c80",
     "00000200 00000000", "80000001 807f0000"},
    {"F16", R"({"wider":false,"tensor_core":"only","unit":"hopper"})", "gemm F16 F32 35a1*b8f3 4528*3c00", "409e090b",
     "409e0908 409e090a 409e090c 409e090f"},
};

// Around the steps: how C gets in, and what adds slices.
const std::vector<LegalRow> kAroundSteps{
    {"slices in F16, added in F32", R"({"accumulate":"F16","tensor_core":"only"})", "gemm F16 F32 3c01*3c01 3c00*1000",
     "3f805000 3f804000 3f806000", "3f805001 3f807000"},
    {"not wider", R"({"accumulate":"F16","tensor_core":"only","wider":false})", "gemm F16 F32 3c01*3c01 3c00*1000",
     "3f804000 3f806000", "3f805000"},
    {"a slice of zeros flushes", R"({"tensor_core":"only","subnormal_inputs":"flush","beta":"leaf"})",
     "gemm BF16 F32 00c0*3f80 beta 3f800000 c 80800000", "00000000 00400000", "00200000"},
    {"beta * C in F32, stored to an F16 accumulator", R"({"accumulate":"F16","tensor_core":"only","beta":"leaf"})",
     "gemm F16 F16 b800*3c00 beta 3f6d9f2b c 3e2d", "3b78 3b77 3b76", "3b75 3b79"},
    {"mma.sync of FP8, twice: each adds to C to nearest", R"({"tensor_core":"only","unit":"hopper","slices":1})",
     "gemm E4M3 F32 7e*7e "
     "0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 0*0 "
     "0*0 0*0 0*0 20*1c",
     "48440000 48440001", "48440002 4843ffff"},
};

// Results that may be flushed: kept, or zero.
const std::vector<LegalRow> kFlushedResults{
    {"a sum", R"({"subnormal_results":"either"})", "reduce.sum F32 F32 00000004", "00000000 00000004",
     "00000001 00000002"},
    {"a product", R"({"subnormal_inputs":"either","subnormal_results":"either"})", "gemm F32 F32 007fffff*3f800000",
     "00000000 007fffff", "00000005"},
    {"a small product", R"({"subnormal_results":"either","wider":false})", "gemm F32 F32 1f800000*20200000",
     "00000000 00500000", "00012345"},
    {"updates", R"({"subnormal_results":"either","wider":false})", "scatter.add F32 F32 00000004 00000002",
     "00000000 00000002 00000004 00000006", "00000001 00000003 00000005"},
    {"a mean", R"({"subnormal_results":"either","mean":"divide","wider":false})",
     "reduce.mean F32 F32 00900000 00000000", "00000000 00480000", "00200000"},
    {"F16 arithmetic", R"({"accumulate":"F16","wider":false,"subnormal_results":"flush"})",
     "reduce.sum F16 F16 0004 0200", "0000 0204", "0102"},
};

// PTX `cvt` to an integer stops at the ends of the range.
const std::vector<LegalRow> kConversions{
    {"too large", "{}", "convert F32 I32 4f32d05e", "7fffffff", "b2d05e00 80000000"},
    {"the first that is too large", "{}", "convert F32 I32 4f000000", "7fffffff", "80000000"},
    {"too small", "{}", "convert F32 I32 cf32d05e", "80000000", "4d2fa200"},
    {"within", "{}", "convert F32 I32 4effffff", "7fffff80", "7fffffff"},
    {"no number", "{}", "convert F32 I32 7fc00000", "00000000", "7fffffff"},
    {"a float", "{}", "convert F32 F16 4f32d05e", "7c00", "7bff"},
    {"declared to wrap", R"({"overflow":"ieee"})", "convert F32 I32 4f32d05e", "b2d05e00", "7fffffff"},
    {"stored when that was not declared", "{}", "convert F32 I32 4f32d05e", "b2d05e00", "7fffffff", 1},
    {"a preset that was stored", R"({"preset":"f32"})", "convert F32 I32 4f32d05e", "b2d05e00", "7fffffff", 1},
};

// 3f803000 is a tie of TF32, 3f801fff lies just below a number of it.
const std::vector<LegalRow> kFactors{
    {"A to nearest, B cut", R"({"multiplicand":"tf32_nearest_away","multiplicand_b":"tf32_truncate"})",
     "gemm F32 F32 3f803000*3f801fff", "3f804000", "3f802000 3f806010"},
    {"A cut, B to nearest", R"({"multiplicand":"tf32_truncate","multiplicand_b":"tf32_nearest_away"})",
     "gemm F32 F32 3f803000*3f801fff", "3f804008", "3f804000"},
    {"alike", R"({"multiplicand":"tf32_any"})", "gemm F32 F32 3f803000*3f801fff", "3f802000 3f806010", "3f804000"},
    {"each in its own way", R"({"multiplicand":"tf32_any","multiplicand_b":"tf32_any"})",
     "gemm F32 F32 3f803000*3f801fff", "3f802000 3f804000 3f804008 3f806010", "3f805008"},
    {"B alone", R"({"multiplicand_b":"bf16"})", "gemm F32 F32 3f800001*3f808000", "3f800001", "3f800000 3f808001"},
    {"A alone", R"({"multiplicand":"bf16","multiplicand_b":"exact"})", "gemm F32 F32 3f808000*3f800001", "3f800001",
     "3f800000 3f808001"},
    {"alpha is folded into either, each rounded in its own way", R"({"multiplicand_b":"bf16","alpha":"operand"})",
     "gemm F32 F32 3f800000*3f800000 alpha 3f800001", "3f800001 3f800000", "3f800002"},
};

// The sum of F32 is rounded to F16; half arithmetic follows: hfma, or hmul and hadd.
const std::vector<LegalRow> kHalfEpilogues{
    {"a tie", R"({"intermediate":["F16"],"intermediate_at":"sum","scalar_format":"F16"})",
     "gemm F16 F16 3c00*3c00 beta 3f800000 c 3c01", "4000", "4001"},
    {"either, not an epilogue in F32",
     R"({"intermediate":["F16"],"intermediate_at":"sum","scalar_format":"F16","alpha":"epilogue","beta":"epilogue"})",
     "gemm F16 F16 349d*3c00 alpha bf658000 beta bde36000 c c1e4", "2c61 2c62 2c60", "2c63"},
    {"hfma",
     R"({"intermediate":["F16"],"intermediate_at":"sum","scalar_format":"F16","alpha":"epilogue","beta":"epilogue",
         "contraction":"fused"})",
     "gemm F16 F16 3c64*3c00 alpha bedb6000 beta 3e7d4000 c 401c", "28dd 28db", "28e0 28d8"},
    {"hmul and hadd",
     R"({"intermediate":["F16"],"intermediate_at":"sum","scalar_format":"F16","alpha":"epilogue","beta":"epilogue",
         "contraction":"separate"})",
     "gemm F16 F16 3c64*3c00 alpha bedb6000 beta 3e7d4000 c 401c", "28e0", "28dd 28db 28d8"},
    {"scalars of F32 keep the epilogue in F32",
     R"({"intermediate":["F16"],"intermediate_at":"sum","scalar_format":"F32","alpha":"epilogue","beta":"epilogue"})",
     "gemm F16 F16 3c64*3c00 alpha bedb6000 beta 3e7d4000 c 401c", "28d8", "28e0 28dd 28db"},
    {"overflow of the sum's rounding", R"({"intermediate":["F16"],"intermediate_at":"sum","scalar_format":"F16"})",
     "gemm F16 F16 7bff*4000 alpha 3f000000", "7c00", ""},
};

class Legal : public ::testing::TestWithParam<const std::vector<LegalRow>*> {};

TEST_P(Legal, PermitsWhatArithmeticGives) {
  for (const LegalRow& row : *GetParam()) {
    const auto contract = contract::parse(row.contract, row.version);
    ASSERT_TRUE(contract.ok()) << row.what << ": " << contract.error().message;
    const operation::Case value = case_of(row.operands);
    const auto oracle = Oracle::make(value, *contract);
    ASSERT_TRUE(oracle.ok()) << row.what << ": " << oracle.error().message;
    const auto outputs = operation::output_specs(value.operation);
    const std::int64_t last = tensor::count_elements(outputs.front().shape) - 1;
    const Permitted set = oracle->permitted(last);
    for (const std::uint64_t word : hex_words(row.permitted)) {
      EXPECT_TRUE(set.contains(word)) << std::hex << word << " must be permitted: " << row.what << ": "
                                      << set.to_string() << " by " << set.rule;
    }
    for (const std::uint64_t word : hex_words(row.refused)) {
      EXPECT_FALSE(set.contains(word)) << std::hex << word << " must be refused: " << row.what << ": "
                                       << set.to_string() << " by " << set.rule;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Legal,
                         ::testing::Values(&kEpilogues, &kCompensated, &kBlocks, &kFolded, &kPartial, &kZeros, &kMeans,
                                           &kIntegers, &kSpecials, &kWidths, &kFew, &kSteps, &kAroundSteps,
                                           &kFlushedResults, &kConversions, &kFactors, &kHalfEpilogues));

}  // namespace
}  // namespace negzero::oracle::testing
