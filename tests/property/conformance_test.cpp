// Conformance on shipped kernels, its errors, and what a counterexample says.

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/property/conformance.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/run/host_executor.hpp>

namespace negzero::property {
namespace {

using operation::Verdict;
using operation::VerdictKind;
using ::testing::HasSubstr;

const kernel::Kernel& kernel_of(const std::string& name) {
  const kernel::Kernel* kernel = kernel::registry().find(name, kernel::Executor::Host);
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

TEST(Pack, RoundTripsEveryVerdict) {
  Verdict fail{.kind = VerdictKind::Fail, .margin = 0.5};
  fail.failure = operation::Failure{.kind = operation::FailureClass::WrongZeroSign,
                                    .rule = "zero.sign",
                                    .direction = operation::Direction::TooLow,
                                    .message = "not UTF-8: \xff",
                                    .element = 3,
                                    .coordinates = {1, 2},
                                    .observed = 0xfedcba9876543210,
                                    .observed_text = "a",
                                    .permitted_text = "b",
                                    .failing_elements = 9};
  const Verdict back = unpack(pack(fail));
  EXPECT_EQ(back.kind, fail.kind);
  EXPECT_EQ(back.margin, fail.margin);
  EXPECT_EQ(back.failure->observed, fail.failure->observed);
  EXPECT_EQ(back.failure->coordinates, fail.failure->coordinates);
  EXPECT_EQ(back.failure->kind, fail.failure->kind);
  EXPECT_EQ(back.failure->rule, fail.failure->rule);
  EXPECT_EQ(back.failure->failing_elements, 9);
  const Verdict pass{.kind = VerdictKind::Pass, .margin = 0.25};
  EXPECT_EQ(unpack(pack(pass)).kind, VerdictKind::Pass);
  EXPECT_EQ(unpack(pack(pass)).margin, 0.25);
}

TEST(Pack, WhatItDidNotMakeIsAnError) {
  EXPECT_EQ(unpack("").kind, VerdictKind::Error);
  EXPECT_EQ(unpack("short").kind, VerdictKind::Error);
  std::string cut = pack(Verdict{.kind = VerdictKind::Refused, .reason = "why"});
  cut.resize(cut.size() - 2);
  EXPECT_EQ(unpack(cut).kind, VerdictKind::Error);
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

}  // namespace
}  // namespace negzero::property
