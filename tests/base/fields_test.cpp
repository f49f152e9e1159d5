// Fields that are described once are read as they were written, and refused where they are past a limit.

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <negzero/base/fields.hpp>

namespace negzero::base {
namespace {

enum class Colour : unsigned char { Red, Green, Blue };

struct Everything {
  std::uint32_t small = 7;
  std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  std::int64_t low = -5;
  double ratio = 0.1;
  int jobs = 3;
  Colour colour = Colour::Blue;
  bool first = true, second = false, third = true;
  std::string text = std::string("a\0b", 3);
  std::optional<double> there = 2.5, absent{};
  std::vector<std::uint32_t> list = {1, 2};
  std::map<std::string, std::int64_t> map = {{"x", 1}, {"y", -1}};
  friend bool operator==(const Everything&, const Everything&) = default;
};

void fields(auto& wire, Message<Everything> auto& all) {
  const auto number = [&](auto& value) { wire.number(value); };
  wire.number(all.small);
  wire.number(all.large);
  wire.number(all.low);
  wire.number(all.ratio);
  wire.number(all.jobs, 4);
  wire.byte(all.colour, Colour::Blue);
  wire.bits(all.first, all.second, all.third);
  wire.text(all.text, 3);
  wire.optional(all.there, number);
  wire.optional(all.absent, number);
  wire.list(all.list, 2, number);
  wire.map(all.map, 2, 1, number);
  wire.require(all.low < 0);
}

std::string written(const Everything& all) {
  FieldWriter to;
  fields(to, all);
  return to.take();
}

std::optional<Everything> read(std::string_view bytes) {
  FieldReader from(bytes);
  Everything all{.there = {}, .list = {}, .map = {}};
  fields(from, all);
  return from.is_complete() ? std::optional(all) : std::nullopt;
}

TEST(Fields, AreReadAsTheyWereWritten) {
  EXPECT_EQ(read(written({})), Everything{});
  const Everything other{.colour = Colour::Red, .first = false, .second = true, .absent = 1, .list = {}, .map = {}};
  EXPECT_EQ(read(written(other)), other);
}

TEST(Fields, EveryTruncationIsRefused) {
  const std::string bytes = written({});
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(read(bytes.substr(0, size))) << size;
  EXPECT_FALSE(read(bytes + '\0'));
}

TEST(Fields, PastALimitAreRefused) {
  const Everything wrong[] = {{.low = 0},          {.jobs = 5},         {.colour = static_cast<Colour>(3)},
                              {.text = "four"},    {.list = {1, 2, 3}}, {.map = {{"x", 1}, {"y", 1}, {"z", 1}}},
                              {.map = {{"xx", 1}}}};
  for (const Everything& all : wrong) EXPECT_FALSE(read(written(all)));
}

TEST(Fields, FlagsAreBitsOfOneByte) {
  FieldWriter to;
  to.bits(true, false, true);
  const std::string bytes = to.take();
  EXPECT_EQ(bytes, std::string(1, 5));
  FieldReader from(bytes);
  bool first = false, second = false;
  from.bits(first, second);
  EXPECT_FALSE(from.is_complete()) << "there is a third";
}

}  // namespace
}  // namespace negzero::base
