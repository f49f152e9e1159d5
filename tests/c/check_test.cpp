// negzero_check() as another language calls it: the plan says all that a function needs, and nothing that a function
// answers is trusted.

#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/c/negzero.h>
#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::c {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kSums = R"("operation":"reduce.sum","formats":[["F32","F32"]])";

using Body = std::function<std::int32_t(const negzero_launch&, const json& plan)>;

/// A function of another language, with its memory.
struct Function {
  Body body;
  std::vector<void*> memory{};
  int launches = 0;
  bool has_memory = true;

  static std::int32_t launch(void* user, const negzero_launch* launch) {
    auto& self = *static_cast<Function*>(user);
    ++self.launches;
    const std::string plan(static_cast<const char*>(launch->plan.data), launch->plan.size);
    return self.body(*launch, json::parse(plan));
  }
  static void* allocate(void* user, size_t size) {
    auto& self = *static_cast<Function*>(user);
    if (!self.has_memory) return nullptr;
    self.memory.push_back(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096));
    return self.memory.back();
  }
  ~Function() {
    for (void* each : memory) std::free(each);
  }
};

struct Checked {
  std::int32_t status = -1;
  std::string out{}, found{};
  [[nodiscard]] json report() const { return json::parse(out, nullptr, false); }
};

Checked check(Function& function, const std::string& options, const std::vector<negzero_bytes>& first = {}) {
  negzero_block found{}, out{};
  Checked checked;
  checked.status = negzero_check({options.data(), options.size()}, {&function, Function::launch, Function::allocate},
                                 {}, {}, first.data(), first.size(), &found, &out);
  if (out.data != nullptr) checked.out.assign(static_cast<const char*>(out.data), out.size);
  if (found.data != nullptr) checked.found.assign(static_cast<const char*>(found.data), found.size);
  negzero_free(found);
  negzero_free(out);
  return checked;
}

std::string options(const std::string& more = "") { return std::string("{") + kSums + more + "}"; }

/// Sums rows from `first` on, from what the plan says alone.
std::int32_t sum(const negzero_launch& launch, const json& plan, std::int64_t first = 0) {
  auto* const image = static_cast<std::byte*>(launch.image);
  const json &x = plan["buffers"]["x"], &y = plan["buffers"]["y"];
  for (std::int64_t i = 0; i < x["shape"][0]; ++i) {
    float total = 0;
    for (std::int64_t j = first; j < x["shape"][1]; ++j) {
      float term = 0;
      const std::int64_t element = i * x["strides"][0].get<std::int64_t>() + j * x["strides"][1].get<std::int64_t>();
      std::memcpy(&term, image + x["at"].get<std::int64_t>() + 4 * element, 4);
      total += term;
    }
    std::memcpy(image + y["at"].get<std::int64_t>() + 4 * i * y["strides"][0].get<std::int64_t>(), &total, 4);
  }
  return NEGZERO_RAN;
}

TEST(LibraryCheck, AFunctionThatIsRightHasNoFinding) {
  Function right{[](const negzero_launch& launch, const json& plan) { return sum(launch, plan); }};
  const Checked checked = check(right, options(R"(,"cases":200)"));
  ASSERT_EQ(checked.status, NEGZERO_DONE) << checked.out;
  const json report = checked.report();
  EXPECT_EQ(report["found"], nullptr);
  EXPECT_EQ(report["passed"].get<int>() + report["vacuous"].get<int>() + report["empty"].get<int>(), 200);
  EXPECT_EQ(report["launches"], right.launches);
  EXPECT_THAT(report["assumed"].get<std::string>(), HasSubstr("no contract was given"));
  EXPECT_TRUE(checked.found.empty());
}

