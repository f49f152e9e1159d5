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
#include <negzero/property/state_looks.hpp>
#include <negzero/run/guarded_buffer.hpp>
#include <negzero/run/local_executor.hpp>

#include "../run/cases.hpp"
#include "fake_device.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using operation::FailureClass;
using operation::Poison;

class CudaExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override { fake_gpu::reset(); }
  void TearDown() override { fake_gpu::reset(); }
};

std::unique_ptr<Executor> gpu() {
  auto made = CudaExecutor::make({.gpu = 0});
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

void flip(void* base, std::ptrdiff_t byte) { static_cast<unsigned char*>(base)[byte] ^= 1; }

void expect_same(const Outcome& host, const Outcome& cuda, const std::string& what) {
  EXPECT_EQ(host.status, cuda.status) << what << ": " << cuda.reason;
  EXPECT_EQ(host.reason, cuda.reason) << what;
  EXPECT_EQ(host.failure, cuda.failure) << what << ": " << (host.failure ? host.failure->message : "") << " / "
                                        << (cuda.failure ? cuda.failure->message : "");
  EXPECT_EQ(host.output, cuda.output) << what;
}

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
    const auto& gemm = std::get<GemmArgs>(args);
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
    const auto& scatter = std::get<ScatterArgs>(args);
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
      "reduce.sum", [](const Args&, Workspace&, simt::Stream&) { return LaunchResult::refuse("not today"); });
  HostExecutor host;
  const std::vector<operation::Case> cases = {sum_case(1, 1), sum_case(9, 1), sum_case(2, 2)};
  kernel.limits.rows.max = 4;
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
  const kernel::Kernel kernel = make_kernel("reduce.sum", [&](const Args&, Workspace&, simt::Stream& stream) {
    streams.push_back(stream.handle());
    return LaunchResult{};
  });
  std::vector<operation::Case> cases(2 * kStreams, sum_case(0, 4));
  std::vector<Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  auto cuda = gpu();
  const auto seen = [&](bool at_once) {
    streams.clear();
    (void)cuda->run(jobs, kernel, {.at_once = at_once});
    EXPECT_EQ(streams.size(), jobs.size());
    return std::set(streams.begin(), streams.end()).size();
  };
  EXPECT_EQ(seen(true), kStreams);
  EXPECT_EQ(seen(false), 1u);
  EXPECT_TRUE(cuda->may_run_at_once(kernel));
  cuda->keep_in_turn(kernel);
  EXPECT_FALSE(cuda->may_run_at_once(kernel));
}

TEST_F(CudaExecutorTest, StreamsWaitForTheUploadAndTheDownloadForStreams) {
  using Kind = fake_gpu::Step::Kind;
  const kernel::Kernel kernel = make_kernel("reduce.sum", [](const Args&, Workspace& workspace, simt::Stream& stream) {
    (void)workspace.allocate(100);
    fake_gpu::tell_launch(stream.handle());
    return LaunchResult{};
  });
  const std::vector<operation::Case> cases(3 * kStreams, sum_case(0, 4));
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
      EXPECT_EQ(ended.size(), kStreams);
      ++downloads;
    }
  }
  EXPECT_EQ(begun.size(), kStreams);
  EXPECT_EQ(launches, jobs.size());
  EXPECT_GT(downloads, kStreams) << "guard zones of each stream's workspace, and the image";
  EXPECT_EQ(steps.back().kind, Kind::End);
}

/// An executor whose process is replaced where it ends: another launcher then stands for it.
class Replaced final : public Executor {
 public:
  using Outcomes = std::vector<LaunchOutcome>;
  /// Is told of each request: nothing where it should be launched, or what it gives instead: none where it ends its
  /// process.
  using Instead = std::function<std::optional<Outcomes>(std::span<const LaunchPlan>)>;
  explicit Replaced(Instead instead = {}) : instead_(std::move(instead)) {}
  [[nodiscard]] kernel::Executor kind() const noexcept override { return kernel::Executor::Cuda; }
  void refresh() override { launcher_.reset(); }

