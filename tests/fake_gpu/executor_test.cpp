// The CUDA executor notices what the host executor notices, in the same words, alone and in batches.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/property/conformance.hpp>
#include <negzero/protocol/guarded_buffer.hpp>

#include "executors.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using operation::Poison;
using verdict::FailureClass;

/// A kernel that may do something wrong, by what it does.
struct Wrong {
  const char* what;
  std::function<void(const ReduceArgs&, Workspace&)> also;
};

const std::vector<Wrong>& wrongs() {
  static const std::vector<Wrong> all = {
      {"nothing", {}},
      {"before y", [](const ReduceArgs& a, Workspace&) { flip(a.y.data, -1); }},
      {"far before y", [](const ReduceArgs& a, Workspace&) { flip(a.y.data, -4096); }},
      {"past y", [](const ReduceArgs& a, Workspace&) { flip(a.y.data, 4 * a.y.strides[0] * a.rows + 40); }},
      {"before x", [](const ReduceArgs& a, Workspace&) { flip(a.x.data, -5); }},
      {"into x", [](const ReduceArgs& a, Workspace&) { flip(a.x.data, 2); }},
      {"padding of y",
       [](const ReduceArgs& a, Workspace&) {
         if (a.y.strides[0] > 1 && a.rows > 1) flip(a.y.data, 4);
       }},
      {"workspace in order",
       [](const ReduceArgs&, Workspace& w) {
         std::memset(w.allocate(13), 1, 13);
         std::memset(w.allocate(100000), 1, 100000);
       }},
      {"reads its workspace",
       [](const ReduceArgs& a, Workspace& w) {
         const auto* const partial = static_cast<const float*>(w.allocate(16));
         if (a.rows > 0) a.y.as<float>()[0] += partial[3];
       }},
      {"past the workspace",
       [](const ReduceArgs&, Workspace& w) {
         flip(w.allocate(8), 0);
         flip(w.allocate(13), 13);
       }},
      {"before the workspace", [](const ReduceArgs&, Workspace& w) { flip(w.allocate(3000000), -4096); }},
      {"far past the workspace", [](const ReduceArgs&, Workspace& w) { flip(w.allocate(70001), 70001 + 4095); }},
      {"unwritten",
       [](const ReduceArgs& a, Workspace&) {
         // The bits of poison as memory held them: nothing was written here.
         if (a.rows > 1) {
           char* const y = static_cast<char*>(a.y.data);
           std::memcpy(y + 4 * a.y.strides[0], y - 64 * 4, 4);
         }
       }},
      {"throws", [](const ReduceArgs&, Workspace&) { throw std::runtime_error("no table"); }},
      {"throws a number", [](const ReduceArgs&, Workspace&) { throw 3; }},
  };
  return all;
}

std::vector<operation::Case> some_cases() {
  std::vector<operation::Case> cases;
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    for (std::int64_t rows = 0; rows < 5; ++rows) {
      operation::Case value = sum_case(rows, 3);
      value.poison = poison;
      value.layouts["x"] = {{rows, 3}, {7, 2}, rows};
      value.layouts["y"] = {{rows}, {2}, 3};
      cases.push_back(std::move(value));
    }
  }
  return cases;
}

TEST_F(CudaExecutorTest, SeesWhatTheHostSees) {
  const std::vector<operation::Case> cases = some_cases();
  for (const Wrong& wrong : wrongs()) {
    const kernel::Kernel kernel = sum_kernel(wrong.also);
    HostExecutor host;
    auto cuda = gpu();
    std::vector<Job> jobs;
    for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
    const std::vector<Outcome> expected = host.run(jobs, kernel);
    bool any_failed = false;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      expect_same(expected[i], cuda->run(cases[i], kernel, kernel.contract), std::string(wrong.what) + ", alone");
      any_failed = any_failed || expected[i].status == Outcome::Status::Failed;
    }
    // What reads its workspace gives the poison for a result, which no executor judges.
    const std::string what = wrong.what;
    const bool is_right = what == "nothing" || what == "workspace in order" || what == "reads its workspace";
    EXPECT_EQ(any_failed, !is_right) << wrong.what;
    for (const bool at_once : {false, true}) {
      auto batched = gpu();
      const std::vector<Outcome> seen = batched->run(jobs, kernel, {.threads = 3, .at_once = at_once});
      ASSERT_EQ(seen.size(), jobs.size());
      for (std::size_t i = 0; i < jobs.size(); ++i) expect_same(expected[i], seen[i], wrong.what);
    }
  }
}

