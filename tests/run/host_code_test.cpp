// Launch wrappers whose host code does what a GPU, or the next kernel, would not forgive.

#include <cfenv>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <negzero/base/float_environment.hpp>
#include <negzero/engine/host_code.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/worker/host_launcher.hpp>

#include "cases.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using base::FloatEnvironment;
using verdict::FailureClass;
using Wrapper = std::function<void(const ReduceArgs&, Workspace&, engine::Stream&)>;

/// A kernel for sums whose wrapper does `before`, launches, and does `after`.
kernel::Kernel wrapped(Wrapper before, Wrapper after) {
  return make_kernel("reduce.sum", [=](const Args& args, Workspace& workspace, engine::Stream& stream) {
    const auto& reduce = reduce_args(args);
    if (before) before(reduce, workspace, stream);
    on_device(stream, [&] { sum_rows(reduce); });
    if (after) after(reduce, workspace, stream);
    return LaunchResult::launched();
  });
}

Outcome outcome_of(const operation::Case& value, const kernel::Kernel& kernel) {
  HostExecutor executor;
  return executor.run(value, kernel, kernel.contract);
}

void expect_finding(const Outcome& outcome, FailureClass kind, const std::string& rule, const std::string& words) {
  ASSERT_EQ(outcome.status, Outcome::Status::Failed) << outcome.reason;
  EXPECT_EQ(outcome.failure->kind, kind);
  EXPECT_EQ(outcome.failure->rule.id(), rule);
  EXPECT_NE(outcome.failure->message.find(words), std::string::npos) << outcome.failure->message;
}

void expect_access(const kernel::Kernel& kernel, const std::string& words) {
  expect_finding(outcome_of(sum_case(3, 2), kernel), FailureClass::HostAccess, "run.host_access", words);
}

TEST(HostCode, AnAnswerComputedByTheHostIsAFinding) {
  expect_access(make_kernel("reduce.sum",
                            [](const Args& args, Workspace&, engine::Stream&) {
                              sum_rows(reduce_args(args));
                              return LaunchResult::launched();
                            }),
                "host code read byte 0 of x");
}

TEST(HostCode, ALookAtAnInputBeforeTheLaunchIsAFinding) {
  expect_access(wrapped(
                    [](const ReduceArgs& args, Workspace&, engine::Stream&) {
                      volatile float seen = args.x.as<float>()[5];
                      (void)seen;
                    },
                    {}),
                "host code read byte 20 of x");
}

TEST(HostCode, APatchAfterTheLaunchIsAFinding) {
  expect_access(wrapped({}, [](const ReduceArgs& args, Workspace&, engine::Stream&) { args.y.as<float>()[2] = 1; }),
                "host code wrote byte 8 of y");
}

TEST(HostCode, WorkspaceIsDeviceMemoryToo) {
  expect_access(wrapped(
                    [](const ReduceArgs&, Workspace& workspace, engine::Stream&) {
                      workspace.allocate(16);
                      static_cast<char*>(workspace.allocate(5000))[4999] = 0;
                    },
                    {}),
                "host code wrote byte 4999 of workspace 1");
}

TEST(HostCode, AThreadOfTheWrapperIsHostCode) {
  expect_access(wrapped({}, [](const ReduceArgs& args, Workspace&,
                               engine::Stream&) { std::thread([&] { args.y.as<float>()[0] = 1; }).join(); }),
                "host code wrote byte 0 of y");
}

TEST(HostCode, NothingIsLaunchedAfterAnAccess) {
  int launches = 0;
  const auto kernel = make_kernel("reduce.sum", [&](const Args& args, Workspace&, engine::Stream& stream) {
    reduce_args(args).y.as<float>()[0] = 0;
    on_device(stream, [&] { ++launches; });
    return LaunchResult::launched();
  });
  expect_access(kernel, "byte 0 of y");
  EXPECT_EQ(launches, 0);
}

TEST(HostCode, WhatItThrowsOrRefusesAfterwardsSaysLess) {
  const auto kernel = [](bool throws) {
    return make_kernel("reduce.sum", [=](const Args& args, Workspace&, engine::Stream&) {
      const float seen = reduce_args(args).x.as<float>()[0];
      if (throws) throw std::runtime_error("no row starts with " + std::to_string(seen));
      return LaunchResult::refuse("nor does any other");
    });
  };
  expect_access(kernel(true), "host code read byte 0 of x");
  expect_access(kernel(false), "host code read byte 0 of x");
}

