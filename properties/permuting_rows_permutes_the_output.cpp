// A position-invariant kernel gives each row of D the same bits wherever the row stands.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, permuting_rows_permutes_the_output) {
  negzero::properties::metamorphic_holds("permuting_rows_permutes_the_output", "permute_rows");
}
