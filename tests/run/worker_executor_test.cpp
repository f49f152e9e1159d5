// Workers come and go: when one is started, kept or replaced, what it says, what is left of it, and what is not its
// kernel's doing.

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <negzero/kernel/declaration.hpp>
#include <negzero/run/describe.hpp>
#include <negzero/run/worker.hpp>

#include "workers.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using Status = Outcome::Status;

pid_t only_child() {
  const std::vector<pid_t> all = children();
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? -1 : all.front();
}

Outcome run_one(Executor& executor, const std::string& name, const operation::Case& value) {
  return executor.run(value, named(name), {});
}

TEST(WorkerExecutor, KeepsAWorkerWhileTheSameKernelRuns) {
  WorkerExecutor executor(soon());
  EXPECT_TRUE(children().empty()) << "none is started before it is needed";
  expect_right(harmless(), run_one(executor, "good.sum", harmless()));
  const pid_t first = only_child();
  expect_right(harmless(), run_one(executor, "good.sum", harmless()));
  EXPECT_EQ(only_child(), first);
  expect_right(harmless(), run_one(executor, "good.other", harmless()));
  const pid_t second = only_child();
  EXPECT_NE(second, first) << "what a kernel left in its process is not met by another";
  executor.refresh();
  EXPECT_TRUE(children().empty());
  expect_right(harmless(), run_one(executor, "good.other", harmless()));
  EXPECT_NE(only_child(), second);
}

