// Every child is valid, inside the limits, of bounded size, the same from the same arguments, and survives its file.

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/generate/draw.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/mutate/shape.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/views.hpp>

#include "requests.hpp"

namespace negzero::mutate {
namespace {

using operation::Case;

constexpr std::uint64_t kSeeds = 60;

void expect_usable(const generate::Request& request, const Case& child) {
  EXPECT_EQ(child.operation.signature().identity(), request.operation);
  const base::Status status = operation::validate(child);
  ASSERT_TRUE(status.ok()) << status.error().message;
  const auto reason = operation::outside(request.limits, child);
  ASSERT_FALSE(reason.has_value()) << *reason;
  for (const operation::Scalar& scalar : child.operation.scalars()) {
    ASSERT_EQ(scalar.format, generate::scalar_format(request.contract)) << "a kernel gets its bits alone";
  }
  const auto read = case_file::parse(case_file::write(child));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, child);
}

TEST(Mutate, ChildrenAreValidAndInsideTheLimits) {
  std::size_t number = 0;
  for (const generate::Request& request : all_requests()) {
    SCOPED_TRACE(request.operation + " request " + std::to_string(number++));
    Case parent = small_case(request, number);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      base::Random random(seed);
      Child child = child_of(request, parent, random);
      ASSERT_FALSE(child.changes.empty());
      SCOPED_TRACE("seed " + std::to_string(seed) + ", last change " + std::string(child.changes.back()->name));
      ASSERT_NO_FATAL_FAILURE(expect_usable(request, child.value));
      EXPECT_TRUE(has_room(child.value.operation, parent.operation));
      // Children of children, so that changes meet what changes made.
      if (seed % 3 != 0) parent = std::move(child.value);
    }
  }
}

TEST(Mutate, AnExtentIsDrawnForWhatTheOthersLeaveHoweverManyTheyAre) {
  const auto most = [](std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t old) {
    return most_of_extent(operation::Gemm{.batch = batch, .m = m, .n = n, .k = k}, old);
  };
  EXPECT_EQ(most(1, 8, 16, 32, 8), kMostProducts / (16 * 32));
  EXPECT_EQ(most(1, 8, 16, 0, 0), kMostProducts / (8 * 16)) << "an empty one counts as 1";
  EXPECT_EQ(most(1, 8, 3, 5, 8), kMostProducts / 15);
  EXPECT_EQ(most(1, 8, 1 << 10, 1 << 10, 8), 1) << "at least";
  // Valid, as no batch has an element, and 2^93 products fit into no integer.
  constexpr std::int64_t kLong = tensor::kMaxElements;
  Case parent;
  parent.operation = operation::Gemm{.batch = 0, .m = kLong, .n = kLong, .k = kLong};
  for (const operation::TensorSpec& spec : operation::input_specs(parent.operation)) {
    parent.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  operation::pack_missing_layouts(parent);
  const base::Status valid = operation::validate(parent);
  ASSERT_TRUE(valid.ok()) << valid.error().message;
  EXPECT_EQ(most(0, kLong, kLong, kLong, kLong), 1);
  EXPECT_EQ(most(0, kLong, kLong, kLong, 0), 1);
}

TEST(Mutate, CrossingsAreValidAndInsideTheLimits) {
  std::size_t number = 0;
  for (const generate::Request& request : all_requests()) {
    SCOPED_TRACE(request.operation + " request " + std::to_string(number++));
    for (std::uint64_t seed = 0; seed < kSeeds / 4; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      base::Random random(seed);
      const Case a = mutate(request, small_case(request, 2 * seed), random);
      const Case b = mutate(request, small_case(request, 2 * seed + 1), random);
      for (int again = 0; again < 4; ++again) {
        ASSERT_NO_FATAL_FAILURE(expect_usable(request, cross(request, a, b, random)));
      }
    }
  }
}

TEST(Mutate, EveryChangeAndCrossingKeepsToTheValues) {
  for (const number::Format& format : number::all_formats()) {
    if (format.id == number::FormatId::TF32 || format.id == number::FormatId::I64) continue;
    generate::Request request;
    request.operation = "own: y[rows] <- x[rows, columns], w?[columns]";
    request.limits.formats = {{format.id, format.id, format.id}};
    request.limits.values = {
        {"x", {-8, 7}}, {"w", {.least = format.precision() > 1 ? 2. : 1., .infinities = operation::Infinities::Yes}}};
    const Case parent = small_case(request, 1), other = small_case(request, 2);
    for (const Change& change : changes()) {
      std::int64_t elements = 0;
      for (std::uint64_t seed = 0; seed < 4000 && elements < 20000; ++seed) {
        base::Random random(seed);
        const auto child = changed(change, request, small_case(request, seed % 8), random);
        if (!child) continue;
        const auto why = operation::values_outside(request.limits, *child);
        ASSERT_FALSE(why.has_value()) << change.name << " of " << format.name << ": " << *why;
        for (const auto& [name, tensor] : child->tensors) elements += tensor.element_count();
      }
      // A kernel of one combination of formats and without options has none of these.
      const bool has_some = change.part != Part::Indices && change.part != Part::Configuration;
      EXPECT_EQ(elements > 0, has_some && change.name != "format" && change.name != "scalar" &&
                                  !(format.precision() == 1 && change.name == "negate") &&
                                  !(format.is_power() && change.name == "significand") &&
                                  !(format.is_integer() && (change.name == "exponent" || change.name == "tie")))
          << change.name << " of " << format.name;
    }
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      base::Random random(seed);
      ASSERT_NO_FATAL_FAILURE(expect_usable(request, cross(request, parent, other, random)));
    }
    // A parent from before the values were declared.
    generate::Request before = request;
    before.limits.values = {};
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      base::Random random(seed);
      ASSERT_NO_FATAL_FAILURE(expect_usable(request, mutate(request, small_case(before, seed), random)));
    }
  }
}

