// An operation with two outputs: what is wrong with the second is told of the second.

#include <cstdint>
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/local_executor.hpp>

#include "../on_device.hpp"

namespace negzero::property {
namespace {

using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

/// Gives the maximum and what `place` makes of its place; where that is negative nothing.
kernel::Kernel max_index(std::function<std::int32_t(std::int32_t)> place) {
  kernel::Kernel kernel;
  kernel.name = "test.max_index";
  kernel.operation = "reduce.max_index";
  kernel.contract.determinism = contract::Determinism::GpuToGpu;
  kernel.launch = [place = std::move(place)](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
    const kernel::Operand &x = args.operand("x"), &y = args.operand("y"), &at = args.operand("at");
    on_device(stream, [&] {
      for (std::int64_t i = 0; i < args.extent("rows"); ++i) {
        const float* row = x.as<const float>() + i * x.strides[0];
        std::int32_t best = 0;
        for (std::int32_t j = 1; j < args.extent("columns"); ++j) {
          if (row[j * x.strides[1]] > row[best * x.strides[1]]) best = j;
        }
        y.as<float>()[i * y.strides[0]] = row[best * x.strides[1]];
        if (place(best) >= 0) at.as<std::int32_t>()[i * at.strides[0]] = place(best);
      }
    });
    return kernel::LaunchResult::launched();
  };
  return kernel;
}

/// Rows 0 1 2 3, and 4 5 6 7: the last wins.
operation::Case rising() {
  operation::Case value;
  value.operation = *operation::operation_named("reduce.max_index");
  value.operation.extent("rows") = 2;
  value.operation.extent("columns") = 4;
  tensor::Tensor x(number::FormatId::F32, {2, 4});
  for (std::int64_t i = 0; i < 8; ++i) x.set(i, number::from_double(x.format(), static_cast<double>(i)));
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

std::int32_t right(std::int32_t place) { return place; }

Verdict verdict_of(const kernel::Kernel& kernel) {
  run::HostExecutor executor;
  return conformance(rising(), kernel, executor);
}

TEST(SeveralOutputs, PassTogether) { EXPECT_EQ(verdict_of(max_index(right)).kind, VerdictKind::Pass); }

TEST(SeveralOutputs, AWrongSecondOneIsNamed) {
  const Verdict verdict = verdict_of(max_index([](std::int32_t place) { return place - 1; }));
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongValue);
  EXPECT_EQ(verdict.failure->output, "at");
  EXPECT_EQ(verdict.failure->element, 0);
  EXPECT_EQ(verdict.failure->coordinates, std::vector<std::int64_t>{0});
  EXPECT_EQ(verdict.failure->observed, 2u);
  EXPECT_EQ(verdict.failure->failing_elements, 2);
}

TEST(SeveralOutputs, AnUnwrittenSecondOneIsNamed) {
  const Verdict verdict = verdict_of(max_index([](std::int32_t) { return -1; }));
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::UnwrittenOutput);
  EXPECT_EQ(verdict.failure->output, "at");
  EXPECT_EQ(verdict.failure->message, "2 of 4 output elements were never written");
}

TEST(SeveralOutputs, ASecondRunIsHeldAgainstTheFirstInAll) {
  operation::Case ties = rising();
  for (std::int64_t i = 0; i < 8; ++i) ties.tensors.at("x").set(i, 0);
  int runs = 0;
  kernel::Kernel kernel = max_index([&runs](std::int32_t) { return runs++ < 2 ? 0 : 1; });
  kernel.contract.ties = contract::Ties::Any;
  run::HostExecutor executor;
  const Verdict verdict = conformance(ties, kernel, executor, {.repeat = Repeat::Always});
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::NotDeterministic);
  EXPECT_EQ(verdict.failure->output, "at");
}

TEST(SeveralOutputs, AComparisonNamesTheOneThatDiffers) {
  run::HostExecutor executor;
  const kernel::Kernel good = max_index(right), bad = max_index([](std::int32_t place) { return place - 1; });
  EXPECT_EQ(compare(rising(), {&good, &executor}, {&good, &executor}, {}).kind, VerdictKind::Pass);
  const Verdict verdict = compare(rising(), {&good, &executor}, {&bad, &executor}, {});
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->output, "at");
  EXPECT_EQ(verdict.failure->rule, kSecondWrong);
  EXPECT_EQ(verdict.failure->failing_elements, 2);
}

}  // namespace
}  // namespace negzero::property
