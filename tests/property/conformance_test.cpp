// Conformance on shipped kernels, its errors, and what a counterexample says.

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/run/local_executor.hpp>

namespace negzero::property {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using verdict::Verdict;
using verdict::VerdictKind;

const kernel::Kernel& kernel_of(const std::string& name) {
  const kernel::Kernel* kernel = kernel::registry().find(name, kernel::Place::Host);
  if (kernel == nullptr) throw std::runtime_error("no kernel " + name);
  return *kernel;
}

/// -0 arrives where -1 is: the signature bug.
operation::Case signature_case() {
  operation::Case value;
  value.operation = operation::Scatter{.kind = operation::ScatterKind::Max, .updates = 1, .destinations = 1};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  value.tensors.at("x").set(0, 0x80000000);
  value.tensors.at("init").set(0, 0xbf800000);
  operation::pack_missing_layouts(value);
  return value;
}

TEST(Conformance, FaultFailsAndTwinPasses) {
  run::HostExecutor executor;
  const operation::Case value = signature_case();
  const Verdict fault = conformance(value, kernel_of("faulty.A1.max_by_value_sign"), executor);
  ASSERT_EQ(fault.kind, VerdictKind::Fail);
  EXPECT_EQ(fault.failure->observed, 0xbf800000u);
  EXPECT_EQ(conformance(value, kernel_of("twin.A1.max_by_sign_bit"), executor).kind, VerdictKind::Pass);
}

TEST(Conformance, OursIsAnErrorAndNeverAPass) {
  run::HostExecutor executor;
  operation::Case value = signature_case();
  EXPECT_EQ(conformance(value, kernel_of("gemm.naive.f32"), executor).kind, VerdictKind::Error);
  value.contract = "{\"accumulate\": \"nonsense\"}";
  const Verdict bad = conformance(value, kernel_of("twin.A1.max_by_sign_bit"), executor);
  EXPECT_EQ(bad.kind, VerdictKind::Error);
  EXPECT_THAT(bad.reason, HasSubstr("nonsense"));
}

TEST(Conformance, TheContractOfTheCaseDecides) {
  run::HostExecutor executor;
  operation::Case value = signature_case();
  value.tensors.at("x").set(0, 0x00000000);
  value.tensors.at("init").set(0, 0x80000000);
  const kernel::Kernel& twin = kernel_of("twin.A1.max_by_sign_bit");
  EXPECT_EQ(contract_of(value, twin)->zero_sign, twin.contract.zero_sign);
  value.contract = "{\"zero_sign\": \"any\"}";
  EXPECT_EQ(contract_of(value, twin)->zero_sign, contract::ZeroSign::Any);
}

/// A sum whose value depends on the order of its atomic additions: 2^24 + 1 + 1.
operation::Case order_case(std::uint64_t seed) {
  operation::Case value;
  value.operation = operation::Scatter{.kind = operation::ScatterKind::Add, .updates = 3, .destinations = 1};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  for (std::int64_t i = 0; i < 3; ++i) value.tensors.at("x").set(i, i == 0 ? 0x4b800000 : 0x3f800000);
  value.schedule.seed = seed;
  operation::pack_missing_layouts(value);
  return value;
}

TEST(Conformance, ASecondRunIsAskedOfThoseWhoPromiseDeterminism) {
  run::HostExecutor executor;
  kernel::Kernel kernel = kernel_of("scatter.add.f32");
  const auto failures = [&](Repeat repeat) {
    int count = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Verdict verdict = conformance(order_case(seed), kernel, executor, {.repeat = repeat});
      if (verdict.kind != VerdictKind::Fail) continue;
      EXPECT_EQ(verdict.failure->kind, verdict::FailureClass::NotDeterministic);
      EXPECT_EQ(verdict.failure->coordinates, std::vector<std::int64_t>{0});
      EXPECT_THAT(verdict.failure->message, HasSubstr("16777216"));
      ++count;
    }
    return count;
  };
  ASSERT_EQ(kernel.contract.determinism, contract::Determinism::NotGuaranteed);
  EXPECT_EQ(failures(Repeat::Always), 0);
  kernel.contract.determinism = contract::Determinism::RunToRun;
  EXPECT_GT(failures(Repeat::Always), 5);
  EXPECT_EQ(failures(Repeat::Never), 0);
}

TEST(Conformance, LooksAtErrorsOfPassingCasesWithIndependentTerms) {
  run::HostExecutor executor;
  const auto verdict_on = [&](const std::string& kernel, const std::string& strategy, bool looks) {
    const kernel::Kernel& of = kernel_of(kernel);
    generate::Request request{of.operation, of.limits, of.contract, {}};
    request.mix.weights = {{strategy, 1}};
    request.mix.extents = {{"columns", {300, 300}}, {"rows", {4, 4}}};
    return conformance(generate::make_case(request, 1, 0), of, executor, {.random_errors = looks});
  };
  for (const std::string strategy : {"normal", "uniform"}) {
    const Verdict verdict = verdict_on("reduce.sum.tree.f32", strategy, true);
    ASSERT_EQ(verdict.kind, VerdictKind::Pass);
    ASSERT_TRUE(verdict.random_errors) << strategy;
    EXPECT_LT(verdict.random_errors->squares, 1);
  }
  EXPECT_FALSE(verdict_on("reduce.sum.tree.f32", "normal", false).random_errors);
  for (const std::string strategy : {"exact", "skew", "cancel", "structural"}) {
    const Verdict verdict = verdict_on("reduce.sum.tree.f32", strategy, true);
    EXPECT_EQ(verdict.kind, VerdictKind::Pass);
    EXPECT_FALSE(verdict.random_errors) << strategy;
  }
  // A failure says more.
  generate::Request request{"reduce.sum", {}, {}, {.weights = {{"normal", 1}}}};
  request.mix.extents = {{"columns", {300, 300}}, {"rows", {4, 4}}};
  const operation::Case value = generate::make_case(request, 1, 0);
  const operation::TensorSpec y = operation::output_specs(value.operation).front();
  const run::Outcome zeros{.status = run::Outcome::Status::Completed, .outputs = {tensor::Tensor(y.format, y.shape)}};
  const Verdict fault = judge(value, {}, zeros, {.random_errors = true});
  EXPECT_EQ(fault.kind, VerdictKind::Fail);
  EXPECT_FALSE(fault.random_errors);
}

TEST(Counterexample, NamesEverythingThatAPersonNeeds) {
  run::HostExecutor executor;
  const operation::Case value = signature_case();
  const kernel::Kernel& kernel = kernel_of("faulty.A1.max_by_value_sign");
  const Verdict verdict = conformance(value, kernel, executor);
  const std::string text = counterexample(kernel, value, *verdict.failure, "negzero replay x");
  for (const char* part : {"faulty.A1.max_by_value_sign", "scatter.max", "-0 (0x80000000)", "-1 (0xbf800000)", "out[0]",
                           "permitted", "select.value", "negzero replay x", "triton#6376"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Counterexample, AKernelThatNamesNoFormatsIsTold) {
  run::HostExecutor executor;
  const operation::Case value = signature_case();
  kernel::Kernel kernel = kernel_of("faulty.A1.max_by_value_sign");
  const Verdict verdict = conformance(value, kernel, executor);
  EXPECT_THAT(counterexample(kernel, value, *verdict.failure, ""), Not(HasSubstr("hint")));
  kernel.limits.formats.clear();
  EXPECT_THAT(counterexample(kernel, value, *verdict.failure, ""), HasSubstr("cases of every format are made for it"));
}

}  // namespace
}  // namespace negzero::property
