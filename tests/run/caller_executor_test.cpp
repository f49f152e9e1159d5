// Functions that are called back: what they make of a launch becomes the outcome, in their own environment.

#include <cfenv>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/float_environment.hpp>
#include <negzero/run/caller_executor.hpp>

#include "cases.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using verdict::FailureClass;

/// Sums rows of F32 as a function of another language would, from the plan alone.
void sum_as_planned(const protocol::LaunchPlan& plan, std::byte* image) {
  const protocol::PlannedBuffer &x = plan.buffers.at(0), &y = plan.buffers.at(1);
  for (std::int64_t i = 0; i < x.layout.shape[0]; ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < x.layout.shape[1]; ++j) {
      float term = 0;
      const std::int64_t at = x.layout.offset + i * x.layout.strides[0] + j * x.layout.strides[1];
      std::memcpy(&term, image + x.at + 4 * at, 4);
      sum += term;
    }
    std::memcpy(image + y.at + 4 * (y.layout.offset + i * y.layout.strides[0]), &sum, 4);
  }
}

/// A caller whose memory is its own.
struct Caller {
  std::vector<std::byte> bytes;
  int asked = 0;
  std::byte* memory(std::size_t size) {
    ++asked;
    bytes.resize(size + 4096);
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + (4096 - address % 4096) % 4096;
  }
};

struct Ran {
  Outcome outcome;
  std::int64_t launches;
  bool is_stopped;
};

Ran run_once(const operation::Case& value, const CallerExecutor::Launch& launch) {
  Caller caller;
  std::fenv_t environment;
  std::fegetenv(&environment);
  CallerExecutor executor(
      launch, [&](std::size_t size) { return caller.memory(size); }, environment);
  const kernel::Kernel kernel{.name = "function", .operation = "reduce.sum"};
  Outcome outcome = executor.run(value, kernel, kernel.contract);
  return {std::move(outcome), executor.launches(), executor.is_stopped()};
}

TEST(CallerExecutor, GivesWhatTheFunctionWrote) {
  const operation::Case value = sum_case(3, 2);
  const Ran ran = run_once(value, [&](const Job& job, const protocol::LaunchPlan& plan, std::byte* image) {
    EXPECT_EQ(*job.value, value);
    sum_as_planned(plan, image);
    return Called{};
  });
  ASSERT_EQ(ran.outcome.status, Outcome::Status::Completed) << ran.outcome.reason;
  const number::Format& f32 = number::format(number::FormatId::F32);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ran.outcome.outputs.front().get(i), number::from_double(f32, static_cast<double>(20 * i + 3)));
  }
  EXPECT_EQ(ran.launches, 1);
}