TEST_F(CudaExecutorTest, InputsThatMayNotBeReadHoldPoison) {
  const kernel::Kernel reads_c = device_kernel("gemm", [](const Args& args) {
    const auto& gemm = gemm_args(args);
    multiply(gemm);
    gemm.d.as<float>()[0] += 0 * gemm.c.as<float>()[0];
  });
  HostExecutor host;
  for (const float beta : {0.0f, 1.0f}) {
    for (const float alpha : {0.0f, 2.0f}) {
      operation::Case value = gemm_case(2, 3, 4, alpha, beta);
      expect_same(host.run(value, reads_c, {}), gpu()->run(value, reads_c, {}), "c");
    }
  }
}

TEST_F(CudaExecutorTest, AScatterStartsFromItsInitialValues) {
  const kernel::Kernel kernel = device_kernel("scatter.add", [](const Args& args) {
    const auto& scatter = scatter_args(args);
    for (std::int64_t i = 0; i < scatter.updates; ++i) {
      scatter.out.as<float>()[scatter.index.as<std::int32_t>()[i]] += scatter.x.as<float>()[i];
    }
  });
  HostExecutor host;
  const operation::Case value = scatter_case(5, 3);
  const Outcome outcome = gpu()->run(value, kernel, {});
  ASSERT_EQ(outcome.status, Outcome::Status::Completed);
  expect_same(host.run(value, kernel, {}), outcome, "scatter");
}

TEST_F(CudaExecutorTest, RefusalsAndLimits) {
  kernel::Kernel kernel = make_kernel(
      "reduce.sum", [](const Args&, Workspace&, engine::Stream&) { return LaunchResult::refuse("not today"); });
  HostExecutor host;
  const std::vector<operation::Case> cases = {sum_case(1, 1), sum_case(9, 1), sum_case(2, 2)};
  kernel.limits.extents["rows"].max = 4;
  std::vector<Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  const auto expected = host.run(jobs, kernel), seen = gpu()->run(jobs, kernel);
  for (std::size_t i = 0; i < jobs.size(); ++i) expect_same(expected[i], seen[i], std::to_string(i));
  EXPECT_EQ(seen[1].status, Outcome::Status::Refused);
}

TEST_F(CudaExecutorTest, ABatchIsOneUpload) {
  const kernel::Kernel kernel = sum_kernel();
  std::vector<operation::Case> cases(50, sum_case(3, 4));
  std::vector<Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  auto cuda = gpu();
  (void)cuda->run(jobs, kernel);
  for (const bool at_once : {false, true}) {
    const std::uint64_t uploads = fake_gpu::uploads();
    (void)cuda->run(jobs, kernel, {.at_once = at_once});
    EXPECT_EQ(fake_gpu::uploads() - uploads, 1u);
  }
}

TEST_F(CudaExecutorTest, CasesThatRunAtOnceShareTheStreams) {
  std::vector<void*> streams;
  const kernel::Kernel kernel = make_kernel("reduce.sum", [&](const Args&, Workspace&, engine::Stream& stream) {
    streams.push_back(stream.handle());
    return LaunchResult{};
  });
  std::vector<operation::Case> cases(2 * protocol::kStreams, sum_case(0, 4));
  std::vector<Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  auto cuda = gpu();
  const auto seen = [&](bool at_once) {
    streams.clear();
    (void)cuda->run(jobs, kernel, {.at_once = at_once});
    EXPECT_EQ(streams.size(), jobs.size());
    return std::set(streams.begin(), streams.end()).size();
  };
  EXPECT_EQ(seen(true), protocol::kStreams);
  EXPECT_EQ(seen(false), 1u);
  EXPECT_TRUE(cuda->may_run_at_once(kernel));
  cuda->keep_in_turn(kernel);
  EXPECT_FALSE(cuda->may_run_at_once(kernel));
}

