// A campaign on a GPU that breaks: the one case is blamed, the others are judged, and nothing passes that did not.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/compare_list.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>

#include "../campaign/kernels.hpp"
#include "fake_device.hpp"

namespace negzero::campaign {
namespace {

using campaign_test::Directory;
using verdict::FailureClass;
using verdict::VerdictKind;

/// A max over rows for the CUDA executor that does `also` on cases with more than 12 rows.
bool add_gpu_max(std::string name, std::function<void(const kernel::ReduceArgs&)> also) {
  using number::FormatId;
  return kernel::registry().add(
      {.name = std::move(name),
       .operation = "reduce.max",
       .contract = {.zero_sign = contract::ZeroSign::Ieee},
       .limits = {.formats = {{FormatId::F32, FormatId::F32}},
                  .extents = {{"rows", {.max = 16}}, {"columns", {.max = 64}}}},
       .launch =
           [also = std::move(also)](const kernel::Args& args, kernel::Workspace&, engine::Stream&) {
             const auto& reduce = kernel::reduce_args(args);
             campaign_test::select_rows(reduce, false);
             if (also && reduce.rows > 12) also(reduce);
             return kernel::LaunchResult::launched();
           },
       .place = kernel::Place::Device});
}

std::atomic<int> launches{0};

/// What a GPU may make of launches which share a device variable: once some of three streams have met, it is spoilt in
/// that process for good. (Of two, the search for state uses one after the other.)
bool add_sharing_max(std::string name) {
  const kernel::Kernel* const good = kernel::registry().find("gpu.good", kernel::Place::Device);
  kernel::Kernel kernel = *good;
  kernel.name = std::move(name);
  kernel.launch = [max = good->launch](const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
    static std::set<void*> streams;
    streams.insert(stream.handle());
    kernel::LaunchResult result = max(args, workspace, stream);
    const auto& reduce = kernel::reduce_args(args);
    if (streams.size() > 2 && reduce.rows > 0) static_cast<float*>(reduce.y.data)[0] = 1234567.0f;
    return result;
  };
  return kernel::registry().add(std::move(kernel));
}

const bool registered[] = {
    add_gpu_max("gpu.good", {}),
    add_gpu_max("gpu.aborts", [](const kernel::ReduceArgs&) { std::abort(); }),
    add_gpu_max("gpu.illegal", [](const kernel::ReduceArgs&) { fake_gpu::fail_with(700); }),
    add_gpu_max("gpu.stalls", [](const kernel::ReduceArgs&) { fake_gpu::stall(true); }),
    add_gpu_max("gpu.lost", [](const kernel::ReduceArgs&) { fake_gpu::fail_with(214); }),
    add_gpu_max("gpu.wrong", [](const kernel::ReduceArgs& args) { static_cast<float*>(args.y.data)[0] = 1234567.0f; }),
    // Of a worker's launches with many rows the tenth fails, whatever the case.
    add_gpu_max("gpu.once_in_a_process",
                [](const kernel::ReduceArgs&) {
                  if (++launches == 10) fake_gpu::fail_with(719);
                }),
    add_sharing_max("gpu.shares_a_variable"),
};

const kernel::Kernel& gpu_kernel(const std::string& name) {
  return *kernel::registry().find(name, kernel::Place::Device);
}

EvaluationOptions on_gpu(int threads) {
  EvaluationOptions options;
  options.place = kernel::Place::Device;
  options.gpus = {0};
  options.jobs = threads;
  options.timeout_ms = 2000;
  options.shrink_time_ms = 10000;
  return options;
}

class Silent final : public CheckListener {
 public:
  void on_progress(const campaign::CheckPoint&) override {}
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const Finding&) override {}
};

base::Result<CheckReport> check_on_gpu(const std::string& name, int threads = 3, std::uint64_t cases = 300,
                                       std::uint64_t timeout_ms = 2000) {
  const Directory directory;
  CheckOptions options;
  options.cases = cases;
  options.save_dir = directory.path();
  options.evaluation = on_gpu(threads);
  options.evaluation.timeout_ms = timeout_ms;
  Silent listener;
  return check({&gpu_kernel(name)}, options, listener, [] { return false; });
}

void expect_finding(const std::string& name, FailureClass kind, const std::string& words,
                    std::uint64_t timeout_ms = 2000) {
  const auto report = check_on_gpu(name, 3, 300, timeout_ms);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const KernelReport& seen = report->kernels.front();
  EXPECT_GT(seen.pass, 0u);
  EXPECT_EQ(seen.error, 0u) << seen.note;
  const auto found =
      std::ranges::find_if(seen.findings, [&](const Finding& finding) { return finding.failure.kind == kind; });
  ASSERT_NE(found, seen.findings.end());
  EXPECT_NE(found->failure.message.find(words), std::string::npos) << found->failure.message;
  EXPECT_EQ(found->hit_rate, 1.0);
}

TEST(FakeGpuCampaign, ACorrectKernelPassesWhateverTheThreads) {
  std::uint64_t vacuous = 0;
  for (const int threads : {1, 2, 5}) {
    const auto report = check_on_gpu("gpu.good", threads, 1000);
    ASSERT_TRUE(report.ok());
    const KernelReport& seen = report->kernels.front();
    EXPECT_EQ(report->place, kernel::Place::Device);
    EXPECT_EQ(seen.cases, 1000u);
    EXPECT_EQ(seen.fail + seen.error + seen.refused, 0u) << seen.note;
    if (threads == 1) vacuous = seen.vacuous;
    EXPECT_EQ(seen.vacuous, vacuous) << "the report does not depend on the threads";
  }
}

TEST(FakeGpuCampaign, AbortIsAFinding) { expect_finding("gpu.aborts", FailureClass::Crash, "signal 6"); }
TEST(FakeGpuCampaign, AStickyErrorIsAFinding) {
  expect_finding("gpu.illegal", FailureClass::Crash, "CUDA error 700 (fake) while the kernel ran");
}
// The time for shrinking holds: runs that hang have to be short for the rate to be measured in it.
TEST(FakeGpuCampaign, AnEndlessKernelIsAFinding) {
  expect_finding("gpu.stalls", FailureClass::Hang, "no answer within 200 ms while the kernel ran", 200);
}
TEST(FakeGpuCampaign, AWrongValueIsAFinding) { expect_finding("gpu.wrong", FailureClass::WrongValue, "1234567"); }

TEST(FakeGpuCampaign, ALostGpuIsNoFindingAndNoPass) {
  const auto report = check_on_gpu("gpu.lost");
  if (!report) {
    EXPECT_EQ(report.error().kind, base::ErrorKind::Infrastructure);
    EXPECT_NE(report.error().message.find("214"), std::string::npos);
    return;
  }
  EXPECT_EQ(report->kernels.front().fail, 0u);
  ASSERT_EQ(report->errors.size(), 1u);
  EXPECT_NE(report->errors.front().message.find("214"), std::string::npos) << report->errors.front().message;
}

TEST(FakeGpuCampaign, AKernelWhoseLaunchesShareAVariableIsNotAccused) {
  const auto report = check_on_gpu("gpu.shares_a_variable", 2, 600);
  ASSERT_TRUE(report.ok());
  const KernelReport& seen = report->kernels.front();
  EXPECT_EQ(seen.cases, 600u);
  EXPECT_EQ(seen.fail + seen.error, 0u) << seen.note;
  EXPECT_GT(seen.warnings, 0u);
  EXPECT_NE(seen.warned.at(0).find("streams ran at once"), std::string::npos) << seen.warned.at(0);
}

// The tenth launch of every worker fails, in a batch and alone: never the first one of a fresh process. No case is to
// blame, and what many launches in a row show again and again is state.
TEST(FakeGpuCampaign, AnErrorThatDoesNotComeAgainInAFreshProcessIsNoCrash) {
  const auto report = check_on_gpu("gpu.once_in_a_process", 1, 200);
  ASSERT_TRUE(report.ok());
  const KernelReport& seen = report->kernels.front();
  EXPECT_EQ(seen.cases, 200u);
  EXPECT_EQ(seen.error, 0u) << seen.note;
  EXPECT_GT(seen.pass, 150u);
  ASSERT_EQ(seen.findings.size(), 1u);
  EXPECT_EQ(seen.findings[0].failure.kind, FailureClass::Stateful);
}

TEST(FakeGpuEvaluator, VerdictsComeInOrder) {
  Evaluator evaluator(on_gpu(3));
  const kernel::Kernel& kernel = gpu_kernel("gpu.wrong");
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  std::vector<operation::Case> cases;
  for (std::uint64_t i = 0; i < 60; ++i) cases.push_back(generate::make_case(request, 3, i));
  const auto verdicts = evaluator.evaluate(cases, kernel);
  ASSERT_TRUE(verdicts.ok());
  int failing = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& reduce = operation::view<operation::Reduce>(cases[i].operation);
    const VerdictKind kind = (*verdicts)[i].kind;
    if (reduce.rows <= 12) {
      EXPECT_NE(kind, VerdictKind::Fail) << i;
    }
    failing += kind == VerdictKind::Fail ? 1 : 0;
  }
  EXPECT_GT(failing, 0);
}

