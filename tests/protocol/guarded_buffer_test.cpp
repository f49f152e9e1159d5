// Guard zones: what fills them, and that every changed byte of them is found where it is.

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/protocol/guarded_buffer.hpp>

namespace negzero::protocol {
namespace {

using operation::Poison;

/// A region in memory of its own.
class Buffer {
 public:
  void reset(std::size_t size_bytes, const number::Format& format, Poison poison) {
    storage_.resize(guarded_bytes(size_bytes));
    region_ = GuardedRegion(storage_.data() + kGuardBytes, size_bytes, poison_pattern(poison, format));
    region_.poison();
  }
  [[nodiscard]] std::span<std::byte> data() const { return region_.data(); }
  [[nodiscard]] std::optional<std::ptrdiff_t> guard_damage() const { return region_.guard_damage(); }
  [[nodiscard]] const GuardedRegion& region() const { return region_; }

 private:
  std::vector<std::byte> storage_;
  GuardedRegion region_;
};

std::uint64_t word_at(Buffer& buffer, const number::Format& format, std::ptrdiff_t byte) {
  std::uint64_t word = 0;
  std::memcpy(&word, buffer.data().data() + byte, static_cast<std::size_t>(format.bytes()));
  return word;
}

/// Flips one bit of one byte, asks, and puts it back.
std::optional<std::ptrdiff_t> damage_at(Buffer& buffer, std::ptrdiff_t byte) {
  std::byte& victim = buffer.data().data()[byte];
  victim ^= std::byte{0x10};
  const auto found = buffer.guard_damage();
  victim ^= std::byte{0x10};
  return found;
}

TEST(GuardedRegion, PoisonOfInputsIsAnotherOfItsKind) {
  for (const number::Format& format : number::all_formats()) {
    const auto word = [&](std::uint64_t pattern) { return pattern & format.word_mask(); };
    const std::uint64_t nan = word(input_poison_pattern(Poison::Nan, format));
    EXPECT_TRUE(format.is_integer() || format.only_stores() || number::is_nan(format, nan)) << format.name;
    EXPECT_NE(nan, poison_word(Poison::Nan, format)) << format.name;
    const std::uint64_t large = word(input_poison_pattern(Poison::Large, format)),
                        last = std::uint64_t{1} << format.unused_bits;
    const std::uint64_t most =
        format.is_signed() || format.is_power() ? number::max_finite(format) : format.word_mask() >> 1;
    EXPECT_EQ(large, most - last) << format.name;
    const std::uint64_t pattern = input_poison_pattern(Poison::Nan, format);
    const int step = format.is_half_byte() ? 4 : 8 * format.bytes();
    for (int bit = 0; bit < 64; bit += step) EXPECT_EQ(word(pattern >> bit), nan) << format.name;
  }
}

TEST(GuardedRegion, PoisonIsNanOrLarge) {
  for (const number::Format& format : number::all_formats()) {
    const std::uint64_t large = poison_word(Poison::Large, format);
    EXPECT_FALSE(number::is_nan(format, large)) << format.name;
    // Of unsigned integers the largest one is `Nan`, too, and a run must tell both from what is written.
    EXPECT_EQ(large, format.is_signed() || format.is_power() ? number::max_finite(format) : format.word_mask() >> 1)
        << format.name;
    EXPECT_NE(large, poison_word(Poison::Nan, format)) << format.name;
    if (format.nan_codes != number::NanCodes::None) {
      EXPECT_TRUE(number::is_nan(format, poison_word(Poison::Nan, format))) << format.name;
    }
  }
  EXPECT_EQ(poison_word(Poison::Nan, number::format(number::FormatId::I32)), 0xffffffffu);
}

TEST(GuardedRegion, EveryElementOfDataAndGuardsIsPoison) {
  Buffer buffer;
  for (const number::Format& format : number::all_formats()) {
    const std::ptrdiff_t width = format.bytes();
    for (const Poison poison : {Poison::Nan, Poison::Large}) {
      // Two half bytes lie in each byte.
      const std::uint64_t expected = poison_word(poison, format) * (format.is_half_byte() ? 0x11 : 1);
      for (std::ptrdiff_t count = 0; count <= 20; ++count) {
        buffer.reset(static_cast<std::size_t>(count * width), format, poison);
        for (std::ptrdiff_t at = -4096; at < count * width + 4096; at += width) {
          ASSERT_EQ(word_at(buffer, format, at), expected) << format.name << " byte " << at;
        }
      }
    }
  }
}

TEST(GuardedRegion, AChangedGuardByteIsFoundForEverySizeAndFormat) {
  Buffer buffer;
  for (const number::Format& format : number::all_formats()) {
    for (const Poison poison : {Poison::Nan, Poison::Large}) {
      for (std::ptrdiff_t size = 0; size <= 64; ++size) {
        buffer.reset(static_cast<std::size_t>(size), format, poison);
        ASSERT_EQ(buffer.guard_damage(), std::nullopt) << format.name << " size " << size;
        for (const std::ptrdiff_t at : {-4096, -4095, -9, -8, -7, -1}) ASSERT_EQ(damage_at(buffer, at), at);
        for (const std::ptrdiff_t past : {0, 1, 7, 8, 9, 63, 64, 4088, 4094, 4095}) {
          ASSERT_EQ(damage_at(buffer, size + past), size + past) << format.name << " size " << size;
        }
      }
    }
  }
}

TEST(GuardedRegion, EveryByteOfBothZonesCounts) {
  Buffer buffer;
  buffer.reset(13, number::format(number::FormatId::F32), Poison::Large);
  for (std::ptrdiff_t at = -4096; at < 13 + 4096; ++at) {
    if (at < 0 || at >= 13) {
      ASSERT_EQ(damage_at(buffer, at), at);
    } else {
      ASSERT_EQ(damage_at(buffer, at), std::nullopt) << "data is no guard";
    }
  }
}

TEST(GuardedRegion, TheFirstOfSeveralChangesIsNamed) {
  Buffer buffer;
  buffer.reset(8, number::format(number::FormatId::F64), Poison::Nan);
  std::byte* const data = buffer.data().data();
  data[11] = data[9] = std::byte{0};
  EXPECT_EQ(buffer.guard_damage(), 9);
  data[-5] = std::byte{0};
  EXPECT_EQ(buffer.guard_damage(), -5);
}

TEST(GuardedRegion, DifferenceNamesTheFirstChangedByteOfData) {
  Buffer buffer;
  buffer.reset(10, number::format(number::FormatId::F16), Poison::Nan);
  buffer.data()[3] = std::byte{42};
  const std::vector<std::byte> before(buffer.data().begin(), buffer.data().end());
  const auto difference = [&] { return buffer.region().difference(before.data()); };
  EXPECT_EQ(difference(), std::nullopt);
  buffer.data()[9] = std::byte{1};
  EXPECT_EQ(difference(), 9);
  buffer.data()[0] = std::byte{1};
  EXPECT_EQ(difference(), 0);
}

TEST(GuardedRegion, NothingOfTheCaseBeforeIsLeft) {
  Buffer buffer;
  for (const std::size_t size : {64u, 0u, 100000u, 8u, 200000u, 64u}) {
    for (const Poison poison : {Poison::Nan, Poison::Large}) {
      const number::Format& format = number::format(number::FormatId::BF16);
      buffer.reset(size, format, poison);
      for (std::size_t at = 0; at < size; at += 2) {
        ASSERT_EQ(word_at(buffer, format, static_cast<std::ptrdiff_t>(at)), poison_word(poison, format));
      }
      ASSERT_EQ(buffer.guard_damage(), std::nullopt);
      std::memset(buffer.data().data() - kGuardBytes, 0x5c, size + 2 * kGuardBytes);
      ASSERT_EQ(buffer.guard_damage(), -4096);
    }
  }
}

}  // namespace
}  // namespace negzero::protocol
