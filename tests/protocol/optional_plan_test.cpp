// Plans of lines with optional inputs: which are absent follows from the buffers, and a kernel sees null pointers.

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/operation/optional.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/run/image.hpp>
#include <negzero/worker/args.hpp>

#include "../run/cases.hpp"

namespace negzero::protocol::optional_test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kLine = "norm: y[rows, n] <- x[rows, n], gain?[n], bias?[n], lengths?[rows] <= n, scale";

LaunchPlan plan_without(const Names& absent, std::size_t& image_bytes) {
  operation::Operation operation(operation::variant(*operation::find_signature(kLine), absent));
  operation.extent("rows") = 2;
  operation.extent("n") = 3;
  const operation::Case value =
      run_test::make_case(operation, [](const std::string&, std::int64_t i) { return static_cast<double>(i); });
  const contract::Contract contract;
  return run::plan_of({&value, &contract}, image_bytes);
}

std::string bytes_of(const LaunchPlan& plan) {
  base::ByteWriter to;
  write(to, plan);
  return to.take();
}

std::optional<LaunchPlan> read(const std::string& bytes, std::size_t image_bytes) {
  base::ByteReader from(bytes);
  auto plan = read_plan(from, image_bytes);
  return from.is_complete() ? plan : std::nullopt;
}

TEST(OptionalPlan, ComesBackInEveryVariant) {
  for (unsigned set = 0; set < 8; ++set) {
    Names absent, present{"x"};
    for (unsigned i = 0; i < 3; ++i) {
      const char* const name = std::to_array<const char*>({"gain", "bias", "lengths"})[i];
      (set >> i & 1 ? absent : present).emplace_back(name);
    }
    present.emplace_back("y");
    std::size_t image_bytes = 0;
    const LaunchPlan plan = plan_without(absent, image_bytes);
    Names names;
    for (const PlannedBuffer& buffer : plan.buffers) names.push_back(buffer.name);
    EXPECT_EQ(names, present);
    const std::string bytes = bytes_of(plan);
    const auto back = read(bytes, image_bytes);
    ASSERT_TRUE(back) << set;
    EXPECT_EQ(back->operation, plan.operation);
    EXPECT_EQ(operation::absent_inputs(back->operation.signature()), absent);
    EXPECT_EQ(bytes_of(*back), bytes);
  }
}

TEST(OptionalPlan, GivesAKernelNullForWhatIsAbsent) {
  std::size_t image_bytes = 0;
  const LaunchPlan plan = plan_without({"gain", "lengths"}, image_bytes);
  std::vector<std::byte> image(image_bytes);
  const kernel::Args args = worker::args_of(plan, image.data());
  for (const char* const name : {"gain", "lengths"}) {
    EXPECT_EQ(args.operand(name).data, nullptr) << name;
    for (const std::int64_t stride : args.operand(name).strides) EXPECT_EQ(stride, 0);
  }
  EXPECT_NE(args.operand("bias").data, nullptr);
  EXPECT_EQ(args.operand("bias").strides[0], 1);
  EXPECT_EQ(args.extent("n"), 3);
}

/// The bytes with one name in the place of another one of the same length.
std::string renamed(std::string bytes, const std::string& from, const std::string& to) {
  const std::size_t first = bytes.rfind(from);
  return bytes.replace(first, from.size(), to);
}

TEST(OptionalPlan, RefusesBuffersThatAreNoVariant) {
  std::size_t image_bytes = 0;
  const std::string all = bytes_of(plan_without({}, image_bytes));
  ASSERT_TRUE(read(all, image_bytes));
  EXPECT_FALSE(read(renamed(all, "bias", "gain"), image_bytes)) << "twice";
  EXPECT_FALSE(read(renamed(all, "bias", "bibs"), image_bytes)) << "of another name";
  EXPECT_FALSE(read(renamed(renamed(all, "gain", "????"), "bias", "gain"), image_bytes));
  EXPECT_FALSE(read(renamed(renamed(renamed(all, "gain", "????"), "bias", "gain"), "????", "bias"), image_bytes))
      << "in another order";
  // The count of buffers lies before the name of the first one; with fewer, what follows is read as something else.
  const std::string without = bytes_of(plan_without({"gain", "bias", "lengths"}, image_bytes));
  ASSERT_TRUE(read(without, image_bytes));
  std::string none = without;
  none[none.rfind("x") - 5] = 0;
  EXPECT_FALSE(read(none, image_bytes));
}

TEST(OptionalPlan, OfAnotherLineHasAllItsBuffers) {
  operation::Operation operation(*operation::find_signature("norm: y[n] <- x[n], bias[n]"));
  operation.extent("n") = 3;
  const operation::Case value = run_test::make_case(operation, [](const std::string&, std::int64_t) { return 1.0; });
  const contract::Contract contract;
  std::size_t image_bytes = 0;
  LaunchPlan plan = run::plan_of({&value, &contract}, image_bytes);
  ASSERT_TRUE(read(bytes_of(plan), image_bytes));
  plan.buffers.erase(plan.buffers.begin() + 1);
  EXPECT_FALSE(read(bytes_of(plan), image_bytes));
}

}  // namespace
}  // namespace negzero::protocol::optional_test
