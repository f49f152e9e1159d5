// What files on disk are named by stays what it is.

#include <array>
#include <cstddef>
#include <span>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>

namespace negzero::base {
namespace {

TEST(MixBytes, GivesTheNumbersThatFilesAreNamedBy) {
  constexpr std::array kBytes = {std::byte{0}, std::byte{'a'}, std::byte{'b'}, std::byte{'c'}, std::byte{0xff}};
  EXPECT_EQ(mix_bytes(kBytes), 0x909becc9d2ed3d9du);
  EXPECT_EQ(mix_bytes(std::span(kBytes).subspan(2), mix_bytes(std::span(kBytes).first(2))), mix_bytes(kBytes));
  EXPECT_EQ(mix_bytes({}, 7), 7u);
}

}  // namespace
}  // namespace negzero::base
