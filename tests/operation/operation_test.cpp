// Names of operations and the words of verdicts: complete, distinct, and readable back.

#include <set>

#include <gtest/gtest.h>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::operation {
namespace {

using number::FormatId;

TEST(Operation, NamesAreTheDocumentedOnes) {
  EXPECT_EQ(name(Gemm{}), "gemm");
  EXPECT_EQ(name(Reduce{.kind = ReduceKind::Sum}), "reduce.sum");
  EXPECT_EQ(name(Reduce{.kind = ReduceKind::Mean}), "reduce.mean");
  EXPECT_EQ(name(Reduce{.kind = ReduceKind::Max}), "reduce.max");
  EXPECT_EQ(name(Reduce{.kind = ReduceKind::Min}), "reduce.min");
  EXPECT_EQ(name(Reduce{.kind = ReduceKind::Argmax}), "reduce.argmax");
  EXPECT_EQ(name(Reduce{.kind = ReduceKind::Argmin}), "reduce.argmin");
  EXPECT_EQ(name(Scatter{.kind = ScatterKind::Add}), "scatter.add");
  EXPECT_EQ(name(Scatter{.kind = ScatterKind::Max}), "scatter.max");
  EXPECT_EQ(name(Scatter{.kind = ScatterKind::Min}), "scatter.min");
}

TEST(Operation, EveryNameIsReadBackAsAValidOperation) {
  for (const std::string_view text : operation_names()) {
    const std::optional<Operation> operation = operation_named(text);
    ASSERT_TRUE(operation) << text;
    EXPECT_EQ(name(*operation), text);
    EXPECT_TRUE(validate(*operation).ok()) << text;
  }
  EXPECT_EQ(operation_named("reduce"), std::nullopt);
  EXPECT_EQ(operation_named("Gemm"), std::nullopt);
  EXPECT_EQ(operation_named(""), std::nullopt);
}

TEST(Operation, ExtentsAndFormatsAreListedInTheOrderOfLimits) {
  const Gemm gemm{.batch = 2, .m = 3, .n = 4, .k = 5, .a = FormatId::F16, .b = FormatId::BF16, .d = FormatId::F32};
  const Operation operation = gemm;
  EXPECT_EQ(std::vector(operation.formats().begin(), operation.formats().end()),
            (std::vector<FormatId>{FormatId::F16, FormatId::BF16, FormatId::F32, FormatId::F32}));
  EXPECT_EQ(operation.signature().formats, (std::vector<std::string>{"a", "b", "d", "c"}));
  const std::vector<Extent> extents = extents_of(gemm);
  ASSERT_EQ(extents.size(), 4u);
  EXPECT_EQ(extents[0].name, "batch");
  EXPECT_EQ(extents[0].value, 2);
  EXPECT_EQ(extents[3].name, "k");
  EXPECT_EQ(extents[3].value, 5);
}

TEST(Operation, FormatsThatAreUsualNeedNotBeNamed) {
  using enum FormatId;
  const auto named = [](std::string_view name, std::vector<FormatId> formats) {
    Operation operation = *operation_named(name);
    operation.set_formats(formats);
    const auto said = operation.named_formats();
    return std::pair{std::vector(operation.formats().begin(), operation.formats().end()),
                     std::vector(said.begin(), said.end())};
  };
  using Formats = std::vector<FormatId>;
  EXPECT_EQ(named("gemm", {F16, F16, BF16}), (std::pair{Formats{F16, F16, BF16, BF16}, Formats{F16, F16, BF16}}));
  EXPECT_EQ(named("gemm", {F16, F16, F16, F32}), (std::pair{Formats{F16, F16, F16, F32}, Formats{F16, F16, F16, F32}}));
  EXPECT_EQ(named("gemm", {F16, F16, F32, F32}), (std::pair{Formats{F16, F16, F32, F32}, Formats{F16, F16, F32}}));
  EXPECT_EQ(named("scatter.add", {F16}), (std::pair{Formats{F16, I32}, Formats{F16}}));
  EXPECT_EQ(named("scatter.add", {F16, I64}), (std::pair{Formats{F16, I64}, Formats{F16, I64}}));
  EXPECT_EQ(named("reduce.argmax", {F32, I64}), (std::pair{Formats{F32, I64}, Formats{F32, I64}}))
      << "an output's format is always named";
  EXPECT_EQ(view<Gemm>(Operation(Gemm{.c = F64})).c, F64);
  EXPECT_EQ(view<Gemm>(Operation(Gemm{.c = F32})).c, std::nullopt) << "d's own";
}

TEST(Operation, SpecsAreTheShapesOfTheDocumentation) {
  const Gemm gemm{.batch = 2, .m = 3, .n = 4, .k = 5, .a = FormatId::F16, .b = FormatId::BF16, .d = FormatId::F32};
  const std::vector<TensorSpec> inputs = input_specs(gemm);
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_EQ(inputs[0].name, "a");
  EXPECT_EQ(inputs[0].format, FormatId::F16);
  EXPECT_EQ(inputs[0].shape, (std::vector<std::int64_t>{2, 3, 5}));
  EXPECT_EQ(inputs[1].format, FormatId::BF16);
  EXPECT_EQ(inputs[1].shape, (std::vector<std::int64_t>{2, 5, 4}));
  EXPECT_EQ(inputs[2].format, FormatId::F32);
  EXPECT_EQ(inputs[2].shape, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(output_specs(gemm).front().name, "d");
  EXPECT_EQ(output_specs(Reduce{.rows = 7, .columns = 2}).front().shape, (std::vector<std::int64_t>{7}));
  EXPECT_EQ(output_specs(Scatter{.updates = 2, .destinations = 9}).front().shape, (std::vector<std::int64_t>{9}));
}

TEST(Verdict, WordsAreDistinctAndReadBack) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(verdict::FailureClass::HostAccess); ++i) {
    const auto kind = static_cast<verdict::FailureClass>(i);
    words.insert(name(kind));
    EXPECT_EQ(verdict::parse_failure_class(name(kind)), kind);
  }
  EXPECT_EQ(words.size(), 15u);
  EXPECT_EQ(name(verdict::FailureClass::WrongZeroSign), "wrong_zero_sign");
  EXPECT_EQ(name(verdict::FailureClass::DataRace), "data_race");
  for (int i = 0; i <= static_cast<int>(verdict::VerdictKind::Error); ++i) {
    const auto kind = static_cast<verdict::VerdictKind>(i);
    EXPECT_EQ(verdict::parse_verdict(name(kind)), kind);
  }
  EXPECT_EQ(verdict::verdict_words(), "pass, fail, vacuous, refused, error, not_judged");
  EXPECT_EQ(verdict::parse_verdict("Pass"), std::nullopt);
  EXPECT_EQ(verdict::parse_failure_class(""), std::nullopt);
}

TEST(Case, WordsOfPoisonAndScheduleReadBack) {
  EXPECT_EQ(name(Poison::Large), "large");
  EXPECT_EQ(parse_poison("nan"), Poison::Nan);
  EXPECT_EQ(parse_poison("zero"), std::nullopt);
  EXPECT_EQ(name(Schedule::Order::Backward), "backward");
  EXPECT_EQ(parse_order("random"), Schedule::Order::Random);
  EXPECT_EQ(parse_order("sideways"), std::nullopt);
}

}  // namespace
}  // namespace negzero::operation