TEST(Mutate, ChildrenHaveTheExtentsThatAreAskedFor) {
  generate::Request request =
      generate::gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  const Case outside = small_case(request, 1);
  request.mix.extents = {{"m", {3, 3, 1}}, {"k", {8, 24, 8}}};
  ASSERT_FALSE(generate::fits(request.mix.extents, outside.operation));
  const Case inside = small_case(request, 2);
  ASSERT_TRUE(generate::fits(request.mix.extents, inside.operation));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    base::Random random(seed);
    for (const Case& parent : {outside, inside}) {
      const Case child = mutate(request, parent, random);
      ASSERT_EQ(operation::extents_of(child.operation)[1].value, 3);
      ASSERT_TRUE(generate::fits(request.mix.extents, child.operation)) << "seed " << seed;
      ASSERT_TRUE(generate::fits(request.mix.extents, cross(request, parent, child, random).operation));
    }
  }
}

// A corpus is shared by kernels of other limits, and a campaign may hold cases of other operations.
TEST(Mutate, ParentsOutsideTheLimitsAreBroughtInside) {
  std::size_t number = 0, strangers = 0;
  const std::vector<generate::Request> all = all_requests();
  for (const generate::Request& request : all) {
    SCOPED_TRACE(request.operation + " request " + std::to_string(number++));
    for (std::size_t i = 0; i < 6; ++i) {
      const generate::Request& other = all[(number * 7 + i * 13) % all.size()];
      SCOPED_TRACE("a parent of " + other.operation);
      base::Random random(i);
      const Case parent = small_case(other, i), own = small_case(request, i);
      strangers += is_usable(request, parent) ? 0 : 1;
      ASSERT_NO_FATAL_FAILURE(expect_usable(request, mutate(request, parent, random)));
      ASSERT_NO_FATAL_FAILURE(expect_usable(request, cross(request, parent, own, random)));
      ASSERT_NO_FATAL_FAILURE(expect_usable(request, cross(request, own, parent, random)));
    }
  }
  EXPECT_GT(strangers, 100u);
}

TEST(Mutate, OptionsThatTheKernelDoesNotAcceptGetTheirDefaults) {
  generate::Request request =
      generate::gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.configuration = {{"algorithm", {0, 1, 2}}, {"workspace", {4096, 0}}};
  Case parent = small_case(request, 1);
  parent.configuration = {{"algorithm", 9}, {"workspace", 0}};
  base::Random random(1);
  const Case inside = brought_inside(request, parent, random);
  EXPECT_EQ(inside.configuration, (operation::Configuration{{"workspace", 0}}));
  EXPECT_EQ(inside.tensors, parent.tensors) << "nothing else changes";
}