TEST_F(CudaExecutorTest, StreamsWaitForTheUploadAndTheDownloadForStreams) {
  using Kind = fake_gpu::Step::Kind;
  const kernel::Kernel kernel =
      make_kernel("reduce.sum", [](const Args&, Workspace& workspace, engine::Stream& stream) {
        (void)workspace.allocate(100);
        fake_gpu::tell_launch(stream.handle());
        return LaunchResult{};
      });
  const std::vector<operation::Case> cases(3 * protocol::kStreams, sum_case(0, 4));
  std::vector<Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  auto cuda = gpu();
  (void)fake_gpu::take_steps();
  (void)cuda->run(jobs, kernel, {.at_once = true});
  const std::vector<fake_gpu::Step> steps = fake_gpu::take_steps();
  ASSERT_EQ(steps.front().kind, Kind::Upload);
  const void* const first = steps.front().stream;
  std::set<const void*> begun{first}, ended{first};
  std::size_t launches = 0, downloads = 0;
  for (const fake_gpu::Step& step : steps) {
    if (step.kind == Kind::Wait && step.other == first) begun.insert(step.stream);
    if (step.kind == Kind::Wait && step.stream == first) {
      EXPECT_EQ(launches, jobs.size());
      ended.insert(step.other);
    }
    if (step.kind == Kind::Launch) {
      EXPECT_TRUE(begun.contains(step.stream));
      EXPECT_EQ(downloads, 0u);
      ++launches;
    }
    if (step.kind == Kind::Download || step.kind == Kind::End) {
      EXPECT_EQ(step.stream, first);
      EXPECT_EQ(ended.size(), protocol::kStreams);
      ++downloads;
    }
  }
  EXPECT_EQ(begun.size(), protocol::kStreams);
  EXPECT_EQ(launches, jobs.size());
  EXPECT_GT(downloads, protocol::kStreams) << "guard zones of each stream's workspace, and the image";
  EXPECT_EQ(steps.back().kind, Kind::End);
}

TEST_F(CudaExecutorTest, ImagesArePinnedAsLongAsTheyAreThere) {
  auto cuda = gpu();
  const kernel::Kernel kernel = sum_kernel();
  (void)cuda->run(sum_case(2, 2), kernel, {});
  EXPECT_EQ(fake_gpu::pinned(), 1u);
  (void)cuda->run(sum_case(3, 1 << 20), kernel, {});
  EXPECT_EQ(fake_gpu::pinned(), 1u) << "the larger one alone";
  cuda.reset();
  EXPECT_EQ(fake_gpu::pinned(), 0u);
}

bool runs_at_once(std::span<const protocol::LaunchPlan> plans) {
  return std::ranges::any_of(plans, [](const protocol::LaunchPlan& plan) { return plan.stream != 0; });
}

TEST_F(CudaExecutorTest, AFailureAmongOthersInTurnIsKept) {
  // Every fourth launch is wrong, so that none is twice.
  int launches = 0;
  const kernel::Kernel kernel = sum_unless([&](void*) { return ++launches % 4 == 0; });
  const std::vector<operation::Case> cases(9, sum_case(2, 4));
  auto cuda = gpu();
  const auto verdicts = property::conformance(cases, kernel, *cuda, {});
  const auto is_kept = [](const verdict::Verdict& verdict) {
    return verdict.failure && verdict.failure->message.find("ran together") != std::string::npos;
  };
  EXPECT_GT(std::ranges::count_if(verdicts, is_kept), 0);
}

TEST_F(CudaExecutorTest, WhatCameOnceAtOnceAndNeverAgainStaysAFailure) {
  int launches = 0;
  const kernel::Kernel kernel = sum_unless([&](void*) { return ++launches == 5; });
  const std::vector<operation::Case> cases(9, sum_case(2, 4));
  auto cuda = gpu();
  const auto verdicts = property::conformance(cases, kernel, *cuda, {});
  ASSERT_EQ(std::ranges::count(verdicts, verdict::VerdictKind::Fail, &verdict::Verdict::kind), 1);
  EXPECT_NE(verdicts[4].failure->message.find("ran together"), std::string::npos);
}

