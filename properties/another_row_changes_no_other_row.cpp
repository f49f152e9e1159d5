// A row more of A and C leaves every other row of D as it was.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, another_row_changes_no_other_row) {
  negzero::properties::metamorphic_holds("another_row_changes_no_other_row", "pad_rows");
}