 protected:
  [[nodiscard]] std::byte* memory(std::size_t size_bytes) override {
    constexpr std::size_t kPage = 4096;
    memory_.resize(std::max(memory_.size(), size_bytes + kPage));
    return memory_.data() + (kPage - reinterpret_cast<std::uintptr_t>(memory_.data()) % kPage);
  }
  [[nodiscard]] Launched launch(std::span<const LaunchPlan> plans, const kernel::Kernel& kernel) override {
    if (instead_) {
      if (auto given = instead_(plans)) return {.outcomes = *std::move(given)};
    }
    if (launcher_ == nullptr) {
      fake_gpu::reset();
      launcher_ = *CudaLauncher::make({});
    }
    auto outcomes = launcher_->launch(plans, kernel, memory(0));
    if (outcomes.size() < plans.size() || outcomes.back().spoilt) launcher_.reset();
    return {.outcomes = std::move(outcomes)};
  }
  [[nodiscard]] bool replaces_processes() const override { return true; }

 private:
  Instead instead_;
  std::unique_ptr<CudaLauncher> launcher_;
  std::vector<std::byte> memory_;
};

bool runs_at_once(std::span<const LaunchPlan> plans) {
  return std::ranges::any_of(plans, [](const LaunchPlan& plan) { return plan.stream != 0; });
}

/// Launches of a sum in turn, and where each of them found its memory and its workspace.
struct InTurn {
  struct Seen {
    void *x, *workspace, *stream;
  };
  std::vector<Seen> seen{};
  std::function<void(std::size_t launch, void* workspace)> also{};
  kernel::Kernel kernel = make_kernel(
      "reduce.sum", [this, sum = sum_kernel().launch](const Args& args, Workspace& workspace, simt::Stream& stream) {
        void* const room = workspace.allocate(24);
        if (also) also(seen.size(), room);
        seen.push_back({std::get<ReduceArgs>(args).x.data, room, stream.handle()});
        fake_gpu::tell_launch(stream.handle());
        return sum(args, workspace, stream);
      });
  std::vector<operation::Case> cases = {sum_case(2, 4), sum_case(2, 4), sum_case(3, 5), sum_case(2, 4)};

  std::vector<Turn> turns() const {
    std::vector<Turn> turns;
    for (const operation::Case& value : cases) turns.push_back({{&value, &kernel.contract}, {}});
    turns[1].other.storage = true;
    turns[2].other.stream = true;
    return turns;
  }
};

TEST_F(CudaExecutorTest, LaunchesInTurnAreOneRequestInTheSameMemory) {
  using Kind = fake_gpu::Step::Kind;
  InTurn in_turn;
  Replaced cuda;
  (void)cuda.run(in_turn.cases[0], in_turn.kernel, {});
  in_turn.seen.clear();
  (void)fake_gpu::take_steps();
  const std::vector<Turn> turns = in_turn.turns();
  const std::vector<Outcome> outcomes = cuda.run_in_turn(turns, in_turn.kernel);
  ASSERT_EQ(outcomes.size(), 4u);
  HostExecutor host;
  for (std::size_t i = 0; i < 4; ++i) {
    expect_same(host.run(in_turn.cases[i], sum_kernel(), {}), outcomes[i], std::to_string(i));
  }
  const std::vector<InTurn::Seen>& seen = in_turn.seen;
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].x, seen[2].x);
  EXPECT_EQ(seen[0].x, seen[3].x);
  EXPECT_NE(seen[0].x, seen[1].x);
  EXPECT_EQ(seen[0].workspace, seen[1].workspace);
  EXPECT_EQ(seen[0].workspace, seen[3].workspace);
  EXPECT_NE(seen[0].stream, seen[2].stream);
  EXPECT_EQ(seen[0].stream, seen[3].stream);
  // Each launch has its contents before it, and what it wrote is taken before the next one's come; one wait in all.
  std::vector<Kind> kinds;
  std::size_t ends = 0;
  const void *stream = nullptr, *awaited = nullptr;
  for (const fake_gpu::Step& step : fake_gpu::take_steps()) {
    if (step.kind == Kind::End) ++ends;
    if (step.kind == Kind::Wait) awaited = step.other;
    if (step.kind == Kind::Upload && stream != nullptr && step.stream != stream) {
      EXPECT_EQ(awaited, stream);
    }
    if (step.kind != Kind::Wait) stream = step.stream;
    const bool again = !kinds.empty() && kinds.back() == step.kind;
    if (step.kind != Kind::End && step.kind != Kind::Wait && !again) kinds.push_back(step.kind);
  }
  EXPECT_EQ(ends, 1u);
  std::vector<Kind> expected;
  for (int i = 0; i < 4; ++i) expected.insert(expected.end(), {Kind::Upload, Kind::Launch, Kind::Download});
  EXPECT_EQ(kinds, expected);
}

