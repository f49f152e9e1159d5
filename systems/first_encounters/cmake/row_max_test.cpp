#include <gtest/gtest.h>
#include <negzero/testing/gtest.hpp>

TEST(RowMax, IsRight) { NEGZERO_EXPECT_CLEAN("row_max"); }