TEST_F(CudaExecutorTest, WhatIsWrongAtOnceAndThenEndsItsProcessAtOnceIsForgiven) {
  int batches_at_once = 0;
  bool is_wrong = false;
  Replaced executor([&](std::span<const protocol::LaunchPlan> plans) -> std::optional<Replaced::Outcomes> {
    is_wrong = runs_at_once(plans);
    if (is_wrong && ++batches_at_once == 2) return Replaced::Outcomes{};
    return std::nullopt;
  });
  const kernel::Kernel kernel = sum_unless([&](void*) { return is_wrong; });
  const std::vector<operation::Case> cases(9, sum_case(2, 4));
  const auto verdicts = property::conformance(cases, kernel, executor, {});
  EXPECT_EQ(batches_at_once, 2);
  for (const verdict::Verdict& verdict : verdicts) {
    EXPECT_EQ(verdict.kind, verdict::VerdictKind::Pass) << (verdict.failure ? verdict.failure->message : "");
    ASSERT_EQ(verdict.warnings.size(), 1u);
    EXPECT_NE(verdict.warnings[0].find("wrong where launches on several streams ran at once"), std::string::npos);
  }
}

TEST_F(CudaExecutorTest, LaunchesThatEndTheirProcessAtOnceRunInTurnAndAreWarnedOf) {
  std::set<void*> streams;
  kernel::Kernel kernel = make_kernel("reduce.sum", [&](const Args&, Workspace&, engine::Stream& stream) {
    streams.insert(stream.handle());
    if (streams.size() == 3) fake_gpu::fail_with(700);
    return LaunchResult{};
  });
  kernel.limits.extents["rows"].max = 0;
  const std::vector<operation::Case> cases(9, sum_case(0, 4));
  std::vector<Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  Replaced executor;
  const std::vector<Outcome> outcomes = executor.run(jobs, kernel, {.at_once = true});
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.status, Outcome::Status::Completed) << outcome.reason;
  ASSERT_EQ(outcomes[0].warnings.size(), 1u);
  EXPECT_NE(outcomes[0].warnings[0].find("in turn"), std::string::npos);
  EXPECT_FALSE(executor.may_run_at_once(kernel));
}

TEST_F(CudaExecutorTest, WhatEndedItsProcessAloneIsNotLookedAtOnceMore) {
  int requests = 0, alone = 0;
  Replaced executor([&](std::span<const protocol::LaunchPlan> plans) -> std::optional<Replaced::Outcomes> {
    ++requests;
    if (plans.size() > 1) return Replaced::Outcomes{};
    if (const int now = ++alone; now != 5 && now != 6) return std::nullopt;
    return Replaced::Outcomes{protocol::LaunchOutcome::failed(protocol::Fault::Crash, "it crashed")};
  });
  const std::vector<operation::Case> cases(9, sum_case(2, 4));
  const auto verdicts = property::conformance(cases, sum_kernel(), executor, {});
  EXPECT_EQ(requests, 1 + 1 + 9 + 1) << "on streams, in turn, each alone, and the one that ended its process again";
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_EQ(verdicts[i].kind == verdict::VerdictKind::Fail, i == 4) << i;
  }
}

TEST_F(CudaExecutorTest, LargeCasesAreCutIntoImages) {
  const kernel::Kernel kernel = sum_kernel();
  std::vector<operation::Case> cases;
  for (int i = 0; i < 5; ++i) cases.push_back(sum_case(3, 1 << 20));  // 12 MiB each, of 32.
  std::vector<Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  auto cuda = gpu();
  (void)cuda->run(sum_case(1, 1), kernel, {});
  const std::uint64_t before = fake_gpu::uploads();
  HostExecutor host;
  const Outcome expected = host.run(cases[0], kernel, {});
  for (const Outcome& outcome : cuda->run(jobs, kernel)) expect_same(expected, outcome, "large");
  EXPECT_EQ(fake_gpu::uploads() - before, 3u);
}