TEST_F(CudaExecutorTest, ManyLaunchesInTurnAreFewRequestsInTheSameMemory) {
  InTurn in_turn;
  // An image holds some eight of these.
  in_turn.cases.assign(50, sum_case(4, 250000));
  Replaced cuda;
  const std::vector<Turn> turns = in_turn.turns();
  (void)fake_gpu::take_steps();
  const std::vector<Outcome> outcomes = cuda.run_in_turn(turns, in_turn.kernel, 2);
  std::size_t ends = 0;
  for (const fake_gpu::Step& step : fake_gpu::take_steps()) ends += step.kind == fake_gpu::Step::Kind::End ? 1 : 0;
  EXPECT_GT(ends, 5u);
  EXPECT_LT(ends, 15u);
  ASSERT_EQ(outcomes.size(), turns.size());
  const Outcome expected = HostExecutor().run(in_turn.cases[0], sum_kernel(), {});
  for (std::size_t i = 0; i < turns.size(); ++i) {
    expect_same(expected, outcomes[i], std::to_string(i));
    EXPECT_EQ(in_turn.seen[i].x == in_turn.seen[0].x, i != 1) << i;
  }
}

TEST_F(CudaExecutorTest, ChainsHaveMemoryAndStreamsOfTheirOwn) {
  InTurn in_turn;
  in_turn.cases.assign(3 * kChains, sum_case(2, 4));
  std::vector<Turn> turns = in_turn.turns();
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i].chain = static_cast<std::uint8_t>(i % kChains);
    turns[i].other = {.storage = i / kChains == 1, .stream = i / kChains == 2};
  }
  (void)fake_gpu::take_steps();
  const std::vector<Outcome> outcomes = Replaced().run_in_turn(turns, in_turn.kernel);
  ASSERT_EQ(outcomes.size(), turns.size());
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.status, Outcome::Status::Completed) << outcome.reason;
  std::set<const void*> memory, streams;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    memory.insert(in_turn.seen[i].x);
    streams.insert(in_turn.seen[i].stream);
    const InTurn::Seen& first = in_turn.seen[i % kChains];
    EXPECT_EQ(in_turn.seen[i].x == first.x, i / kChains != 1) << i;
    EXPECT_EQ(in_turn.seen[i].stream == first.stream, i / kChains != 2) << i;
  }
  EXPECT_EQ(memory.size(), std::size_t{2} * kChains);
  EXPECT_EQ(streams.size(), std::size_t{2} * kChains);
}

