// Placement against one address at a time: what arrives, what comes back, and what must stay untouched.

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/tensor/placement.hpp>
#include <negzero/tensor/tensor.hpp>

#include "arbitrary_layout.hpp"

namespace negzero::tensor {
namespace {

constexpr std::byte kUntouched{0xa5};

/// Packed elements that are all different in their low byte (as far as a byte goes) and never kUntouched.
std::vector<std::byte> numbered(std::int64_t count, std::size_t element_bytes) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * element_bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((i * 7 + 1) % 0xa5);
  return bytes;
}

/// The plain way: each element by itself, in row-major order.
std::vector<std::byte> scattered_one_by_one(const Layout& layout, std::size_t width,
                                            const std::vector<std::byte>& packed, std::vector<std::byte> memory) {
  for (std::int64_t i = 0; i < layout.element_count(); ++i) {
    std::copy_n(packed.begin() + i * static_cast<std::int64_t>(width), width,
                memory.begin() + layout.address(i) * static_cast<std::int64_t>(width));
  }
  return memory;
}

RC_GTEST_PROP(Placement, ScattersLikeOneElementAtATime, ()) {
  const Layout layout = *rc::gen::oneOf(arbitrary_layout(), nested_layout());
  const auto width = *rc::gen::element<std::size_t>(1, 2, 4, 8);
  const std::vector<std::byte> packed = numbered(layout.element_count(), width);
  // Three elements more than the extent stand for the guard zone behind a buffer.
  std::vector<std::byte> memory(static_cast<std::size_t>(layout.extent() + 3) * width, kUntouched);
  const std::vector<std::byte> expected = scattered_one_by_one(layout, width, packed, memory);
  scatter_to(layout, width, packed, memory);
  RC_ASSERT(memory == expected);
}

RC_GTEST_PROP(Placement, GathersWhatItScattered, ()) {
  const Layout layout = *nested_layout();
  const auto width = *rc::gen::element<std::size_t>(1, 2, 4, 8);
  const std::vector<std::byte> packed = numbered(layout.element_count(), width);
  std::vector<std::byte> memory(static_cast<std::size_t>(layout.extent()) * width, kUntouched);
  scatter_to(layout, width, packed, memory);
  std::vector<std::byte> back(packed.size(), kUntouched);
  gather_from(layout, width, memory, back);
  RC_ASSERT(back == packed);
}

RC_GTEST_PROP(Placement, GathersThroughBroadcasts, ()) {
  const Layout layout = *arbitrary_layout();
  const std::vector<std::byte> memory = numbered(layout.extent(), 2);
  std::vector<std::byte> packed(static_cast<std::size_t>(layout.element_count()) * 2);
  gather_from(layout, 2, memory, packed);
  for (std::int64_t i = 0; i < layout.element_count(); ++i) {
    RC_ASSERT(load_word(packed.data() + 2 * i, 2) == load_word(memory.data() + 2 * layout.address(i), 2));
  }
}

RC_GTEST_PROP(Placement, PaddingIsWhatNoElementOccupies, ()) {
  const Layout layout = *rc::gen::oneOf(arbitrary_layout(), nested_layout());
  std::vector<bool> occupied(static_cast<std::size_t>(layout.extent()));
  for (std::int64_t i = 0; i < layout.element_count(); ++i)
    occupied[static_cast<std::size_t>(layout.address(i))] = true;
  std::vector<Gap> expected;
  for (std::int64_t at = 0; at < layout.extent(); ++at) {
    if (occupied[static_cast<std::size_t>(at)]) continue;
    if (expected.empty() || expected.back().end != at) expected.push_back({at, at});
    ++expected.back().end;
  }
  RC_ASSERT(padding(layout) == expected);
}

TEST(Placement, PaddingOfCommonLayouts) {
  EXPECT_EQ(padding(Layout::packed({4, 8})), std::vector<Gap>{});
  EXPECT_EQ(padding({.shape = {3, 4}, .strides = {6, 1}, .offset = 2}), (std::vector<Gap>{{0, 2}, {6, 8}, {12, 14}}));
  EXPECT_EQ(padding({.shape = {4, 3}, .strides = {1, 6}}), (std::vector<Gap>{{4, 6}, {10, 12}}));
  EXPECT_EQ(padding({.shape = {3}, .strides = {2}}), (std::vector<Gap>{{1, 2}, {3, 4}}));
  EXPECT_EQ(padding({.shape = {5, 4}, .strides = {0, 1}}), std::vector<Gap>{});
  EXPECT_EQ(padding({.shape = {0, 4}, .strides = {9, 1}, .offset = 7}), std::vector<Gap>{});
}

TEST(Placement, LastElementWinsWhereAnAddressIsShared) {
  std::vector<std::byte> memory(1);
  const std::vector<std::byte> packed{std::byte{1}, std::byte{2}, std::byte{3}};
  scatter_to({.shape = {3}, .strides = {0}}, 1, packed, memory);
  EXPECT_EQ(memory[0], std::byte{3});
}

}  // namespace
}  // namespace negzero::tensor
