// Multiplying the inputs by a power of two multiplies the output by it, while nothing leaves the normal range.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, scaling_by_a_power_of_two_scales_the_output) {
  negzero::properties::metamorphic_holds("scaling_by_a_power_of_two_scales_the_output", "scale");
}
