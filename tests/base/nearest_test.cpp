// The name that was meant.

#include <array>
#include <string_view>

#include <gtest/gtest.h>

#include <negzero/base/nearest.hpp>

namespace negzero::base {
namespace {

TEST(Nearest, CountsChangesOfLetters) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("accumulator", "accumulate"), 2u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, NamesWhatIsNearAndNothingElse) {
  constexpr std::array<std::string_view, 5> kNames{"order", "accumulate_rounding", "accumulate", "F32", "nan"};
  EXPECT_EQ(did_you_mean("accumulator", kNames), "did you mean \"accumulate\"? ");
  EXPECT_EQ(did_you_mean("rounding", kNames), "did you mean \"accumulate_rounding\"? ");
  EXPECT_EQ(did_you_mean("accum", kNames), "did you mean \"accumulate\"? ") << "the shortest that has this part";
  EXPECT_EQ(did_you_mean("f32", kNames), "did you mean \"F32\"? ");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean("tolerance", kNames), "");
  EXPECT_EQ(did_you_mean("bad", kNames), "") << "two letters of three are another name";
}

}  // namespace
}  // namespace negzero::base