TEST(Mutate, AKernelWithoutOptionsHasTheChildrenThatItAlwaysHad) {
  const generate::Request request =
      generate::gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  generate::Request with = request;
  with.limits.configuration = {{"algorithm", {0, 1, 2}}};
  int exchanged = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Case parent = small_case(request, seed);
    base::Random random(seed), random_with(seed);
    EXPECT_TRUE(mutate(request, parent, random).configuration.empty());
    exchanged += mutate(with, parent, random_with).configuration.empty() ? 0 : 1;
  }
  EXPECT_GT(exchanged, 3) << "now and then";
  EXPECT_LT(exchanged, 100);
}

TEST(Mutate, ChildrenHaveRoomUpToTheirParentsSize) {
  using operation::Gemm;
  EXPECT_TRUE(has_room(Gemm{.m = 32, .n = 32, .k = 64}, Gemm{}));
  EXPECT_FALSE(has_room(Gemm{.m = 33, .n = 32, .k = 64}, Gemm{})) << "results";
  EXPECT_FALSE(has_room(Gemm{.m = 1, .n = 1, .k = 8192}, Gemm{})) << "elements";
  EXPECT_FALSE(has_room(Gemm{.m = 32, .n = 32, .k = 257}, Gemm{})) << "products";
  EXPECT_TRUE(has_room(Gemm{.m = 33, .n = 32, .k = 257}, Gemm{.m = 33, .n = 32, .k = 257})) << "its parent's";
  EXPECT_TRUE(has_room(Gemm{.batch = 0, .m = 32, .n = 32, .k = 1}, Gemm{})) << "an empty one";
}

TEST(Mutate, TheSameArgumentsGiveTheSameChild) {
  const generate::Request request = all_requests().front();
  const Case a = small_case(request, 1), b = small_case(request, 2);
  std::set<std::vector<std::byte>> children;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    base::Random one(seed), same(seed);
    const Case child = mutate(request, a, one);
    EXPECT_EQ(child, mutate(request, a, same));
    EXPECT_EQ(cross(request, a, b, one), cross(request, a, b, same));
    EXPECT_EQ(one.next(), same.next()) << "as many words are drawn";
    children.insert(case_file::write(child));
  }
  EXPECT_GT(children.size(), 80u) << "another seed gives another child";
}

TEST(Mutate, AChildSaysWhereItCameFromAndNothingOfWhatWasSeen) {
  const generate::Request request{.operation = "reduce.sum"};
  Case parent = generate::make_case(request, 7, 3);
  const std::string strategy = parent.strategy;
  parent.kernel = "reduce.sum.*";
  parent.contract = "f32";
  parent.history = {{.times = 2}};
  parent.unknown = {{"note", "kept"}};
  parent.expect = {{.kernel = "reduce.sum.tree"}};
  parent.found = operation::Expectation{.kernel = "reduce.sum.tree", .verdict = verdict::VerdictKind::Fail};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    base::Random random(seed);
    const Child made = child_of(request, parent, random);
    const Case& child = made.value;
    const bool redrawn = std::ranges::any_of(made.changes, [](const Change* c) { return c->name == "strategy"; });
    if (!redrawn) {
      EXPECT_EQ(child.strategy, "mutated." + strategy);
    }
    EXPECT_TRUE(child.strategy.starts_with("mutated."));
    EXPECT_EQ(child.strategy.rfind("mutated."), 0u) << "once, however many ancestors";
    EXPECT_EQ(child.seed, 0u);
    EXPECT_EQ(child.index, 0u);
    EXPECT_EQ(child.kernel, parent.kernel);
    EXPECT_EQ(child.contract, parent.contract);
    EXPECT_EQ(child.history, parent.history);
    EXPECT_EQ(child.unknown, parent.unknown);
    EXPECT_TRUE(child.expect.empty());
    EXPECT_FALSE(child.found.has_value());
    const Case grandchild = mutate(request, child, random);
    EXPECT_EQ(grandchild.strategy.rfind("mutated."), 0u);
    const Case crossed = cross(request, parent, child, random);
    EXPECT_EQ(crossed.strategy, "mutated." + strategy);
    EXPECT_EQ(crossed.seed + crossed.index, 0u);
    EXPECT_TRUE(crossed.expect.empty());
    EXPECT_FALSE(crossed.found.has_value());
  }
}

}  // namespace
}  // namespace negzero::mutate
