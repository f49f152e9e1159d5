// Limits: each field draws the line where it says, and the reason names the thing, the value and the limit.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/tensor/islands.hpp>

#include "arbitrary_case.hpp"
#include "reasons.hpp"

namespace negzero::operation {
namespace {

using enum number::FormatId;

constexpr Scalar kOne{F32, 0x3f800000};

RC_GTEST_PROP(Limits, DefaultAcceptsEveryValidCase, ()) {
  const Case value = *arbitrary_case();
  RC_ASSERT(outside({}, value.operation, value.layouts) == std::nullopt);
}

TEST(Limits, FormatsAreCombinations) {
  const Limits limits{.formats = {{F16, F16, F32}, {F32, F32, F32}}};
  EXPECT_EQ(reason(limits, Gemm{.a = F16, .b = F16, .d = F32}), "inside");
  EXPECT_EQ(reason(limits, Gemm{}), "inside");
  EXPECT_EQ(reason(limits, Gemm{.a = F16, .b = F32, .d = F32}),
            "formats F16 x F32 x F32 are none of F16 x F16 x F32, F32 x F32 x F32");
  EXPECT_EQ(reason({.formats = {{F32, F32}}}, Reduce{.x = F16, .y = F32}), "formats F16 x F32 are none of F32 x F32");
  EXPECT_EQ(reason({.formats = {{F32}}}, Scatter{.x = F64}), "formats F64 are none of F32");
}

TEST(Limits, ExtentsOfTheOperationCountAndNoOthers) {
  const Limits limits{.extents = {{"batch", {.min = 1, .max = 1}}, {"k", {.multiple = 8}}, {"rows", {.max = 0}}}};
  EXPECT_EQ(reason(limits, Gemm{.batch = 1, .m = 5, .n = 7, .k = 16}), "inside");
  EXPECT_EQ(reason(limits, Gemm{.batch = 1, .m = 5, .n = 7, .k = 0}), "inside");
  EXPECT_EQ(reason(limits, Gemm{.batch = 2, .k = 16}), "batch = 2 exceeds 1");
  EXPECT_EQ(reason(limits, Gemm{.batch = 0, .k = 16}), "batch = 0 is below 1");
  EXPECT_EQ(reason(limits, Gemm{.batch = 1, .k = 12}), "k = 12 is no multiple of 8");
  EXPECT_EQ(reason(limits, Reduce{.rows = 1}), "rows = 1 exceeds 0");
  EXPECT_EQ(reason(limits, Scatter{.updates = 9, .destinations = 9}), "inside");
  EXPECT_EQ(reason({.extents = {{"updates", {.max = 8}}}}, Scatter{.updates = 9, .destinations = 9}),
            "updates = 9 exceeds 8");
  EXPECT_EQ(reason({.extents = {{"columns", {.min = 1}}}}, Reduce{.rows = 1}), "columns = 0 is below 1");
  EXPECT_EQ(reason({.extents = {{"destinations", {.max = 8}}}}, Scatter{.destinations = 9}),
            "destinations = 9 exceeds 8");
}

TEST(Limits, AnInputLiesInTheOutputWhereItMay) {
  const auto said = [](const InPlaceLimit& limit, std::string_view in_place) {
    return outside({.in_place = limit}, Gemm{}, {}, in_place).value_or("inside");
  };
  EXPECT_EQ(said({}, ""), "inside");
  EXPECT_EQ(said({}, "c"), "c lies in the output's memory");
  EXPECT_EQ(said({.input = "c"}, ""), "inside");
  EXPECT_EQ(said({.input = "c"}, "c"), "inside");
  EXPECT_EQ(said({.input = "c", .always = true}, "c"), "inside");
  EXPECT_EQ(said({.input = "c", .always = true}, ""), "c does not lie in the output's memory");
}

TEST(Limits, ThatNoCaseFitsAreAMistake) {
  for (const std::string_view operation : operation_names()) EXPECT_EQ(mistake({}, operation), "none");
  EXPECT_EQ(mistake({}, "gemv"), "limits of an unknown operation 'gemv'");
  EXPECT_EQ(mistake({.formats = {{F32, F32}}}, "gemm"),
            "limits: a combination of 2 formats: gemm wants {a, b, d[, c]}");
  EXPECT_EQ(mistake({.formats = {{F32, F32}}}, "reduce.max"), "none");
  EXPECT_NE(mistake({.formats = {{F32, number::FormatId::F16}}}, "reduce.max").find("a selection keeps the format"),
            std::string::npos);
  EXPECT_EQ(mistake({.formats = {{F32, number::FormatId::I32}}}, "convert"), "none");
  EXPECT_EQ(mistake({.formats = {{F32}, {}}}, "scatter.add"),
            "limits: a combination of 0 formats: scatter.add wants {x[, index]}");
  EXPECT_EQ(mistake({.extents = {{"k", {.min = 5, .max = 7, .multiple = 4}}}}, "gemm"),
            "limits: no multiple 4 of k lies between 5 and 7");
  EXPECT_EQ(mistake({.extents = {{"k", {.min = 5, .max = 8, .multiple = 4}}}}, "gemm"), "none");
  EXPECT_EQ(mistake({.extents = {{"k", {.min = 0, .max = 3, .multiple = 4}}}}, "gemm"), "none") << "K = 0";
  EXPECT_EQ(mistake({.extents = {{"rows", {.min = 8, .max = 7}}}}, "reduce.sum"),
            "limits: min 8 of rows is above its max 7");
  EXPECT_EQ(mistake({.extents = {{"rows", {.min = 8, .max = 7}}}}, "gemm"),
            "limits: gemm has no extent rows; it has batch, m, n, k");
  EXPECT_EQ(mistake({.extents = {{"updates", {.min = -1}}}}, "scatter.max"), "limits: min -1 of updates: at least 0");
  EXPECT_EQ(mistake({.extents = {{"n", {.multiple = 0}}}}, "gemm"), "limits: multiple 0 of n: at least 1");
  EXPECT_EQ(mistake({.inputs = {.offset_multiple = 0}}, "gemm"), "limits: offset_multiple 0 of inputs: at least 1");
  EXPECT_EQ(mistake({.output = {.stride_multiple = 0}}, "gemm"), "limits: stride_multiple 0 of output: at least 1");
  EXPECT_EQ(mistake({.output = {.max_stride = 0}}, "gemm"), "limits: max_stride 0 of output: at least 1");
  EXPECT_EQ(mistake({.inputs = {.max_span = 0}}, "gemm"), "limits: max_span 0 of inputs: at least 1");
  EXPECT_EQ(mistake({.output = {.max_offset = -1}}, "gemm"), "limits: max_offset -1 of output: at least 0");
}

TEST(Limits, FormatsMayNameTheUsualOnesOrNot) {
  using enum number::FormatId;
  const Limits narrow{.formats = {{F16, F16, F16}}}, wide{.formats = {{F16, F16, F16, F32}}};
  const Gemm gemm{.a = F16, .b = F16, .d = F16};
  Gemm with_f32 = gemm;
  with_f32.c = F32;
  EXPECT_EQ(reason(narrow, gemm), "inside");
  EXPECT_EQ(reason({.formats = {{F16, F16, F16, F16}}}, gemm), "inside");
  EXPECT_EQ(reason(wide, with_f32), "inside");
  EXPECT_EQ(reason(narrow, with_f32), "formats F16 x F16 x F16 with c in F32 are none of F16 x F16 x F16");
  EXPECT_EQ(reason(wide, gemm), "formats F16 x F16 x F16 are none of F16 x F16 x F16 with c in F32");
  EXPECT_EQ(reason({.formats = {{F32, I64}}}, Scatter{}), "formats F32 are none of F32 with index in I64");
  EXPECT_EQ(mistake({.formats = {{F32, F32}}}, "scatter.add"), "limits: index has format F32; an index is I32 or I64");
  EXPECT_EQ(mistake({.formats = {{F32, F16}}}, "reduce.argmax"), "limits: y has format F16; an index is I32 or I64");
  EXPECT_EQ(mistake({.formats = {{F32, I64}}}, "reduce.argmax"), "none");
  EXPECT_EQ(mistake({.formats = {{I32, I64}}}, "reduce.argmax"), "none");
  EXPECT_EQ(mistake({.formats = {{F32, I64}}}, "convert"),
            "limits: y has format I64, which holds no floating-point numbers in memory");
  EXPECT_EQ(mistake({.formats = {{F16, F16, F16, I32}}}, "gemm"),
            "limits: c has format I32, which holds no floating-point numbers in memory");
  // What always lies in the output's memory has its format in every combination.
  const std::vector<std::vector<number::FormatId>> both{{F16, F16, F16}, {F16, F16, F16, F32}};
  EXPECT_EQ(mistake({.formats = both, .in_place = {.input = "c"}}, "gemm"), "none");
  EXPECT_EQ(mistake({.formats = both, .in_place = {.input = "c", .always = true}}, "gemm"),
            "limits: c is no input of gemm that may lie in the output's memory in F16 x F16 x F16 with c in F32; "
            "none may");
  const LayoutLimit packed{.order = LayoutOrder::Packed};
  EXPECT_EQ(mistake({.tensors = {{"c", packed}}, .in_place = {.input = "c"}}, "gemm"),
            "limits: c lies in the memory of d, and their limits differ: give both the same, or d alone");
  EXPECT_EQ(mistake({.output = packed, .tensors = {{"c", packed}}, .in_place = {.input = "c"}}, "gemm"), "none");
}

TEST(Limits, ScalarsAreComparedByValue) {
  const Scalar minus_zero{F32, 0x80000000}, one_f16{F16, 0x3c00}, two{F32, 0x40000000}, nan{F32, 0x7fc00000};
  const Limits limits{.alpha = ScalarLimit::One, .beta = ScalarLimit::ZeroOrOne};
  EXPECT_EQ(reason(limits, Gemm{.alpha = kOne, .beta = minus_zero}), "inside");
  EXPECT_EQ(reason(limits, Gemm{.alpha = one_f16, .beta = kOne}), "inside");
  EXPECT_EQ(reason(limits, Gemm{.alpha = two}), "alpha is not 1");
  EXPECT_EQ(reason(limits, Gemm{.beta = two}), "beta is neither 0 nor 1");
  EXPECT_EQ(reason(limits, Gemm{.beta = nan}), "beta is neither 0 nor 1");
  EXPECT_EQ(reason({.beta = ScalarLimit::Zero}, Gemm{.beta = minus_zero}), "inside");
  EXPECT_EQ(reason({.beta = ScalarLimit::Zero}, Gemm{.beta = kOne}), "beta is not 0");
}

TEST(Limits, OrdersOfInputs) {
  const Gemm gemm{.m = 3, .n = 4, .k = 5};
  const Layouts row_major{{"a", {.shape = {1, 3, 5}, .strides = {0, 8, 1}, .offset = 3}}};
  const Layouts transposed{{"a", {.shape = {1, 3, 5}, .strides = {0, 1, 8}}}};
  const Layouts scattered{{"a", {.shape = {1, 3, 5}, .strides = {0, 16, 2}}}};
  const auto ordered = [](LayoutOrder order) { return Limits{.inputs = {.order = order}}; };
  EXPECT_EQ(reason(ordered(LayoutOrder::Any), gemm, scattered), "inside");
  EXPECT_EQ(reason(ordered(LayoutOrder::RowMajor), gemm, row_major), "inside");
  EXPECT_EQ(reason(ordered(LayoutOrder::RowMajor), gemm, transposed), "a is not row-major");
  EXPECT_EQ(reason(ordered(LayoutOrder::RowOrColumnMajor), gemm, transposed), "inside");
  EXPECT_EQ(reason(ordered(LayoutOrder::RowOrColumnMajor), gemm, scattered), "a is not row-major or column-major");
  EXPECT_EQ(reason(ordered(LayoutOrder::Packed), gemm, row_major), "a is not packed");
  EXPECT_EQ(reason(ordered(LayoutOrder::Packed), gemm), "inside");
}

TEST(Limits, StridesOfDimensionsWithOneElementDoNotMatter) {
  const Layouts row{{"a", {.shape = {1, 1, 5}, .strides = {77, 77, 1}}}};
  const Layouts column{{"a", {.shape = {1, 5, 1}, .strides = {77, 3, 77}}}};
  const Layouts none{{"a", {.shape = {1, 0, 5}, .strides = {3, 3, 3}}}};
  const Limits limits{.inputs = {.order = LayoutOrder::RowMajor, .stride_multiple = 3}};
  EXPECT_EQ(reason(limits, Gemm{.m = 1, .k = 5}, row), "inside");
  EXPECT_EQ(reason(limits, Gemm{.m = 5, .k = 1}, column), "inside");
  EXPECT_EQ(reason(limits, Gemm{.m = 0, .k = 5}, none), "inside");
  EXPECT_EQ(reason({.inputs = {.order = LayoutOrder::Packed}}, Gemm{.m = 1, .k = 5}, row), "inside");
}

TEST(Limits, RowsOfOneElementAreAMultipleApart) {
  const Layouts packed{{"a", {.shape = {1, 5, 1}, .strides = {5, 1, 1}}}};
  const Gemm gemm{.m = 5, .k = 1};
  EXPECT_EQ(reason({.inputs = {.order = LayoutOrder::RowMajor, .stride_multiple = 4}}, gemm, packed),
            "stride 1 of a is no multiple of 4");
  for (const LayoutOrder order :
       {LayoutOrder::Packed, LayoutOrder::ColumnMajor, LayoutOrder::RowOrColumnMajor, LayoutOrder::Any}) {
    EXPECT_EQ(reason({.inputs = {.order = order, .stride_multiple = 4}}, gemm, packed), "inside");
  }
  const Layouts row{{"a", {.shape = {1, 1, 5}, .strides = {5, 5, 1}}}};
  EXPECT_EQ(reason({.inputs = {.order = LayoutOrder::ColumnMajor, .stride_multiple = 4}}, Gemm{.m = 1, .k = 5}, row),
            "stride 1 of a is no multiple of 4");
  EXPECT_EQ(reason({.inputs = {.order = LayoutOrder::RowMajor, .stride_multiple = 4}}, Gemm{.m = 1, .k = 5}, row),
            "inside");
}

TEST(Limits, AlignmentsBroadcastsAndOffsets) {
  const Gemm gemm{.m = 3, .k = 5};
  const Layouts aligned{{"a", {.shape = {1, 3, 5}, .strides = {15, 8, 1}, .offset = 4}}};
  EXPECT_EQ(reason({.inputs = {.offset_multiple = 4, .stride_multiple = 8}}, gemm, aligned), "inside");
  EXPECT_EQ(reason({.inputs = {.offset_multiple = 8}}, gemm, aligned), "offset 4 of a is no multiple of 8");
  EXPECT_EQ(reason({.inputs = {.stride_multiple = 16}}, gemm, aligned), "stride 8 of a is no multiple of 16");
  EXPECT_EQ(reason({.inputs = {.max_offset = 3}}, gemm, aligned), "offset 4 of a exceeds 3");
  EXPECT_EQ(reason({.inputs = {.stride_multiple = 2}}, gemm), "stride 5 of a is no multiple of 2");

  const Layouts broadcast{{"a", {.shape = {1, 3, 5}, .strides = {0, 0, 1}}}};
  const Layouts sliding{{"a", {.shape = {1, 3, 5}, .strides = {0, 2, 1}}}};
  EXPECT_EQ(reason({}, gemm, broadcast), "inside");
  EXPECT_EQ(reason({.inputs = {.broadcast = false}}, gemm, broadcast), "elements of a share an address");
  EXPECT_EQ(reason({.inputs = {.broadcast = false}}, gemm, sliding), "elements of a share an address");
  EXPECT_EQ(reason({.inputs = {.broadcast = false}}, gemm), "inside");
}

TEST(Limits, HowFarElementsMayLieApart) {
  const Gemm gemm{.m = 3, .k = 5};
  constexpr std::int64_t kInt = std::int64_t{1} << 31;
  const Layouts apart{{"a", {.shape = {1, 3, 5}, .strides = {kInt * 8, kInt, 1}, .offset = 9}}};
  EXPECT_EQ(reason({.inputs = {.max_stride = kInt}}, gemm, apart), "inside") << "there is one batch";
  EXPECT_EQ(reason({}, gemm, apart), "stride 2147483648 of a exceeds 2147483647");
  EXPECT_EQ(reason({}, gemm, {{"a", {.shape = {1, 3, 5}, .strides = {0, kInt - 1, 1}}}}), "inside");
  EXPECT_EQ(reason({.inputs = {.max_stride = kInt, .max_span = 2 * kInt + 5}}, gemm, apart), "inside")
      << "the offset counts for nothing";
  EXPECT_EQ(reason({.inputs = {.max_stride = kInt, .max_span = 2 * kInt + 4}}, gemm, apart),
            "a spans 4294967301 elements, more than 4294967300");
  EXPECT_EQ(reason({.distant = false}, gemm, apart),
            "a spans 4294967310 elements, most of them no memory, which what launches the kernel cannot lay out");
  EXPECT_EQ(reason({.distant = false}, gemm, {{"a", {.shape = {1, 3, 5}, .strides = {0, 1 << 20, 1}}}}), "inside");
}

TEST(Limits, SayWhetherATensorMayBeDistant) {
  const notation::Signature& gemm = *find_signature("gemm");
  const auto permits = [&](const Limits& limits, std::string_view tensor) {
    return permits_distant(limits, gemm, *gemm.find_tensor(tensor));
  };
  EXPECT_TRUE(permits({}, "a"));
  EXPECT_TRUE(permits({.inputs = {.max_stride = tensor::kMaxSpan}}, "a"));
  EXPECT_FALSE(permits({.distant = false}, "a"));
  EXPECT_FALSE(permits({.inputs = {.order = LayoutOrder::Packed}}, "b"));
  EXPECT_TRUE(permits({.inputs = {.order = LayoutOrder::Packed}}, "d"));
  EXPECT_FALSE(permits({.output = {.max_span = tensor::kNearPadding}}, "d"));
  EXPECT_FALSE(permits({.output = {.max_stride = tensor::kNearPadding}}, "d"));
}

TEST(Limits, TheOutputHasItsOwn) {
  const Reduce reduce{.rows = 3, .columns = 2};
  const Layouts strided{{"y", {.shape = {3}, .strides = {2}}}};
  EXPECT_EQ(reason({.inputs = {.order = LayoutOrder::Packed}}, reduce, strided), "inside");
  EXPECT_EQ(reason({.output = {.order = LayoutOrder::Packed}}, reduce, strided), "y is not packed");
  const Layouts init{{"init", {.shape = {3}, .strides = {2}}}};
  EXPECT_EQ(reason({.inputs = {.order = LayoutOrder::Packed}}, Scatter{.destinations = 3}, init), "init is not packed");
}

TEST(Limits, AreOneLineOfWhatTheyExclude) {
  EXPECT_EQ(describe({}, "gemm"), "every case");
  EXPECT_EQ(describe({.formats = {{F16, F16, F32}, {F32, F32, F32}},
                      .extents = {{"batch", {.min = 1, .max = 1}},
                                  {"k", {.min = 16, .max = 512, .multiple = 16}},
                                  {"rows", {.max = 0}}},
                      .alpha = ScalarLimit::One,
                      .beta = ScalarLimit::ZeroOrOne,
                      .inputs = {.order = LayoutOrder::RowMajor, .broadcast = false, .max_offset = 0},
                      .output = {.offset_multiple = 4, .stride_multiple = 8}},
                     "gemm"),
            "F16 x F16 x F32, F32 x F32 x F32; batch = 1; k a multiple of 16 from 16 up to 512; alpha 1; beta 0 or 1; "
            "row-major inputs with no shared addresses, no offset; output with offset a multiple of 4, strides "
            "multiples of 8");
  EXPECT_EQ(describe({.inputs = {.max_stride = 7, .max_span = 1024}}, "gemm"),
            "inputs with strides up to 7, at most 1024 elements from end to end");
  const Limits limits{.extents = {{"rows", {.max = 8}}, {"updates", {.min = 1}}},
                      .inputs = {.order = LayoutOrder::Packed, .max_offset = 3}};
  EXPECT_EQ(describe(limits, "reduce.max"), "rows up to 8; packed inputs with offset up to 3");
  EXPECT_EQ(describe(limits, "scatter.add"), "updates from 1; packed inputs with offset up to 3");
}

}  // namespace
}  // namespace negzero::operation
