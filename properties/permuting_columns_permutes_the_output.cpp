// A position-invariant kernel gives each column of D the same bits wherever the column stands.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, permuting_columns_permutes_the_output) {
  negzero::properties::metamorphic_holds("permuting_columns_permutes_the_output", "permute_columns");
}
