// `negzero doctor` and the choice of an executor, with a GPU and without one.

#include <cstdlib>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/cli/executor_choice.hpp>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(Doctor, AnswersEveryQuestionAndCuresEveryNo) {
  const Ran ran = run({"doctor", "--json"});
  EXPECT_EQ(ran.code, 0);
  const json document = ran.json();
  EXPECT_EQ(document["version"], 2);
  std::set<std::string> names;
  for (const json& item : document["doctor"]) {
    names.insert(item["name"].get<std::string>());
    EXPECT_FALSE(item["answer"].get<std::string>().empty()) << item;
    EXPECT_EQ(item.contains("cure"), !item["ok"].get<bool>()) << item;
    if (item.contains("cure")) {
      EXPECT_FALSE(item["cure"].get<std::string>().empty()) << item;
    }
  }
  for (const char* name :
       {"CPU", "compiler", "host executor", "CUDA executor", "address space", "--executor auto", "floating point",
        "memory of workers", "confined calls", "confined files", "confined rights"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  const Ran text = run({"doctor"});
  EXPECT_EQ(text.code, 0);
  for (const std::string& name : names) EXPECT_THAT(text.out, HasSubstr(name));
}

json item_of(const json& document, const std::string& name) {
  for (const json& item : document["doctor"]) {
    if (item["name"] == name) return item;
  }
  return {};
}

TEST(Doctor, FloatingPointIsAsCudaComputes) {
  EXPECT_EQ(item_of(run({"doctor", "--json"}).json(), "floating point")["ok"], true);
}

TEST(Doctor, NamesALibraryThatFlushesSubnormals) {
#if defined(NEGZERO_SANITIZE)
  GTEST_SKIP() << "the sanitizer's runtime wants to be loaded first";
#endif
  ::setenv("LD_PRELOAD", NEGZERO_FLUSHING, 1);
  const Ran ran = run({"doctor", "--json"});
  ::unsetenv("LD_PRELOAD");
  EXPECT_EQ(ran.code, 0);
  const json item = item_of(ran.json(), "floating point");
  EXPECT_EQ(item["ok"], false);
  EXPECT_THAT(item["answer"].get<std::string>(), HasSubstr("flush-to-zero was switched on"));
  EXPECT_THAT(item["cure"].get<std::string>(), HasSubstr("LD_PRELOAD"));
}

// The judge must not flush: with a library that does, a correct kernel stays correct. Two subnormal summands.
TEST(Doctor, WhatALibraryFlushesReachesNoVerdict) {
#if defined(NEGZERO_SANITIZE)
  GTEST_SKIP() << "the sanitizer's runtime wants to be loaded first";
#endif
  ::setenv("LD_PRELOAD", NEGZERO_FLUSHING, 1);
  const Directory folder;
  const Ran ran =
      run({"check", "scatter.add.*", "--cases", "200", "--weight", "extreme=1", "--save", folder / "found"});
  ::unsetenv("LD_PRELOAD");
  EXPECT_EQ(ran.code, 0) << ran.out;
}

TEST(Doctor, CountsTheWorkersThatMemoryHasRoomFor) {
  const json item = item_of(run({"doctor", "--json"}).json(), "memory of workers");
  EXPECT_THAT(item["answer"].get<std::string>(), HasSubstr("workers fit"));
}

device::Probe no_gpu() { return {.has_cuda = true, .why_not = "there is no driver", .cure = "install one"}; }

TEST(ExecutorChoice, AutoIsTheHostWithoutAGpu) {
  for (const char* word : {"auto", "host"}) {
    const auto choice = cli::choose_executor(word, no_gpu());
    ASSERT_TRUE(choice.ok()) << word;
    EXPECT_EQ(choice->place, kernel::Place::Host);
    EXPECT_TRUE(choice->gpus.empty());
  }
}

TEST(ExecutorChoice, CudaWithoutAGpuSaysWhyAndWhatToDo) {
  const auto choice = cli::choose_executor("cuda", no_gpu());
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().kind, base::ErrorKind::Unavailable);
  EXPECT_THAT(choice.error().message, HasSubstr("there is no driver"));
  EXPECT_THAT(choice.error().message, HasSubstr("install one"));
}

// This test program has no kernels at all: a GPU alone is not enough.
TEST(ExecutorChoice, AGpuWithoutAKernelForItIsNotChosen) {
  device::Probe probe{.has_cuda = true};
  probe.gpus.push_back({.number = 0});
  const std::string all = "*";
  if (!kernel::registry().match(std::span(&all, 1), kernel::Place::Device).empty()) {
    GTEST_SKIP() << "this program has CUDA kernels";
  }
  EXPECT_EQ(cli::choose_executor("auto", probe)->place, kernel::Place::Host);
  ASSERT_FALSE(cli::choose_executor("cuda", probe).ok());
  kernel::registry().add({.name = "gpu.some",
                          .operation = "gemm",
                          .launch = [](const kernel::Args&, kernel::Workspace&,
                                       engine::Stream&) { return kernel::LaunchResult::launched(); },
                          .place = kernel::Place::Device});
  const auto choice = cli::choose_executor("auto", probe);
  EXPECT_EQ(choice->place, kernel::Place::Device);
  EXPECT_EQ(choice->gpus, std::vector<int>{0});
  EXPECT_EQ(cli::choose_executor("host", probe)->place, kernel::Place::Host);
}

}  // namespace
}  // namespace negzero::cli_test