TEST(HostCode, CopiesAndFillsAreWhatAWrapperMayDo) {
  const kernel::Kernel kernel =
      make_kernel("reduce.sum", [](const Args& args, Workspace& workspace, engine::Stream& stream) {
        const auto& reduce = reduce_args(args);
        auto* const scratch = static_cast<float*>(workspace.allocate(2 * sizeof(float)));
        const float one = 1;
        float back[3] = {};
        engine::fill_on_host(stream, scratch, 0, 2 * sizeof(float));
        engine::copy_on_host(stream, scratch + 1, &one, sizeof one);
        on_device(stream, [&] {
          sum_rows(reduce);
          reduce.y.as<float>()[0] += scratch[0] + scratch[1];
        });
        engine::copy_on_host(stream, back, reduce.y.data, sizeof back);
        back[1] += 2;
        engine::copy_on_host(stream, reduce.y.data, back, sizeof back);
        return LaunchResult::launched();
      });
  const Outcome outcome = outcome_of(sum_case(3, 2), kernel);
  ASSERT_EQ(outcome.status, Outcome::Status::Completed);
  const number::Format& f32 = outcome.outputs.front().format();
  EXPECT_EQ(number::to_double(f32, outcome.outputs.front().get(0)), 1 + 2 + 1);
  EXPECT_EQ(number::to_double(f32, outcome.outputs.front().get(1)), 11 + 12 + 2);
  EXPECT_EQ(number::to_double(f32, outcome.outputs.front().get(2)), 21 + 22);
}

TEST(HostCode, LaterRunsAreSeenNowAndThenAndThoseWithoutALaunchAlways) {
  const operation::Case value = sum_case(3, 2);
  int runs = 0;
  const auto turns_bad = [&](bool launches) {
    return make_kernel("reduce.sum", [&, launches](const Args& args, Workspace&, engine::Stream& stream) {
      const auto& reduce = reduce_args(args);
      const bool good = ++runs <= static_cast<int>(worker::HostLauncher::kLaunchesClosed);
      if (good || launches) on_device(stream, [&] { sum_rows(reduce); });
      if (!good) sum_rows(reduce);
      return LaunchResult::launched();
    });
  };
  const auto first_finding = [&](kernel::Kernel kernel, std::string name) {
    HostExecutor executor;
    kernel.name = std::move(name);
    runs = 0;
    // That chance spares a launch so often happens once in 10^14 times.
    for (std::uint64_t run = 0;
         run < worker::HostLauncher::kLaunchesClosed + 500 * worker::HostLauncher::kClosedEvery / 16; ++run) {
      if (executor.run(value, kernel, {}).status == Outcome::Status::Failed) return run;
    }
    return ~std::uint64_t{0};
  };
  EXPECT_EQ(first_finding(turns_bad(false), "test.launches_no_more"), worker::HostLauncher::kLaunchesClosed);
  EXPECT_NE(first_finding(turns_bad(true), "test.patches_later"), ~std::uint64_t{0});
}

TEST(HostCode, AChangedEnvironmentIsAFindingOfItsKernelAlone) {
  const FloatEnvironment before = FloatEnvironment::current();
  const auto rounds_up = [](const ReduceArgs&, Workspace&, engine::Stream&) { std::fesetround(FE_UPWARD); };
  const operation::Case value = sum_case(3, 2);
  const auto expect = [&](const kernel::Kernel& kernel, const std::string& words) {
    expect_finding(outcome_of(value, kernel), FailureClass::ChangedEnvironment, "run.environment",
                   "rounding was switched upward " + words);
    EXPECT_EQ(FloatEnvironment::current(), before);
  };
  expect(wrapped(rounds_up, {}), "by host code of the launch wrapper, before this launch");
  expect(wrapped({}, rounds_up), "by host code of the launch wrapper, after its last launch");
  expect(sum_kernel([](const ReduceArgs&, Workspace&) { std::fesetround(FE_UPWARD); }), "while the kernel ran");
  EXPECT_EQ(outcome_of(value, sum_kernel()).status, Outcome::Status::Completed);
}

TEST(HostCode, TheExecutorsOwnEnvironmentDoesNotReachAKernel) {
  const FloatEnvironment before = FloatEnvironment::current();
  std::fesetround(FE_DOWNWARD);
  const FloatEnvironment changed = FloatEnvironment::current();
  bool in_wrapper = false, in_kernel = false;
  const kernel::Kernel kernel = make_kernel("reduce.sum", [&](const Args& args, Workspace&, engine::Stream& stream) {
    in_wrapper = FloatEnvironment::current() == FloatEnvironment::cuda_default();
    on_device(stream, [&] {
      in_kernel = FloatEnvironment::current() == FloatEnvironment::cuda_default();
      sum_rows(reduce_args(args));
    });
    return LaunchResult::launched();
  });
  const Outcome outcome = outcome_of(sum_case(3, 2), kernel);
  const FloatEnvironment after = FloatEnvironment::current();
  before.set();
  EXPECT_EQ(outcome.status, Outcome::Status::Completed);
  EXPECT_TRUE(in_wrapper);
  EXPECT_TRUE(in_kernel);
  EXPECT_EQ(after, changed) << "what was there before is there again";
}

}  // namespace
}  // namespace negzero::run
