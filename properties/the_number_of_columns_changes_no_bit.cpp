// A position-invariant GEMM gives a column the same bits alone and among a thousand others, wherever it lies.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, the_number_of_columns_changes_no_bit) {
  negzero::properties::metamorphic_holds("the_number_of_columns_changes_no_bit", "other_columns");
}
