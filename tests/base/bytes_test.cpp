// Bytes of numbers and text: what is written is read, and what does not fit spoils all that follows.

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/base/bytes.hpp>

namespace negzero::base {
namespace {

using std::string_literals::operator""s;

TEST(Bytes, AreLittleEndianWhateverTheMachine) {
  ByteWriter to;
  to.u8(0x12);
  to.u32(0x3456789a);
  to.u64(0x0102030405060708);
  to.i64(-2);
  to.text("ab\0c"s);
  EXPECT_EQ(to.bytes(),
            "\x12"
            "\x9a\x78\x56\x34"
            "\x08\x07\x06\x05\x04\x03\x02\x01"
            "\xfe\xff\xff\xff\xff\xff\xff\xff"
            "\x04\0\0\0"
            "ab\0c"s);
}

RC_GTEST_PROP(BytesProperty, WhatIsWrittenIsRead, ()) {
  const auto small = *rc::gen::arbitrary<std::uint8_t>();
  const auto words = *rc::gen::arbitrary<std::vector<std::tuple<std::uint32_t, std::uint64_t, std::int64_t>>>();
  const auto text = *rc::gen::arbitrary<std::string>();
  ByteWriter to;
  to.u8(small);
  for (const auto& [a, b, c] : words) {
    to.u32(a);
    to.u64(b);
    to.i64(c);
  }
  to.text(text);
  const std::string bytes = to.take();
  ByteReader from(bytes);
  RC_ASSERT(from.u8() == small);
  for (const auto& [a, b, c] : words) {
    RC_ASSERT(from.u32() == a);
    RC_ASSERT(from.u64() == b);
    RC_ASSERT(from.i64() == c);
  }
  RC_ASSERT(!from.is_complete());
  RC_ASSERT(from.text(static_cast<std::uint32_t>(text.size())) == text);
  RC_ASSERT(from.is_complete());
}

TEST(ByteReader, OneByteTooFewSpoilsItForGood) {
  const std::string bytes(7, 'x');
  ByteReader from(bytes);
  EXPECT_EQ(from.u64(), 0u);
  EXPECT_FALSE(from.ok());
  EXPECT_EQ(from.u8(), 0) << "although there are bytes left";
  EXPECT_EQ(from.i64(), 0);
  EXPECT_EQ(from.text(100), "");
  EXPECT_FALSE(from.is_complete());
}

TEST(ByteReader, ATextThatIsTooLongIsNone) {
  ByteWriter to;
  to.text("four");
  ByteReader fits(to.bytes()), too_long(to.bytes());
  EXPECT_EQ(fits.text(4), "four");
  EXPECT_TRUE(fits.is_complete());
  EXPECT_EQ(too_long.text(3), "");
  EXPECT_FALSE(too_long.ok());
}

TEST(ByteReader, ALengthBeyondTheBytesIsNone) {
  ByteWriter to;
  to.u32(std::numeric_limits<std::uint32_t>::max());
  to.u8('x');
  ByteReader from(to.bytes());
  EXPECT_EQ(from.text(std::numeric_limits<std::uint32_t>::max()), "");
  EXPECT_FALSE(from.ok());
}

TEST(ByteReader, NumbersAreHeldToTheirLimit) {
  ByteReader from("");
  EXPECT_EQ(from.at_most(3, 3), 3u);
  EXPECT_TRUE(from.is_complete());
  EXPECT_EQ(from.at_most(4, 3), 0u);
  EXPECT_FALSE(from.ok());
  EXPECT_EQ(from.at_most(1, 3), 0u) << "once spoilt, every number is 0";
}

TEST(ByteReader, BytesThatNobodyReadsAreNotComplete) {
  ByteReader from("x");
  EXPECT_TRUE(from.ok());
  EXPECT_FALSE(from.is_complete());
}

}  // namespace
}  // namespace negzero::base
