// The screen says nothing that the exact sets do not: operands at its edges.

#include <gtest/gtest.h>

#include "../screen_of.hpp"
#include "legal_rows.hpp"

namespace negzero::oracle::testing {
namespace {

contract::Contract contract_of(const std::string& text) { return *contract::parse(text); }

verdict::VerdictKind judged(const operation::Case& value, const contract::Contract& contract, std::uint64_t word) {
  const auto output = operation::output_specs(value.operation).front();
  tensor::Tensor observed(output.format, output.shape);
  observed.set(0, word);
  const auto with = Oracle::make(value, contract), without = Oracle::make(value, contract, {.screen = false});
  const verdict::VerdictKind kind = with->judge(std::vector{observed}).kind;
  EXPECT_EQ(kind, without->judge(std::vector{observed}).kind) << contract::to_json(contract);
  return kind;
}

/// An accumulator of F16 or F32 gives no F64 number between two of F32.
TEST(Screened, AWiderAccumulatorHasAGridOfItsOwn) {
  Dot dot{.factors = FormatId::F16, .d = FormatId::F64};
  for (std::uint64_t i = 0; i < 8; ++i) {
    dot.a.push_back(0x3c01 + i);
    dot.b.push_back(0x3500 + i);
  }
  for (const char* unit : {"any", "hopper"}) {
    const auto contract =
        contract_of(std::string(R"({"accumulate":"F16","tensor_core":"only","unit":")") + unit + "\"}");
    EXPECT_EQ(judged(dot_case(dot), contract, 0x4004249500000001), verdict::VerdictKind::Fail) << unit;
    EXPECT_EQ(judged(dot_case(dot), contract, 0x4004249500000000 & ~std::uint64_t{0x1fffffff}),
              verdict::VerdictKind::Pass)
        << unit;
  }
}

/// beta * C is a term that may be stored too, and then underflows.
TEST(Screened, CMayUnderflowInAStore) {
  const auto of = [](const char* contract, const char* operands, std::uint64_t word) {
    return judged(case_of(operands), contract_of(contract), word);
  };
  EXPECT_EQ(of(R"({"slice_format":"F16"})", "gemm F32 F32 00000000*3f800000 beta 3f800000 c 21800000", 0x21800000),
            verdict::VerdictKind::Vacuous);
  EXPECT_EQ(of(R"({"slice_format":"F16","wider":false})", "gemm F32 F32 39000000*3a000000 beta 3f800000 c 21800000",
               0x33800000),
            verdict::VerdictKind::Vacuous);
}

/// What a mean divides by is part of each term where that is declared: the sum of undivided ones overflows.
TEST(Screened, TermsOfAMeanAreDivided) {
  const operation::Case value = case_of("reduce.mean F64 F64 7fe8000000000000 7fe8000000000000");
  const auto contract = contract_of(R"({"accumulate":"F64","wider":false,"mean":"terms","mean_may_overflow":true})");
  ASSERT_NE(screen_of(value, contract), nullptr);
  EXPECT_EQ(judged(value, contract, 0x7ff0000000000000), verdict::VerdictKind::Fail);
  EXPECT_EQ(judged(value, contract, 0x7fe8000000000000), verdict::VerdictKind::Pass);
}

}  // namespace
}  // namespace negzero::oracle::testing
