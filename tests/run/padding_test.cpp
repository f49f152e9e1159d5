// What a kernel sees beyond a count, and that nothing which it leaves there shows in its outcome.

#include <functional>

#include <gtest/gtest.h>

#include <negzero/operation/counted.hpp>
#include <negzero/run/local_executor.hpp>

#include "cases.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using operation::Poison;

/// Two groups of 1 and 0 rows in buffers of two: a = 5, b = 1, k = n = 1.
operation::Case grouped_case() {
  operation::Operation grouped = *operation::operation_named("gemm.grouped");
  grouped.extent("groups") = grouped.extent("capacity") = 2;
  grouped.extent("n") = grouped.extent("k") = 1;
  return make_case(grouped, [](const std::string& name, std::int64_t i) {
    return name == "rows" ? static_cast<double>(i == 0) : name == "a" ? 5.0 : 1.0;
  });
}

/// A kernel that does `work` with a and d, row by row of the groups.
kernel::Kernel grouped_kernel(std::function<void(const float& a, float& d)> work) {
  return make_kernel("gemm.grouped", [work = std::move(work)](const Args& args, Workspace&, engine::Stream& stream) {
    const kernel::Operand &a = args.operand("a"), &d = args.operand("d");
    on_device(stream, [&] {
      for (std::int64_t g = 0; g < 2; ++g) {
        for (std::int64_t i = 0; i < 2; ++i) {
          work(a.as<const float>()[g * a.strides[0] + i * a.strides[1]],
               d.as<float>()[g * d.strides[0] + i * d.strides[1]]);
        }
      }
    });
    return LaunchResult::launched();
  });
}

Outcome run_grouped(const operation::Case& value, const kernel::Kernel& kernel) {
  HostExecutor executor;
  return executor.run(value, kernel, kernel.contract);
}

float value_at(const Outcome& outcome, std::int64_t i) {
  return static_cast<float>(number::to_double(outcome.outputs.front().format(), outcome.outputs.front().get(i)));
}

TEST(Padding, OfAnInputIsPoison) {
  operation::Case value = grouped_case();
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    value.poison = poison;
    std::vector<float> seen;
    const Outcome outcome = run_grouped(value, grouped_kernel([&](const float& a, float& d) {
                                          seen.push_back(a);
                                          d = 1;
                                        }));
    ASSERT_EQ(outcome.status, Outcome::Status::Completed);
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen[0], 5.0f);
    for (std::size_t i = 1; i < 4; ++i) {
      EXPECT_TRUE(poison == Poison::Nan ? seen[i] != seen[i] : seen[i] > 0x1.fffffp127f) << i;
    }
  }
}

TEST(Padding, TakesNoElementAwayThatSharesItsAddress) {
  operation::Case value = grouped_case();
  value.layouts.at("a").strides = {0, 0, 0};
  std::vector<float> seen;
  const Outcome outcome = run_grouped(value, grouped_kernel([&](const float& a, float& d) {
                                        seen.push_back(a);
                                        d = 1;
                                      }));
  ASSERT_EQ(outcome.status, Outcome::Status::Completed);
  EXPECT_EQ(seen, (std::vector<float>{5, 5, 5, 5}));
}

TEST(Padding, OfAnOutputIsZeroWhateverTheKernelLeavesThere) {
  operation::Case value = grouped_case();
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    value.poison = poison;
    for (const bool stores_all : {true, false}) {
      int row = 0;
      const Outcome outcome = run_grouped(value, grouped_kernel([&](const float&, float& d) {
                                            const bool counts = row++ % 4 == 0;
                                            if (counts) d = 7;
                                            if (!counts && stores_all) d = -3;
                                          }));
      ASSERT_EQ(outcome.status, Outcome::Status::Completed) << "an element that does not count need not be written";
      EXPECT_EQ(value_at(outcome, 0), 7.0f);
      for (std::int64_t i = 1; i < 4; ++i) EXPECT_EQ(outcome.outputs.front().get(i), 0u) << i;
    }
  }
}

TEST(Padding, HidesNoElementThatWasNotWritten) {
  const Outcome outcome = run_grouped(grouped_case(), grouped_kernel([](const float&, float&) {}));
  ASSERT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.failure->rule, verdict::Rule("run.unwritten"));
  EXPECT_EQ(outcome.failure->element, 0);
  EXPECT_EQ(outcome.failure->failing_elements, 1);
}

}  // namespace
}  // namespace negzero::run
