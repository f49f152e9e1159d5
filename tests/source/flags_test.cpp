// Flags of nvcc, and what a host compiler is given for them.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/source/flags.hpp>

namespace negzero::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HostFlags of(const std::vector<std::string>& words) {
  auto flags = host_flags(words, {"/p/q"});
  EXPECT_TRUE(flags.ok()) << flags.error().message;
  return flags ? *std::move(flags) : HostFlags{};
}

TEST(Flags, FoldersAndMacros) {
  EXPECT_THAT(of({"-I..", "-I", "/abs", "-DA=1", "-D", "B", "-UC"}).flags,
              ElementsAre("-I/p/", "-I/abs", "-DA=1", "-DB", "-UC"));
}

TEST(Flags, AnArchitectureIsAMacro) {
  EXPECT_THAT(of({"-arch=sm_80"}).flags, ElementsAre("-D__CUDA_ARCH__=800"));
  EXPECT_THAT(of({"-arch", "sm_90a"}).flags, ElementsAre("-D__CUDA_ARCH__=900"));
  EXPECT_THAT(host_flags({"-arch=native"}, {"/"}).error().message, HasSubstr("names no architecture"));
}

TEST(Flags, WhatMeansNothingOnTheHostIsDropped) {
  const HostFlags flags = of({"-O3", "-Xcompiler", "-fPIC", "--expt-relaxed-constexpr", "-lcublas", "-std=c++17",
                              "-gencode", "arch=compute_80,code=sm_80", "-lineinfo"});
  EXPECT_THAT(flags.flags, IsEmpty());
  EXPECT_THAT(flags.notes, IsEmpty());
  EXPECT_EQ(flags.of_nvcc.size(), 9u);
}

TEST(Flags, FastMathIsToldToBeMissing) {
  EXPECT_THAT(of({"--use_fast_math"}).notes, ElementsAre(HasSubstr("the host computes as without it")));
}

TEST(Flags, OneThatIsNotKnownIsAnError) {
  EXPECT_THAT(host_flags({"--frobnicate"}, {"/"}).error().message, HasSubstr("does not know nvcc's flag --frobnicate"));
}

}  // namespace
}  // namespace negzero::source
