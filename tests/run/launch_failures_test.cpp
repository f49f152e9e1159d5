// What becomes of threads that go wrong on the device: barriers, endless waits, impossible launches, shared memory.

#include <gtest/gtest.h>

#include <negzero/cuda/cuda.hpp>
#include <negzero/run/local_executor.hpp>

#include "cases.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using verdict::FailureClass;

__global__ void sum_kernel(const float* x, float* y) { y[blockIdx.x] = x[blockIdx.x]; }

__global__ void divergent_kernel(const float* x, float* y) {
  if (threadIdx.x == 0) {
    __syncthreads();
    y[0] = x[0];
    __syncthreads();
  } else {
    __syncthreads();
    y[0] = x[0];
    if (threadIdx.x < 16) __syncthreads();
    if (threadIdx.x >= 16) __syncthreads();
  }
}

__global__ void waiting_kernel(const float*, float* y) {
  auto* const flag = reinterpret_cast<unsigned*>(y);
  atomicExch(flag, 0u);
  while (atomicCAS(flag, 1u, 1u) != 1u) {
  }
}

__global__ void overrun_kernel(const float* x, float* y) {
  NEGZERO_SHARED(float, tile, [8]);
  tile[8 + threadIdx.x] = 1.0f;
  y[0] = x[0];
}

Outcome run_with(void (*device)(const float*, float*), unsigned blocks, unsigned threads) {
  HostExecutor executor;
  const operation::Case value = sum_case(1, 1);
  return executor.run(value,
                      make_kernel("reduce.sum",
                                  [=](const Args& args, Workspace&, engine::Stream& stream) {
                                    const auto& reduce = reduce_args(args);
                                    const float* const x = reduce.x.as<float>();
                                    launch(stream, device, blocks, threads, 0, x, reduce.y.as<float>());
                                    return LaunchResult::launched();
                                  }),
                      {});
}

void expect_failure(const Outcome& outcome, FailureClass kind, const std::string& rule) {
  ASSERT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.failure->kind, kind);
  EXPECT_EQ(outcome.failure->rule.id(), rule);
  EXPECT_FALSE(outcome.failure->message.empty());
}

TEST(LaunchFailures, AHealthyLaunchCompletes) {
  EXPECT_EQ(run_with(sum_kernel, 1, 1).status, Outcome::Status::Completed);
}

TEST(LaunchFailures, DivergentBarrier) {
  expect_failure(run_with(divergent_kernel, 1, 32), FailureClass::DivergentBarrier, "run.barrier");
}

TEST(LaunchFailures, HangWithinItsBudget) {
  expect_failure(run_with(waiting_kernel, 1, 1), FailureClass::Hang, "run.hang");
}

TEST(LaunchFailures, InvalidLaunch) {
  expect_failure(run_with(sum_kernel, 1, 2048), FailureClass::Crash, "run.launch");
  expect_failure(run_with(sum_kernel, 0, 32), FailureClass::Crash, "run.launch");
}

#ifndef NEGZERO_SANITIZE  // The address sanitizer ends the program at the write itself.
TEST(LaunchFailures, SharedOverrun) {
  expect_failure(run_with(overrun_kernel, 1, 1), FailureClass::OutOfBoundsAccess, "run.shared");
}
#endif

}  // namespace
}  // namespace negzero::run
