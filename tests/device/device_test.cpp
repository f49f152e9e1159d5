// What the device module says where there is no GPU, and how it sorts errors.

#include <cstdlib>
#include <set>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <negzero/device/error.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/device/probe_here.hpp>
#include <negzero/device/stream.hpp>

namespace negzero::device {
namespace {

TEST(Errors, TheStickyOnesAreThese) {
  const std::set<int> sticky = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};
  for (int code = 0; code < 1000; ++code) {
    EXPECT_EQ(is_sticky(code), sticky.count(code) == 1) << code;
    if (is_kernels_doing(code)) {
      EXPECT_TRUE(is_sticky(code)) << code;
    }
  }
  for (const int machine : {214, 220, 226, 810, 911}) EXPECT_FALSE(is_kernels_doing(machine)) << machine;
  for (const int kernel : {700, 716, 719}) EXPECT_TRUE(is_kernels_doing(kernel)) << kernel;
}

TEST(Errors, ADescriptionNamesTheNumber) {
  EXPECT_NE(describe(700).find("CUDA error 700"), std::string::npos);
  if (kHasCuda) {
    EXPECT_NE(describe(700).find("illegal memory access"), std::string::npos);
  }
}

// Holds with and without a GPU: either there is one, or there is a reason and a cure.
TEST(Probe, AnswersOrSaysWhyNot) {
  const Probe seen = probe();
  EXPECT_EQ(seen.has_cuda, kHasCuda);
  EXPECT_EQ(seen.usable(), !seen.usable_gpus().empty());
  EXPECT_EQ(seen.why_not.empty(), seen.cure.empty());
  if (!kHasCuda && !seen.usable()) {
    EXPECT_EQ(seen.why_not, "this program was built without CUDA");
  }
  if (kHasCuda) {
    EXPECT_GT(seen.runtime_version, 0);
  }
  for (const Gpu& gpu : seen.gpus) {
    EXPECT_FALSE(gpu.name.empty());
    EXPECT_GT(gpu.memory_bytes, 0u);
  }
}

int delays_told(const char* delay_ms) {
  void* const driver = ::dlopen(NEGZERO_STAND_IN, RTLD_NOW | RTLD_GLOBAL);
  EXPECT_NE(driver, nullptr) << ::dlerror();
  ::setenv("NEGZERO_STAND_IN_DELAY", delay_ms, 1);
  int told = 0;
  const Probe seen = probe([&] { ++told; });
  ::unsetenv("NEGZERO_STAND_IN_DELAY");
  ::dlclose(driver);
  EXPECT_EQ(seen.usable_gpus(), std::vector<int>{0}) << "it is waited for";
  return told;
}

TEST(Probe, SaysOnceThatTheDriverTakesItsTime) {
  if (kHasCuda) GTEST_SKIP() << "this program asks by CUDA's runtime";
  EXPECT_EQ(delays_told("0"), 0);
  EXPECT_EQ(delays_told("3500"), 1);
}

// The stand-in has the name of the driver's library, so that it is what dlopen() finds: a GPU that works and one that
// does not.
TEST(Probe, AProgramWithoutCudaAsksTheDriver) {
  if (kHasCuda) GTEST_SKIP() << "this program asks by CUDA's runtime";
  void* const driver = ::dlopen(NEGZERO_STAND_IN, RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(driver, nullptr) << ::dlerror();
  const Probe seen = probe();
  ::dlclose(driver);
  EXPECT_FALSE(seen.has_cuda);
  EXPECT_EQ(seen.driver_version, 13000);
  ASSERT_EQ(seen.gpus.size(), 2u);
  EXPECT_EQ(seen.usable_gpus(), std::vector<int>{0});
  EXPECT_EQ(seen.why_not, "");
  EXPECT_EQ(seen.cure, "");
  const Gpu& works = seen.gpus.front();
  EXPECT_EQ(works.name, "stand-in 0");
  EXPECT_EQ(works.major, 9);
  EXPECT_EQ(works.minor, 1);
  EXPECT_EQ(works.multiprocessors, 132);
  EXPECT_EQ(works.memory_bytes, 80u << 20);
  EXPECT_EQ(works.free_bytes, 70u << 20);
  EXPECT_EQ(seen.gpus.back().trouble, "CUDA error 2 (CUDA_ERROR_OUT_OF_MEMORY)");
}

TEST(Probe, LeavesNoChild) {
  (void)probe();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Probe, OnlyGpusWithoutTroubleAreUsable) {
  Probe mixed;
  mixed.gpus.push_back({.number = 0, .trouble = "CUDA error 46 (devices unavailable)"});
  mixed.gpus.push_back({.number = 3});
  EXPECT_EQ(mixed.usable_gpus(), std::vector<int>{3});
}

TEST(Probe, VersionsReadAsPeopleWriteThem) {
  EXPECT_EQ(version_text(13000), "13.0");
  EXPECT_EQ(version_text(12040), "12.4");
}

TEST(Stream, WithoutAGpuItIsAnErrorOfTheRightKind) {
  if (probe().usable()) GTEST_SKIP() << "there is a GPU";
  const auto stream = Stream::make();
  ASSERT_FALSE(stream.ok());
  EXPECT_EQ(stream.error().kind, kHasCuda ? base::ErrorKind::Infrastructure : base::ErrorKind::Unavailable);
  const auto used = use_gpu(0);
  ASSERT_FALSE(used.ok());
  EXPECT_NE(used.error().message.find(kHasCuda ? "GPU 0" : "without CUDA"), std::string::npos) << used.error().message;
}

TEST(Buffer, NothingIsReservedWithoutAGpu) {
  if (probe().usable()) GTEST_SKIP() << "there is a GPU";
  DeviceBuffer memory;
  EXPECT_FALSE(memory.reserve(16).ok());
  EXPECT_EQ(memory.size_bytes(), 0u);
  EXPECT_EQ(memory.data(), nullptr);
}

}  // namespace
}  // namespace negzero::device
