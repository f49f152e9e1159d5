// A failure that is one of the extents alone, such as a grid that CUDA refuses: few evaluations, a small case.

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::shrink {
namespace {

using operation::Case;
using verdict::Verdict;
using verdict::VerdictKind;

/// Random finite values in a GEMM of these extents, C among them, A transposed.
Case many_batches(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
  Case value;
  operation::Gemm gemm{.batch = batch, .m = m, .n = n, .k = k};
  gemm.beta.bits = number::one(number::format(gemm.beta.format));
  value.operation = gemm;
  std::uint64_t seed = 1;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      tensor.set(i, number::from_double(tensor.format(), static_cast<double>(base::mix64(seed++) % 1000) / 7));
    }
    value.tensors.emplace(spec.name, std::move(tensor));
  }
  value.layouts["a"] = {{batch, m, k}, {m * k, 1, m}, 3};
  operation::pack_missing_layouts(value);
  value.schedule = {operation::Schedule::Order::Random, true, 77};
  return value;
}

TEST(RefusedGrid, IsSmallAfterFewEvaluations) {
  // Each evaluation copies and launches a case of megabytes, so that their number is what costs.
  for (const std::int64_t batch : {65537, 100000, 131071}) {
    const Case start = many_batches(batch, 2, 2, 3);
    ASSERT_TRUE(operation::validate(start).ok());
    std::int64_t evaluated_elements = 0;
    const EvaluateBatch evaluate = [&](std::span<const Case> cases) {
      std::vector<Verdict> verdicts;
      for (const Case& value : cases) {
        const auto& gemm = operation::view<operation::Gemm>(value.operation);
        for (const auto& [name, tensor] : value.tensors) evaluated_elements += tensor.element_count();
        Verdict verdict{.kind = VerdictKind::Pass};
        if (gemm.batch > 65535 && gemm.m > 0 && gemm.n > 0) {
          verdict.kind = VerdictKind::Fail;
          verdict.failure = verdict::Failure{.kind = verdict::FailureClass::Crash, .rule = "run.launch"};
        }
        verdicts.push_back(std::move(verdict));
      }
      return verdicts;
    };
    const Minimised small = minimise(start, evaluate({&start, 1}).front(), evaluate, {});
    const auto& gemm = operation::view<operation::Gemm>(small.value.operation);
    EXPECT_EQ(gemm.batch, 65536);
    EXPECT_EQ(gemm.m, 1);
    EXPECT_EQ(gemm.n, 1);
    EXPECT_EQ(gemm.k, 0);
    EXPECT_EQ(small.value.layouts.at("a"), tensor::Layout::packed({65536, 1, 0}));
    const tensor::Tensor& c = small.value.tensors.at("c");
    EXPECT_EQ(c, tensor::Tensor(c.format_id(), {65536, 1, 1})) << "zeros";
    EXPECT_LE(small.evaluations, 250) << batch;
    EXPECT_LE(evaluated_elements, 160 * batch) << "the extents that can go, go first";
  }
}

}  // namespace
}  // namespace negzero::shrink
