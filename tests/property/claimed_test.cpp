// A claim of position invariance is looked at while values are judged: kernels whose every result is permitted, and
// whose bits depend on where a row lies, or on how many rows or columns there are.

#include <cmath>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/property/claimed.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/local_executor.hpp>

#include "../on_device.hpp"

namespace negzero::property {
namespace {

constexpr std::uint64_t kCases = 300;

/// Sums over k, ascending or descending as `ascends(row, arguments)` says: both are permitted.
template <typename Ascends>
kernel::Kernel product(Ascends ascends) {
  kernel::Kernel kernel;
  kernel.name = "test.gemm";
  kernel.operation = "gemm";
  kernel.contract.determinism = contract::Determinism::RunToRun;
  kernel.contract.position_invariant = true;
  kernel.limits.formats = {{number::FormatId::F32, number::FormatId::F32, number::FormatId::F32}};
  kernel.limits.extents["batch"] = {.max = 2};
  kernel.limits.extents["m"] = {.max = 40};
  kernel.limits.extents["n"] = {.max = 40};
  kernel.limits.extents["k"] = {.max = 40};
  kernel.limits.alpha = operation::ScalarLimit::One;
  kernel.limits.beta = operation::ScalarLimit::Zero;
  kernel.launch = [ascends](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
    const auto& g = gemm_args(args);
    const auto at = [](const kernel::Operand& t, std::int64_t b, std::int64_t i, std::int64_t j) -> float& {
      return t.as<float>()[b * t.strides[0] + i * t.strides[1] + j * t.strides[2]];
    };
    on_device(stream, [&] {
      for (std::int64_t b = 0; b < g.batch; ++b) {
        for (std::int64_t index = 0; index < g.m * g.n; ++index) {
          const std::int64_t i = index / g.n, j = index % g.n;
          float sum = 0;
          for (std::int64_t step = 0; step < g.k; ++step) {
            const std::int64_t k = ascends(i, g) ? step : g.k - 1 - step;
            sum = std::fma(at(g.a, b, i, k), at(g.b, b, k, j), sum);
          }
          at(g.d, b, i, j) = sum;
        }
      }
    });
    return kernel::LaunchResult::launched();
  };
  return kernel;
}

/// How many cases fail by each kind of rule.
struct Counted {
  int claims = 0, others = 0;
};

Counted failures(const kernel::Kernel& kernel, Repeat claims) {
  run::HostExecutor executor;
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  Counted counted;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const auto verdict = conformance(generate::make_case(request, 1, index), kernel, executor, {.claims = claims});
    EXPECT_NE(verdict.kind, verdict::VerdictKind::Error) << verdict.reason;
    if (!verdict.failure) continue;
    ++(verdict.failure->rule.family() == "meta" ? counted.claims : counted.others);
  }
  return counted;
}

TEST(Claimed, BitsThatDependOnTheNumberOfRowsAreSeen) {
  const kernel::Kernel kernel = product([](auto, const kernel::GemmArgs& g) { return g.m <= 16; });
  const Counted all = failures(kernel, Repeat::Always), some = failures(kernel, Repeat::Some);
  EXPECT_EQ(all.others, 0);
  EXPECT_GT(all.claims, 30);
  EXPECT_GT(some.claims, 0);
  EXPECT_LT(some.claims, all.claims / 4) << "one case in eight, and one property of it";
}

TEST(Claimed, BitsThatDependOnTheRowAreSeen) {
  EXPECT_GT(failures(product([](std::int64_t row, const auto&) { return row % 2 == 0; }), Repeat::Some).claims, 0);
}

TEST(Claimed, BitsThatDependOnTheNumberOfColumnsAreSeen) {
  const kernel::Kernel kernel = product([](auto, const kernel::GemmArgs& g) { return g.n <= 16; });
  EXPECT_GT(failures(kernel, Repeat::Always).claims, 0);
}

TEST(Claimed, WhatIsNotClaimedIsNotLookedAt) {
  kernel::Kernel kernel = product([](auto, const kernel::GemmArgs& g) { return g.m <= 16; });
  EXPECT_EQ(failures(kernel, Repeat::Never).claims, 0);
  kernel.contract.position_invariant = false;
  EXPECT_EQ(failures(kernel, Repeat::Always).claims, 0);
  kernel.contract.position_invariant = true;
  kernel.contract.determinism = contract::Determinism::NotGuaranteed;
  EXPECT_EQ(failures(kernel, Repeat::Always).claims, 0);
}

TEST(Claimed, AKernelThatKeepsItsClaimPasses) {
  const Counted all = failures(product([](auto, const auto&) { return true; }), Repeat::Always);
  EXPECT_EQ(all.claims, 0);
  EXPECT_EQ(all.others, 0);
}

}  // namespace
}  // namespace negzero::property
