// Work on many items at once: one reply each, and the one item to blame is found when the child dies of a batch.

#include <csignal>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <negzero/run/deaths.hpp>
#include <negzero/run/isolated.hpp>

#include "worker_items.hpp"

namespace negzero::run {
namespace {

using namespace run_test;

/// Letters as in misbehave(), and: 'B' dies only in a batch; 'i' ends the worker by Blame::Item; 'M' by Blame::Machine.
std::string one(char letter, bool together) {
  if (letter == 'B' && together) std::abort();
  if (letter == 'i') {
    mark_kernel(true);
    end_worker(Blame::Item, 700, "CUDA error 700 (a test)");
  }
  if (letter == 'M') end_worker(Blame::Machine, 1, "the GPU is lost");
  return misbehave(letter);
}

std::string work(std::string_view request, std::uint64_t index) {
  return one(request[static_cast<std::size_t>(index)], false);
}

/// All items are worked on before the first reply, as on a GPU.
void batch(std::string_view request, std::uint64_t begin, std::uint64_t end, const Isolation::Emit& emit) {
  std::vector<std::string> replies;
  for (std::uint64_t i = begin; i < end; ++i) replies.push_back(one(request[static_cast<std::size_t>(i)], true) + "!");
  emit(replies);
}

Isolation isolation(int jobs = 1, std::uint64_t timeout_ms = 60000) {
  return Isolation(options(jobs, timeout_ms), work, batch);
}

TEST(Batch, RepliesComeInOrder) {
  Isolation workers = isolation(2);
  const Items seen = run_all(workers, {by_letters("kkkk", 0), by_letters("k", 1), by_letters("kk", 2)});
  EXPECT_EQ(seen.size(), 7u);
  for (const auto& [key, event] : seen) EXPECT_EQ(event.reply, "did k!") << "the batch function did it";
}

TEST(Batch, ATaskCanAskForSingleItems) {
  Isolation workers = isolation();
  Task task = by_letters("kk");
  task.singly = true;
  for (const auto& [key, event] : run_all(workers, {task})) EXPECT_EQ(event.reply, "did k");
}

TEST(Batch, ADeathIsBlamedOnTheOneItemThatDiesAlone) {
  for (const char how : {'a', 'x', 's', 'e', 'b', 'g', 'C', 'i', 'm'}) {
    Isolation workers = isolation();
    const Items seen = run_all(workers, {by_letters(std::string("kkk") + how + "kk")});
    ASSERT_EQ(seen.size(), 6u) << how;
    for (const auto& [key, event] : seen) {
      EXPECT_EQ(event.death.has_value(), key.second == 3) << how << " item " << key.second;
      EXPECT_FALSE(event.batch_death) << how << ": item 3 explains it";
    }
  }
}

TEST(Batch, AHangIsBlamedOnItsItem) {
  Isolation workers = isolation(1, 1500);
  const Items seen = run_all(workers, {by_letters("kkHk")});
  ASSERT_EQ(seen.size(), 4u);
  ASSERT_TRUE(seen.at({0, 2}).death);
  EXPECT_EQ(seen.at({0, 2}).death->kind, Death::Kind::Hang);
  EXPECT_EQ(seen.at({0, 3}).reply, "did k");
}

TEST(Batch, SeveralDeathsInOneBatch) {
  Isolation workers = isolation(2);
  const Items seen = run_all(workers, {by_letters("kakxkk", 0), by_letters("kkkk", 1)});
  EXPECT_EQ(seen.size(), 10u);
  int deaths = 0;
  for (const auto& [key, event] : seen) deaths += event.death ? 1 : 0;
  EXPECT_EQ(deaths, 2);
  EXPECT_EQ(seen.at({1, 0}).reply, "did k!") << "other tasks stay batches";
}

TEST(Batch, ADeathThatNobodyRepeatsAloneIsNotLost) {
  Isolation workers = isolation();
  const Items seen = run_all(workers, {by_letters("kBkk")});
  ASSERT_EQ(seen.size(), 4u);
  for (const auto& [key, event] : seen) {
    EXPECT_FALSE(event.death);
    EXPECT_EQ(event.batch_death.has_value(), key.second == 3) << "said once, at the last item";
  }
  const operation::Verdict verdict = verdict_of_batch_death(*seen.at({0, 3}).batch_death);
  EXPECT_EQ(verdict.kind, operation::VerdictKind::Error);
  EXPECT_NE(verdict.reason.find("signal 6"), std::string::npos) << verdict.reason;
}

TEST(Batch, AWorkerThatEndsItselfSaysWhy) {
  Isolation workers = isolation();
  const Items seen = run_all(workers, {by_letters("ik")});
  const Death& death = *seen.at({0, 0}).death;
  EXPECT_EQ(death.kind, Death::Kind::Told);
  EXPECT_EQ(death.code, 700);
  EXPECT_TRUE(death.in_kernel);
  const operation::Verdict verdict = verdict_of_death(death);
  ASSERT_EQ(verdict.kind, operation::VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, operation::FailureClass::Crash);
  EXPECT_EQ(verdict.failure->rule, "run.crash");
  EXPECT_EQ(verdict.failure->message, "CUDA error 700 (a test) while the kernel ran");
}

TEST(Batch, ALostMachineEndsTheRunAndBlamesNobody) {
  Isolation workers = isolation();
  Queue queue({by_letters("kk", 0), by_letters("kMk", 1)});
  std::size_t events = 0;
  const auto on_event = [&](const Event& event) {
    EXPECT_FALSE(event.death);
    ++events;
    return true;
  };
  const base::Status done = workers.run([&] { return queue(); }, on_event, never);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "the GPU is lost");
  EXPECT_EQ(events, 2u);
}

TEST(Batch, TheRestIsDroppedWhenItIsNotWanted) {
  Isolation workers = isolation();
  Queue queue({by_letters("kkakak", 0), by_letters("kk", 1)});
  std::vector<std::uint64_t> seen;
  const auto on_event = [&](const Event& event) {
    if (event.tag == 0) seen.push_back(event.index);
    return !event.death;
  };
  ASSERT_TRUE(workers.run([&] { return queue(); }, on_event, never).ok());
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Prepare, RunsOnceInEachWorkerWithItsNumber) {
  static int prepared = -1;  // In a worker: the number it was given.
  Isolation workers(
      options(2),
      [](std::string_view, std::uint64_t) {
        ::usleep(20000);  // Long enough for the other worker to get a task.
        return std::to_string(prepared);
      },
      {},
      [](int number) -> base::Status {
        prepared = number;
        return base::Ok{};
      });
  std::set<std::string> numbers;
  std::vector<Task> tasks;
  for (std::uint64_t tag = 0; tag < 8; ++tag) tasks.push_back(by_letters("k", tag));
  for (const auto& [key, event] : run_all(workers, tasks)) numbers.insert(event.reply);
  EXPECT_EQ(numbers, (std::set<std::string>{"0", "1"}));
  EXPECT_EQ(prepared, -1) << "never here";
}

TEST(Prepare, ItsErrorIsTheRunsError) {
  Isolation workers(options(1), work, batch, [](int) -> base::Status {
    return base::Error{base::ErrorKind::Unavailable, "GPU 0 is not there"};
  });
  Queue queue({by_letters("kk")});
  const base::Status done = workers.run([&] { return queue(); }, [](const Event&) { return true; }, never);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, base::ErrorKind::Unavailable);
  EXPECT_EQ(done.error().message, "GPU 0 is not there");
}

TEST(Prepare, HasATimeOfItsOwn) {
  Isolation workers(options(1, 100), work, batch, [](int) -> base::Status {
    ::usleep(400000);
    return base::Ok{};
  });
  EXPECT_EQ(run_all(workers, {by_letters("kk")}).size(), 2u);
}

}  // namespace
}  // namespace negzero::run