TEST_F(CudaExecutorTest, AStickyErrorIsTheCasesCrashAndTheEndOfThisProcess) {
  auto cuda = gpu();
  const kernel::Kernel kernel = sum_kernel();
  const operation::Case value = sum_case(2, 2);
  fake_gpu::fail_with(700);
  const Outcome outcome = cuda->run(value, kernel, {});
  ASSERT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.failure->kind, FailureClass::Crash);
  EXPECT_EQ(outcome.failure->rule, verdict::Rule("run.crash"));
  EXPECT_EQ(outcome.failure->message, "CUDA error 700 (fake) while the kernel ran");
  EXPECT_EQ(cuda->run(value, kernel, {}).status, Outcome::Status::Error) << "nothing can be said about later cases";
}

TEST_F(CudaExecutorTest, AStickyErrorOfABatchBlamesNobody) {
  auto cuda = gpu();
  const kernel::Kernel kernel = sum_kernel();
  const operation::Case value = sum_case(2, 2);
  const std::vector<Job> jobs(3, Job{&value, &kernel.contract});
  fake_gpu::fail_with(719);
  for (const Outcome& outcome : cuda->run(jobs, kernel)) EXPECT_EQ(outcome.status, Outcome::Status::Error);
}

TEST_F(CudaExecutorTest, AMachinesErrorIsNeverTheKernels) {
  for (const int code : {214, 810}) {
    fake_gpu::reset();
    auto cuda = gpu();
    fake_gpu::fail_with(code);
    EXPECT_EQ(cuda->run(sum_case(2, 2), sum_kernel(), {}).status, Outcome::Status::Error) << code;
  }
}

TEST_F(CudaExecutorTest, TooLittleMemoryIsOurErrorAndTooMuchWantedIsTheKernels) {
  auto cuda = gpu();
  const kernel::Kernel kernel = sum_kernel();
  ASSERT_EQ(cuda->run(sum_case(2, 2), kernel, {}).status, Outcome::Status::Completed);
  const auto wants = [](std::size_t bytes) {
    return sum_kernel([bytes](const ReduceArgs&, Workspace& w) { (void)w.allocate(bytes); });
  };
  fake_gpu::set_memory(std::uint64_t{1} << 22);
  const Outcome poor = cuda->run(sum_case(2, 2), wants(std::size_t{1} << 28), {});
  EXPECT_EQ(poor.status, Outcome::Status::Error) << "the GPU had a GiB once: somebody else has it now";
  EXPECT_NE(poor.reason.find("GPU memory"), std::string::npos) << poor.reason;
  const Outcome absurd = cuda->run(sum_case(2, 2), wants(std::size_t{1} << 60), {});
  ASSERT_EQ(absurd.status, Outcome::Status::Failed);
  EXPECT_EQ(absurd.failure->rule, verdict::Rule("run.launch"));
  EXPECT_EQ(cuda->run(sum_case(2, 2), kernel, {}).status, Outcome::Status::Completed) << "it goes on";
  const Outcome large = cuda->run(sum_case(2, 1 << 21), kernel, {});
  EXPECT_EQ(large.status, Outcome::Status::Error);
}

// Whatever the sizes of the neighbours in a batch, each case comes out as alone.
RC_GTEST_PROP(CudaExecutorProperty, ABatchIsItsMembers, ()) {
  fake_gpu::reset();
  const auto shapes = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 40), rc::gen::inRange(0, 40)));
  std::vector<operation::Case> cases;
  for (const auto& [rows, columns] : shapes) cases.push_back(sum_case(rows, columns));
  const kernel::Kernel kernel = sum_kernel([](const ReduceArgs& args, Workspace& w) {
    std::memset(w.allocate(static_cast<std::size_t>(args.columns)), 7, static_cast<std::size_t>(args.columns));
  });
  std::vector<Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  auto cuda = gpu();
  HostExecutor host;
  const std::vector<Outcome> seen = cuda->run(jobs, kernel), expected = host.run(jobs, kernel);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    RC_ASSERT(seen[i].status == Outcome::Status::Completed);
    RC_ASSERT(seen[i].outputs == expected[i].outputs);
  }
}

}  // namespace
}  // namespace negzero::run
