// Islands of distant layouts against the addresses of all elements.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/tensor/islands.hpp>

#include "arbitrary_layout.hpp"

namespace negzero::tensor {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 29;

/// The same by brute force: the pages of every element, joined where they are near.
std::vector<Island> by_elements(const Layout& layout, std::int64_t element_bytes) {
  std::vector<std::int64_t> addresses;
  for (std::int64_t i = 0; i < layout.element_count(); ++i) addresses.push_back(layout.address(i));
  std::sort(addresses.begin(), addresses.end());
  std::vector<Island> islands;
  std::int64_t last = 0;
  for (const std::int64_t address : addresses) {
    const std::int64_t end = ((address + 1) * element_bytes + kIslandUnit - 1) / kIslandUnit * kIslandUnit;
    if (islands.empty() || (address - last - 1) * element_bytes >= kIslandGap) {
      islands.push_back({address * element_bytes / kIslandUnit * kIslandUnit, end});
    }
    islands.back().end = end;
    last = address;
  }
  return islands;
}

RC_GTEST_PROP(Islands, AreThoseOfTheElements, ()) {
  Layout layout = *rc::gen::oneOf(arbitrary_layout(), nested_layout());
  const auto width = *rc::gen::element<std::int64_t>(1, 2, 4, 8);
  for (std::int64_t& stride : layout.strides) {
    // Around the gap, where two elements are of one island or of two, and far beyond it.
    stride *= *rc::gen::element<std::int64_t>(1, kIslandGap / width / 4, kIslandGap / width, kFar);
  }
  layout.offset *= *rc::gen::element<std::int64_t>(1, 1 << 20);
  const auto islands = islands_of(layout, static_cast<std::size_t>(width));
  const std::vector<Island> expected = by_elements(layout, width);
  if (!islands) {
    RC_ASSERT(expected.size() > kMostIslands / 16);
    return;
  }
  RC_ASSERT(*islands == expected);
}

TEST(Islands, TwoElementsAreOneIslandUpToTheGap) {
  const std::int64_t gap = kIslandGap / 4;
  EXPECT_EQ(islands_of({.shape = {2}, .strides = {gap}}, 4)->size(), 1u);
  EXPECT_EQ(islands_of({.shape = {2}, .strides = {gap + 1}}, 4)->size(), 2u);
}

TEST(Islands, ThereAreAtMostSoMany) {
  const auto most = static_cast<std::int64_t>(kMostIslands);
  EXPECT_EQ(islands_of({.shape = {most}, .strides = {1 << 20}}, 4)->size(), kMostIslands);
  EXPECT_EQ(islands_of({.shape = {most + 1}, .strides = {1 << 20}}, 4), std::nullopt);
  EXPECT_EQ(islands_of({.shape = {kMaxElements, kMaxElements}, .strides = {1 << 20, kFar}}, 4), std::nullopt);
  // A row that is as long as it may be is one all the same.
  EXPECT_EQ(islands_of(Layout::packed({kMaxElements}), 8), (std::vector<Island>{{0, 8 * kMaxElements}}));
}

TEST(Islands, ALayoutIsDistantWhereItSpansMuchMoreThanItHolds) {
  const auto spans = [](std::int64_t elements, std::int64_t extent) {
    return is_distant({.shape = {elements}, .strides = {1}, .offset = extent - elements});
  };
  EXPECT_FALSE(spans(10, 20 + kNearPadding));
  EXPECT_TRUE(spans(10, 21 + kNearPadding));
  EXPECT_FALSE(is_distant(Layout::packed({kMaxElements})));
  EXPECT_FALSE(is_distant({.shape = {0}, .strides = {kMaxSpan}, .offset = kMaxSpan}));
}

}  // namespace
}  // namespace negzero::tensor