TEST(FakeGpuEvaluator, AKernelWithoutACudaBuildIsAnError) {
  Evaluator evaluator(on_gpu(1));
  const operation::Case value = campaign_test::max_case({1, 2});
  const auto verdicts = evaluator.evaluate({&value, 1}, *campaign_test::kernel_named("good.max"));
  ASSERT_TRUE(verdicts.ok());
  EXPECT_EQ(verdicts->front().kind, VerdictKind::Error);
}

/// Compares pairs of the host and the GPU, those of each place as the tests run them there.
base::Result<CompareListReport> compare_across(const std::vector<KernelPair>& pairs) {
  const Directory directory;
  return compare_list(
      {.path = "pairs", .pairs = pairs, .alone = {}}, {.cases = 200, .save_dir = directory.path()},
      [](kernel::Place place) {
        return base::Result<EvaluationOptions>(place == kernel::Place::Device ? on_gpu(3) : EvaluationOptions{});
      },
      {[] {}, [](std::size_t, std::uint64_t) {}, [](const ComparedPair&) {}}, [] { return false; });
}

TEST(FakeGpuCompare, TheHostAgainstTheGpuInEitherOrder) {
  const kernel::Kernel* const host = campaign_test::kernel_named("good.max");
  const kernel::Kernel* const wrong_host = campaign_test::kernel_named("bad.skips_last");
  const auto report = compare_across({{host, &gpu_kernel("gpu.good"), 1},
                                      {&gpu_kernel("gpu.good"), host, 2},
                                      {host, &gpu_kernel("gpu.wrong"), 3},
                                      {&gpu_kernel("gpu.good"), wrong_host, 4},
                                      {&gpu_kernel("gpu.good"), &gpu_kernel("gpu.illegal"), 5}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const auto rules = [&](std::size_t pair) {
    std::vector<std::string_view> ids;
    for (const DifferenceFound& each : report->pairs[pair].report.differences) ids.push_back(each.failure.rule.id());
    return ids;
  };
  for (const std::size_t same : {0u, 1u}) {
    EXPECT_EQ(report->pairs[same].outcome(true), ComparedPair::Outcome::Identical);
    EXPECT_EQ(report->pairs[same].report.identical, 200u);
  }
  EXPECT_EQ(report->pairs[0].report.second, "gpu.good@cuda");
  for (const std::size_t wrong : {2u, 3u, 4u}) {
    EXPECT_EQ(report->pairs[wrong].outcome(false), ComparedPair::Outcome::Finding);
    EXPECT_EQ(rules(wrong), std::vector<std::string_view>{"compare.second_wrong"}) << wrong;
    EXPECT_EQ(report->pairs[wrong].report.error, 0u);
  }
}

}  // namespace
}  // namespace negzero::campaign
