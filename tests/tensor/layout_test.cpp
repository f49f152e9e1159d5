// Layouts: counts, extents, addresses and overlaps against enumeration, and everything that validate() refuses.

#include <algorithm>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <negzero/tensor/layout.hpp>

#include "arbitrary_layout.hpp"

namespace negzero::tensor {
namespace {

using testing::HasSubstr;

/// Addresses in row-major order by nested loops: recursion over dimensions, unlike the divisions of address().
void enumerate(const Layout& layout, std::size_t d, std::int64_t base, std::vector<std::int64_t>& addresses) {
  if (d == layout.shape.size()) {
    addresses.push_back(base);
    return;
  }
  for (std::int64_t i = 0; i < layout.shape[d]; ++i) enumerate(layout, d + 1, base + i * layout.strides[d], addresses);
}

std::vector<std::int64_t> addresses_of(const Layout& layout) {
  std::vector<std::int64_t> addresses;
  enumerate(layout, 0, layout.offset, addresses);
  return addresses;
}

RC_GTEST_PROP(Layout, AgreesWithEnumeration, ()) {
  const tensor::Layout layout = *rc::gen::oneOf(arbitrary_layout(), nested_layout());
  const std::vector<std::int64_t> addresses = addresses_of(layout);
  RC_ASSERT(layout.element_count() == static_cast<std::int64_t>(addresses.size()));
  RC_ASSERT(layout.extent() == (addresses.empty() ? 0 : *std::max_element(addresses.begin(), addresses.end()) + 1));
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    RC_ASSERT(layout.address(static_cast<std::int64_t>(i)) == addresses[i]);
  }
  const std::set<std::int64_t> distinct(addresses.begin(), addresses.end());
  RC_ASSERT(layout.overlaps() == (distinct.size() != addresses.size()));
  RC_ASSERT(validate(layout, "a").ok());
}

RC_GTEST_PROP(Layout, PackedAddressesAreTheIndices, (std::vector<std::uint8_t> extents)) {
  extents.resize(std::min<std::size_t>(extents.size(), 4));
  std::vector<std::int64_t> shape;
  for (const std::uint8_t extent : extents) shape.push_back(extent % 6);
  const tensor::Layout layout = tensor::Layout::packed(shape);
  RC_ASSERT(layout.offset == 0);
  RC_ASSERT(layout.extent() == layout.element_count());
  for (std::int64_t i = 0; i < layout.element_count(); ++i) RC_ASSERT(layout.address(i) == i);
}

TEST(Layout, RankZeroIsOneElement) {
  const tensor::Layout layout{.shape = {}, .strides = {}, .offset = 5};
  EXPECT_EQ(layout.element_count(), 1);
  EXPECT_EQ(layout.extent(), 6);
  EXPECT_EQ(layout.address(0), 5);
  EXPECT_FALSE(layout.overlaps());
}

TEST(Layout, EmptyTensorsOfHugeShapesAreValid) {
  const tensor::Layout layout = tensor::Layout::packed({0, kMaxElements, kMaxElements});
  EXPECT_EQ(layout.element_count(), 0);
  EXPECT_EQ(layout.extent(), 0);
  EXPECT_TRUE(validate(layout, "c").ok());
}

TEST(Layout, RowsMayTouchButNotOverlap) {
  EXPECT_FALSE((tensor::Layout{.shape = {2, 4}, .strides = {4, 1}}.overlaps()));
  EXPECT_TRUE((tensor::Layout{.shape = {2, 4}, .strides = {3, 1}}.overlaps()));
  EXPECT_FALSE((tensor::Layout{.shape = {4, 2}, .strides = {1, 4}}.overlaps()));
  EXPECT_TRUE((tensor::Layout{.shape = {4, 2}, .strides = {1, 3}}.overlaps()));
}

TEST(Layout, InterleavedStridesThatAreNotNestedNeedNotOverlap) {
  // 0 2 4 / 3 5 7: strides 3 and 2 with a span of 5 are not nested, and no address repeats.
  const tensor::Layout distinct{.shape = {2, 3}, .strides = {3, 2}};
  EXPECT_FALSE(distinct.overlaps());
  // 0 2 4 6 / 3 5 7 9 / 6 ...: 6 repeats.
  const tensor::Layout repeated{.shape = {3, 4}, .strides = {3, 2}};
  EXPECT_TRUE(repeated.overlaps());
}

TEST(Layout, CountsAndExtentsSaturateInsteadOfOverflowing) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max();
  const tensor::Layout layout{.shape = {kHuge, kHuge}, .strides = {kHuge, kHuge}, .offset = kSaturated};
  EXPECT_EQ(layout.element_count(), kSaturated);
  EXPECT_EQ(layout.extent(), kSaturated);
  EXPECT_EQ((tensor::Layout{.shape = {kHuge, kHuge, 0}, .strides = {1, 1, 1}}.element_count()), 0);
}

struct Refusal {
  const char* what;
  Layout layout;
};

TEST(Layout, ValidateNamesTheTensorTheValueAndTheRule) {
  constexpr std::int64_t kOver = kMaxElements + 1, kFar = kMaxSpan + 1;
  const Refusal refusals[] = {
      {"2 strides for a shape of rank 1", {.shape = {4}, .strides = {1, 1}}},
      {"extent -1 of dimension 1 is negative", {.shape = {4, -1}, .strides = {1, 1}}},
      {"stride -2 of dimension 0 is negative", {.shape = {4}, .strides = {-2}}},
      {"offset -3 is negative", {.shape = {4}, .strides = {1}, .offset = -3}},
      {"extent 2147483649 of dimension 0 exceeds 2147483648", {.shape = {kOver, 0}, .strides = {1, 1}}},
      {"stride 17179869185 of dimension 0 exceeds 17179869184", {.shape = {1}, .strides = {kFar}}},
      {"offset 17179869185 exceeds 17179869184", {.shape = {0}, .strides = {1}, .offset = kFar}},
      {"more than 2147483648 elements", {.shape = {65536, 65536}, .strides = {0, 0}}},
      {"spans more than 17179869184 elements", {.shape = {2, 2}, .strides = {kMaxSpan - 1, 1}}},
      {"spans more than 17179869184 elements", {.shape = {1}, .strides = {1}, .offset = kMaxSpan}},
      {"rank 9 exceeds 8", Layout::packed({1, 1, 1, 1, 1, 1, 1, 1, 1})},
  };
  for (const Refusal& refusal : refusals) {
    const base::Status status = validate(refusal.layout, "a");
    ASSERT_FALSE(status.ok()) << refusal.what;
    EXPECT_EQ(status.error().kind, base::ErrorKind::Usage);
    EXPECT_THAT(status.error().message, HasSubstr("layout of a: "));
    EXPECT_THAT(status.error().message, HasSubstr(refusal.what));
  }
}

TEST(Layout, TheLargestOnesAreValid) {
  EXPECT_TRUE(validate(tensor::Layout::packed({kMaxElements}), "a").ok());
  EXPECT_TRUE(validate({.shape = {2}, .strides = {kMaxSpan - 1}}, "a").ok());
  EXPECT_TRUE(validate({.shape = {1}, .strides = {1}, .offset = kMaxSpan - 1}, "a").ok());
}

}  // namespace
}  // namespace negzero::tensor
