// Kernels that break their process on a GPU: the case is found, the worker replaced, and everything else judged.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/examiner.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero {
namespace {

using verdict::FailureClass;

std::vector<int> gpus;

class Silent final : public campaign::CheckListener {
 public:
  void on_progress(const campaign::CheckPoint&) override {}
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const campaign::Finding&) override {}
};

/// 200 cases of one kernel; what was found is thrown away.
campaign::CheckReport check(const std::string& name, std::uint64_t timeout_ms = 2000) {
  std::string folder = (std::filesystem::temp_directory_path() / "negzero-faults-XXXXXX").string();
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  campaign::CheckOptions options;
  options.cases = 200;
  options.save_dir = folder;
  options.evaluation.place = kernel::Place::Device;
  options.evaluation.gpus = {gpus.front()};
  options.evaluation.jobs = 4;
  options.evaluation.timeout_ms = timeout_ms;
  // Each run of a crash costs two processes with a context each, which the driver makes one at a time.
  options.evaluation.shrink_time_ms = 20000;
  Silent listener;
  const std::function<bool()> stop = [] { return false; };
  const auto start = std::chrono::steady_clock::now();
  const kernel::Kernel* kernel = kernel::registry().find(name, kernel::Place::Device);
  auto report = campaign::check({kernel}, options, listener, stop);
  std::filesystem::remove_all(folder);
  if (!report) {
    ADD_FAILURE() << name << ": " << report.error().message;
    return {};
  }
  const campaign::KernelReport& seen = report->kernels.front();
  fmt::print("{:<24} {} cases, {} pass, {} fail, {} error, {:.1f} s; {}\n", name, seen.cases, seen.pass, seen.fail,
             seen.error, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), seen.note);
  for (const campaign::Finding& finding : seen.findings) {
    fmt::print("    {} ({}): {}; shrunk in {} runs, hit rate {}\n", verdict::name(finding.failure.kind),
               finding.failure.rule, finding.failure.message, finding.evaluations,
               finding.hit_rate ? fmt::format("{}", *finding.hit_rate) : "not measured");
  }
  for (const base::Error& error : report->errors) ADD_FAILURE() << name << ": " << error.message;
  return *std::move(report);
}

/// The one finding of a kernel that does something on cases with many rows and is right on all others.
void expect_finding(const std::string& name, FailureClass kind, const std::string& rule, const std::string& words) {
  const campaign::CheckReport report = check(name);
  ASSERT_EQ(report.kernels.size(), 1u);
  const campaign::KernelReport& seen = report.kernels.front();
  EXPECT_GT(seen.pass, 0u) << "cases beside the deadly ones are judged";
  EXPECT_EQ(seen.error, 0u) << seen.note;
  ASSERT_EQ(seen.findings.size(), 1u) << name;
  const campaign::Finding& finding = seen.findings.front();
  EXPECT_EQ(finding.failure.kind, kind) << finding.failure.message;
  EXPECT_EQ(finding.failure.rule.id(), rule);
  EXPECT_NE(finding.failure.message.find(words), std::string::npos) << finding.failure.message;
  EXPECT_EQ(finding.hit_rate.value_or(1.0), 1.0) << "where time was left to count: a trap takes seconds to come back";
  const auto reduce = operation::view_if<operation::Reduce>(finding.shrunk.operation);
  ASSERT_TRUE(reduce);
  EXPECT_GT(reduce->rows, 0);
}

TEST(GpuFaults, ACorrectKernelHasNoFinding) {
  const campaign::CheckReport report = check("deadly.nothing");
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels.front().fail + report.kernels.front().error, 0u);
  EXPECT_EQ(report.kernels.front().cases, 200u);
}

TEST(GpuFaults, AWorkerReachesNothingButItsGpu) {
  const campaign::CheckReport report = check("deadly.reaches_out");
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels.front().fail + report.kernels.front().error, 0u);
  EXPECT_GT(report.kernels.front().pass, 150u);
}

TEST(GpuFaults, AStreamOfAnEarlierCallIsState) {
  const campaign::CheckReport report = check("deadly.first_stream");
  ASSERT_EQ(report.kernels.size(), 1u);
  ASSERT_EQ(report.kernels.front().findings.size(), 1u);
  const campaign::Finding& finding = report.kernels.front().findings.front();
  EXPECT_EQ(finding.failure.kind, FailureClass::Stateful);
  EXPECT_EQ(finding.shrunk.history, (operation::History{{.same_stream = false}}));
}

TEST(GpuFaults, IllegalAddress) {
  expect_finding("deadly.illegal_address", FailureClass::Crash, "run.crash", "CUDA error 700");
}
TEST(GpuFaults, Misaligned) { expect_finding("deadly.misaligned", FailureClass::Crash, "run.crash", "CUDA error 716"); }
TEST(GpuFaults, Trap) { expect_finding("deadly.trap", FailureClass::Crash, "run.crash", "CUDA error 7"); }
TEST(GpuFaults, Abort) { expect_finding("deadly.abort", FailureClass::Crash, "run.crash", "signal 6"); }
TEST(GpuFaults, Exit) { expect_finding("deadly.exit", FailureClass::Crash, "run.crash", "exit status 0"); }
TEST(GpuFaults, Throw) { expect_finding("deadly.throw", FailureClass::Crash, "run.launch", "threw"); }
TEST(GpuFaults, Endless) { expect_finding("deadly.endless", FailureClass::Hang, "run.hang", "no answer within"); }
TEST(GpuFaults, WorkspaceWrite) {
  expect_finding("deadly.workspace_write", FailureClass::OutOfBoundsAccess, "run.guard",
                 "past the 28 bytes of workspace 0");
}
TEST(GpuFaults, NoWrite) {
  expect_finding("deadly.no_write", FailureClass::UnwrittenOutput, "run.unwritten", "never written");
}

// A write past the guard zones may land in another case of the batch. Alone it lands where nobody looks, so the least
// that must not happen is that the run passes.
TEST(GpuFaults, AFarWriteDoesNotPass) {
  const campaign::CheckReport report = check("deadly.far_write");
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_GT(report.kernels.front().fail + report.kernels.front().error, 0u);
}

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) {
  if (const auto status = negzero::campaign::serve_if_called(argc, argv)) return *status;
  const negzero::device::Probe probe = negzero::device::probe();
  if (!probe.usable()) {
    fmt::print(stderr, "cuda_faults: {}; {}\n", probe.why_not, probe.cure);
    return std::getenv("NEGZERO_REQUIRE_GPU") != nullptr ? 1 : 77;
  }
  negzero::gpus = probe.usable_gpus();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
