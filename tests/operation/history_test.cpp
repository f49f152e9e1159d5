// Launches before a case: what is the case's in each kind, in words and in files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::operation {
namespace {

using ::testing::HasSubstr;

Case scatter_case(std::int64_t updates) {
  Case value;
  value.operation = Scatter{.kind = ScatterKind::Add, .updates = updates, .destinations = 4};
  for (const TensorSpec& spec : input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count() && spec.name != "index"; ++i) tensor.set(i, 0x41200000);
    value.tensors.emplace(spec.name, std::move(tensor));
  }
  pack_missing_layouts(value);
  return value;
}

Case product_case() {
  Case value;
  value.operation = Gemm{.m = 2, .n = 3, .k = 4};
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  return value;
}

/// Elements that differ, of those in [begin, end).
std::int64_t different(const tensor::Tensor& a, const tensor::Tensor& b, std::int64_t begin, std::int64_t end) {
  std::int64_t count = 0;
  for (std::int64_t i = begin; i < end; ++i) count += a.get(i) == b.get(i) ? 0 : 1;
  return count;
}

TEST(History, ContentsDifferAsTheirKindSays) {
  for (const std::int64_t updates : {0, 1, 2, 9, 100}) {
    Case value = scatter_case(updates);
    value.history = {{.times = 3}};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto earlier = [&](Contents contents) {
        Case result = earlier_case(value, {.contents = contents, .seed = seed}, 2);
        EXPECT_TRUE(validate(result).ok());
        EXPECT_TRUE(result.history.empty());
        EXPECT_EQ(result, earlier_case(value, {.contents = contents, .seed = seed + 2}, 0)) << "one seed more each";
        return result;
      };
      const Case one = earlier(Contents::One), later = earlier(Contents::Later), other = earlier(Contents::Other);
      for (const auto& [name, tensor] : value.tensors) {
        const std::int64_t count = tensor.element_count(), half = (count + 1) / 2;
        EXPECT_EQ(earlier(Contents::Same).tensors.at(name), tensor);
        const std::int64_t single = different(tensor, one.tensors.at(name), 0, count);
        if (name == "index") {
          EXPECT_LE(single, 1);
        } else {
          EXPECT_EQ(single, count > 0 ? 1 : 0);
          EXPECT_EQ(different(tensor, later.tensors.at(name), half, count), count - half);
          EXPECT_EQ(different(tensor, other.tensors.at(name), 0, count), count);
        }
        EXPECT_EQ(different(tensor, later.tensors.at(name), 0, half), 0);
      }
    }
  }
}

TEST(History, OneOfSmallIntegersDiffersToo) {
  Case value = scatter_case(9);
  value = earlier_case(value, {.contents = Contents::Other}, 0);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Case one = earlier_case(value, {.contents = Contents::One, .seed = seed}, 0);
    EXPECT_EQ(different(value.tensors.at("x"), one.tensors.at("x"), 0, 9), 1);
  }
}

TEST(History, OtherScalarsLeaveTheInputsAlone) {
  Case value = product_case();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Case earlier = earlier_case(value, {.contents = Contents::Scalars, .seed = seed}, 0);
    EXPECT_TRUE(validate(earlier).ok());
    EXPECT_EQ(earlier.tensors, value.tensors);
    const auto &before = view<Gemm>(value.operation), &after = view<Gemm>(earlier.operation);
    EXPECT_NE(after.alpha, before.alpha);
    EXPECT_NE(after.beta, before.beta);
    value.operation = after;
  }
}

TEST(History, AnotherShapeHasHalfOfEveryExtent) {
  Case value;
  value.operation = Gemm{.batch = 3, .m = 5, .n = 1, .k = 0};
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  const Case earlier = earlier_case(value, {.same_shape = false}, 0);
  EXPECT_TRUE(validate(earlier).ok());
  EXPECT_EQ(view<Gemm>(earlier.operation), (Gemm{.batch = 2, .m = 3, .n = 1, .k = 0}));
}

TEST(History, NamesAndWords) {
  for (const Contents contents : {Contents::Same, Contents::Scalars, Contents::One, Contents::Later, Contents::Other}) {
    EXPECT_EQ(parse_contents(name(contents)), contents);
  }
  EXPECT_FALSE(parse_contents("none"));
  EXPECT_EQ(
      describe({{.times = 2},
                {.contents = Contents::Scalars},
                {.contents = Contents::One},
                {.contents = Contents::Later, .same_storage = false},
                {.contents = Contents::Other, .same_shape = false},
                {.same_stream = false}}),
      "after 2 launches with the same contents in the same storage, 1 launch with other scalars in the same storage, "
      "1 launch with one element of each input changed in the same storage, 1 launch with the later half of each "
      "input changed in other storage, 1 launch of another shape in the same storage, 1 launch with the same contents "
      "in the same storage on another stream");
}

TEST(History, IsInTheCasesFile) {
  Case value = scatter_case(3);
  for (const Contents contents : {Contents::Same, Contents::Scalars, Contents::One, Contents::Later, Contents::Other}) {
    value.history = {{.times = 7, .contents = contents, .same_storage = false, .same_shape = false, .seed = 1u << 31}};
    value.history.push_back({.same_stream = false});
    const auto again = case_file::parse(case_file::write(value));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(*again, value);
  }
  std::vector<std::byte> file = case_file::write(value);
  std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  const std::size_t at = text.find("other", text.find("contents"));
  text.replace(at, 5, "outer");
  const auto unknown = case_file::parse(std::as_bytes(std::span(text)));
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("same, scalars, one, later, other"));
}

}  // namespace
}  // namespace negzero::operation
