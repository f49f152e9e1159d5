// Placement against one address at a time: what arrives, what comes back, and what must stay untouched.

#include <algorithm>
#include <map>

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

RC_GTEST_PROP(Placement, ScattersToTheAddressesAndNowhereElse, ()) {
  const Layout layout = *rc::gen::oneOf(arbitrary_layout(), nested_layout());
  const auto width = *rc::gen::element<std::size_t>(1, 2, 4, 8);
  const std::vector<std::byte> packed = numbered(layout.element_count(), width);
  // Three elements more than the extent stand for the guard zone behind a buffer.
  const std::int64_t size = layout.extent() + 3;
  std::vector<std::byte> memory(static_cast<std::size_t>(size) * width, kUntouched);
  scatter_to(layout, width, packed, memory);
  std::map<std::int64_t, std::vector<std::int64_t>> elements_at;
  for (std::int64_t i = 0; i < layout.element_count(); ++i) elements_at[layout.address(i)].push_back(i);
  const auto same = [&](std::int64_t address, std::int64_t element) {
    return std::equal(memory.begin() + address * static_cast<std::int64_t>(width),
                      memory.begin() + (address + 1) * static_cast<std::int64_t>(width),
                      packed.begin() + element * static_cast<std::int64_t>(width));
  };
  for (std::int64_t at = 0; at < size; ++at) {
    const auto found = elements_at.find(at);
    if (found == elements_at.end()) {
      for (std::size_t byte = 0; byte < width; ++byte) {
        RC_ASSERT(memory[static_cast<std::size_t>(at) * width + byte] == kUntouched);
      }
    } else {
      RC_ASSERT(std::any_of(found->second.begin(), found->second.end(), [&](std::int64_t i) { return same(at, i); }));
    }
  }
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

RC_GTEST_PROP(Placement, ConflictsAreElementsThatShareAnAddressAndDiffer, ()) {
  Layout layout = *rc::gen::oneOf(arbitrary_layout(), nested_layout());
  // What is distant takes memory for its elements, and not for its span of gigabytes.
  if (*rc::gen::arbitrary<bool>()) {
    for (std::int64_t& stride : layout.strides) stride <<= 29;
  }
  std::vector<std::byte> packed(static_cast<std::size_t>(layout.element_count()) * 2);
  for (std::byte& byte : packed) byte = static_cast<std::byte>(*rc::gen::inRange(0, 40) == 0);
  const auto word = [&](std::int64_t i) { return load_word(packed.data() + 2 * i, 2); };
  const auto conflicts = [&] {
    std::map<std::int64_t, std::uint64_t> at;
    for (std::int64_t i = 0; i < layout.element_count(); ++i) {
      if (at.emplace(layout.address(i), word(i)).first->second != word(i)) return true;
    }
    return false;
  };
  const std::optional<std::int64_t> first = first_conflict(layout, 2, packed);
  RC_ASSERT(first.has_value() == conflicts());
  RC_ASSERT(!first || (*first >= 0 && *first < layout.element_count()));
  resolve_conflicts(layout, 2, packed);
  RC_ASSERT(!conflicts());
  RC_ASSERT(first_conflict(layout, 2, packed) == std::nullopt);
}

TEST(Placement, LargeTransposesCrossTheBlocks) {
  for (const std::int64_t extent : {1, 15, 16, 17, 33, 70}) {
    const Layout layout{.shape = {2, extent, extent + 1}, .strides = {9000, 1, extent + 5}, .offset = 2};
    const std::vector<std::byte> packed = numbered(layout.element_count(), 4);
    std::vector<std::byte> memory(static_cast<std::size_t>(layout.extent()) * 4, kUntouched);
    scatter_to(layout, 4, packed, memory);
    for (std::int64_t i = 0; i < layout.element_count(); ++i) {
      ASSERT_EQ(load_word(memory.data() + 4 * layout.address(i), 4), load_word(packed.data() + 4 * i, 4));
    }
    std::vector<std::byte> back(packed.size());
    gather_from(layout, 4, memory, back);
    EXPECT_EQ(back, packed);
  }
}

}  // namespace
}  // namespace negzero::tensor
