// Holding a claim against cases that RapidCheck draws, for every kernel that ships.

#include "support/claim.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/Configuration.h>

#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/generate/rapidcheck.hpp>
#include <negzero/operation/workload.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/property/metamorphic.hpp>

namespace negzero::properties {

namespace {

using operation::Case;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr int kDefaultCases = 12;

/// Cases of a kernel after which a claim that applied to none of them is given up: most say nothing of most kernels.
constexpr int kTries = 8;

/// Most products, elements or updates of a case: larger ones, a few of a thousand, are what `check` has time for.
constexpr std::int64_t kMostWork = std::int64_t{1} << 15;

/// The smallest failing case that RapidCheck reached, and what is known about it.
struct Worst {
  Case value;
  Verdict verdict;
};

int cases_per_kernel() {
  const char* text = std::getenv("NEGZERO_PROPERTY_CASES");
  return text != nullptr ? std::max(1, std::atoi(text)) : kDefaultCases;
}

void report(const std::string& title, const kernel::Kernel& kernel, Worst worst, campaign::Evaluator& evaluator) {
  auto shrunk = campaign::shrink(evaluator, std::move(worst.value), std::move(worst.verdict), kernel);
  if (!shrunk) {
    ADD_FAILURE() << shrunk.error().message;
    return;
  }
  const std::string path = std::filesystem::absolute(fmt::format("{}.{}.safetensors", kernel.name, title)).string();
  const auto saved = case_file::save(path, shrunk->value);
  ADD_FAILURE() << property::counterexample(
      kernel, shrunk->value, *shrunk->verdict.failure,
      saved ? fmt::format("NEGZERO_REPLAY='{}' properties_test --gtest_filter=Property.{}", path, title)
            : saved.error().message);
}

/// Judges the case that the environment names, in this process, where a debugger can follow; returns whether it named
/// one.
bool replay(const std::string& claim) {
  const char* path = std::getenv("NEGZERO_REPLAY");
  if (path == nullptr) return false;
  const auto value = case_file::load(path);
  if (!value) {
    ADD_FAILURE() << value.error().message;
    return true;
  }
  const kernel::Kernel* kernel = kernel::registry().find(value->kernel, kernel::Place::Host);
  if (kernel == nullptr) {
    ADD_FAILURE() << path << ": kernel " << value->kernel << " is not known";
    return true;
  }
  campaign::Evaluator evaluator({.in_process = true}, claim);
  const auto verdicts = evaluator.evaluate({&*value, 1}, *kernel);
  const Verdict& verdict = verdicts->front();
  if (verdict.failure) ADD_FAILURE() << property::counterexample(*kernel, *value, *verdict.failure, "");
  EXPECT_NE(verdict.kind, VerdictKind::Error) << verdict.reason;
  return true;
}

/// Draws cases for one kernel; returns to how many the claim applied.
int check_kernel(const std::string& title, const kernel::Kernel& kernel, campaign::Evaluator& evaluator) {
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract};
  const rc::Gen<generate::Plan> plans = generate::plans(request);
  std::optional<Worst> worst;
  int applied = 0, tries = 0;
  const auto holds = [&] {
    if (applied == 0 && tries++ >= kTries) return;
    Case value = generate::expand(request, *plans);
    if (operation::work_of(value.operation, kMostWork) > kMostWork) return;
    value.kernel = kernel.name;
    auto verdicts = evaluator.evaluate({&value, 1}, kernel);
    RC_ASSERT(verdicts.ok());
    Verdict& verdict = verdicts->front();
    if (verdict.kind == VerdictKind::Pass) ++applied;
    if (verdict.kind == VerdictKind::Error) RC_FAIL(verdict.reason);
    // A case that fails in another way is another failure: shrinking goes on only where the class is kept.
    if (verdict.kind != VerdictKind::Fail) return;
    if (worst && !worst->verdict.failure->same_way(*verdict.failure)) return;
    worst = Worst{std::move(value), verdict};
    RC_FAIL(verdict.failure->message);
  };
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = cases_per_kernel();
  // A fixed seed, so that a run is the same run everywhere; RC_PARAMS="seed=..." draws others.
  if (std::getenv("RC_PARAMS") == nullptr) params.seed = 1;
  const rc::detail::TestMetadata metadata{kernel.name, title};
  const rc::detail::TestResult result = rc::detail::checkTestable(holds, metadata, params);
  if (worst) {
    report(title, kernel, std::move(*worst), evaluator);
  } else if (!result.is<rc::detail::SuccessResult>()) {
    ADD_FAILURE() << kernel.name << ": RapidCheck did not get through its cases";
  }
  return applied;
}

}  // namespace

void holds_for_every_kernel(const std::string& title, const std::string& claim) {
  if (replay(claim)) return;
  // Kernels one after the other: a worker is started once for each.
  campaign::Evaluator evaluator(campaign::EvaluationOptions{}, claim);
  int applied = 0, kernels = 0;
  for (const kernel::Kernel* kernel : kernel::registry().match({}, kernel::Place::Host)) {
    const int here = check_kernel(title, *kernel, evaluator);
    applied += here;
    kernels += here > 0 ? 1 : 0;
  }
  EXPECT_GT(applied, 0) << title << " applied to no case of any kernel: nothing was claimed";
  ::testing::Test::RecordProperty("applied_cases", applied);
  fmt::print("{}: applied to {} cases of {} kernels\n", title, applied, kernels);
}

void metamorphic_holds(const std::string& title, const std::string& property) {
  holds_for_every_kernel(title, "metamorphic " + property);
}

}  // namespace negzero::properties
