// Validation: each thing that code behind relies on, broken once.

#include <initializer_list>
#include <limits>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <negzero/operation/case.hpp>
#include <negzero/tensor/islands.hpp>

#include "arbitrary_case.hpp"

namespace negzero::operation {
namespace {

using enum number::FormatId;
using testing::HasSubstr;

Case case_of_operation(const Operation& operation) {
  Case value;
  value.operation = operation;
  for (const TensorSpec& spec : input_specs(operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  return value;
}

Case gemm_case() { return case_of_operation(Gemm{.m = 2, .n = 3, .k = 4, .a = F16, .b = F16}); }
/// Offsets that are as large as may be without making a layout distant, and take as much as layouts may.
Case case_of_most_padding() {
  Case value = gemm_case();
  value.layouts["a"].offset = tensor::kNearPadding + 8;
  value.layouts["b"].offset = tensor::kNearPadding + 12;
  return value;
}

Case scatter_case() { return case_of_operation(Scatter{.updates = 3, .destinations = 2}); }

Case grouped_case() {
  Operation grouped = *operation_named("gemm.grouped");
  grouped.extent("groups") = 3;
  grouped.extent("capacity") = 4;
  grouped.extent("n") = grouped.extent("k") = 2;
  return case_of_operation(grouped);
}

std::string error_of(const base::Status& status) {
  if (status) return "valid";
  EXPECT_EQ(status.error().kind, base::ErrorKind::Usage);
  return status.error().message;
}

RC_GTEST_PROP(Case, ArbitraryOnesAreValid, ()) { RC_ASSERT(error_of(validate(*arbitrary_case())) == "valid"); }

TEST(Case, PackedLayoutsAreFilledInAndKept) {
  Case value = gemm_case();
  EXPECT_EQ(value.layouts.size(), 4u);
  EXPECT_EQ(value.layouts.at("d"), tensor::Layout::packed({1, 2, 3}));
  value.layouts.at("a").offset = 5;
  value.layouts.erase("b");
  pack_missing_layouts(value);
  EXPECT_EQ(value.layouts.at("a").offset, 5);
  EXPECT_EQ(value.layouts.at("b"), tensor::Layout::packed({1, 4, 3}));
}

TEST(Case, EmptyOperationsAreValid) {
  for (const std::string_view name : operation_names()) {
    EXPECT_EQ(error_of(validate(case_of_operation(*operation_named(name)))), "valid") << name;
  }
  EXPECT_EQ(error_of(validate(case_of_operation(Gemm{.batch = 0, .m = 65536, .n = 65536, .k = 65536}))), "valid");
}

TEST(Case, CountsGoUpToTheirExtent) {
  Case value = grouped_case();
  value.tensors.at("rows").set(1, 4);
  EXPECT_EQ(error_of(validate(value)), "valid");
  value.tensors.at("rows").set(2, 5);
  EXPECT_EQ(error_of(validate(value)), "rows[2] = 5 is outside [0, 4], which capacity allows");
  value.tensors.at("rows").set(2, 0xffffffff);
  EXPECT_EQ(error_of(validate(value)), "rows[2] = -1 is outside [0, 4], which capacity allows");
  value = grouped_case();
  value.layouts.at("rows").strides = {0};
  value.tensors.at("rows").set(0, 2);
  EXPECT_EQ(error_of(validate(value)), "tensor rows: element 0 differs from another one at the same address");
}

TEST(Case, AnOutputHasNotMoreElementsThanItsInputsOrAFixedNumber) {
  Operation grouped = *operation_named("gemm.grouped");
  grouped.extent("groups") = grouped.extent("k") = 1;
  grouped.extent("n") = grouped.extent("capacity") = 4097;
  EXPECT_EQ(error_of(validate(case_of_operation(grouped))),
            "d has 16785409 elements, more than 16777216 and than all inputs: give it fewer");
  grouped.extent("n") = grouped.extent("capacity") = 4096;
  EXPECT_EQ(error_of(validate(case_of_operation(grouped))), "valid");
}

TEST(Case, OperationsAreChecked) {
  const auto error = [](const Operation& operation) { return error_of(validate(operation)); };
  EXPECT_EQ(error(Gemm{.m = -1}), "m = -1 is negative");
  EXPECT_EQ(error(Gemm{.k = tensor::kMaxElements + 1}), "k = 2147483649 exceeds 2147483648");
  EXPECT_EQ(error(Gemm{.a = I32}),
            "b has format F32; gemm of integers takes I8, U8 and I32 for its factors, and I32 for all else: give it I32");
  EXPECT_EQ(error(Gemm{.a = I8, .b = U8, .d = I8, .alpha = {I32, 1}, .beta = {I32, 0}}),
            "d has format I8; gemm of integers takes I8, U8 and I32 for its factors, and I32 for all else: give it I32");
  EXPECT_EQ(error(Gemm{.a = I8, .b = U8, .d = I32, .alpha = {I32, 1}, .beta = {I32, 0}}), "valid");
  EXPECT_EQ(error(Gemm{.a = I8, .b = I8, .d = I32}), "alpha has format F32; a scalar of integers is I32");
  EXPECT_EQ(error(Gemm{.b = TF32}), "b has format TF32, which holds no floating-point numbers in memory");
  EXPECT_EQ(error(Gemm{.d = TF32}), "d has format TF32, which holds no floating-point numbers in memory");
  EXPECT_EQ(error(Gemm{.alpha = {F16, 0x10000}}), "alpha = 0x10000 does not fit the 16 bits of F16");
  EXPECT_EQ(error(Gemm{.beta = {I32, 1}}), "beta has format I32, which holds no floating-point numbers in memory");
  EXPECT_EQ(error(Reduce{.rows = -5}), "rows = -5 is negative");
  EXPECT_EQ(error(Reduce{.x = I32, .y = I32}), "valid");
  EXPECT_EQ(error(Reduce{.kind = ReduceKind::Mean, .x = I32, .y = I32}),
            "x has format I32, which holds no floating-point numbers in memory");
  EXPECT_EQ(error(Reduce{.x = I32}), "x has format I32, which holds no floating-point numbers in memory");
  EXPECT_EQ(error(Reduce{.y = I32}), "y has format I32, which holds no floating-point numbers in memory");
  EXPECT_EQ(error(Reduce{.kind = ReduceKind::Argmax}), "y has format F32; an index is I32 or I64");
  EXPECT_EQ(error(Reduce{.kind = ReduceKind::Max, .x = F16}),
            "y has format F32, x has F16: a selection keeps the format");
  EXPECT_EQ(error(Scatter{.destinations = std::numeric_limits<std::int64_t>::min()}),
            "destinations = -9223372036854775808 is negative");
  EXPECT_EQ(error(Scatter{.x = TF32}), "x has format TF32, which holds no floating-point numbers in memory");
}

struct Mistake {
  const char* message;
  void (*make)(Case&);
};

void expect_mistakes(const Case& valid, std::initializer_list<Mistake> mistakes) {
  ASSERT_EQ(error_of(validate(valid)), "valid");
  for (const Mistake& mistake : mistakes) {
    Case broken = valid;
    mistake.make(broken);
    EXPECT_THAT(error_of(validate(broken)), HasSubstr(mistake.message));
  }
}

TEST(Case, TensorsAreExactlyThoseOfTheOperation) {
  expect_mistakes(
      gemm_case(),
      {{"tensor b is missing", [](Case& c) { c.tensors.erase("b"); }},
       {"tensor \"x\" does not belong to gemm", [](Case& c) { c.tensors["x"]; }},
       {"tensor a has format F32 where the operation has F16",
        [](Case& c) {
          c.tensors["a"] = tensor::Tensor(F32, {1, 2, 4});
        }},
       {"tensor a has shape [1, 4, 2] where the operation has [1, 2, 4]",
        [](Case& c) {
          c.tensors["a"] = tensor::Tensor(F16, {1, 4, 2});
        }},
       {"tensor c has shape [2, 3] where the operation has [1, 2, 3]",
        [](Case& c) {
          c.tensors["c"] = tensor::Tensor(F32, {2, 3});
        }},
       {"tensor a has shape [1, 2, 4] where the operation has [1, 2, 5]", [](Case& c) { c.operation.extent("k") = 5; }},
       {"tensor \"a\" does not belong to reduce.sum", [](Case& c) { c.operation = Reduce{}; }}});
}

TEST(Case, LayoutsAreExactlyThoseOfTheTensorsAndTheOutput) {
  expect_mistakes(
      gemm_case(),
      {{"layout of d is missing", [](Case& c) { c.layouts.erase("d"); }},
       {"layout of \"y\" does not belong to gemm", [](Case& c) { c.layouts["y"]; }},
       {"layout of b: shape [4, 3] where the operation has [1, 4, 3]",
        [](Case& c) {
          c.layouts["b"] = tensor::Layout::packed({4, 3});
        }},
       {"layout of b: 2 strides for a shape of rank 3",
        [](Case& c) {
          c.layouts["b"].strides = {4, 1};
        }},
       {"layout of a: stride -4 of dimension 1 is negative", [](Case& c) { c.layouts["a"].strides[1] = -4; }},
       {"layout of a: offset -1 is negative", [](Case& c) { c.layouts["a"].offset = -1; }},
       {"layout of a: it spans more than", [](Case& c) { c.layouts["a"].strides[1] = tensor::kMaxSpan; }},
       {"layout of d: elements of an output share an address",
        [](Case& c) {
          c.layouts["d"].strides = {0, 0, 1};
        }},
       {"layout of d: elements of an output share an address",
        [](Case& c) {
          c.layouts["d"].strides = {0, 2, 1};
        }},
       // Tensors of 64 bytes; layouts of 88, and offsets that take them past twice 64 and 1 GiB by one element of d.
       {"layouts span 1073741956 bytes, more than the 1073741952",
        [](Case& c) {
          c = case_of_most_padding();
          c.layouts["d"].offset = 1;
        }},
       {"layout of a: it spans 1073741828 elements, and they lie in more than 256 places", [](Case& c) {
          c = case_of_operation(Gemm{.m = 257, .n = 1, .k = 4});
          c.layouts["a"].strides[1] = 1 << 22;
        }}});
}

TEST(Case, PaddingUpToTheBoundIsValid) { EXPECT_EQ(error_of(validate(case_of_most_padding())), "valid"); }

TEST(Case, OfADistantLayoutItsIslandsCount) {
  Case value = case_of_most_padding();
  // One element more, and the offset takes no memory.
  ++value.layouts["a"].offset;
  EXPECT_EQ(error_of(validate(value)), "valid");
  value.layouts["d"].strides[1] = tensor::kMaxSpan - 3;
  EXPECT_EQ(error_of(validate(value)), "valid");
  // 32 islands of 2^15 rows that lie a little less than kIslandGap apart: 62 GiB.
  value = case_of_operation(Gemm{.batch = 32, .m = 32768, .n = 0, .k = 1});
  value.layouts["a"].strides = {std::int64_t{1} << 29, 16000, 1};
  EXPECT_THAT(error_of(validate(value)), HasSubstr("layouts span 67106897920 bytes, more than"));
}

TEST(Case, RowsOfNoColumnsAreBounded) {
  const auto error = [](std::int64_t rows, std::int64_t columns) {
    return error_of(validate(case_of_operation(Reduce{.rows = rows, .columns = columns, .x = F16, .y = F16})));
  };
  EXPECT_EQ(error(kMaxEmptyRows, 0), "valid");
  EXPECT_EQ(error(kMaxEmptyRows + 1, 0),
            "rows = 16777217 of columns = 0 exceeds 16777216, the most that a case without elements may have: give it "
            "fewer rows, or columns");
  // A row that holds an element costs the file that element.
  EXPECT_EQ(error(kMaxEmptyRows + 1, 1), "valid");
}

TEST(Case, AnInputInTheOutputIsOneOfItsFormatAndShapeAndLiesAsItDoes) {
  Case value;
  value.operation = Gemm{.m = 2, .n = 3, .k = 2};
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  value.in_place = "c";
  EXPECT_TRUE(validate(value).ok());
  value.layouts.at("d").offset = 4;
  EXPECT_THAT(validate(value).error().message,
              HasSubstr("layout of c differs from that of d, in whose memory it lies"));
  lay_in_place(value);
  EXPECT_TRUE(validate(value).ok());
  value.in_place = "a";
  EXPECT_THAT(validate(value).error().message,
              HasSubstr("in_place = \"a\" is no input of gemm with the format and the shape of d; those are: c"));
  EXPECT_EQ(may_be_in_place(*operation_named("reduce.sum")), std::vector<std::string>{});
  EXPECT_EQ(may_be_in_place(*operation_named("convert")), std::vector<std::string>{"x"});
  EXPECT_EQ(may_be_in_place(*operation_named("scan.inclusive")), std::vector<std::string>{"x"});
  EXPECT_EQ(may_be_in_place(*operation_named("scatter.add")), std::vector<std::string>{});
}

TEST(Case, InputsMayBroadcastAndOverlap) {
  Case value = gemm_case();
  value.layouts["a"].strides = {0, 0, 0};
  value.layouts["b"].strides = {9, 1, 1};
  value.layouts["c"].strides = {0, 2, 1};
  EXPECT_EQ(error_of(validate(value)), "valid");
}

TEST(Case, ElementsThatShareAnAddressAreEqual) {
  Case value = gemm_case();
  value.layouts["c"].strides = {0, 2, 1};  // addresses 0 1 2 / 2 3 4
  value.tensors["c"].set(3, 0x3f800000);
  EXPECT_THAT(error_of(validate(value)), HasSubstr("tensor c: element 2 differs from another one at the same address"));
  unify_shared_elements(value);
  EXPECT_EQ(error_of(validate(value)), "valid");
  EXPECT_EQ(value.tensors["c"].get(2), value.tensors["c"].get(3));
}

TEST(Case, IndicesOfAScatterAreInRange) {
  expect_mistakes(scatter_case(),
                  {{"index[1] = 2 is outside [0, 2)", [](Case& c) { c.tensors["index"].set(1, 2); }},
                   {"index[2] = -1 is outside [0, 2)", [](Case& c) { c.tensors["index"].set(2, 0xffffffff); }},
                   {"index[0] = -2147483648 is outside", [](Case& c) { c.tensors["index"].set(0, 0x80000000); }}});
  EXPECT_EQ(error_of(validate(case_of_operation(Scatter{.updates = 1, .destinations = 0}))),
            "index[0] = 0 is outside [0, 0)");
}

TEST(Case, ExpectationsAndTextsAreChecked) {
  expect_mistakes(
      gemm_case(),
      {{"expect: executor \"gpu\" is none of *, cuda, host",
        [](Case& c) { c.expect = {{.kernel = "k", .executor = "gpu"}}; }},
       {"expect: class hang goes with verdict fail, not with pass",
        [](Case& c) { c.expect = {{.kernel = "k", .failure_class = verdict::FailureClass::Hang}}; }},
       {"kernel \"\\xff\" is not UTF-8", [](Case& c) { c.kernel = "\xff"; }},
       {"contract \"\\xc0\" is not UTF-8", [](Case& c) { c.contract = "\xc0"; }},
       {"strategy \"\\x80\" is not UTF-8", [](Case& c) { c.strategy = "\x80"; }},
       {"expect: kernel \"\\xff\" is not UTF-8", [](Case& c) { c.expect = {{.kernel = "\xff"}}; }},
       {"expect: rule \"\\xff\" is not UTF-8", [](Case& c) { c.expect = {{.kernel = "k", .rule = "\xff"}}; }},
       {"metadata key \"\\xff\" is not UTF-8", [](Case& c) { c.unknown["\xff"] = ""; }},
       {"metadata \"\\xff\" is not UTF-8", [](Case& c) { c.unknown["x"] = "\xff"; }},
       {"metadata key seed is known", [](Case& c) { c.unknown["seed"] = "1"; }}});
}

}  // namespace
}  // namespace negzero::operation
