// What tests of the CUDA executor share: executors on the GPU that is host memory, and kernels that err on it.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/run/executor.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/worker/cuda_launcher.hpp>

#include "../run/cases.hpp"
#include "fake_device.hpp"

namespace negzero::run_test {

using protocol::LaunchOutcome;
using protocol::LaunchPlan;
using run::CudaExecutor;
using run::Executor;
using run::Outcome;
using worker::CudaLauncher;

class CudaExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override { fake_gpu::reset(); }
  void TearDown() override { fake_gpu::reset(); }
};

inline std::unique_ptr<Executor> gpu() {
  auto made = CudaExecutor::make({.gpu = 0});
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

inline void flip(void* base, std::ptrdiff_t byte) { static_cast<unsigned char*>(base)[byte] ^= 1; }

inline void expect_same(const Outcome& host, const Outcome& cuda, const std::string& what) {
  EXPECT_EQ(host.status, cuda.status) << what << ": " << cuda.reason;
  EXPECT_EQ(host.reason, cuda.reason) << what;
  EXPECT_EQ(host.failure, cuda.failure) << what << ": " << (host.failure ? host.failure->message : "") << " / "
                                        << (cuda.failure ? cuda.failure->message : "");
  EXPECT_EQ(host.outputs, cuda.outputs) << what;
}

/// An executor whose process is replaced where it ends: another launcher then stands for it.
class Replaced final : public Executor {
 public:
  using Outcomes = std::vector<LaunchOutcome>;
  /// Is told of each request: nothing where it should be launched, or what it gives instead: none where it ends its
  /// process.
  using Instead = std::function<std::optional<Outcomes>(std::span<const LaunchPlan>)>;
  explicit Replaced(Instead instead = {}) : instead_(std::move(instead)) {}
  [[nodiscard]] kernel::Place place() const noexcept override { return kernel::Place::Device; }
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

/// A sum that also does something to y where `is_wrong` says so of its stream.
inline kernel::Kernel sum_unless(std::function<bool(void* stream)> is_wrong) {
  kernel::Kernel kernel = sum_kernel();
  kernel.launch = [is_wrong, sum = kernel.launch](const Args& args, Workspace& workspace, engine::Stream& stream) {
    LaunchResult result = sum(args, workspace, stream);
    if (is_wrong(stream.handle())) reduce_args(args).y.as<float>()[0] += 1;
    return result;
  };
  return kernel;
}

}  // namespace negzero::run_test