TEST_F(CudaExecutorTest, LooksForStateAreChainsWhereLaunchesMayOverlap) {
  InTurn in_turn;
  in_turn.kernel.name = "sums";
  const operation::Case value = sum_case(2, 4);
  const std::vector<property::Look> looks(2 * kChains, property::Look{&value, {{.times = 3}}});
  Replaced cuda;
  const auto streams = [&] {
    in_turn.seen.clear();
    for (const auto& found : look_for_state(looks, in_turn.kernel, cuda, {})) EXPECT_FALSE(found);
    EXPECT_EQ(in_turn.seen.size(), 6u * kChains);
    std::set<const void*> used;
    for (const InTurn::Seen& seen : in_turn.seen) used.insert(seen.stream);
    return used.size();
  };
  EXPECT_EQ(streams(), kChains);
  cuda.keep_in_turn(in_turn.kernel);
  EXPECT_EQ(streams(), 1u);
}

TEST_F(CudaExecutorTest, AWriteAroundAWorkspaceIsThatOfItsTurn) {
  InTurn in_turn;
  in_turn.also = [](std::size_t launch, void* workspace) {
    if (launch == 1) flip(workspace, 24);
  };
  const std::vector<Turn> turns = in_turn.turns();
  const std::vector<Outcome> outcomes = Replaced().run_in_turn(turns, in_turn.kernel);
  ASSERT_EQ(outcomes.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(outcomes[i].failure.has_value(), i == 1) << i;
  EXPECT_EQ(outcomes[1].failure->rule, "run.guard");
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

/// A sum that also does something to y where `is_wrong` says so of its stream.
kernel::Kernel sum_unless(std::function<bool(void* stream)> is_wrong) {
  kernel::Kernel kernel = sum_kernel();
  kernel.launch = [is_wrong, sum = kernel.launch](const Args& args, Workspace& workspace, simt::Stream& stream) {
    LaunchResult result = sum(args, workspace, stream);
    if (is_wrong(stream.handle())) std::get<ReduceArgs>(args).y.as<float>()[0] += 1;
    return result;
  };
  return kernel;
}

TEST_F(CudaExecutorTest, AFailureAmongOthersInTurnIsKept) {
  // Every fourth launch is wrong, so that none is twice.
  int launches = 0;
  const kernel::Kernel kernel = sum_unless([&](void*) { return ++launches % 4 == 0; });
  const std::vector<operation::Case> cases(9, sum_case(2, 4));
  auto cuda = gpu();
  const auto verdicts = property::conformance(cases, kernel, *cuda, {});
  const auto is_kept = [](const operation::Verdict& verdict) {
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
  ASSERT_EQ(std::ranges::count(verdicts, operation::VerdictKind::Fail, &operation::Verdict::kind), 1);
  EXPECT_NE(verdicts[4].failure->message.find("ran together"), std::string::npos);
}

TEST_F(CudaExecutorTest, WhatIsWrongAtOnceAndThenEndsItsProcessAtOnceIsForgiven) {
  int batches_at_once = 0;
  bool is_wrong = false;
  Replaced executor([&](std::span<const LaunchPlan> plans) -> std::optional<Replaced::Outcomes> {
    is_wrong = runs_at_once(plans);
    if (is_wrong && ++batches_at_once == 2) return Replaced::Outcomes{};
    return std::nullopt;
  });
  const kernel::Kernel kernel = sum_unless([&](void*) { return is_wrong; });
  const std::vector<operation::Case> cases(9, sum_case(2, 4));
  const auto verdicts = property::conformance(cases, kernel, executor, {});
  EXPECT_EQ(batches_at_once, 2);
  for (const operation::Verdict& verdict : verdicts) {
    EXPECT_EQ(verdict.kind, operation::VerdictKind::Pass) << (verdict.failure ? verdict.failure->message : "");
    EXPECT_NE(verdict.warning.find("wrong where launches on several streams ran at once"), std::string::npos);
  }
}

/// Requests of turns, answered as `first` says of the first of them.
struct Answered {
  explicit Answered(std::function<Replaced::Outcomes(std::size_t turns)> first)
      : executor([this, first](std::span<const LaunchPlan> plans) -> std::optional<Replaced::Outcomes> {
          requests.push_back(plans.size());
          return requests.size() == 1 ? std::optional(first(plans.size())) : std::nullopt;
        }) {}

  std::vector<std::size_t> requests{};
  InTurn in_turn{};
  Replaced executor;
  std::vector<Outcome> run() {
    const std::vector<Turn> turns = in_turn.turns();
    return executor.run_in_turn(turns, in_turn.kernel);
  }
};

TEST_F(CudaExecutorTest, TurnsThatDoNotRunTogetherRunOneByOne) {
  const LaunchOutcome done{.status = LaunchOutcome::Status::Done};
  LaunchOutcome crash = LaunchOutcome::failed(Fault::Crash, "");
  crash.spoilt = true;
  for (const bool ends : {true, false}) {
    Answered answered([&](std::size_t turns) {
      if (!ends) return Replaced::Outcomes(turns, LaunchOutcome::error("out of memory"));
      return Replaced::Outcomes{done, crash};
    });
    for (int again = 0; again < 2; ++again) {
      const std::vector<Outcome> outcomes = answered.run();
      ASSERT_EQ(outcomes.size(), 4u);
      for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.status, Outcome::Status::Completed) << outcome.reason;
    }
    std::vector<std::size_t> requests{4, 1, 1, 1, 1};
    if (ends) {
      requests.insert(requests.end(), 4, 1);  // It is not tried again.
    } else {
      requests.push_back(4);
    }
    EXPECT_EQ(answered.requests, requests);
    EXPECT_EQ(answered.executor.may_run_at_once(answered.in_turn.kernel), !ends);
  }
}

TEST_F(CudaExecutorTest, AGpuThatIsLostInTurnIsNoOutput) {
  for (const std::size_t turns : {4, 1}) {
    Answered answered([](std::size_t plans) {
      return Replaced::Outcomes(plans, {.status = LaunchOutcome::Status::Lost, .message = "the GPU is gone"});
    });
    answered.in_turn.cases.resize(std::max<std::size_t>(turns, 3));
    std::vector<Turn> some = answered.in_turn.turns();
    some.resize(turns);
    const std::vector<Outcome> outcomes = answered.executor.run_in_turn(some, answered.in_turn.kernel);
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0].status, Outcome::Status::Error);
    EXPECT_EQ(outcomes[0].reason, "the GPU is gone");
    EXPECT_EQ(answered.executor.lost(), "the GPU is gone");
    EXPECT_EQ(answered.requests.size(), 1u) << "nothing is launched any more";
  }
}

