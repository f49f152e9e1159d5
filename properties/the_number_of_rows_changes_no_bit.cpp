// A position-invariant kernel gives a row the same bits alone and among a thousand others, wherever it lies.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, the_number_of_rows_changes_no_bit) {
  negzero::properties::metamorphic_holds("the_number_of_rows_changes_no_bit", "other_rows");
}
