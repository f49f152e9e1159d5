// Limits of single tensors: each field draws the line where it says; text, JSON and mistakes of all of them.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/operation/case.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/operation/views.hpp>

#include "reasons.hpp"

namespace negzero::operation {
namespace {

using enum number::FormatId;
using testing::HasSubstr;

const Gemm kGemm{.batch = 2, .m = 3, .n = 4, .k = 5};

TEST(TensorLimits, OfANameTakeThePlaceOfThoseOfAllInputsOrOutputs) {
  const Limits limits{.inputs = {.order = LayoutOrder::Packed},
                      .output = {.order = LayoutOrder::Packed},
                      .tensors = {{"a", {}}, {"d", {.offset_multiple = 2}}}};
  const tensor::Layout gapped{{2, 3, 5}, {24, 8, 1}};
  EXPECT_EQ(reason(limits, kGemm, {{"a", gapped}}), "inside");
  EXPECT_EQ(reason(limits, kGemm, {{"b", {{2, 5, 4}, {40, 8, 1}}}}), "b is not packed");
  EXPECT_EQ(reason(limits, kGemm, {{"d", {{2, 3, 4}, {24, 8, 1}, 4}}}), "inside");
  EXPECT_EQ(reason(limits, kGemm, {{"d", {{2, 3, 4}, {24, 8, 1}, 3}}}), "offset 3 of d is no multiple of 2");
  for (const TensorView& view : tensor_views(kGemm, limits)) {
    const bool is_said = view.spec.name == "a" || view.spec.name == "d";
    EXPECT_EQ(view.limit.order, is_said ? LayoutOrder::Any : LayoutOrder::Packed) << view.spec.name;
    EXPECT_EQ(view.limit.offset_multiple, view.spec.name == "d" ? 2 : 1);
  }
}

TEST(TensorLimits, ColumnMajorIsStrideOneInTheDimensionBeforeTheLast) {
  const Limits limits{.tensors = {{"a", {.order = LayoutOrder::ColumnMajor}}}};
  EXPECT_EQ(reason(limits, kGemm, {{"a", {{2, 3, 5}, {15, 1, 3}}}}), "inside");
  EXPECT_EQ(reason(limits, kGemm, {{"a", {{2, 3, 5}, {99, 1, 8}, 7}}}), "inside") << "leading dimension, gaps, offset";
  EXPECT_EQ(reason(limits, kGemm, {{"a", {{2, 3, 5}, {0, 1, 3}}}}), "inside") << "the batch stride is free";
  EXPECT_EQ(reason(limits, kGemm), "a is not column-major");
  EXPECT_EQ(reason(limits, kGemm, {{"a", {{2, 3, 5}, {30, 2, 6}}}}), "a is not column-major");
  EXPECT_EQ(reason(limits, Gemm{.m = 1, .k = 5}), "inside") << "one row: its stride is never used";
  const Limits vectors{.inputs = {.order = LayoutOrder::ColumnMajor}};
  EXPECT_EQ(reason(vectors, Scatter{.updates = 3, .destinations = 9}), "inside");
  EXPECT_EQ(reason(vectors, Scatter{.updates = 3, .destinations = 9}, {{"x", {{3}, {2}}}}), "x is not column-major");
}

TEST(TensorLimits, SharedExtentsHaveStrideZero) {
  const Limits limits{.tensors = {{"b", {.order = LayoutOrder::Packed, .broadcast = false, .shared = {"batch"}}}}};
  EXPECT_EQ(reason(limits, kGemm, {{"b", {{2, 5, 4}, {0, 4, 1}}}}), "inside")
      << "packed, and no address is shared else";
  EXPECT_EQ(reason(limits, kGemm), "stride 20 of b along batch is not 0, which all of batch shares");
  EXPECT_EQ(reason(limits, kGemm, {{"b", {{2, 5, 4}, {0, 5, 1}}}}), "b is not packed");
  EXPECT_EQ(reason(limits, Gemm{.batch = 1, .m = 3, .n = 4, .k = 5}), "inside") << "one batch: no stride is used";
  EXPECT_EQ(reason(limits, Gemm{.batch = 0, .m = 3, .n = 4, .k = 5}), "inside");
  const Limits rows{.tensors = {{"c", {.broadcast = false, .shared = {"m"}}}}};
  EXPECT_EQ(reason(rows, kGemm, {{"c", {{2, 3, 4}, {4, 0, 1}}}}), "inside");
  EXPECT_EQ(reason(rows, kGemm, {{"c", {{2, 3, 4}, {0, 0, 1}}}}), "elements of c share an address") << "of the batches";
  const Limits all{.inputs = {.shared = {"batch"}}};
  EXPECT_EQ(
      reason(all, kGemm, {{"a", {{2, 3, 5}, {0, 5, 1}}}, {"b", {{2, 5, 4}, {0, 4, 1}}}, {"c", {{2, 3, 4}, {0, 4, 1}}}}),
      "inside");
}

TEST(TensorLimits, AlignmentIsInBytesWhateverTheFormat) {
  const Limits limits{.tensors = {{"a", {.alignment = 16}}}};
  const auto at = [](std::int64_t offset) { return Layouts{{"a", {{1, 3, 5}, {15, 5, 1}, offset}}}; };
  const Gemm single{.m = 3, .k = 5}, half{.m = 3, .k = 5, .a = F16}, wide{.m = 3, .k = 5, .a = F64};
  EXPECT_EQ(reason(limits, single, at(4)), "inside");
  EXPECT_EQ(reason(limits, single, at(6)), "element 0 of a lies at byte 24, which is no multiple of 16");
  EXPECT_EQ(reason(limits, half, at(8)), "inside");
  EXPECT_EQ(reason(limits, half, at(4)), "element 0 of a lies at byte 8, which is no multiple of 16");
  EXPECT_EQ(reason(limits, wide, at(2)), "inside");
  EXPECT_EQ(reason(limits, wide, at(3)), "element 0 of a lies at byte 24, which is no multiple of 16");
  EXPECT_EQ(tensor_views(half, limits)[0].limit.offset_multiple, 8);
  EXPECT_EQ(tensor_views(Gemm{.a = F64}, {.inputs = {.offset_multiple = 3, .alignment = 4}})[0].limit.offset_multiple,
            3);
}

TEST(TensorLimits, ThatAreWrongNameTheThingAndTheCure) {
  EXPECT_EQ(mistake({.tensors = {{"e", {}}}}, "gemm"), "limits: gemm has no tensor e; it has a, b, c, d");
  EXPECT_EQ(mistake({.tensors = {{"indx", {}}}}, "scatter.add"),
            "limits: scatter.add has no tensor indx; did you mean \"index\"? it has x, index, init, out");
  EXPECT_EQ(mistake({.tensors = {{"b", {.shared = {"m"}}}}}, "gemm"),
            "limits: shared: b has no extent m; it has batch, k, n");
  EXPECT_EQ(mistake({.inputs = {.shared = {"batc"}}}, "gemm"),
            "limits: shared: gemm has no extent batc; did you mean \"batch\"? it has batch, m, n, k");
  EXPECT_EQ(mistake({.tensors = {{"d", {.shared = {"batch"}}}}}, "gemm"),
            "limits: shared batch of d: each element of an output has memory of its own");
  EXPECT_THAT(mistake({.output = {.shared = {"m"}}}, "gemm"), HasSubstr("shared m of d"));
  EXPECT_THAT(mistake({.inputs = {.shared = {"destinations"}}}, "scatter.add"), HasSubstr("of init: each element"));
  EXPECT_EQ(mistake({.inputs = {.shared = {"batch", "k"}}}, "gemm"), "none");
  EXPECT_EQ(mistake({.tensors = {{"a", {.alignment = 12}}}}, "gemm"),
            "limits: alignment 12 of a: a power of two up to 256 bytes");
  EXPECT_EQ(mistake({.inputs = {.alignment = 512}}, "gemm"),
            "limits: alignment 512 of inputs: a power of two up to 256 bytes");
  EXPECT_EQ(mistake({.output = {.alignment = 0}}, "gemm"),
            "limits: alignment 0 of output: a power of two up to 256 bytes");
  EXPECT_EQ(mistake({.tensors = {{"a", {.stride_multiple = 0}}}}, "gemm"),
            "limits: stride_multiple 0 of a: at least 1");
}

TEST(TensorLimits, AreOneLine) {
  const LayoutLimit columns{.order = LayoutOrder::ColumnMajor, .alignment = 16};
  EXPECT_EQ(describe({.tensors = {{"d", columns}, {"a", columns}, {"b", {.shared = {"batch"}}}}}, "gemm"),
            "column-major a, d with addresses multiples of 16 bytes; b with stride 0 along batch");
  EXPECT_EQ(describe({.inputs = {.order = LayoutOrder::ColumnMajor, .shared = {"batch", "k"}}, .tensors = {{"c", {}}}},
                     "gemm"),
            "column-major inputs with stride 0 along batch, k; any c");
}

/// The plainest layout is inside, of every order, with and without shared dimensions and multiples, also behind gaps.
TEST(TensorLimits, HaveAPlainestLayoutInside) {
  for (const LayoutOrder order : {LayoutOrder::Any, LayoutOrder::RowOrColumnMajor, LayoutOrder::RowMajor,
                                  LayoutOrder::ColumnMajor, LayoutOrder::Packed}) {
    for (const auto& shared :
         {std::vector<std::string>{}, {"batch"}, {"k"}, {"n"}, {"batch", "n"}, {"batch", "k", "n"}}) {
      for (const std::int64_t multiple : {1, 8}) {
        if (order == LayoutOrder::Packed && multiple > 1) continue;
        const LayoutLimit limit{.order = order,
                                .broadcast = false,
                                .max_offset = 0,
                                .stride_multiple = multiple,
                                .alignment = 64,
                                .shared = shared};
        const Limits limits{.tensors = {{"b", limit}}};
        SCOPED_TRACE(describe(limits, "gemm"));
        ASSERT_EQ(mistake(limits, "gemm"), "none");
        const TensorView view = tensor_views(kGemm, limits)[1];
        EXPECT_EQ(reason(limits, kGemm, {{"b", plain_layout(view.spec.shape, view.limit)}}), "inside");
        if (order == LayoutOrder::Packed) continue;
        const tensor::Layout gapped = lay_out(view.spec.shape, view.limit, {.gap = 3, .batch_gap = 5});
        EXPECT_EQ(reason(limits, kGemm, {{"b", gapped}}), "inside");
      }
    }
  }
}

TEST(TensorLimits, SurviveJson) {
  const Limits limits{
      .extents = {{"k", {.min = 1, .power_of_two = true, .tiles = {8}}}},
      .inputs = {.order = LayoutOrder::ColumnMajor},
      .tensors = {{"b", {.order = LayoutOrder::Packed, .alignment = 32, .shared = {"batch"}}}, {"c", {}}},
      .products = {{.of = {"m", "n"}, .max = 99}, {.of = {"k"}}},
      .equal = {{"m", "n"}, {"n", "k"}}};
  const auto json = limits_json(limits);
  EXPECT_EQ(json.dump(),
            R"({"extents":{"k":{"least":1,"power_of_two":true,"tiles":[8]}},"inputs":{"order":"column_major"},)"
            R"("tensors":{"b":{"order":"packed","alignment":32,"shared":["batch"]},"c":{}},)"
            R"("products":[{"of":["m","n"],"greatest":99},{"of":["k"],"greatest":2147483648}],)"
            R"("equal":[["m","n"],["n","k"]]})");
  const Limits read = limits_of(nlohmann::json::parse(json.dump()));
  EXPECT_EQ(limits_json(read), json);
  EXPECT_EQ(read.tensors, limits.tensors);
  EXPECT_EQ(read.equal, limits.equal);
  EXPECT_TRUE(read.extents["k"].power_of_two);
  EXPECT_EQ(limits_json({}).dump(), "{}") << "what is not said is not written";
}

TEST(TensorLimits, OfJsonNameWhatIsOfAnotherKind) {
  const auto wrong = [](const char* text) -> std::string {
    try {
      (void)limits_of(nlohmann::json::parse(text));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(wrong(R"({"extents": {"m": {"power_of_two": 1}}})"),
            "the limit of m: power_of_two is 1, and no truth value");
  EXPECT_EQ(wrong(R"({"extents": {"m": {"tiles": 16}}})"), "the limit of m: tiles is 16, and no list of whole numbers");
  EXPECT_EQ(wrong(R"({"tensors": {"a": {"alignment": 16.5}}})"),
            "the limit of a: alignment is 16.5, and no whole number");
  EXPECT_EQ(wrong(R"({"tensors": {"a": {"shared": [1]}}})"), "the limit of a: shared is [1], and no list of names");
  EXPECT_EQ(wrong(R"({"tensors": {"a": {"order": 1}}})"), "the limit of a: order is 1, and no text");
  EXPECT_EQ(wrong(R"({"in_place": {"input": "c", "always": 1}})"), "in_place: always is 1, and no truth value");
}

TEST(TensorLimits, OfJsonAreReadStrictly) {
  for (const char* wrong :
       {R"({"tensors": {"b": {"ordr": "packed"}}})", R"({"tensors": {"b": {"order": "diagonal"}}})",
        R"({"tensors": {"b": {"alignment": 1.5}}})", R"({"tensors": {"b": {"shared": "batch"}}})",
        R"({"tensors": {"b": 3}})", R"({"products": [{"of": ["m"], "most": 3}]})", R"({"products": [{"greatest": 3}]})",
        R"({"products": {"of": ["m"]}})", R"({"equal": ["m", "n"]})", R"({"equal": {"m": ["n"]}})",
        R"({"extents": {"k": {"power_of_two": 1}}})", R"({"equals": []})"}) {
    EXPECT_ANY_THROW((void)limits_of(nlohmann::json::parse(wrong))) << wrong;
  }
}

}  // namespace
}  // namespace negzero::operation
