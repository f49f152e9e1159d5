// Kernels of declared operations that break what their line and contract claim, one each; an honest one breaks nothing.

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/property/claimed.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/declared.hpp>
#include <negzero/run/local_executor.hpp>

#include "../on_device.hpp"

namespace negzero::property {
namespace {

using number::FormatId;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr const char* kLine = "double: y[rows, columns], at[rows] < columns <- x[rows, columns] each rows";

/// A matrix in memory and what becomes of it.
struct Problem {
  std::int64_t rows, columns;
  const float* x;
  std::int64_t x_row, x_column;
  float* y;
  std::int64_t y_row, y_column;
  std::int32_t* at;
  std::int64_t at_row;

  [[nodiscard]] float in(std::int64_t i, std::int64_t j) const { return x[i * x_row + j * x_column]; }
  float& out(std::int64_t i, std::int64_t j) const { return y[i * y_row + j * y_column]; }
};

/// y = 2 x, at = 0; then `spoil`.
kernel::Kernel doubling(std::function<void(const Problem&)> spoil, kernel::Reference reference = {}) {
  kernel::Kernel kernel;
  kernel.name = "test.double";
  kernel.operation = kLine;
  kernel.contract = {.determinism = contract::Determinism::RunToRun, .position_invariant = true};
  kernel.limits.formats = {{FormatId::F32, FormatId::F32}};
  kernel.limits.extents["columns"].min = 1;
  kernel.reference = std::move(reference);
  kernel.launch = [spoil = std::move(spoil)](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
    const kernel::Operand &x = args.operand("x"), &y = args.operand("y"), &at = args.operand("at");
    const Problem problem{args.extent("rows"),   args.extent("columns"), x.as<float>(), x.strides[0],
                          x.strides[1],          y.as<float>(),          y.strides[0],  y.strides[1],
                          at.as<std::int32_t>(), at.strides[0]};
    on_device(stream, [&] {
      for (std::int64_t i = 0; i < problem.rows; ++i) {
        for (std::int64_t j = 0; j < problem.columns; ++j) problem.out(i, j) = 2 * problem.in(i, j);
        problem.at[i * problem.at_row] = 0;
      }
      if (problem.rows > 0) spoil(problem);
    });
    return kernel::LaunchResult::launched();
  };
  return kernel;
}

/// What the first of some cases shows that is no clean run; the last verdict where all are.
Verdict first_finding(const kernel::Kernel& kernel, const Judging& how) {
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  run::HostExecutor executor;
  Verdict verdict;
  for (std::uint64_t index = 0; index < 200; ++index) {
    verdict = conformance(generate::make_case(request, 1, index), kernel, executor, how);
    if (!verdict::is_clean(verdict.kind)) return verdict;
  }
  return verdict;
}

const Judging kAll{.repeat = Repeat::Always, .claims = Repeat::Always};

TEST(Declared, AnHonestKernelIsNotJudged) {
  const Verdict verdict = first_finding(doubling([](const Problem&) {}), kAll);
  EXPECT_EQ(verdict.kind, VerdictKind::NotJudged) << verdict.reason;
  EXPECT_EQ(verdict.reason, "double has no definition");
}

TEST(Declared, AnIndexBeyondItsBoundIsAFinding) {
  const std::function<std::int64_t(const Problem&)> beyond[] = {[](const Problem& problem) { return problem.columns; },
                                                                [](const Problem&) { return -1; }};
  for (const auto& index : beyond) {
    const auto spoil = [&](const Problem& problem) { problem.at[0] = static_cast<std::int32_t>(index(problem)); };
    const Verdict verdict = first_finding(doubling(spoil), {});
    ASSERT_EQ(verdict.kind, VerdictKind::Fail);
    EXPECT_EQ(verdict.failure->rule.id(), "declared.bound");
    EXPECT_EQ(verdict.failure->output, "at");
  }
}

struct Broken {
  const char* rule;
  std::function<void(const Problem&)> spoil;
};

TEST(Declared, EachClaimIsBrokenByAKernelOfItsOwn) {
  const Broken all[] = {
      {"meta.permute_rows", [](const Problem& problem) { problem.out(0, 0) += 1; }},
      // Rows are alike wherever they lie, as long as there are so many.
      {"meta.other_rows",
       [](const Problem& problem) {
         for (std::int64_t i = 0; i < problem.rows; ++i) problem.out(i, 0) += static_cast<float>(problem.rows);
       }},
      {"meta.nan_row",
       [](const Problem& problem) {
         bool any = false;
         for (std::int64_t i = 0; i < problem.rows; ++i) any = any || std::isnan(problem.in(i, 0));
         for (std::int64_t i = 0; any && i < problem.rows; ++i) problem.out(i, 0) = NAN;
       }},
      {"meta.embed",
       [](const Problem& problem) {
         for (std::int64_t i = 0; problem.x_row > problem.columns && i < problem.rows; ++i) problem.out(i, 0) = 7;
       }},
  };
  for (const Broken& broken : all) {
    const Verdict verdict = first_finding(doubling(broken.spoil), kAll);
    ASSERT_EQ(verdict.kind, VerdictKind::Fail) << broken.rule;
    EXPECT_TRUE(verdict.failure->rule.family() == "meta") << verdict.failure->rule.id();
  }
  // Each of them by itself.
  run::HostExecutor executor;
  for (const Broken& broken : all) {
    bool found = false;
    const kernel::Kernel kernel = doubling(broken.spoil);
    const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
    for (std::uint64_t index = 0; index < 200 && !found; ++index) {
      const auto verdict = broken_claim(generate::make_case(request, 2, index), kernel, executor, Repeat::Always);
      found = verdict && verdict->failure->rule.id() == broken.rule;
    }
    EXPECT_TRUE(found) << broken.rule;
  }
}

TEST(Declared, NothingIsClaimedThatTheContractDoesNot) {
  kernel::Kernel kernel = doubling([](const Problem& problem) { problem.out(0, 0) += 1; });
  kernel.contract.position_invariant = false;
  EXPECT_EQ(first_finding(kernel, kAll).kind, VerdictKind::NotJudged);
  // Values that differ from run to run show nothing of a NaN.
  kernel = doubling([](const Problem& problem) {
    bool any = false;
    for (std::int64_t i = 0; i < problem.rows; ++i) any = any || std::isnan(problem.in(i, 0));
    for (std::int64_t i = 0; any && i < problem.rows; ++i) problem.out(i, 0) = NAN;
  });
  kernel.contract = {.determinism = contract::Determinism::NotGuaranteed};
  EXPECT_EQ(first_finding(kernel, kAll).kind, VerdictKind::NotJudged);
}

TEST(Declared, RowsOfOneMemoryAreInAnyOrder) {
  kernel::Kernel kernel = doubling([](const Problem&) {});
  kernel.limits.tensors["x"].shared = {"rows"};
  EXPECT_EQ(first_finding(kernel, kAll).kind, VerdictKind::NotJudged);
  kernel = doubling([](const Problem& problem) { problem.out(0, 0) += 1; });
  kernel.limits.tensors["x"].shared = {"rows"};
  EXPECT_EQ(first_finding(kernel, kAll).kind, VerdictKind::Fail);
}

TEST(Declared, AReferenceJudgesTheValues) {
  kernel::Kernel right;
  right.name = "test.right";
  right.operation = "right: y[rows, columns], at[rows] < columns <- x[rows, columns]";
  right.contract.accumulate = FormatId::F64;
  bool fails = false;
  right.launch = [&fails](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
    if (fails) return kernel::LaunchResult::refuse("no");
    const kernel::Operand &x = args.operand("x"), &y = args.operand("y"), &at = args.operand("at");
    on_device(stream, [&] {
      for (std::int64_t i = 0; i < args.extent("rows"); ++i) {
        for (std::int64_t j = 0; j < args.extent("columns"); ++j) {
          y.as<double>()[i * y.strides[0] + j * y.strides[1]] = 2 * x.as<double>()[i * x.strides[0] + j * x.strides[1]];
        }
        at.as<std::int32_t>()[i * at.strides[0]] = 0;
      }
    });
    return kernel::LaunchResult::launched();
  };
  const kernel::Reference said{.kernel = right.name};
  run::HostExecutor executor;
  const Judging how{.referee = Referee{&right, &executor}};
  EXPECT_EQ(first_finding(doubling([](const Problem&) {}, said), how).kind, VerdictKind::Pass);
  const auto one_ulp = [](const Problem& problem) {
    float& first = problem.out(0, 0);
    if (std::isfinite(first)) first = std::nextafter(first, INFINITY);
  };
  const Verdict wrong = first_finding(doubling(one_ulp, said), how);
  ASSERT_EQ(wrong.kind, VerdictKind::Fail);
  EXPECT_EQ(wrong.failure->rule.id(), "reference.error");
  kernel::Reference wider = said;
  wider.errors["y"].ulps = 1;
  EXPECT_EQ(first_finding(doubling(one_ulp, wider), how).kind, VerdictKind::Pass);
  fails = true;
  const Verdict ours = first_finding(doubling([](const Problem&) {}, said), how);
  EXPECT_EQ(ours.kind, VerdictKind::Error);
  EXPECT_EQ(ours.reason, "the reference test.right did not end well: the kernel refused a case inside its limits: no");
}

}  // namespace
}  // namespace negzero::property
