// Packed tensors: every width, one element at a time and in one pass.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/tensor/tensor.hpp>

namespace negzero::tensor {
namespace {

using number::FormatId;

TEST(Tensor, StartsAsZeros) {
  const tensor::Tensor value(FormatId::F16, {3, 5});
  EXPECT_EQ(value.element_count(), 15);
  EXPECT_EQ(value.element_bytes(), 2u);
  EXPECT_EQ(value.bytes().size(), 30u);
  EXPECT_EQ(value.words(), std::vector<std::uint64_t>(15, 0));
}

TEST(Tensor, DefaultIsTheScalarZeroOfF32) {
  const tensor::Tensor value;
  EXPECT_EQ(value, tensor::Tensor(FormatId::F32, {}));
  EXPECT_EQ(value.get(0), 0u);
}

TEST(Tensor, EmptyShapesHaveNoBytes) {
  const tensor::Tensor value(FormatId::F64, {7, 0});
  EXPECT_EQ(value.element_count(), 0);
  EXPECT_TRUE(value.bytes().empty());
  EXPECT_TRUE(value.words().empty());
}

TEST(Tensor, BytesAreLittleEndian) {
  tensor::Tensor value(FormatId::F32, {2});
  value.set(1, 0x11223344);
  const std::vector<std::byte> expected{std::byte{0},    std::byte{0},    std::byte{0},    std::byte{0},
                                        std::byte{0x44}, std::byte{0x33}, std::byte{0x22}, std::byte{0x11}};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), value.bytes().begin(), value.bytes().end()));
}

TEST(Tensor, EqualityCountsFormatShapeAndBits) {
  tensor::Tensor a(FormatId::F16, {2, 3});
  EXPECT_NE(a, tensor::Tensor(FormatId::BF16, {2, 3}));
  EXPECT_NE(a, tensor::Tensor(FormatId::F16, {3, 2}));
  tensor::Tensor b = a;
  EXPECT_EQ(a, b);
  b.set(5, 0x8000);
  EXPECT_NE(a, b);
}

RC_GTEST_PROP(Tensor, ElementsAndPassesAgree, (std::vector<std::uint64_t> words)) {
  const number::Format& format =
      *rc::gen::elementOf(std::vector<number::Format>(number::all_formats().begin(), number::all_formats().end()));
  tensor::Tensor one_by_one(format.id, {static_cast<std::int64_t>(words.size())});
  tensor::Tensor at_once = one_by_one;
  for (std::size_t i = 0; i < words.size(); ++i) one_by_one.set(static_cast<std::int64_t>(i), words[i]);
  at_once.assign(words);
  RC_ASSERT(one_by_one == at_once);
  // Of elements below a byte the whole byte is kept: an output may have other bits in it.
  for (std::uint64_t& word : words) word &= ~std::uint64_t{0} >> (64 - 8 * format.bytes());
  RC_ASSERT(at_once.words() == words);
  for (std::size_t i = 0; i < words.size(); ++i) RC_ASSERT(at_once.get(static_cast<std::int64_t>(i)) == words[i]);
}

TEST(Tensor, IsEqualWhereFormatShapeAndEveryByteAre) {
  Tensor a(number::FormatId::F32, {2, 3});
  a.set(5, 0x80000000);
  Tensor b = a;
  EXPECT_EQ(a, b);
  b.set(5, 0);
  EXPECT_NE(a, b);
  EXPECT_NE(Tensor(number::FormatId::F32, {2, 3}), Tensor(number::FormatId::F32, {3, 2}));
  EXPECT_NE(Tensor(number::FormatId::F32, {2}), Tensor(number::FormatId::I32, {2}));
  EXPECT_EQ(Tensor(number::FormatId::F32, {0}), Tensor(number::FormatId::F32, {0}));
}

}  // namespace
}  // namespace negzero::tensor
