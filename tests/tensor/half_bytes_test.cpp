// Elements of 4 and 6 bits in bytes: every line from a byte of its own, the low half first.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/tensor/half_bytes.hpp>

namespace negzero::tensor {
namespace {

using number::FormatId;
using Words = std::vector<std::uint64_t>;

Tensor tensor_of(FormatId format, std::vector<std::int64_t> shape, const Words& words) {
  Tensor tensor(format, std::move(shape));
  tensor.assign(words);
  return tensor;
}

TEST(HalfBytes, LieTwoAByteTheLowHalfFirst) {
  for (const FormatId format : {FormatId::I4, FormatId::U4, FormatId::F4}) {
    const Tensor even = as_stored(tensor_of(format, {2, 2}, {1, 15, 8, 2}));
    EXPECT_EQ(even.format_id(), FormatId::U8);
    EXPECT_EQ(even.shape(), (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(even.words(), (Words{0xf1, 0x28}));
    // A line of three takes two bytes: the next one begins with a byte of its own.
    const Tensor odd = as_stored(tensor_of(format, {2, 3}, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(odd.shape(), (std::vector<std::int64_t>{2, 2}));
    EXPECT_EQ(odd.words(), (Words{0x21, 0x03, 0x54, 0x06}));
    EXPECT_EQ(as_stored(tensor_of(format, {3}, {1, 2, 3}), 14).words(), (Words{0x21, 0xe3}));
    EXPECT_EQ(as_stored(tensor_of(format, {}, {9})).words(), (Words{9}));
  }
}

TEST(HalfBytes, ComeBackFromBytesWhateverPaddingHolds) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {0}, {1}, {7}, {3, 5}, {2, 0}, {0, 3}, {2, 3, 4}, {2, 1, 1}}) {
    Tensor elements(FormatId::U4, shape);
    for (std::int64_t i = 0; i < elements.element_count(); ++i) elements.set(i, static_cast<std::uint64_t>(7 * i) % 16);
    for (const std::uint64_t padding : {0u, 5u, 15u}) {
      EXPECT_EQ(from_stored(as_stored(elements, padding), FormatId::U4, shape), elements);
    }
  }
}

TEST(HalfBytes, SixBitsTakeAByteAndOthersStayAsTheyAre) {
  const Tensor six = tensor_of(FormatId::F6_E2M3, {3}, {0x3f, 0, 0x20});
  EXPECT_EQ(as_stored(six).words(), six.words());
  EXPECT_EQ(as_stored(six).format_id(), FormatId::U8);
  EXPECT_EQ(from_stored(as_stored(six), FormatId::F6_E2M3, {3}), six);
  const Tensor power = tensor_of(FormatId::F8_E8M0, {2}, {255, 0});
  EXPECT_EQ(as_stored(power), power);
}

TEST(HalfBytes, OtherShapesAndFormatsAreNotTaken) {
  const Tensor bytes = tensor_of(FormatId::U8, {2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(from_stored(bytes, FormatId::U4, {2, 3}));
  EXPECT_TRUE(from_stored(bytes, FormatId::U4, {2, 4}));
  EXPECT_FALSE(from_stored(bytes, FormatId::U4, {2, 2}));
  EXPECT_FALSE(from_stored(bytes, FormatId::U4, {4, 2}));
  EXPECT_FALSE(from_stored(bytes, FormatId::F8_E8M0, {2, 2}));
  EXPECT_FALSE(from_stored(tensor_of(FormatId::I8, {2}, {1, 2}), FormatId::U4, {4}));
}

TEST(HalfBytes, LayoutsAreThoseOfBytes) {
  const number::Format& u4 = number::format(FormatId::U4);
  Layout layout = Layout::packed({2, 3});
  EXPECT_EQ(byte_layout(u4, layout), Layout::packed({2, 2}));
  layout.offset = 6;
  EXPECT_TRUE(is_byte_layout(layout));
  EXPECT_EQ(byte_layout(u4, layout).offset, 3);
  EXPECT_EQ(byte_layout(number::format(FormatId::F8_E8M0), layout), layout);
  layout.offset = 5;
  EXPECT_FALSE(is_byte_layout(layout)) << "it begins inside a byte";
  EXPECT_FALSE(is_byte_layout({{2, 3}, {4, 1}, 0}));
  EXPECT_FALSE(is_byte_layout({{2, 3}, {1, 2}, 0}));
  EXPECT_TRUE(is_byte_layout({{1, 3}, {9, 1}, 0})) << "a stride over one element means nothing";
}

}  // namespace
}  // namespace negzero::tensor
