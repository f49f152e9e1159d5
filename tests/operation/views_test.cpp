// Views show every extent, tensor and scalar of an operation with its limit, and change that one.

#include <gtest/gtest.h>

#include <negzero/operation/views.hpp>

namespace negzero::operation {
namespace {

Operation named(std::string_view name) { return *operation_named(name); }

TEST(Views, ExtentsAreThoseOfTheOperationInItsOrder) {
  Limits limits;
  limits.extents = {{"m", {.tiles = {64}}}, {"n", {.tiles = {32}}}, {"k", {.multiple = 16, .tiles = {16}}}};
  for (const std::string_view name : operation_names()) {
    SCOPED_TRACE(name);
    Operation operation = named(name);
    const std::vector<ExtentView> views = extent_views(operation, limits);
    ASSERT_EQ(views.size(), extents_of(operation).size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      *views[i].value = 100 + static_cast<std::int64_t>(i);
      for (std::size_t j = 0; j < views.size(); ++j) {
        EXPECT_EQ(views[j].name, extents_of(operation)[j].name);
        EXPECT_EQ(extents_of(operation)[j].value, j <= i ? 100 + static_cast<std::int64_t>(j) : 0 + *views[j].value);
      }
    }
  }
  Operation gemm = Gemm{};
  const auto views = extent_views(gemm, limits);
  EXPECT_TRUE(views[0].limit->tiles.empty());
  EXPECT_EQ(views[1].limit->tiles.front(), 64);
  EXPECT_EQ(views[2].limit->tiles.front(), 32);
  EXPECT_EQ(views[3].limit->tiles.front(), 16);
  EXPECT_EQ(views[3].limit->multiple, 16);
}

TEST(Views, AnExtentOutsideItsViewsLimitIsOutside) {
  // Ties each view's limit to the extent that outside() holds to it.
  for (const std::string_view name : operation_names()) {
    Operation operation = named(name);
    Limits limits;
    for (std::size_t i = 0; i < extent_views(operation, limits).size(); ++i) {
      Operation changed = operation;
      Limits own;
      own.extents[operation.signature().extents[i]].max = 4;
      const ExtentView view = extent_views(changed, own)[i];
      *view.value = 5;
      EXPECT_TRUE(outside(own, changed, {}).has_value()) << name << " " << view.name;
      *view.value = 4;
      EXPECT_FALSE(outside(own, changed, {}).has_value()) << name << " " << view.name;
    }
  }
}

TEST(Views, TensorsAreTheInputsThenTheOutputs) {
  const Limits limits{.inputs = {.offset_multiple = 3}, .output = {.offset_multiple = 5}};
  for (const std::string_view name : operation_names()) {
    const Operation operation = named(name);
    const auto views = tensor_views(operation, limits);
    const auto inputs = input_specs(operation);
    const auto outputs = output_specs(operation);
    ASSERT_EQ(views.size(), inputs.size() + outputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(views[i].spec.name, inputs[i].name);
      EXPECT_EQ(views[i].limit.offset_multiple, 3);
      EXPECT_FALSE(views[i].is_output);
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const TensorView& view = views[inputs.size() + o];
      EXPECT_EQ(view.spec.name, outputs[o].name);
      EXPECT_EQ(view.limit.offset_multiple, 5);
      EXPECT_TRUE(view.is_output);
    }
  }
}

TEST(Views, ScalarsAreThoseOfTheOperation) {
  Limits limits;
  limits.beta = ScalarLimit::Zero;
  Operation gemm = Gemm{};
  const auto views = scalar_views(gemm, limits);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_FALSE(views[0].is_addend);
  EXPECT_TRUE(views[1].is_addend);
  EXPECT_EQ(views[1].limit, ScalarLimit::Zero);
  views[1].value->bits = 7;
  EXPECT_EQ(gemm.scalars()[1].bits, 7u);
  EXPECT_EQ(gemm.scalars()[0], view<Gemm>(gemm).alpha);
  Operation reduce = Reduce{};
  EXPECT_TRUE(scalar_views(reduce, limits).empty());
  EXPECT_TRUE(reduce.scalars().empty());
}

TEST(Views, IndicesSayWhatTheyMayBe) {
  Scatter scatter;
  scatter.updates = 3;
  scatter.destinations = 5;
  for (const TensorSpec& spec : input_specs(scatter)) {
    EXPECT_EQ(spec.index_below.has_value(), spec.name == "index");
    if (spec.index_below) {
      EXPECT_EQ(*spec.index_below, 5);
    }
  }
}

}  // namespace
}  // namespace negzero::operation
