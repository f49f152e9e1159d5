// What a line reads is all that a kernel sees of an input, and what it does not write of an output stays as it was.

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/operation/kind.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/run/local_executor.hpp>

#include "cases.hpp"

namespace negzero::run {
namespace {

using namespace run_test;

constexpr const char* kLine =
    "put: y[n] <- x[n], place[t] < n distinct none=-1 reads x[place[i]] for i < t writes y[place[i]] for i < t";

/// x = 1, 2, 3, 4 and places 2, none.
operation::Case put_case() {
  operation::Operation put(**operation::signature_of(kLine));
  put.extent("n") = 4;
  put.extent("t") = 2;
  operation::Case value = make_case(put, [](const std::string& name, std::int64_t i) {
    return name == "x" ? static_cast<double>(i + 1) : i == 0 ? 2.0 : -1.0;
  });
  value.tensors.at("place").set(1, 0xffffffffu);
  EXPECT_TRUE(operation::validate(value).ok()) << operation::validate(value).error().message;
  return value;
}

using Work = std::function<void(const float* x, float* y)>;

Outcome run_put(const operation::Case& value, Work work, const std::function<void(kernel::Kernel&)>& change = {}) {
  kernel::Kernel kernel = make_kernel(
      value.operation.signature().identity(),
      [work = std::move(work)](const Args& args, Workspace&, engine::Stream& stream) {
        on_device(stream, [&] { work(args.operand("x").as<const float>(), args.operand("y").as<float>()); });
        return LaunchResult::launched();
      });
  kernel.limits.in_place = {.input = "x"};
  if (change) change(kernel);
  HostExecutor executor;
  return executor.run(value, kernel, kernel.contract);
}

TEST(Untouched, AnElementThatIsNotReadIsPoison) {
  std::vector<bool> are_numbers;
  const Outcome outcome = run_put(put_case(), [&](const float* x, float* y) {
    for (int i = 0; i < 4; ++i) are_numbers.push_back(x[i] == static_cast<float>(i + 1));
    y[2] = x[2];
  });
  ASSERT_EQ(outcome.status, Outcome::Status::Completed) << "the others need not be written";
  EXPECT_EQ(are_numbers, (std::vector<bool>{false, false, true, false}));
  EXPECT_EQ(outcome.outputs.front().get(1), 0u) << "what is not written is not looked at";
}

TEST(Untouched, AWriteToAnotherElementIsAFindingThatNamesIt) {
  const Outcome outcome = run_put(put_case(), [](const float* x, float* y) {
    y[2] = x[2];
    y[3] = 0;
  });
  ASSERT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.failure->rule, verdict::Rule("run.guard"));
  EXPECT_THAT(outcome.failure->message, testing::HasSubstr("a write to y[3], which the line does not write"));
  const Outcome copied = run_put(
      put_case(),
      [](const float* x, float* y) {
        for (int i = 0; i < 4; ++i) y[i] = x[2];
      },
      [](kernel::Kernel& kernel) { kernel.build.values_only = true; });
  EXPECT_EQ(copied.status, Outcome::Status::Completed) << "a result that is copied has every element";
}

TEST(Untouched, WhatAClauseLeavesOutStaysBehindACountToo) {
  const char* const line = "cut: y[n] <- x[n], length[one] <= n writes y[i] for one, i < length[0]";
  operation::Operation cut(**operation::signature_of(line));
  cut.extent("n") = 4;
  cut.extent("one") = 1;
  const operation::Case value = make_case(
      cut, [](const std::string& name, std::int64_t i) { return name == "x" ? static_cast<double>(i + 1) : 2.0; });
  const auto copies = [](int count) {
    return [count](const float* x, float* y) {
      for (int i = 0; i < count; ++i) y[i] = x[i];
    };
  };
  EXPECT_EQ(run_put(value, copies(2)).status, Outcome::Status::Completed);
  const Outcome outcome = run_put(value, copies(3));
  ASSERT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_THAT(outcome.failure->message, testing::HasSubstr("a write to y[2], which the line does not write"));
}

/// A kernel that writes one half of a byte reads the other one, which has to stay.
TEST(Untouched, AHalfByteThatStaysCountsAsWritten) {
  using number::FormatId;
  const auto keeps = [](const char* line, FormatId format) {
    operation::Operation put(**operation::signature_of(line));
    put.set_formats(std::vector{format, format});
    return protocol::keeps_halves(put, operation::output_specs(put).front());
  };
  constexpr const char* kWrites = "put: y[n] <- x[n], at[m] < n writes y[at[i]] for i < m";
  EXPECT_TRUE(keeps(kWrites, FormatId::U4));
  EXPECT_FALSE(keeps(kWrites, FormatId::U8));
  EXPECT_FALSE(keeps("copy: y[n] <- x[n], at[m] < n", FormatId::U4)) << "written whole: a read before is a mistake";
}

TEST(Untouched, AFormulaBeyond64BitsIsAtTheirEnd) {
  operation::Operation all(**operation::signature_of("all: y[n] <- x[n] reads x[i] for i < n * n * n * n * n * n"));
  all.extent("n") = 5000;
  const operation::Case value =
      make_case(all, [](const std::string&, std::int64_t i) { return static_cast<double>(i + 1); });
  int numbers = 0;
  run_put(value, [&](const float* x, float* y) {
    for (int i = 0; i < 5000; ++i) numbers += (y[i] = x[i]) == static_cast<float>(i + 1) ? 1 : 0;
  });
  EXPECT_EQ(numbers, 5000) << "every element is read, none is poison";
}

TEST(Untouched, AnElementThatIsToBeWrittenIsMissed) {
  const Outcome outcome = run_put(put_case(), [](const float*, float*) {});
  ASSERT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.failure->rule, verdict::Rule("run.unwritten"));
  EXPECT_EQ(outcome.failure->element, 2);
}

TEST(Untouched, AnInputInTheMemoryOfAnOutputKeepsItsElements) {
  operation::Case value = put_case();
  value.operation = operation::Operation(
      **operation::signature_of("put: y[n] <- x[n], place[t] < n distinct none=-1 writes y[place[i]] for i < t"));
  value.operation.extent("n") = 4;
  value.operation.extent("t") = 2;
  value.in_place = "x";
  std::vector<float> seen;
  const Outcome kept = run_put(value, [&](const float* x, float* y) {
    seen.assign(x, x + 4);
    y[2] = 9;
  });
  ASSERT_EQ(kept.status, Outcome::Status::Completed);
  EXPECT_EQ(seen, (std::vector<float>{1, 2, 3, 4})) << "though the line writes y[2] alone";
  const Outcome changed = run_put(value, [](const float*, float* y) { y[2] = y[0] = 9; });
  ASSERT_EQ(changed.status, Outcome::Status::Failed);
  EXPECT_THAT(changed.failure->message, testing::HasSubstr("y[0]"));
}

}  // namespace
}  // namespace negzero::run