TEST(LibraryCheck, AFunctionThatIsWrongHasTheSmallestCase) {
  Function wrong{[](const negzero_launch& launch, const json& plan) { return sum(launch, plan, 2); }};
  const Checked checked = check(wrong, options(R"(,"name":"from_two","contract":"f32")"));
  ASSERT_EQ(checked.status, NEGZERO_DONE) << checked.out;
  const json found = checked.report()["found"];
  EXPECT_EQ(found["class"], "wrong_value");
  EXPECT_EQ(found["hits"], found["runs"]);
  EXPECT_THAT(found["text"].get<std::string>(), HasSubstr("FAIL  from_two  wrong_value"));
  const auto value = case_file::parse(std::as_bytes(std::span(checked.found)));
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->tensors.at("x").element_count(), 1);
  EXPECT_FALSE(value->contract.empty());
  // The next check may begin with it.
  Function again{[](const negzero_launch& launch, const json& plan) { return sum(launch, plan, 2); }};
  const Checked second =
      check(again, options(R"(,"cases":0,"contract":"f32")"), {{checked.found.data(), checked.found.size()}});
  EXPECT_EQ(second.found, checked.found);
}

TEST(LibraryCheck, APlanHasAllOptionsAndTheCaseThoseThatMatter) {
  std::set<std::pair<int, int>> seen;
  Function wrong{[&](const negzero_launch& launch, const json& plan) {
    const json& said = plan["configuration"];
    EXPECT_EQ(said.size(), 2u) << plan;
    seen.emplace(said["algorithm"].get<int>(), said["workspace"].get<int>());
    return sum(launch, plan, said["algorithm"] == 2 ? 2 : 0);
  }};
  const Checked checked = check(wrong, options(R"(,"configuration":{"algorithm":[0,2,1],"workspace":[4096,0]})"));
  ASSERT_EQ(checked.status, NEGZERO_DONE) << checked.out;
  EXPECT_THAT(checked.report()["found"]["text"].get<std::string>(), HasSubstr("configuration: algorithm 2\n"));
  const auto value = case_file::parse(std::as_bytes(std::span(checked.found)));
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->configuration, (operation::Configuration{{"algorithm", 2}}));
  EXPECT_GT(seen.size(), 3u);
  Function plain{[](const negzero_launch& launch, const json& plan) {
    EXPECT_EQ(plan["configuration"], json::object());
    return sum(launch, plan);
  }};
  EXPECT_EQ(check(plain, options(R"(,"cases":20)")).status, NEGZERO_DONE);
}

TEST(LibraryCheck, TheCaseInFlightIsTheOneThatTheImageHolds) {
  Function looks{[](const negzero_launch& launch, const json& plan) {
    const auto value = case_file::parse({static_cast<const std::byte*>(launch.case_file.data), launch.case_file.size});
    EXPECT_TRUE(value.ok());
    EXPECT_FALSE(value->contract.empty());
    const tensor::Tensor& x = value->tensors.at("x");
    EXPECT_EQ(x.shape(), plan["buffers"]["x"]["shape"].get<std::vector<std::int64_t>>());
    EXPECT_LE(plan["end"].get<std::size_t>(), launch.image_size);
    return sum(launch, plan);
  }};
  EXPECT_EQ(check(looks, options(R"(,"cases":50)")).status, NEGZERO_DONE);
  EXPECT_GE(looks.launches, 50);
}

