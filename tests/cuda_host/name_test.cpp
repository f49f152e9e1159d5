// Names that a kernel file may use beside ours.

#include <gtest/gtest.h>

#include "kernels.hpp"

namespace negzero_tests {
namespace {

TEST(Names, LibcuxxIsReachableUnderUsingNamespaceNegzero) {
  unsigned largest = 0;
  Stream stream;
  host::largest(stream, &largest);
  ASSERT_TRUE(stream.ok()) << stream.report().message;
  EXPECT_EQ(largest, ~0u);
}

}  // namespace
}  // namespace negzero_tests
