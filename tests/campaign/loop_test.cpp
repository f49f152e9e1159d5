// What is ordered at a loop's desk is examined beside the source's cases, by the same examiners.

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/loop.hpp>

#include "kernels.hpp"
#include "processes.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using verdict::Verdict;
using verdict::VerdictKind;

/// Tasks of `good.max` until `cases` were handed out.
struct Cases final : Source, Sink {
  explicit Cases(std::uint64_t cases) : left(cases) {}
  std::optional<Task> next(int) override {
    if (left == 0) return std::nullopt;
    const std::uint64_t some = std::min<std::uint64_t>(left, 8);
    left -= some;
    return Task{{.kernel = "good.max", .watch = Watch::Never, .source = GeneratedRange{1, left, left + some, {}}}};
  }
  bool take(std::uint64_t, const Reply& reply) override {
    EXPECT_EQ(reply.verdict.kind, VerdictKind::Pass) << reply.verdict.reason;
    ++replies;
    return true;
  }
  void pass_time() override {
    if (at_time) at_time();
  }
  std::uint64_t left = 0, replies = 0;
  std::function<void()> at_time{};
};

/// What a thread gets for some cases of good.max that it orders one after the other: `count` times, or until `stop` and
/// once more.
struct Orders {
  std::vector<VerdictKind> kinds;
  std::optional<base::Error> error;
};
Orders order(const EvaluationOptions& options, Desk& desk, int count, const Stop& stop = {}) {
  Evaluator evaluator(options, desk);
  Orders result;
  for (bool goes_on = true; goes_on && count > 0; --count) {
    goes_on = !stop || !stop();
    const std::vector<operation::Case> cases(5, max_case({1, 2, 3}));
    const auto verdicts = evaluator.evaluate(cases, *kernel_named("good.max"));
    if (!verdicts) {
      result.error = verdicts.error();
      return result;
    }
    for (const Verdict& verdict : *verdicts) result.kinds.push_back(verdict.kind);
  }
  return result;
}

/// The same on a thread, which is a user of the desk until it has them.
std::future<Orders> ordered(const EvaluationOptions& options, Desk& desk, int count, const Stop& stop = {}) {
  auto user = std::make_unique<Desk::User>(desk);
  return std::async(std::launch::async, [&options, &desk, count, stop, user = std::move(user)]() mutable {
    Orders result = order(options, desk, count, stop);
    user.reset();
    return result;
  });
}

TEST(Loop, OrdersAreExaminedBesideTheSourcesCases) {
  for (const EvaluationOptions& options :
       {EvaluationOptions{.jobs = 1}, EvaluationOptions{.jobs = 3}, EvaluationOptions{.in_process = true}}) {
    SCOPED_TRACE(std::to_string(options.jobs) + (options.in_process ? " in-process" : ""));
    Loop loop(options);
    Cases cases(400);
    std::vector<std::future<Orders>> orders;
    for (int i = 0; i < 3; ++i) orders.push_back(ordered(options, loop.desk(), 20));
    ASSERT_TRUE(loop.run(cases, cases, StopCondition()).ok());
    for (std::future<Orders>& each : orders) {
      const Orders got = each.get();
      EXPECT_FALSE(got.error);
      EXPECT_EQ(got.kinds, std::vector<VerdictKind>(100, VerdictKind::Pass));
    }
    EXPECT_EQ(cases.replies, 400u);
    EXPECT_EQ(examiners().size(), options.in_process ? 0u : static_cast<std::size_t>(options.jobs)) << "no others";
  }
}

TEST(Loop, ASingleExaminerTakesTurns) {
  const EvaluationOptions options{.in_process = true};
  Loop loop(options);
  Cases cases(std::uint64_t{1} << 40);
  std::atomic<bool> is_over = false;
  const Stop over = [&] { return is_over.load(); };
  std::future<Orders> orders = ordered(options, loop.desk(), 1 << 30, over);
  std::uint64_t turns = 0, replies = 0;
  auto last = StopCondition::Clock::now();
  cases.at_time = [&] {
    // A turn of the desk: no case of the source for a fifth of a second.
    if (std::exchange(replies, cases.replies) != cases.replies) {
      turns += StopCondition::Clock::now() - last > std::chrono::milliseconds(200) ? 1 : 0;
      last = StopCondition::Clock::now();
    }
    if (turns == 2) is_over = true;
  };
  ASSERT_TRUE(loop.run(cases, cases, StopCondition(over)).ok());
  EXPECT_GT(cases.replies, 100u);
  EXPECT_GT(orders.get().kinds.size(), 100u);
}

TEST(Loop, WhatIsOrderedBehindItsEndHasNoVerdict) {
  const EvaluationOptions options{.jobs = 1};
  Loop loop(options);
  Cases cases(1u << 20);
  StopCondition stop([&] { return cases.replies > 0; });
  std::atomic<bool> has_ended = false;
  std::future<Orders> orders = ordered(options, loop.desk(), 1 << 30, [&] { return has_ended.load(); });
  ASSERT_TRUE(loop.run(cases, cases, stop).ok());
  has_ended = true;
  const Orders got = orders.get();
  EXPECT_FALSE(got.error) << "an interrupt is no error";
  EXPECT_EQ(got.kinds.back(), VerdictKind::Error);
}

}  // namespace
}  // namespace negzero::campaign