TEST(CallerExecutor, SeesWritesBesideTheOutputAndElementsThatAreNotWritten) {
  const Ran beside = run_once(sum_case(3, 2), [](const Job&, const protocol::LaunchPlan& plan, std::byte* image) {
    sum_as_planned(plan, image);
    image[plan.buffers.at(1).at + 12] = std::byte{7};
    return Called{};
  });
  ASSERT_EQ(beside.outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(beside.outcome.failure->rule, verdict::Rule("run.guard"));
  const Ran input = run_once(sum_case(3, 2), [](const Job&, const protocol::LaunchPlan& plan, std::byte* image) {
    sum_as_planned(plan, image);
    image[plan.buffers.at(0).at] ^= std::byte{1};
    return Called{};
  });
  ASSERT_EQ(input.outcome.status, Outcome::Status::Failed);
  EXPECT_NE(input.outcome.failure->message.find("a write to input x"), std::string::npos);
  const Ran nothing =
      run_once(sum_case(3, 2), [](const Job&, const protocol::LaunchPlan&, std::byte*) { return Called{}; });
  ASSERT_EQ(nothing.outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(nothing.outcome.failure->rule, verdict::Rule("run.unwritten"));
  EXPECT_EQ(nothing.launches, 2);  // with the other poison too
}

TEST(CallerExecutor, ARefusalIsNoCrash) {
  const Ran refused = run_once(sum_case(3, 2), [](const Job&, const protocol::LaunchPlan&, std::byte*) {
    return Called{Called::How::Refused, "no tile for 2 columns"};
  });
  ASSERT_EQ(refused.outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(refused.outcome.failure->rule, verdict::Rule("run.refused"));
  EXPECT_EQ(refused.outcome.failure->kind, FailureClass::RefusedLegalRequest);
  EXPECT_EQ(refused.outcome.failure->message, "no tile for 2 columns");
}

TEST(CallerExecutor, AnExceptionAndAChangedCopyAreFailures) {
  const Ran raised = run_once(sum_case(3, 2), [](const Job&, const protocol::LaunchPlan&, std::byte*) {
    return Called{Called::How::Raised,
                  "ValueError: no\n\x1b"
                  "forged"};
  });
  ASSERT_EQ(raised.outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(raised.outcome.failure->rule, verdict::Rule("run.raised"));
  EXPECT_EQ(raised.outcome.failure->kind, FailureClass::Crash);
  EXPECT_EQ(raised.outcome.failure->message, "ValueError: no  forged") << "one line, which no terminal obeys";
  const Ran changed = run_once(sum_case(3, 2), [](const Job&, const protocol::LaunchPlan& plan, std::byte* image) {
    sum_as_planned(plan, image);
    return Called{Called::How::Changed, "x was changed"};
  });
  ASSERT_EQ(changed.outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(changed.outcome.failure->kind, FailureClass::OutOfBoundsAccess);
  EXPECT_EQ(changed.outcome.failure->message, "x was changed");
}

TEST(CallerExecutor, IsNotCalledAgainOnceItStopped) {
  Caller caller;
  std::fenv_t environment;
  std::fegetenv(&environment);
  int calls = 0;
  CallerExecutor executor(
      [&](const Job&, const protocol::LaunchPlan&, std::byte*) {
        ++calls;
        return Called{.how = Called::How::Stopped};
      },
      [&](std::size_t size) { return caller.memory(size); }, environment);
  const kernel::Kernel kernel{.name = "function", .operation = "reduce.sum"};
  EXPECT_EQ(executor.run(sum_case(3, 2), kernel, kernel.contract).status, Outcome::Status::Error);
  EXPECT_TRUE(executor.is_stopped());
  EXPECT_EQ(executor.run(sum_case(3, 2), kernel, kernel.contract).status, Outcome::Status::Error);
  EXPECT_EQ(calls, 1);
}

TEST(CallerExecutor, MemoryIsAskedForAgainOnlyWhereItIsTooSmall) {
  Caller caller;
  std::fenv_t environment;
  std::fegetenv(&environment);
  CallerExecutor executor(
      [](const Job&, const protocol::LaunchPlan& plan, std::byte* image) {
        sum_as_planned(plan, image);
        return Called{};
      },
      [&](std::size_t size) { return caller.memory(size); }, environment);
  const kernel::Kernel kernel{.name = "function", .operation = "reduce.sum"};
  const auto completes = [&](std::int64_t rows) {
    return executor.run(sum_case(rows, 2), kernel, kernel.contract).status == Outcome::Status::Completed;
  };
  EXPECT_TRUE(completes(3) && completes(5) && completes(1));
  EXPECT_EQ(caller.asked, 1);
  EXPECT_TRUE(completes(100'000));
  EXPECT_EQ(caller.asked, 2);
}

TEST(CallerExecutor, TooLittleMemoryIsAnErrorOfOurs) {
  std::fenv_t environment;
  std::fegetenv(&environment);
  CallerExecutor executor([](const Job&, const protocol::LaunchPlan&, std::byte*) { return Called{}; },
                          [](std::size_t) -> std::byte* { return nullptr; }, environment);
  const kernel::Kernel kernel{.name = "function", .operation = "reduce.sum"};
  EXPECT_EQ(executor.run(sum_case(3, 2), kernel, kernel.contract).status, Outcome::Status::Error);
  EXPECT_EQ(executor.launches(), 0);
}

TEST(CallerExecutor, LaunchesInTheCallersFloatingPointEnvironment) {
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(FE_UPWARD);
  int seen = -1;
  const Ran ran = [&] {
    std::fenv_t environment;
    std::fegetenv(&environment);
    const base::FloatScope scope;
    Caller caller;
    CallerExecutor executor(
        [&](const Job&, const protocol::LaunchPlan& plan, std::byte* image) {
          seen = std::fegetround();
          sum_as_planned(plan, image);
          return Called{};
        },
        [&](std::size_t size) { return caller.memory(size); }, environment);
    const kernel::Kernel kernel{.name = "function", .operation = "reduce.sum"};
    Outcome outcome = executor.run(sum_case(3, 2), kernel, kernel.contract);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    return Ran{std::move(outcome), executor.launches(), executor.is_stopped()};
  }();
  std::fesetenv(&before);
  EXPECT_EQ(seen, FE_UPWARD);
  EXPECT_EQ(ran.outcome.status, Outcome::Status::Completed);
}

}  // namespace
}  // namespace negzero::run
