// Rounding to nearest is symmetric: negated inputs give the negated output.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, negating_the_inputs_negates_the_output) {
  negzero::properties::metamorphic_holds("negating_the_inputs_negates_the_output", "negate");
}
