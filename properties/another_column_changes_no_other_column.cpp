// A column more of B and C leaves every other column of D as it was.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, another_column_changes_no_other_column) {
  negzero::properties::metamorphic_holds("another_column_changes_no_other_column", "pad_columns");
}