TEST(Workers, OfManyProgramsAreStartedByManyThreads) {
  constexpr int kThreads = 4, kPrograms = 20;
  std::atomic<int> errors = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&errors, t] {
        for (int i = 0; i < kPrograms; ++i) {
          const auto kernels = describe_kernels({"/no/such/program/" + std::to_string(i * kThreads + t)});
          errors += kernels.ok() ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(errors, kThreads * kPrograms);
}

TEST(WorkerExecutor, AWorkerThatIsKilledWhileIdleIsChargedToNobody) {
  WorkerExecutor executor(soon());
  for (int again = 0; again < 5; ++again) {
    expect_right(provoking(), run_one(executor, "good.sum", provoking()));
    ASSERT_EQ(::kill(only_child(), SIGKILL), 0);
  }
  const std::vector<operation::Case> cases(4, harmless());
  for (const Outcome& outcome : run_all(executor, "good.sum", cases)) expect_right(harmless(), outcome);
}

/// Kills each worker that appears, until it is told to stop or has killed that many.
class Killer {
 public:
  explicit Killer(int most)
      : thread_([this, most] {
          pid_t last = -1;
          while (!stop_ && killed_ < most) {
            ::usleep(30000);
            const std::vector<pid_t> all = children();
            if (all.empty() || all.front() == last) continue;
            last = all.front();
            ::usleep(50000);
            if (::kill(last, SIGKILL) == 0) ++killed_;
          }
        }) {}
  ~Killer() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] int killed() const { return killed_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> killed_{0};
  std::thread thread_;
};

TEST(WorkerExecutor, AWorkerThatIsKilledInItsWorkDoesItAgain) {
  WorkerExecutor executor({.timeout_ms = 10000});
  const Killer killer(2);
  expect_right(provoking(), run_one(executor, "slow.takes_200_ms", provoking()));
  EXPECT_EQ(killer.killed(), 2);
}

TEST(WorkerExecutor, OneThatIsKilledEveryTimeIsAnErrorWithACure) {
  WorkerExecutor executor({.timeout_ms = 10000});
  Outcome outcome;
  {
    const Killer killer(1000);
    outcome = run_one(executor, "slow.takes_200_ms", provoking());
  }
  ASSERT_EQ(outcome.status, Status::Error);
  EXPECT_NE(outcome.reason.find("killed from outside 3 times"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("--jobs"), std::string::npos) << outcome.reason;
}

TEST(WorkerExecutor, NoDescriptorAndNoZombieIsLeft) {
  const std::size_t before = open_descriptors();
  {
    WorkerExecutor executor(soon());
    for (const char* name : {"good.sum", "bad.abort", "bad.exit_0", "bad.spins", "bad.writes_garbage",
                             "bad.closes_descriptors", "good.other"}) {
      (void)run_one(executor, name, provoking());
      EXPECT_LE(open_descriptors(), before + 3) << "a socket, a pipe and the shared memory";
    }
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was not reaped";
  EXPECT_EQ(errno, ECHILD);
}

TEST(WorkerExecutor, AWorkerHasItsOwnDescriptorsOnly) {
  const int ours = ::open("/dev/null", O_RDONLY);  // Not to be closed by exec.
  WorkerExecutor other(soon());
  (void)run_one(other, "good.sum", harmless());
  WorkerExecutor executor(soon());
  expect_right(provoking(), run_one(executor, "says.its_descriptors", provoking()));
  EXPECT_EQ(executor.take_printed(), "0 1 2 3 ");
  ::close(ours);
}

TEST(WorkerExecutor, WhatAKernelPrintsIsCaptured) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::string said, last_words, too_much;
  {
    WorkerExecutor executor(soon());
    expect_right(provoking(), run_one(executor, "says.something", provoking()));
    said = executor.take_printed();
    EXPECT_EQ(executor.take_printed(), "");
    EXPECT_EQ(run_one(executor, "says.its_last_words", provoking()).status, Status::Failed);
    last_words = executor.take_printed();
    expect_right(provoking(), run_one(executor, "says.too_much", provoking()), "it goes on although nobody listens");
    too_much = executor.take_printed();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(said.find("from the kernel\n"), std::string::npos) << said;
  EXPECT_NE(said.find("and its standard error\n"), std::string::npos) << said;
  EXPECT_NE(last_words.find("farewell\n"), std::string::npos) << last_words;
  EXPECT_EQ(too_much.size(), 4096u);
}

TEST(WorkerExecutor, SharedMemoryGrowsWithItsCases) {
  WorkerExecutor executor({});
  const std::size_t before = open_descriptors();
  expect_right(harmless(), run_one(executor, "good.sum", harmless()));
  const pid_t worker = only_child();
  for (const std::int64_t columns : {1 << 10, 1 << 20, 3 << 20, 5}) {
    const operation::Case value = sum_case(3, columns);
    expect_right(value, run_one(executor, "good.sum", value), std::to_string(columns));
  }
  EXPECT_EQ(only_child(), worker) << "the same worker maps more";
  EXPECT_EQ(open_descriptors(), before + 3);
}

TEST(WorkerExecutor, TheWatchedBuildIsAskedOfTheSameProgram) {
  kernel::Kernel watched = named("good.sum");
  watched.build.watched = true;
  WorkerExecutor executor(soon());
  const Outcome outcome = executor.run(harmless(), watched, {});
  ASSERT_EQ(outcome.status, Status::Error);
  EXPECT_NE(outcome.reason.find("no watched build of kernel good.sum"), std::string::npos) << outcome.reason;
}

TEST(WorkerExecutor, AKernelThatTheProgramDoesNotHoldIsAnError) {
  kernel::Kernel missing = named("good.sum");
  missing.name = "good.elsewhere";
  WorkerExecutor executor(soon());
  const Outcome outcome = executor.run(harmless(), missing, {});
  ASSERT_EQ(outcome.status, Status::Error);
  EXPECT_NE(outcome.reason.find("no host build of kernel good.elsewhere"), std::string::npos) << outcome.reason;
}

TEST(WorkerExecutor, AProgramThatIsNoWorkerIsAnError) {
  const std::size_t before = open_descriptors();
  for (const std::vector<std::string>& program :
       {std::vector<std::string>{"/no/such/program"}, {"/bin/false"}, {"/bin/true"}, {"/"}}) {
    WorkerExecutor executor(WorkerOptions{});
    kernel::Kernel elsewhere = named("good.sum");
    elsewhere.build.program = program;
    const Outcome outcome = executor.run(harmless(), elsewhere, {});
    EXPECT_EQ(outcome.status, Status::Error) << program.front();
    EXPECT_FALSE(outcome.reason.empty());
    EXPECT_FALSE(describe_kernels(program).ok()) << program.front();
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(WorkerExecutor, AProgramSaysWhichKernelsItHolds) {
  const auto text = describe_kernels({});
  ASSERT_TRUE(text.ok()) << text.error().message;
  kernel::Registry registry;
  ASSERT_TRUE(kernel::declare({.declarations = *text}, registry).ok());
  EXPECT_NE(registry.find("good.sum", kernel::Place::Host), nullptr);
  EXPECT_EQ(*text, kernel::declarations(kernel::registry()));
}

// Time in which a worker waits for a core is not its own.
TEST(WorkerExecutor, ABusyMachineMakesNoHang) {
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (unsigned i = 0; i < 6 * cores; ++i) {
    busy.emplace_back([&] {
      while (!stop) {
      }
    });
  }
  WorkerExecutor executor({.timeout_ms = 600});
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = run_one(executor, "slow.works_300_ms", provoking());
  const auto passed = std::chrono::steady_clock::now() - start;
  stop = true;
  for (std::thread& thread : busy) thread.join();
  expect_right(provoking(), outcome);
  EXPECT_GT(passed, std::chrono::milliseconds(600)) << "the machine was not busy enough to show anything";
}

}  // namespace
}  // namespace negzero::run
