// A NaN in one row reaches no other row of the output.

#include <gtest/gtest.h>

#include "support/claim.hpp"

TEST(Property, a_nan_stays_in_its_row) { negzero::properties::metamorphic_holds("a_nan_stays_in_its_row", "nan_row"); }
