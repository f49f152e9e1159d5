// Ranges of values from the command line: what they narrow, what they refuse, and what is kept of cases from before.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/limited_values.hpp>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kOnHost = {"--executor", "host"};

Ran run_on_host(std::vector<std::string> words) {
  words.insert(words.end(), kOnHost.begin(), kOnHost.end());
  return run(words);
}

/// The cases of a folder, at any depth.
std::vector<operation::Case> cases_in(const std::string& folder) {
  std::vector<operation::Case> cases;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    const std::string file = contents(entry.path());
    auto value = case_file::parse(std::as_bytes(std::span(file)));
    EXPECT_TRUE(value.ok()) << entry.path();
    if (value) cases.push_back(*std::move(value));
  }
  return cases;
}

const operation::Limits kSmall{.values = {{"init", {-2, 2}}, {"x", {-2, 2}}}};

TEST(ValuesFlag, FindingsLieInsideAndShrinkInside) {
  const Directory directory;
  for (const char* command : {"check", "fuzz"}) {
    std::vector<std::string> words{command, "faulty.A1.*", "--values", "x=-2..2,init=-2..2", "--cases", "400"};
    const std::string folder = directory / command;
    words.insert(words.end(), {command == std::string("check") ? "--save" : "--folder", folder});
    const Ran ran = run_on_host(words);
    ASSERT_EQ(ran.code, 1) << ran.out << ran.err;
    const std::vector<operation::Case> cases = cases_in(folder);
    ASSERT_FALSE(cases.empty());
    for (const operation::Case& value : cases) EXPECT_EQ(operation::values_outside(kSmall, value), std::nullopt);
  }
}

TEST(ValuesFlag, SeveralRangesAreReadAndListed) {
  const Ran ran = run_on_host({"list", "cases", "gemm.naive.f32", "--values", "a=-2..2, b >= 0", "--values", "c <= 1",
                               "--cases", "3", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json().at("cases").size(), 3u);
}

TEST(ValuesFlag, WhatCannotBeIsAUsageErrorWithItsCure) {
  const auto said = [](const std::string& values, const std::string& kernel = "gemm.naive.f32") {
    const Ran ran = run_on_host({"check", kernel, "--values", values});
    EXPECT_EQ(ran.code, 2) << values;
    return ran.err;
  };
  EXPECT_THAT(said("z=1..2"),
              HasSubstr("--values: kernel gemm.naive.f32: limits: values: gemm has no tensor z; it has a, b, c"));
  EXPECT_THAT(said("d=1..2"), HasSubstr("values: d of gemm is an output; values are of a, b, c"));
  EXPECT_THAT(said("a=2..1"), HasSubstr("--values 'a=2..1': its least 2 is above its greatest 1"));
  EXPECT_THAT(said("a=1..2,a=1..3"), HasSubstr("a stands there twice"));
  EXPECT_THAT(said("a"), HasSubstr("its bounds are missing; write x -1e4..1e4"));
  EXPECT_THAT(said(""), HasSubstr("the name of a tensor is missing"));
  EXPECT_THAT(said("alpha=1..2"), HasSubstr("alpha and beta"));
  EXPECT_THAT(said("a=1e39.."), HasSubstr("no F32 of a is at least 1e+39"));
}

/// A kernel with a declaration of its own, which may have values.
class DeclaredValues : public CompilesFiles {
 protected:
  DeclaredValues() {
    write(
        directory_ / "half.cu",
        "__global__ void half_of(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * 32 + threadIdx.x;\n"
        "  if (i < n) y[i] = isinf(x[i] * x[i]) ? 0 : x[i] / 2;\n}\n"
        "__global__ void right(const double* x, double* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i] / 2; }\n");
    declare("half.nz", "");
    declare("small.nz", "values x -1e4..1e4\n");
  }

  void declare(const std::string& name, const std::string& values) {
    write(directory_ / name,
          "kernel right\noperation half.right: y[n] <- x[n]\nformats x=F64 y=F64\nlaunch right<<<1, 1>>>(x, y, n);\n"
          "kernel half\noperation half: y[n] <- x[n]\nlimits n >= 1\nreference right\nerror y ulps=1\n" +
              values + "launch half_of<<<(n + 31) / 32, 32>>>(x, y, n);\n");
  }

  Ran run_file(const std::string& command, const std::string& declaration, std::vector<std::string> more) {
    std::vector<std::string> words{command, directory_ / "half.cu", directory_ / declaration};
    words.insert(words.end(), more.begin(), more.end());
    return run_on_host(words);
  }
};

TEST_F(DeclaredValues, PassWhereTheRestFailsAndRefuseACaseFromThere) {
  const Ran before = run_file("check", "half.nz", {"half", "--save", directory_ / "found"});
  ASSERT_EQ(before.code, 1) << before.err;
  EXPECT_THAT(before.out, AllOf(HasSubstr("never exceeds 1e18"), HasSubstr("declare it: values x -1e18..1e18")));
  const Ran now = run_file("check", "small.nz", {"half", "--cases", "1000", "--save", directory_ / "none"});
  EXPECT_EQ(now.code, 0) << now.out;
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "found")) {
    if (entry.path().string().ends_with(".case.safetensors")) file = entry.path();
  }
  const std::string bytes = contents(file);
  const Ran replayed = run_on_host(
      {"replay", file, "--kernel", "half", "--kernels", directory_ / "half.cu", "--kernels", directory_ / "small.nz"});
  EXPECT_EQ(replayed.code, 4) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out + replayed.err, HasSubstr("is not from -10000 to 10000"));
  EXPECT_EQ(contents(file), bytes);
}

TEST_F(DeclaredValues, ACampaignLeavesOutWhatLiesOutside) {
  const std::string folder = directory_ / "campaign";
  const Ran before = run_file("fuzz", "half.nz", {"half", "--folder", folder, "--cases", "300", "--shrink-time", "0s"});
  EXPECT_EQ(before.code, 1) << before.err;
  std::size_t outside = 0;
  const operation::Limits small{.values = {{"x", {-1e4, 1e4}}}};
  for (const operation::Case& value : cases_in(folder + "/corpus")) {
    outside += operation::values_outside(small, value) ? 1 : 0;
  }
  ASSERT_GT(outside, 0u) << "this test shows nothing";
  const Ran now = run_file("fuzz", "small.nz", {"half", "--folder", folder, "--cases", "300", "--json"});
  EXPECT_THAT(now.err, Not(HasSubstr("refused")));
  for (const auto& kernel : now.json().at("kernels")) {
    EXPECT_EQ(kernel.value("refused", 0), 0) << kernel.dump();
  }
}

TEST_F(DeclaredValues, MistakesNameTheLine) {
  const auto said = [&](const std::string& values) {
    declare("wrong.nz", values);
    const Ran ran = run_file("check", "wrong.nz", {});
    EXPECT_EQ(ran.code, 2) << values << ran.out;
    return ran.err;
  };
  EXPECT_THAT(said("values x high..low\n"),
              HasSubstr("wrong.nz:10: values 'x high..low': 'high..low' is not a range of numbers"));
  EXPECT_THAT(said("values x 1..2, x 1..3\n"), HasSubstr("wrong.nz:10: values: x has a range already; give it one"));
  EXPECT_THAT(said("values y 1..2\n"),
              HasSubstr("wrong.nz:10: kernel 'half': limits: values: y of half is an output; values are of x"));
  EXPECT_THAT(said("values x >= 1e39\n"), HasSubstr("no F32 of x is at least 1e+39"));
}

}  // namespace
}  // namespace negzero::cli_test
