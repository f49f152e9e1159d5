// What negzero_embed() makes of a file is the file, byte for byte.

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "embedded.hpp"

namespace {

/// bytes.bin has every byte, and texts that CMake, the preprocessor and literals of C++ take for their own.
TEST(Embed, EveryByteIsKept) {
  std::ifstream file(NEGZERO_FOLDER "/bytes.bin", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(std::set<char>(bytes.begin(), bytes.end()).size(), 256u);
  EXPECT_NE(bytes.find(")nz\""), std::string::npos);
  EXPECT_NE(bytes.find("@CMAKE_VERSION@"), std::string::npos);
  EXPECT_EQ(negzero::kBytes, bytes);
  EXPECT_EQ(negzero::kAgain, bytes);
}

TEST(Embed, AnEmptyFileIsAnEmptyText) { EXPECT_TRUE(negzero::kEmpty.empty()); }

}  // namespace