TEST_F(CudaExecutorTest, LooksThatFailOnlyWhereTheyOverlapFindNothing) {
  InTurn in_turn;
  std::set<void*> streams;
  in_turn.kernel = sum_unless([&](void* stream) {
    streams.insert(stream);
    return streams.size() > 1;
  });
  const operation::Case value = sum_case(2, 4);
  const std::vector<property::Look> looks(kChains, property::Look{&value, {{.times = 3}}});
  Replaced executor([&](std::span<const LaunchPlan>) -> std::optional<Replaced::Outcomes> {
    streams.clear();
    return std::nullopt;
  });
  for (const auto& found : look_for_state(looks, in_turn.kernel, executor, {})) EXPECT_FALSE(found);
  EXPECT_FALSE(executor.may_run_at_once(in_turn.kernel));
}

TEST_F(CudaExecutorTest, LaunchesThatEndTheirProcessAtOnceRunInTurnAndAreWarnedOf) {
  std::set<void*> streams;
  kernel::Kernel kernel = make_kernel("reduce.sum", [&](const Args&, Workspace&, simt::Stream& stream) {
    streams.insert(stream.handle());
    if (streams.size() == 3) fake_gpu::fail_with(700);
    return LaunchResult{};
  });
  kernel.limits.rows.max = 0;
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
  EXPECT_EQ(outcome.failure->rule, "run.crash");
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
  EXPECT_EQ(absurd.failure->rule, "run.launch");
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
    RC_ASSERT(seen[i].output == expected[i].output);
  }
}

}  // namespace
}  // namespace negzero::run