TEST(LibraryCheck, WhatAFunctionAnswersIsItsFinding) {
  const auto says = [](std::int32_t how, const std::string& words) {
    return Function{[=](const negzero_launch& launch, const json&) {
      std::strncpy(launch.message, words.c_str(), launch.message_size);  // NOLINT: without its 0 where it is long
      return how;
    }};
  };
  Function raises = says(NEGZERO_RAISED, "ValueError: no");
  const json raised = check(raises, options()).report()["found"];
  EXPECT_EQ(raised["rule"], "run.raised");
  EXPECT_EQ(raised["message"], "ValueError: no");
  Function refuses = says(NEGZERO_REFUSED, "no table for this shape");
  const json refused = check(refuses, options()).report()["found"];
  EXPECT_EQ(refused["rule"], "run.refused");
  EXPECT_EQ(refused["class"], "refused_legal_request");
  EXPECT_EQ(refused["message"], "no table for this shape");
  Function changes = says(NEGZERO_CHANGED, "x was changed");
  EXPECT_EQ(check(changes, options()).report()["found"]["rule"], "run.guard");
  Function shouts = says(NEGZERO_RAISED, std::string(100'000, 'x'));
  EXPECT_LT(check(shouts, options()).report()["found"]["message"].get<std::string>().size(), 4097u);
}

TEST(LibraryCheck, EndsWhereAFunctionStopsOrAnswersNonsense) {
  for (const std::int32_t how : std::initializer_list<std::int32_t>{NEGZERO_STOP, 77, -1}) {
    Function stops{[&](const negzero_launch&, const json&) { return how; }};
    const Checked checked = check(stops, options());
    ASSERT_EQ(checked.status, NEGZERO_DONE) << checked.out;
    EXPECT_EQ(checked.report()["stopped"], true);
    EXPECT_EQ(checked.report()["found"], nullptr);
    EXPECT_EQ(stops.launches, 1);
  }
}

TEST(LibraryCheck, WithoutMemoryEveryCaseIsAnError) {
  Function poor{[](const negzero_launch& launch, const json& plan) { return sum(launch, plan); }};
  poor.has_memory = false;
  const Checked checked = check(poor, options(R"(,"cases":5)"));
  ASSERT_EQ(checked.status, NEGZERO_DONE) << checked.out;
  EXPECT_EQ(checked.report()["errors"], 5);
  EXPECT_EQ(checked.report()["passed"], 0);
}

TEST(LibraryCheck, SaysWhatIsWrongWithOptions) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{}", "operation is missing"},
      {options(R"(,"index":1)"), "the key \"index\" is unknown"},
      {options(R"(,"cases":-1)"), "cases is"},
      {options(R"(,"shapes":1.5)"), "shapes is"},
      {options(R"(,"claims":"nan_row")"), "list of names"},
      {options(R"(,"claims":["nan_rows"])"), "is no property; known: run_twice"},
      {options(R"(,"claims":[1])"), "list of names"},
      {options(R"(,"promises":{"determinism":"always"})"), "determinism"},
      {options(R"(,"promises":7)"), "an object of fields"},
      {options(R"(,"shrink_seconds":-1)"), "seconds from 0"},
      {options(R"(,"inputs":"packet")"), "row_or_column_major"},
      {options(R"(,"alpha":"two")"), "zero_or_one"},
      {options(R"(,"extents":{"columns":[1,2,0]})"), "from 1"},
      {options(R"(,"name":7)"), "name is"},
      {options(R"(,"known":[{"class":"data_races"}])"), "each of a class or of a rule"},
      {options(R"(,"known":[{"class":"crash","rule":"run.raised"}])"), "each of a class or of a rule"},
  };
  for (const auto& [given, words] : wrong) {
    Function right{[](const negzero_launch& launch, const json& plan) { return sum(launch, plan); }};
    const Checked checked = check(right, given);
    EXPECT_EQ(checked.status, NEGZERO_USAGE) << given;
    EXPECT_THAT(checked.out, HasSubstr(words)) << given;
    EXPECT_EQ(right.launches, 0) << given;
  }
  Function right{[](const negzero_launch& launch, const json& plan) { return sum(launch, plan); }};
  EXPECT_THAT(check(right, options(), {{"no case", 7}}).out, HasSubstr("first: "));
}

TEST(LibraryCheck, PromisesReplaceFieldsOfTheContract) {
  Function right{[](const negzero_launch& launch, const json& plan) { return sum(launch, plan); }};
  const json report = check(right, options(R"(,"cases":20,"promises":{"determinism":"run_to_run"})")).report();
  EXPECT_THAT(report["contract_text"].get<std::string>(), HasSubstr("determinism run_to_run"));
  EXPECT_GE(right.launches, 40);
}

}  // namespace
}  // namespace negzero::c
