// A kernel as a test of GoogleTest.

#include <gtest/gtest.h>

#include <negzero/testing/gtest.hpp>

TEST(RowMax, IsTheLargestElementOfEachRow) { NEGZERO_EXPECT_CLEAN("row_max", "--cases", "300"); }
